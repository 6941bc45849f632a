package tips

import "unsafe"

// byValue is something that a set knows of values. The view numbers those of all columns together,
// of which the values of one set are few where there are many sets: there is room for pages of
// neighbours of which something is known.
type byValue[T any] struct {
	pages []*[pageValues]T
	made  int // pages
	blank T   // what is known of all other values
}

// pageValues is how many values are on a page.
const pageValues = 32

// get returns what is known of a value.
func (b *byValue[T]) get(value int32) T {
	if page := int(value / pageValues); page < len(b.pages) && b.pages[page] != nil {
		return b.pages[page][value%pageValues]
	}
	return b.blank
}

// at returns the place of what is known of a value.
func (b *byValue[T]) at(value int32) *T {
	page := int(value / pageValues)
	if more := page + 1 - len(b.pages); more > 0 {
		b.pages = append(b.pages, make([]*[pageValues]T, more)...)
	}
	if b.pages[page] == nil {
		b.pages[page] = new([pageValues]T)
		for i := range b.pages[page] {
			b.pages[page][i] = b.blank
		}
		b.made++
	}
	return &b.pages[page][value%pageValues]
}

// bytes returns the memory that the pages take.
func (b *byValue[T]) bytes() int64 {
	return int64(cap(b.pages))*8 + int64(b.made)*int64(unsafe.Sizeof([pageValues]T{}))
}

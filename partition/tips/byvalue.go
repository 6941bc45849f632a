package tips

import "unsafe"

// byValue maps values to data of a set. The view numbers the values of all columns together, and
// where there are many sets, each has few of them: memory holds pages of neighbouring values with
// at least one entry.
type byValue[T any] struct {
	pages []*[pageValues]T
	made  int // number of pages
	blank T   // the entry of all other values
}

// pageValues is the number of values on a page.
const pageValues = 32

// get returns the entry of a value.
func (b *byValue[T]) get(value int32) T {
	if page := int(value / pageValues); page < len(b.pages) && b.pages[page] != nil {
		return b.pages[page][value%pageValues]
	}
	return b.blank
}

// at returns a pointer to the entry of a value.
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

// bytes returns the memory of the pages.
func (b *byValue[T]) bytes() int64 {
	return int64(cap(b.pages))*8 + int64(b.made)*int64(unsafe.Sizeof([pageValues]T{}))
}

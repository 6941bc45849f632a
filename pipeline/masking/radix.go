package masking

import (
	"cmp"
	"slices"
)

// rowRef is a row of a run, by its place, and the word that it is sorted by.
type rowRef struct {
	key uint64
	row int
}

// comparedRows are as many as comparing sorts faster than counting digits.
const comparedRows = 96

// compareRows compares rows of one coding.
func compareRows(a, b []uint64) int {
	for i, word := range a {
		if word != b[i] {
			return cmp.Compare(word, b[i])
		}
	}
	return 0
}

// sort returns the different rows of a run in order, valid until the next call.
func (r *codedRun) sort() *sortedRun {
	n := len(r.rows) / r.words
	r.refs, r.spare = slices.Grow(r.refs[:0], n)[:n], slices.Grow(r.spare[:0], n)[:n]
	for i := range r.refs {
		r.refs[i].row = i
	}
	r.sortBy(0, r.refs, r.spare)
	out := &r.out
	out.coding, out.rows, out.counts = r.coding, slices.Grow(out.rows[:0], len(r.rows)), slices.Grow(out.counts[:0], n)
	var last []uint64
	for i := range r.refs {
		row := r.row(r.refs[i].row)
		if i > 0 && compareRows(row, last) == 0 {
			out.counts[len(out.counts)-1]++
			continue
		}
		out.rows, out.counts, last = append(out.rows, row...), append(out.counts, 1), row
	}
	return out
}

func (r *codedRun) row(i int) []uint64 { return r.rows[i*r.words : (i+1)*r.words] }

// sortBy sorts rows that are equal before a word: by digits of it and, where it is equal too, by those after it.
func (r *codedRun) sortBy(word int, refs, spare []rowRef) {
	if len(refs) <= comparedRows {
		slices.SortFunc(refs, func(a, b rowRef) int { return compareRows(r.row(a.row)[word:], r.row(b.row)[word:]) })
		return
	}
	for i := range refs {
		refs[i].key = r.rows[refs[i].row*r.words+word]
	}
	sortByKey(refs, spare)
	if word++; word == r.words {
		return
	}
	for from := 0; from < len(refs); {
		to := from + 1
		for to < len(refs) && refs[to].key == refs[from].key {
			to++
		}
		if to-from > 1 {
			r.sortBy(word, refs[from:to], spare[from:to])
		}
		from = to
	}
}

// sortByKey sorts by the keys' digits, which are bytes, the last one first. A digit that all have is passed over.
func sortByKey(refs, spare []rowRef) {
	var counts [8][256]uint32
	for i := range refs {
		key := refs[i].key
		for digit := range counts {
			counts[digit][byte(key>>(8*digit))]++
		}
	}
	from, to := refs, spare
	for digit := range counts {
		count, shift := &counts[digit], 8*digit
		if int(count[byte(from[0].key>>shift)]) == len(from) {
			continue
		}
		next := uint32(0)
		for value, n := range count {
			count[value] = next
			next += n
		}
		for _, ref := range from {
			value := byte(ref.key >> shift)
			to[count[value]] = ref
			count[value]++
		}
		from, to = to, from
	}
	if &from[0] != &refs[0] {
		copy(refs, from)
	}
}

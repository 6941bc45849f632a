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

// digitWords is how many words rows have at most that are sorted by all of their digits. Longer ones mostly differ in a few of them.
const digitWords = 2

// sort puts a run's rows in order, equal ones once, and returns how many there are of each, valid until the next call; nil: one.
func (r *codedRun) sort() (counts []uint32) {
	if r.words <= digitWords {
		r.spare = slices.Grow(r.spare[:0], len(r.rows))[:len(r.rows)]
		r.rows, r.spare = sortByDigits(r.rows, r.spare, r.words)
	} else {
		r.sortRefs()
	}
	n := len(r.rows) / r.words
	r.counts = slices.Grow(r.counts[:0], n)
	last := -1
	for i := range n {
		row := r.row(i)
		if last >= 0 && compareRows(r.row(last), row) == 0 {
			r.counts[last]++
			continue
		}
		if last++; last < i {
			copy(r.row(last), row)
		}
		r.counts = append(r.counts, 1)
	}
	r.rows = r.rows[:(last+1)*r.words]
	if last+1 == n {
		return nil
	}
	return r.counts
}

// sortByDigits sorts rows by their digits, which are bytes, the last one first. A digit that all have is passed over. Either of the
// two is the result, the other one is scratch.
func sortByDigits(from, to []uint64, words int) (sorted, spare []uint64) {
	counts := make([][256]uint32, 8*words)
	for at := 0; at < len(from); at += words {
		for w, word := range from[at : at+words] {
			digits := counts[8*w : 8*w+8]
			for digit := range digits {
				digits[digit][byte(word>>(8*digit))]++
			}
		}
	}
	for w := words - 1; w >= 0; w-- {
		for digit := range 8 {
			count, shift := &counts[8*w+digit], 8*digit
			if int(count[byte(from[w]>>shift)])*words == len(from) {
				continue
			}
			next := uint32(0)
			for value, n := range count {
				count[value] = next
				next += n * uint32(words)
			}
			for at := 0; at < len(from); at += words {
				value := byte(from[at+w] >> shift)
				place := count[value]
				count[value] += uint32(words)
				for k := range words {
					to[int(place)+k] = from[at+k]
				}
			}
			from, to = to, from
		}
	}
	return from, to
}

// sortRefs sorts rows by references to them.
func (r *codedRun) sortRefs() {
	n := len(r.rows) / r.words
	r.refs, r.spareRefs = slices.Grow(r.refs[:0], n)[:n], slices.Grow(r.spareRefs[:0], n)[:n]
	for i := range r.refs {
		r.refs[i].row = i
	}
	r.sortBy(0, r.refs, r.spareRefs)
	r.spare = slices.Grow(r.spare[:0], len(r.rows))
	for i := range r.refs {
		r.spare = append(r.spare, r.row(r.refs[i].row)...)
	}
	r.rows, r.spare = r.spare, r.rows
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

package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// RowRun is rows in memory. It belongs to one worker.
//
//	refs:  first bytes of the row, place of its length, equal rows
//	Bytes: length in 4 bytes │ row │ length in 4 bytes │ row │ ...
//
// Short rows, all of one length, are in their references alone.
type RowRun struct {
	Bytes []byte // the next row is appended here

	sorter *Sorter
	short  int   // bytes of every row, at most prefixBytes; 0: they are in Bytes
	room   int64 // bytes that rows and what refers to them may take
	begin  int   // of the row that is being appended
	rows   int64 // equal ones too
	size   int   // bytes of different ones, once they are sorted
	refs   []rowRef
	of     []byte   // scratch: a short row
	copied []rowRef // likewise: references that are divided
}

// rowRef is where a row is, and the first bytes of it, which mostly decide.
type rowRef struct {
	prefix uint64
	at     uint32 // of the length in front of the row
	count  uint32 // of equal rows
}

const (
	// RowRefBytes is the memory of a row without its bytes, and ShortRowBytes that of a short one.
	RowRefBytes   = ShortRowBytes + lengthBytes
	ShortRowBytes = 16
	// prefixBytes is how many bytes of a row are its prefix, and MostShort how many a short one has at most.
	prefixBytes = MostShort
	MostShort   = 8
	// firstDigit is the bit of a prefix at which its first byte begins.
	firstDigit = 8 * (prefixBytes - 1)
	// comparedRows are as many as comparing sorts faster than counting bytes.
	comparedRows = 32
)

// newRun returns a run without rows, which are short if they have a length.
func newRun(s *Sorter, short int) *RowRun {
	r := &RowRun{sorter: s, short: short}
	r.empty()
	return r
}

// empty forgets the rows.
func (r *RowRun) empty() {
	r.Bytes, r.refs, r.begin, r.rows, r.size = r.Bytes[:0], r.refs[:0], 0, 0, 0
	r.next()
}

// next makes room for the length of the next row.
func (r *RowRun) next() {
	if r.short > 0 {
		return
	}
	r.begin = len(r.Bytes)
	r.Bytes = append(r.Bytes, 0, 0, 0, 0)
}

// End ends the row that was appended to Bytes, and of which there are n.
func (r *RowRun) End(n int64) error {
	if r.short > 0 {
		prefix := prefixOf(r.Bytes)
		r.Bytes = r.Bytes[:0]
		return r.AppendShort(prefix, n)
	}
	row := r.Bytes[r.begin+lengthBytes:]
	binary.LittleEndian.PutUint32(r.Bytes[r.begin:], uint32(len(row)))
	ref := rowRef{prefix: prefixOf(row), at: uint32(r.begin)}
	r.next()
	return r.refer(ref, n)
}

// AppendShort appends n equal short rows, whose bytes are the first ones of a word. It is Append
// without the detour by bytes.
func (r *RowRun) AppendShort(row uint64, n int64) error { return r.refer(rowRef{prefix: row}, n) }

// Append appends n rows that are equal.
func (r *RowRun) Append(row []byte, n int64) error {
	r.Bytes = append(r.Bytes, row...)
	return r.End(n)
}

// used returns how many bytes the rows take.
func (r *RowRun) used() int64 { return int64(len(r.Bytes)) + ShortRowBytes*int64(len(r.refs)) }

// makeRoom makes room for rows such as those that are there, as far as it is drawn: once, where they would grow piece by piece.
func (r *RowRun) makeRoom() {
	if used := r.used(); 0 < used && used < r.room {
		times := float64(r.room)/float64(used) - 1
		r.Bytes = slices.Grow(r.Bytes, int(times*float64(len(r.Bytes))))
		r.refs = slices.Grow(r.refs, int(times*float64(len(r.refs)))+1) // the last one is too much
	}
}

// refer refers to n equal rows, and makes room for the next ones.
func (r *RowRun) refer(ref rowRef, n int64) error {
	r.rows += n
	for ref.count = math.MaxUint32; n > math.MaxUint32; n -= math.MaxUint32 { // a reference has 32 bits for them
		r.refs = append(r.refs, ref)
	}
	ref.count = uint32(n)
	r.refs = append(r.refs, ref)
	if r.used() <= r.room {
		return nil
	}
	return r.sorter.makeRoom(r)
}

// prefixOf returns the first bytes of a row as a number, zeros where it is shorter.
func prefixOf(row []byte) (prefix uint64) {
	if len(row) >= prefixBytes {
		return binary.BigEndian.Uint64(row)
	}
	for i, b := range row {
		prefix |= uint64(b) << (56 - 8*i)
	}
	return prefix
}

// length returns how many bytes a row has.
func (r *RowRun) length(ref *rowRef) int {
	if r.short > 0 {
		return r.short
	}
	return int(binary.LittleEndian.Uint32(r.Bytes[ref.at:]))
}

// row returns a row, a short one until the next call.
func (r *RowRun) row(ref *rowRef) []byte {
	if r.short > 0 {
		r.of = binary.BigEndian.AppendUint64(r.of[:0], ref.prefix)
		return r.of[:r.short]
	}
	from := int(ref.at) + lengthBytes
	return r.Bytes[from : from+r.length(ref)]
}

// sort puts the rows in order and makes equal ones one.
func (r *RowRun) sort() {
	r.divide(r.refs, 0, firstDigit)
	r.size = 0
	last := -1
	for i := range r.refs {
		ref := r.refs[i]
		if last >= 0 {
			of := &r.refs[last]
			if of.prefix == ref.prefix && ref.count <= math.MaxUint32-of.count && r.compareBehind(of, &ref) == 0 {
				of.count += ref.count
				continue
			}
		}
		last++
		r.refs[last] = ref
		r.size += r.length(&ref)
	}
	r.refs = r.refs[:last+1]
}

// compareBehind compares rows that have one prefix.
func (r *RowRun) compareBehind(a, b *rowRef) int {
	if r.short > 0 {
		return 0
	}
	return bytes.Compare(r.row(a), r.row(b))
}

// divide puts rows in order whose first bytes are equal, and whose prefixes begin behind these: by
// the first digit, a byte, of their prefixes that not all have, from the one at a bit on. It is the
// two-array sort of McIlroy, Bostic and McIlroy, "Engineering radix sort" (1993).
func (r *RowRun) divide(refs []rowRef, equal, bit int) {
	if len(refs) <= comparedRows {
		r.insert(refs)
		return
	}
	var next, end [256]uint32
	for ; bit >= 0 && !countDigits(&end, refs, bit); bit -= 8 {
	}
	if bit < 0 {
		if r.short == 0 {
			r.divideBehind(refs, equal)
		}
		return
	}
	sum := uint32(0)
	for digit, n := range end {
		next[digit] = sum
		sum += n
		end[digit] = sum
	}
	r.copied = append(r.copied[:0], refs...)
	shift := uint(bit) & 63
	for _, ref := range r.copied {
		to := &next[byte(ref.prefix>>shift)]
		refs[*to] = ref
		*to++
	}
	from := uint32(0)
	for _, to := range end {
		if to-from > 1 {
			r.divide(refs[from:to], equal, bit-8)
		}
		from = to
	}
}

// countDigits counts rows by the digit at a bit, and reports whether not all have one. Of those that
// do, nothing is counted.
func countDigits(n *[256]uint32, refs []rowRef, bit int) (differ bool) {
	shift := uint(bit) & 63
	for i := range refs {
		n[byte(refs[i].prefix>>shift)]++
	}
	ofFirst := &n[byte(refs[0].prefix>>shift)]
	if *ofFirst < uint32(len(refs)) {
		return true
	}
	*ofFirst = 0
	return false
}

// divideBehind puts rows in order that have one prefix: by the first bytes that not all have, which take its place meanwhile.
func (r *RowRun) divideBehind(refs []rowRef, equal int) {
	first := r.row(&refs[0])
	common, longest := len(first), 0
	for i := range refs {
		row := r.row(&refs[i])
		longest = max(longest, len(row))
		common = min(common, len(row))
		if !bytes.Equal(row[equal:common], first[equal:common]) {
			for at := equal; at < common; at++ {
				if row[at] != first[at] {
					common = at
				}
			}
		}
	}
	switch prefix := refs[0].prefix; {
	case common == longest: // they are equal
	case common < equal+prefixBytes: // some end in the prefix, and others have zeros there
		r.compare(refs)
	default:
		for i := range refs {
			refs[i].prefix = prefixOf(r.row(&refs[i])[common:])
		}
		r.divide(refs, common, firstDigit)
		for i := range refs {
			refs[i].prefix = prefix
		}
	}
}

// compare puts rows in order.
func (r *RowRun) compare(refs []rowRef) {
	slices.SortFunc(refs, func(a, b rowRef) int { return cmp.Or(cmp.Compare(a.prefix, b.prefix), r.compareBehind(&a, &b)) })
}

// insert puts rows in order that are few.
func (r *RowRun) insert(refs []rowRef) {
	for i := 1; i < len(refs); i++ {
		ref, at := refs[i], i
		for ; at > 0; at-- {
			before := &refs[at-1]
			if before.prefix < ref.prefix || before.prefix == ref.prefix && r.compareBehind(before, &ref) <= 0 {
				break
			}
			refs[at] = *before
		}
		refs[at] = ref
	}
}

// Len returns the number of rows, those that are known to be equal once.
func (r *RowRun) Len() int { return len(r.refs) }

// held returns how many bytes a copy takes.
func (r *RowRun) held() int64 {
	if r.short > 0 {
		return ShortRowBytes * int64(len(r.refs))
	}
	return int64(r.size) + RowRefBytes*int64(len(r.refs))
}

// clone returns a copy in memory of its own size, with its rows one after the other.
func (r *RowRun) clone() *RowRun {
	to := *r
	to.refs, to.copied = slices.Clone(r.refs), nil
	if r.short > 0 {
		to.Bytes = nil
		return &to
	}
	to.Bytes = make([]byte, 0, r.size+lengthBytes*(len(r.refs)+1))
	for i := range to.refs {
		ref := &to.refs[i]
		row := r.Bytes[ref.at:][:lengthBytes+r.length(ref)]
		ref.at = uint32(len(to.Bytes))
		to.Bytes = append(to.Bytes, row...)
	}
	to.next()
	return &to
}

// compact leaves the different rows alone. References are that already.
func (r *RowRun) compact() {
	if r.short == 0 {
		*r = *r.clone()
	}
}

package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// RowRun holds rows in memory. It belongs to one worker.
//
//	refs:  first bytes of the row, place of its length, number of equal rows
//	Bytes: length in 4 bytes │ row │ length in 4 bytes │ row │ ...
//
// Short rows, which all have one length, exist only in their references.
type RowRun struct {
	Bytes []byte // callers append the next row here

	sorter *Sorter
	short  int   // length of every row, at most prefixBytes; 0: the rows are in Bytes
	room   int64 // bytes that rows and their references may take
	begin  int   // start of the row that is being appended
	rows   int64 // number of rows, with equal ones
	size   int   // bytes of the different rows, after sorting
	refs   []rowRef
	of     []byte   // scratch: a short row
	copied []rowRef // scratch: references that are divided
}

// rowRef is the place of a row and its first bytes, which usually decide a comparison.
type rowRef struct {
	prefix uint64
	at     uint32 // place of the length in front of the row
	count  uint32 // number of equal rows
}

const (
	// RowRefBytes is the memory of a row without its bytes, and ShortRowBytes that of a short row.
	RowRefBytes   = ShortRowBytes + lengthBytes
	ShortRowBytes = 16
	// prefixBytes is the length of a row's prefix, and MostShort the largest length of a short row.
	prefixBytes = MostShort
	MostShort   = 8
	// firstDigit is the bit position in a prefix at which its first byte begins.
	firstDigit = 8 * (prefixBytes - 1)
	// comparedRows is the largest number of rows that sort faster by comparisons than by counting
	// bytes.
	comparedRows = 32
)

// newRun returns a run without rows. A short length other than 0 makes all its rows short.
func newRun(s *Sorter, short int) *RowRun {
	r := &RowRun{sorter: s, short: short}
	r.empty()
	return r
}

// empty removes all rows.
func (r *RowRun) empty() {
	r.Bytes, r.refs, r.begin, r.rows, r.size = r.Bytes[:0], r.refs[:0], 0, 0, 0
	r.next()
}

// next reserves the bytes for the length of the next row.
func (r *RowRun) next() {
	if r.short > 0 {
		return
	}
	r.begin = len(r.Bytes)
	r.Bytes = append(r.Bytes, 0, 0, 0, 0)
}

// End ends the row that the caller has appended to Bytes and counts it n times.
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

// AppendShort appends n equal short rows, given as the first bytes of a word. It does the same as
// Append without a conversion to bytes.
func (r *RowRun) AppendShort(row uint64, n int64) error { return r.refer(rowRef{prefix: row}, n) }

// Append appends n equal rows.
func (r *RowRun) Append(row []byte, n int64) error {
	r.Bytes = append(r.Bytes, row...)
	return r.End(n)
}

// used returns the number of bytes that the rows take.
func (r *RowRun) used() int64 { return int64(len(r.Bytes)) + ShortRowBytes*int64(len(r.refs)) }

// makeRoom allocates, at once and within the drawn bytes, room for more rows of the same kind.
// Otherwise the slices would grow step by step.
func (r *RowRun) makeRoom() {
	if used := r.used(); 0 < used && used < r.room {
		times := float64(r.room)/float64(used) - 1
		r.Bytes = slices.Grow(r.Bytes, int(times*float64(len(r.Bytes))))
		// the last row goes beyond the room
		r.refs = slices.Grow(r.refs, int(times*float64(len(r.refs)))+1)
	}
}

// refer adds a reference to n equal rows, and makes room for another row of the same length.
func (r *RowRun) refer(ref rowRef, n int64) error {
	r.rows += n
	// a reference counts in 32 bits
	for ref.count = math.MaxUint32; n > math.MaxUint32; n -= math.MaxUint32 {
		r.refs = append(r.refs, ref)
	}
	ref.count = uint32(n)
	r.refs = append(r.refs, ref)
	length := int64(r.length(&ref))
	if r.used()+length <= r.room {
		return nil
	}
	return r.sorter.makeRoom(r, length)
}

// prefixOf returns the first bytes of a row as a number. A shorter row is padded with zeros.
func prefixOf(row []byte) (prefix uint64) {
	if len(row) >= prefixBytes {
		return binary.BigEndian.Uint64(row)
	}
	for i, b := range row {
		prefix |= uint64(b) << (56 - 8*i)
	}
	return prefix
}

// length returns the number of bytes of a row.
func (r *RowRun) length(ref *rowRef) int {
	if r.short > 0 {
		return r.short
	}
	return int(binary.LittleEndian.Uint32(r.Bytes[ref.at:]))
}

// row returns a row. A short row is valid until the next call.
func (r *RowRun) row(ref *rowRef) []byte {
	if r.short > 0 {
		r.of = binary.BigEndian.AppendUint64(r.of[:0], ref.prefix)
		return r.of[:r.short]
	}
	from := int(ref.at) + lengthBytes
	return r.Bytes[from : from+r.length(ref)]
}

// sort orders the rows and combines equal ones.
func (r *RowRun) sort() {
	r.divide(r.refs, 0, firstDigit)
	r.size = 0
	last := -1
	for i := range r.refs {
		ref := r.refs[i]
		if last >= 0 {
			of := &r.refs[last]
			if of.prefix == ref.prefix && ref.count <= math.MaxUint32-of.count &&
				r.compareBehind(of, &ref) == 0 {
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

// compareBehind compares the bytes behind the prefixes of two rows with equal prefixes.
func (r *RowRun) compareBehind(a, b *rowRef) int {
	if r.short > 0 {
		return 0
	}
	return bytes.Compare(r.row(a), r.row(b))
}

// divide sorts rows whose first bytes are equal and whose prefixes begin behind these bytes. It
// distributes them by the first byte of their prefixes, from a bit position on, in which they
// differ. It is the two-array sort of McIlroy, Bostic and McIlroy, "Engineering radix sort" (1993).
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

// countDigits counts rows by the digit at a bit position and reports whether they differ in it. If
// they do not, it counts nothing.
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

// divideBehind sorts rows with equal prefixes: it replaces the prefixes, until it returns, by the
// first bytes in which the rows differ.
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
	case common == longest: // all rows are equal
	case common < equal+prefixBytes: // some rows end within the prefix, others have zeros there
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

// compare sorts rows by comparing them.
func (r *RowRun) compare(refs []rowRef) {
	slices.SortFunc(refs, func(a, b rowRef) int {
		return cmp.Or(cmp.Compare(a.prefix, b.prefix), r.compareBehind(&a, &b))
	})
}

// insert sorts a few rows by insertion.
func (r *RowRun) insert(refs []rowRef) {
	for i := 1; i < len(refs); i++ {
		ref, at := refs[i], i
		for ; at > 0; at-- {
			before := &refs[at-1]
			if before.prefix < ref.prefix || before.prefix == ref.prefix &&
				r.compareBehind(before, &ref) <= 0 {
				break
			}
			refs[at] = *before
		}
		refs[at] = ref
	}
}

// Len returns the number of rows. Rows that are known to be equal count once.
func (r *RowRun) Len() int { return len(r.refs) }

// held returns the number of bytes of a copy.
func (r *RowRun) held() int64 {
	if r.short > 0 {
		return ShortRowBytes * int64(len(r.refs))
	}
	return int64(r.size) + RowRefBytes*int64(len(r.refs))
}

// clone returns a copy without spare capacity, with its rows in order.
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

// compact removes the bytes of all but the different rows, and keeps the room. For short rows the
// references suffice.
func (r *RowRun) compact() {
	if r.short == 0 {
		of := r.clone()
		r.Bytes, r.begin = append(r.Bytes[:0], of.Bytes...), of.begin
		copy(r.refs, of.refs)
	}
}

package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// RowRun is rows in memory. It belongs to one worker.
type RowRun struct {
	Bytes []byte // rows, one after the other: the next one is appended here

	sorter *Sorter
	room   int64 // bytes that rows and what refers to them may take
	begin  int   // of the row that is being appended
	rows   int64 // equal ones too
	size   int   // bytes of different ones, once they are sorted
	refs   []rowRef
}

// rowRef is where a row is, and the first bytes of it, which mostly decide.
type rowRef struct {
	prefix   uint64
	from, to uint32
	count    uint32 // of equal rows
}

const (
	// RowRefBytes is the memory of a row without its bytes.
	RowRefBytes = 24
	// prefixBytes is how many bytes of a row are its prefix.
	prefixBytes = 8
	// comparedRows are as many as comparing sorts faster than counting bytes.
	comparedRows = 64
)

// End ends the row that was appended to Bytes, and of which there are n.
func (r *RowRun) End(n uint32) error {
	r.rows += int64(n)
	r.refer(r.begin, len(r.Bytes), n)
	r.begin = len(r.Bytes)
	if r.used() <= r.room {
		return nil
	}
	return r.sorter.makeRoom(r)
}

// Append appends n rows that are equal.
func (r *RowRun) Append(row []byte, n int64) error {
	for n := range eachCount(n) {
		r.Bytes = append(r.Bytes, row...)
		if err := r.End(n); err != nil {
			return err
		}
	}
	return nil
}

// used returns how many bytes the rows take.
func (r *RowRun) used() int64 { return int64(len(r.Bytes)) + RowRefBytes*int64(len(r.refs)) }

// makeRoom makes room for rows such as those that are there, as far as it is drawn: once, where they would grow piece by piece.
func (r *RowRun) makeRoom() {
	if used := r.used(); used > 0 {
		times := float64(r.room)/float64(used) - 1
		r.Bytes = slices.Grow(r.Bytes, int(times*float64(len(r.Bytes))))
		r.refs = slices.Grow(r.refs, int(times*float64(len(r.refs))))
	}
}

// refer refers to a row in Bytes.
func (r *RowRun) refer(from, to int, n uint32) {
	r.refs = append(r.refs, rowRef{prefix: prefixOf(r.Bytes[from:to]), from: uint32(from), to: uint32(to), count: n})
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

func (r *RowRun) row(ref *rowRef) []byte { return r.Bytes[ref.from:ref.to] }

// sort puts the rows in order and makes equal ones one.
func (r *RowRun) sort() {
	r.divide(r.refs, 0, 0)
	r.size = 0
	last := -1
	for _, ref := range r.refs {
		if last >= 0 {
			of := &r.refs[last]
			if of.prefix == ref.prefix && ref.count <= math.MaxUint32-of.count && bytes.Equal(r.row(of), r.row(&ref)) {
				of.count += ref.count
				continue
			}
		}
		last++
		r.refs[last] = ref
		r.size += int(ref.to - ref.from)
	}
	r.refs = r.refs[:last+1]
}

// divide puts rows in order whose first bytes are equal. Their prefixes begin behind these, and agree in some digits, which are
// bytes. It is the American flag sort of McIlroy, Bostic and McIlroy, "Engineering radix sort" (1993).
func (r *RowRun) divide(refs []rowRef, equal, digits int) {
	switch {
	case len(refs) <= comparedRows:
		r.compare(refs)
		return
	case digits == prefixBytes:
		r.divideBehind(refs, equal)
		return
	}
	shift := 56 - 8*digits
	var next, end [256]uint32
	for i := range refs {
		end[byte(refs[i].prefix>>shift)]++
	}
	sum := uint32(0)
	for digit, n := range end {
		next[digit] = sum
		sum += n
		end[digit] = sum
	}
	for digit := range next {
		for ; next[digit] < end[digit]; next[digit]++ {
			ref := refs[next[digit]]
			for to := byte(ref.prefix >> shift); int(to) != digit; to = byte(ref.prefix >> shift) {
				refs[next[to]], ref = ref, refs[next[to]]
				next[to]++
			}
			refs[next[digit]] = ref
		}
	}
	from := uint32(0)
	for _, to := range end {
		if to-from > 1 {
			r.divide(refs[from:to], equal, digits+1)
		}
		from = to
	}
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
		r.divide(refs, common, 0)
		for i := range refs {
			refs[i].prefix = prefix
		}
	}
}

// compare puts rows in order that are few.
func (r *RowRun) compare(refs []rowRef) {
	slices.SortFunc(refs, func(a, b rowRef) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(r.row(&a), r.row(&b))
	})
}

// Len returns the number of different rows.
func (r *RowRun) Len() int { return len(r.refs) }

// At returns a row and how many there are of it.
func (r *RowRun) At(i int) (row []byte, n uint32) { return r.row(&r.refs[i]), r.refs[i].count }

// held returns how many bytes a copy takes.
func (r *RowRun) held() int64 { return int64(r.size) + RowRefBytes*int64(len(r.refs)) }

// clone returns a copy in memory of its own size, with its rows one after the other.
func (r *RowRun) clone() *RowRun {
	to := *r
	to.Bytes, to.refs = make([]byte, 0, r.size), slices.Clone(r.refs)
	for i := range to.refs {
		ref := &to.refs[i]
		from := len(to.Bytes)
		to.Bytes = append(to.Bytes, r.row(ref)...)
		ref.from, ref.to = uint32(from), uint32(len(to.Bytes))
	}
	to.begin = len(to.Bytes)
	return &to
}

// compact leaves the different rows alone.
func (r *RowRun) compact() { *r = *r.clone() }

// empty forgets the rows.
func (r *RowRun) empty() { r.Bytes, r.refs, r.begin, r.rows, r.size = r.Bytes[:0], r.refs[:0], 0, 0, 0 }

// AppendRow appends n rows that are equal to those of a chunk: the length of the row and how many there are, in 4 bytes each,
// and its bytes. Of none nothing is appended.
func AppendRow(chunk, row []byte, n int64) []byte {
	for n := range eachCount(n) {
		chunk = binary.LittleEndian.AppendUint32(chunk, uint32(len(row)))
		chunk = binary.LittleEndian.AppendUint32(chunk, n)
		chunk = append(chunk, row...)
	}
	return chunk
}

// Decode makes the run that of a chunk's rows, which stays as it is as long as they are used.
func (r *RowRun) Decode(chunk []byte) error {
	if rest := r.decode(chunk); len(rest) > 0 {
		return ErrCorrupt
	}
	return nil
}

// rowHead is how many bytes come before those of a row in a chunk.
const rowHead = 8

// decode takes the whole rows of a chunk, and returns the bytes behind them.
func (r *RowRun) decode(chunk []byte) (rest []byte) {
	r.Bytes, r.refs = chunk, r.refs[:0]
	at := 0
	for len(chunk)-at >= rowHead {
		from := at + rowHead
		to := from + int(binary.LittleEndian.Uint32(chunk[at:]))
		if to > len(chunk) {
			break
		}
		r.refer(from, to, binary.LittleEndian.Uint32(chunk[at+4:]))
		at = to
	}
	return chunk[at:]
}

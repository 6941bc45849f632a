package arrowfile

import (
	"encoding/binary"
	"fmt"

	"github.com/kcut/kcut/formats"
)

// table is a table of Arrow's metadata, a FlatBuffer. Its bytes may be damaged: what leads
// outside of them panics, see brokenMetadata. The zero table has no fields.
type table struct {
	data []byte
	pos  int
}

// vector is a vector of n elements from pos on.
type vector struct {
	data   []byte
	pos, n int
}

// brokenMetadata makes a panic the error that metadata is broken. It is deferred itself.
func brokenMetadata(of string, err *error) {
	if recover() != nil {
		*err = fmt.Errorf("%w: broken %s", formats.ErrDamaged, of)
	}
}

// tableAt returns the table that the reference at a position leads to, if it has its list of
// fields.
func tableAt(data []byte, pos int) table {
	t := table{data, pos + int(numberAt(data, pos, 4))}
	t.slot(0)
	return t
}

// numberAt returns the number of size bytes at a position.
func numberAt(data []byte, pos, size int) (n uint64) {
	for i := range size {
		n |= uint64(data[pos+i]) << (8 * i)
	}
	return n
}

// slot returns the position of a field's value, or 0 when the table does not have it.
func (t table) slot(field int) int {
	if t.data == nil {
		return 0
	}
	vtable := t.pos - int(int32(binary.LittleEndian.Uint32(t.data[t.pos:])))
	at := 4 + 2*field
	if at+2 > int(numberAt(t.data, vtable, 2)) {
		return 0
	}
	if offset := numberAt(t.data, vtable+at, 2); offset != 0 {
		return t.pos + int(offset)
	}
	return 0
}

// number returns a field of size bytes, 0 when the table does not have it.
func (t table) number(field, size int) uint64 {
	if at := t.slot(field); at != 0 {
		return numberAt(t.data, at, size)
	}
	return 0
}

// child returns the table that a field refers to, the zero table when there is none.
func (t table) child(field int) table {
	if at := t.slot(field); at != 0 {
		return tableAt(t.data, at)
	}
	return table{}
}

// vector returns the vector that a field refers to, which lies inside the buffer with all
// its elements of size bytes.
func (t table) vector(field, size int) vector {
	at := t.slot(field)
	if at == 0 {
		return vector{}
	}
	at += int(numberAt(t.data, at, 4))
	n := int(numberAt(t.data, at, 4))
	if n > (len(t.data)-at-4)/size {
		panic("a vector that is longer than its buffer")
	}
	return vector{t.data, at + 4, n}
}

// number returns number i of element k, all of whose numbers have 8 bytes.
func (v vector) number(k, numbers, i int) int64 {
	return int64(numberAt(v.data, v.pos+8*(k*numbers+i), 8))
}

// table returns table k of a vector of tables.
func (v vector) table(k int) table { return tableAt(v.data, v.pos+4*k) }

package arrowfile

import "encoding/binary"

// flatbuf reads Arrow's metadata, a FlatBuffer, from bytes that may be damaged: whatever
// lies outside them reads as zero and sets bad.
type flatbuf struct {
	data []byte
	bad  bool
}

// flatTable is a table in a flatbuf. The zero table has no fields.
type flatTable struct {
	f      *flatbuf
	pos    int
	vtable int
	size   int // of the vtable
}

// flatVector is a vector of n elements from pos on.
type flatVector struct {
	f      *flatbuf
	pos, n int
}

var zeros [8]byte

// at returns n ≤ 8 bytes.
func (f *flatbuf) at(pos, n int) []byte {
	if pos < 0 || pos > len(f.data)-n {
		f.bad = true
		return zeros[:n]
	}
	return f.data[pos : pos+n]
}

func (f *flatbuf) uint16(pos int) uint16 { return binary.LittleEndian.Uint16(f.at(pos, 2)) }

func (f *flatbuf) uint32(pos int) uint32 { return binary.LittleEndian.Uint32(f.at(pos, 4)) }

func (f *flatbuf) int64(pos int) int64 { return int64(binary.LittleEndian.Uint64(f.at(pos, 8))) }

// root returns the outermost table.
func (f *flatbuf) root() flatTable { return f.table(int(f.uint32(0))) }

func (f *flatbuf) table(pos int) flatTable {
	vtable := pos - int(int32(f.uint32(pos)))
	return flatTable{f, pos, vtable, int(f.uint16(vtable))}
}

// slot returns the position of a field's value, or 0 when the table does not have it.
func (t flatTable) slot(field int) int {
	if t.f == nil || 4+2*field+2 > t.size {
		return 0
	}
	if offset := t.f.uint16(t.vtable + 4 + 2*field); offset != 0 {
		return t.pos + int(offset)
	}
	return 0
}

func (t flatTable) byte(field int) byte {
	if p := t.slot(field); p != 0 {
		return t.f.at(p, 1)[0]
	}
	return 0
}

func (t flatTable) int16(field int) int16 {
	if p := t.slot(field); p != 0 {
		return int16(t.f.uint16(p))
	}
	return 0
}

func (t flatTable) int64(field int) int64 {
	if p := t.slot(field); p != 0 {
		return t.f.int64(p)
	}
	return 0
}

// child returns the table that a field refers to.
func (t flatTable) child(field int) (flatTable, bool) {
	p := t.slot(field)
	if p == 0 {
		return flatTable{}, false
	}
	return t.f.table(p + int(t.f.uint32(p))), true
}

// vector returns the vector that a field refers to, which lies inside the buffer with all
// its elements of size bytes.
func (t flatTable) vector(field, size int) flatVector {
	p := t.slot(field)
	if p == 0 {
		return flatVector{}
	}
	p += int(t.f.uint32(p))
	n := int(t.f.uint32(p))
	if n > (len(t.f.data)-p-4)/size {
		t.f.bad = true
		return flatVector{}
	}
	return flatVector{t.f, p + 4, n}
}

// table returns element i of a vector of tables.
func (v flatVector) table(i int) flatTable {
	p := v.pos + 4*i
	return v.f.table(p + int(v.f.uint32(p)))
}

// pair returns element i of a vector of structs of two 64-bit numbers.
func (v flatVector) pair(i int) (first, second int64) {
	return v.f.int64(v.pos + 16*i), v.f.int64(v.pos + 16*i + 8)
}

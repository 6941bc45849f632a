package arrowfile

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

// number returns the number of size bytes at a position.
func (f *flatbuf) number(pos, size int) (n uint64) {
	if pos < 0 || pos > len(f.data)-size {
		f.bad = true
		return 0
	}
	for i, b := range f.data[pos : pos+size] {
		n |= uint64(b) << (8 * i)
	}
	return n
}

// target returns the position that the reference at a position leads to.
func (f *flatbuf) target(pos int) int { return pos + int(f.number(pos, 4)) }

// table returns the table that the reference at a position leads to.
func (f *flatbuf) table(pos int) flatTable {
	pos = f.target(pos)
	vtable := pos - int(int32(f.number(pos, 4)))
	return flatTable{f, pos, vtable, int(f.number(vtable, 2))}
}

// slot returns the position of a field's value, or 0 when the table does not have it.
func (t flatTable) slot(field int) int {
	if t.f == nil || 4+2*field+2 > t.size {
		return 0
	}
	if offset := t.f.number(t.vtable+4+2*field, 2); offset != 0 {
		return t.pos + int(offset)
	}
	return 0
}

// number returns a field of size bytes, 0 when the table does not have it.
func (t flatTable) number(field, size int) uint64 {
	if p := t.slot(field); p != 0 {
		return t.f.number(p, size)
	}
	return 0
}

// child returns the table that a field refers to.
func (t flatTable) child(field int) (flatTable, bool) {
	p := t.slot(field)
	if p == 0 {
		return flatTable{}, false
	}
	return t.f.table(p), true
}

// vector returns the vector that a field refers to, which lies inside the buffer with all
// its elements of size bytes.
func (t flatTable) vector(field, size int) flatVector {
	p := t.slot(field)
	if p == 0 {
		return flatVector{}
	}
	p = t.f.target(p)
	n := int(t.f.number(p, 4))
	if n > (len(t.f.data)-p-4)/size {
		t.f.bad = true
		return flatVector{}
	}
	return flatVector{t.f, p + 4, n}
}

// pair returns element i of a vector of structs of two 64-bit numbers.
func (v flatVector) pair(i int) (first, second int64) {
	return int64(v.f.number(v.pos+16*i, 8)), int64(v.f.number(v.pos+16*i+8, 8))
}

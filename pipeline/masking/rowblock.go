package masking

// rowBlock is some rows of the release in the form of a rowForm, each with the number of rows that
// are equal to it.
type rowBlock struct {
	heads  []uint64 // the words of their heads
	tails  []byte   // their bytes behind these
	starts []int    // by row, where the form has bytes behind heads: where its own start
	equal  []int64  // by row
}

// records returns how many rows there are, equal ones included.
func (b *rowBlock) records() (n int64) {
	for _, equal := range b.equal {
		n += equal
	}
	return n
}

// tail returns the bytes of a row behind its head.
func (b *rowBlock) tail(i int) []byte {
	switch {
	case len(b.starts) == 0:
		return nil
	case i+1 < len(b.starts):
		return b.tails[b.starts[i]:b.starts[i+1]]
	}
	return b.tails[b.starts[i]:]
}

// add appends the rows of another block.
func (b *rowBlock) add(o *rowBlock) {
	b.heads, b.equal = append(b.heads, o.heads...), append(b.equal, o.equal...)
	if len(o.starts) == 0 {
		return
	}
	moved := len(b.tails) - o.starts[0]
	for _, start := range o.starts {
		b.starts = append(b.starts, start+moved)
	}
	b.tails = append(b.tails, o.tails[o.starts[0]:]...)
}

// row returns a row as a block in the same memory.
func (b *rowBlock) row(i int) rowBlock {
	words := len(b.heads) / len(b.equal)
	one := rowBlock{heads: b.heads[i*words : (i+1)*words], equal: b.equal[i : i+1]}
	if len(b.starts) > 0 {
		one.starts, one.tails = b.starts[i:i+1], b.tails[:b.starts[i]+len(b.tail(i))]
	}
	return one
}

// clear forgets the rows.
func (b *rowBlock) clear() {
	b.heads, b.tails, b.starts, b.equal = b.heads[:0], b.tails[:0], b.starts[:0], b.equal[:0]
}

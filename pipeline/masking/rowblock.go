package masking

// rowBlock is distinct rows of the release in the form of a rowForm, each with its number of
// copies.
type rowBlock struct {
	heads  []uint64 // the words of the rows' heads
	tails  []byte   // the rows' bytes behind their heads
	starts []int    // by row: where its bytes in tails start; empty if rows have heads alone
	equal  []int64  // by row: number of copies
}

// records returns the number of rows, counting copies.
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

// clear removes the rows.
func (b *rowBlock) clear() {
	b.heads, b.tails, b.starts, b.equal = b.heads[:0], b.tails[:0], b.starts[:0], b.equal[:0]
}

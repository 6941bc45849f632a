package spill

// Sequence names a list of chunks in a Store. Numbers are never reused.
type Sequence uint64

// sequence is where the chunks of a Sequence are.
type sequence struct {
	number Sequence
	blocks []*block
	freed  bool
}

// block is chunks of a sequence that are read together, each behind its length.
type block struct {
	*sequence
	size   int
	pieces [][]byte // its bytes, until they are in a table

	table *table
	first uint32 // piece of it there
}

const (
	// blockSize is about the size of a block of small chunks. A larger chunk is one by itself.
	blockSize = 64 << 10
	// lengthBytes is how many bytes a length takes.
	lengthBytes = 4
	// chunkCost is what a chunk takes of the buffer beside its bytes: what is known of it, and
	// perhaps of a block. It bounds buffers of empty chunks.
	chunkCost = 96
)

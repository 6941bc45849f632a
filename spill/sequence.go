package spill

// Sequence names a list of chunks in a Store. Numbers are never reused.
type Sequence uint64

// sequence is the places of a Sequence's chunks.
type sequence struct {
	number Sequence
	blocks []*block
	freed  bool
}

// block is several chunks of a sequence that are read together. Each follows its length.
type block struct {
	*sequence
	size   int
	pieces [][]byte // its bytes, until a table holds them

	table *table
	first uint32 // number of its first piece in the table
}

const (
	// blockSize is the approximate size of a block of small chunks. A larger chunk is a block by
	// itself.
	blockSize = 64 << 10
	// lengthBytes is the number of bytes of a length.
	lengthBytes = 4
	// chunkCost is the number of bytes that a chunk takes of the buffer in addition to its own, for
	// its administration and perhaps that of a block. It bounds the number of empty chunks in a
	// buffer.
	chunkCost = 96
)

package parquetfile

import (
	"bufio"
	"io"
	"sync"
)

// buffers is the memory that one column chunk after another is read with. A reader that is
// closed leaves its columns' to the readers that come: a split would not be worth
// allocating them.
type buffers struct {
	file   *bufio.Reader
	packed []byte // a page as it lies in the file
	data   []byte // unpacked
	codes  []uint32
}

// maxKeptBytes is the size of a page above which its memory is not kept.
const maxKeptBytes = 8 << 20

var freeBuffers = sync.Pool{New: func() any { return new(buffers) }}

func takeBuffers() *buffers { return freeBuffers.Get().(*buffers) }

// leave gives buffers up. They must not be used any more.
func (b *buffers) leave() {
	if b == nil || len(b.packed)+len(b.data) > maxKeptBytes {
		return
	}
	if b.file != nil {
		b.file.Reset(nil)
	}
	freeBuffers.Put(b)
}

// read returns a buffered reader of r, which is size bytes long.
func (b *buffers) read(r io.Reader, size int64) *bufio.Reader {
	if want := int(min(readBuffer, max(size, 4096))); b.file == nil || b.file.Size() < want {
		b.file = bufio.NewReaderSize(r, want)
	} else {
		b.file.Reset(r)
	}
	return b.file
}

package partition

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/spill"
)

// codec turns records into frames of bytes and back.
//
//	frame: number of records (4 bytes) | word 0 of all keys | word 1 … | counts (uvarints)
//	chunk: one frame or more
//
// Of every word only the low bytes are kept that its fields reach into.
type codec struct {
	widths []int // bytes by word
}

const (
	frameHead  = 4
	encodeRoom = 8 // words are stored whole and then overwritten
)

func newCodec(l Layout) codec {
	c := codec{widths: make([]int, l.Words)}
	for _, f := range l.Fields {
		width := (int(f.Shift) + bits.Len64(f.Mask) + 7) / 8
		c.widths[f.Word] = max(c.widths[f.Word], width)
	}
	return c
}

// encode appends the frame of some records.
func (c codec) encode(to []byte, keys []uint64, counts []uint32) []byte {
	to = slices.Grow(to, c.size(counts)+encodeRoom)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(counts)))
	for w, width := range c.widths {
		at := len(to)
		to = to[:at+width*len(counts)+encodeRoom]
		for i := w; i < len(keys); i += len(c.widths) {
			binary.LittleEndian.PutUint64(to[at:], keys[i])
			at += width
		}
		to = to[:at]
	}
	for _, n := range counts {
		if n < 0x80 {
			to = append(to, byte(n))
		} else {
			to = binary.AppendUvarint(to, uint64(n))
		}
	}
	return to
}

// size returns the length of the frame of records with the given counts.
func (c codec) size(counts []uint32) int {
	record := 1
	for _, width := range c.widths {
		record += width
	}
	size := frameHead + record*len(counts)
	for _, n := range counts {
		for ; n >= 0x80; n >>= 7 {
			size++
		}
	}
	return size
}

// decode appends the records of a chunk to a table of the codec's layout. It returns an
// error wrapping spill.ErrCorrupt when the chunk is no chunk.
func (c codec) decode(chunk []byte, t *Table) error {
	for len(chunk) > 0 {
		rest, ok := c.decodeFrame(chunk, t)
		if !ok {
			return fmt.Errorf("decode a chunk of records, %d bytes before its end: %w", len(chunk), spill.ErrCorrupt)
		}
		chunk = rest
	}
	return nil
}

func (c codec) decodeFrame(b []byte, t *Table) (rest []byte, ok bool) {
	if len(b) < frameHead {
		return nil, false
	}
	n := int(binary.LittleEndian.Uint32(b))
	b = b[frameHead:]
	if n == 0 || n > len(b) { // a count takes a byte at least
		return b, n == 0
	}
	words := len(c.widths)
	have := len(t.Keys)
	t.Keys = slices.Grow(t.Keys, n*words)[:have+n*words]
	for w, width := range c.widths {
		if n*width > len(b) {
			return nil, false
		}
		load(t.Keys[have+w:], words, b, width, n)
		b = b[n*width:]
	}
	return c.decodeCounts(b, t, n)
}

// load stores n numbers of the given width at every stride-th place.
func load(to []uint64, stride int, b []byte, width, n int) {
	mask := ^uint64(0) >> (64 - 8*width)
	whole := 0 // numbers with eight bytes ahead
	if width > 0 && len(b) >= 8 {
		whole = min(n, (len(b)-8)/width+1)
	}
	at := 0
	for i := range whole {
		to[i*stride] = binary.LittleEndian.Uint64(b[at:]) & mask
		at += width
	}
	for i := whole; i < n; i++ {
		var last [8]byte
		copy(last[:], b[at:at+width])
		to[i*stride] = binary.LittleEndian.Uint64(last[:])
		at += width
	}
}

func (c codec) decodeCounts(b []byte, t *Table, n int) (rest []byte, ok bool) {
	t.Counts = slices.Grow(t.Counts, n)
	for range n {
		if len(b) > 0 && b[0] < 0x80 {
			t.Counts = append(t.Counts, uint32(b[0]))
			b = b[1:]
			continue
		}
		count, length := binary.Uvarint(b)
		if length <= 0 || count > 1<<32-1 {
			return nil, false
		}
		t.Counts = append(t.Counts, uint32(count))
		b = b[length:]
	}
	return b, true
}

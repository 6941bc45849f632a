package partition

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Codec turns records into frames of bytes and back.
//
//	frame: number of records and flags (4 bytes) | packing, if there is one |
//	       word 0 of all keys | word 1 … | counts (uvarints), unless all are one
//	chunk: one frame or more
//
// Of every word only the low bytes are kept that its fields reach into or, of packed keys,
// the bits that vary.
type Codec struct {
	widths []int // bytes by word
}

const (
	frameHead  = 4
	encodeRoom = 8 // words are stored whole and then overwritten

	// packed is the flag of a frame whose keys are packed, onesOnly of one without counts.
	packed, onesOnly = 1 << 31, 1 << 30
	maxFrame         = onesOnly - 1 // records
	// packingPays is how much of the keys' bytes, in percent, packing may leave.
	packingPays = 80
)

func NewCodec(l Layout) Codec {
	c := Codec{widths: make([]int, l.Words)}
	for _, f := range l.Fields {
		width := (int(f.Shift) + bits.Len64(f.Mask) + 7) / 8
		c.widths[f.Word] = max(c.widths[f.Word], width)
	}
	return c
}

// encode appends the frame of some records.
func (c Codec) encode(to []byte, keys []uint64, counts []uint32) []byte {
	after := countsSize(counts, c.keySize() > 0)
	to = c.head(to, counts, c.keySize()*len(counts), after, 0)
	for w, width := range c.widths {
		to = appendLow(to, keys[min(w, len(keys)):], len(c.widths), width)
	}
	return appendCounts(to, counts, after)
}

// encodeNarrow appends the frame of records in whose keys no other bits vary than the given
// ones, a key of which is the sample.
func (c Codec) encodeNarrow(to []byte, keys []uint64, counts []uint32, sample, varying []uint64) []byte {
	p := packing{strips: make([]strip, 0, usualStrips), widths: make([]int, 0, usualWords)}
	p.plan(varying)
	narrow := packingHead*len(varying) + p.size()*len(counts)
	if p.size() == 0 || narrow*100 > c.keySize()*len(counts)*packingPays {
		return c.encode(to, keys, counts)
	}
	after := countsSize(counts, true)
	to = c.head(to, counts, narrow, after, packed)
	to = appendPacking(to, sample, varying)
	to = p.pack(to, keys, len(varying))
	return appendCounts(to, counts, after)
}

// head appends what the frame begins with of keys and counts that take so many bytes, and
// makes room for them.
func (c Codec) head(to []byte, counts []uint32, keys, after int, flags uint32) []byte {
	if after == 0 {
		flags |= onesOnly
	}
	to = slices.Grow(to, frameHead+keys+after+encodeRoom)
	return binary.LittleEndian.AppendUint32(to, uint32(len(counts))|flags)
}

// appendLow appends the low bytes of every stride-th number, for which there is room.
func appendLow(to []byte, numbers []uint64, stride, width int) []byte {
	at := len(to)
	for i := 0; i < len(numbers); i += stride {
		binary.LittleEndian.PutUint64(to[at:at+encodeRoom], numbers[i])
		at += width
	}
	return to[:at]
}

// appendCounts appends counts that take so many bytes.
func appendCounts(to []byte, counts []uint32, bytes int) []byte {
	if bytes == 0 {
		return to
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

// countsSize returns the bytes that counts take: none when all are one and may be left out.
// Where keys take no bytes they may not, lest a damaged frame asked for any memory.
func countsSize(counts []uint32, omit bool) int {
	size, all := len(counts), uint32(1)
	for _, n := range counts {
		all |= n
		for ; n >= 0x80; n >>= 7 {
			size++
		}
	}
	if omit && all == 1 {
		return 0
	}
	return size
}

// keySize returns the bytes that a key takes which is not packed.
func (c Codec) keySize() (n int) {
	for _, width := range c.widths {
		n += width
	}
	return n
}

// Decode appends the records of a chunk to a table of the codec's layout. It returns an
// error wrapping spill.ErrCorrupt when the chunk is no chunk.
func (c Codec) Decode(chunk []byte, t *Table) error {
	for len(chunk) > 0 {
		rest, ok := c.decodeFrame(chunk, t)
		if !ok {
			return fmt.Errorf("decode a chunk of records, %d bytes before its end: %w", len(chunk), spill.ErrCorrupt)
		}
		chunk = rest
	}
	return nil
}

// FrameRecords returns the number of a frame's records.
func FrameRecords(frame []byte) int { return int(binary.LittleEndian.Uint32(frame) & maxFrame) }

func (c Codec) decodeFrame(b []byte, t *Table) (rest []byte, ok bool) {
	if len(b) < frameHead {
		return nil, false
	}
	head := binary.LittleEndian.Uint32(b)
	n := int(head & maxFrame)
	b = b[frameHead:]
	if n == 0 || n > len(b) { // a key or a count takes a byte at least
		return b, n == 0
	}
	if head&packed != 0 {
		t.Keys, b, ok = unpack(t.Keys, len(c.widths), b, n)
	} else {
		b, ok = c.decodeKeys(b, t, n)
	}
	if !ok {
		return nil, false
	}
	if head&onesOnly != 0 {
		t.Counts = appendOnes(t.Counts, n)
		return b, true
	}
	return c.decodeCounts(b, t, n)
}

func (c Codec) decodeKeys(b []byte, t *Table, n int) (rest []byte, ok bool) {
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
	return b, true
}

func appendOnes(counts []uint32, n int) []uint32 {
	have := len(counts)
	counts = slices.Grow(counts, n)[:have+n]
	for i := range counts[have:] {
		counts[have+i] = 1
	}
	return counts
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

func (c Codec) decodeCounts(b []byte, t *Table, n int) (rest []byte, ok bool) {
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

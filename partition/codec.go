package partition

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Records are stored as frames of bytes. A frame stores only the bits in which the keys vary for
// every key.
//
//	frame: the number of records and a flag (4 bytes) |
//	       for every word of the keys: a mask of the bits that vary (8 bytes),
//	       and the values of the other bits (8 bytes) |
//	       for every word, for every key: the bits that vary, in as few bytes as possible |
//	       the counts (uvarint), unless all counts are 1
//	chunk: one or more frames; a chunk of a ChunkList has one frame
const (
	frameHead = 4  // bytes
	wordHead  = 16 // bytes of the head for a word of the keys
	wordRoom  = 8  // bytes that a packed word is stored in; the next word overwrites unused bytes

	onesOnly = 1 << 31 // the flag of a frame without counts
	maxFrame = onesOnly - 1
)

// AppendFrame appends the frame of the given rows. The summary names every bit in which the keys of
// the rows vary, and its sample is one of these keys.
func (t *Table) AppendFrame(to []byte, rows Rows, s Summary) []byte {
	w, p := t.Layout.Words, newPacking(s.Varying)
	counts := t.Counts[rows.Lo:rows.Hi]
	bytes, head := countsSize(counts, p.size > 0), uint32(len(counts))
	if bytes == 0 {
		head |= onesOnly
	}
	to = slices.Grow(to, frameHead+wordHead*w+p.size*len(counts)+bytes+wordRoom)
	to = binary.LittleEndian.AppendUint32(to, head)
	for k, mask := range s.Varying {
		to = binary.LittleEndian.AppendUint64(to, mask)
		to = binary.LittleEndian.AppendUint64(to, s.Sample[k]&^mask)
	}
	for _, of := range p.words {
		to = of.pack(to, t.Keys[rows.Lo*w:rows.Hi*w], w)
	}
	for i := 0; i < len(counts) && bytes > 0; i++ {
		to = binary.AppendUvarint(to, counts[i])
	}
	return to
}

// countsSize returns the number of bytes that counts take. It returns 0 if all counts are 1 and
// omit allows to leave them out. If the keys take no bytes, the counts must not be left out: else a
// damaged frame without bytes could ask for any amount of memory.
func countsSize(counts []uint64, omit bool) int {
	size, all := len(counts), uint64(1)
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

// FrameRecords returns the number of records of a frame. It returns 0 for bytes that are no frame.
func FrameRecords(frame []byte) int {
	if len(frame) < frameHead {
		return 0
	}
	return int(binary.LittleEndian.Uint32(frame) & maxFrame)
}

// Decode appends the records of a chunk. It returns an error that wraps spill.ErrCorrupt if the
// bytes are not a chunk of the table's layout.
func (t *Table) Decode(chunk []byte) error {
	for len(chunk) > 0 {
		rest, ok := t.decodeFrame(chunk)
		if !ok {
			return fmt.Errorf("decode a chunk of records, %d bytes before its end: %w",
				len(chunk), spill.ErrCorrupt)
		}
		chunk = rest
	}
	return nil
}

// decodeFrame appends the records of the first frame of b and returns the bytes behind this frame.
func (t *Table) decodeFrame(b []byte) (rest []byte, ok bool) {
	w, n := t.Layout.Words, FrameRecords(b)
	if len(b) < frameHead+wordHead*w {
		return nil, false
	}
	isOnes := binary.LittleEndian.Uint32(b)&onesOnly != 0
	varying, fixed := make([]uint64, w), make([]uint64, w)
	for k := range w {
		of := b[frameHead+wordHead*k:]
		varying[k], fixed[k] = binary.LittleEndian.Uint64(of), binary.LittleEndian.Uint64(of[8:])
	}
	p := newPacking(varying)
	b = b[frameHead+wordHead*w:]
	if max(1, p.size)*n > len(b) { // a key and its count take at least one byte
		return nil, false
	}
	from := len(t.Keys)
	t.Keys, t.Counts = slices.Grow(t.Keys, n*w)[:from+n*w], slices.Grow(t.Counts, n)
	keys := t.Keys[from:]
	for i := 0; i < len(keys); i += w {
		copy(keys[i:], fixed)
	}
	for _, of := range p.words {
		of.unpack(keys, b, w)
		b = b[of.width*n:]
	}
	for range n {
		count, length := uint64(1), 0
		if !isOnes {
			if count, length = binary.Uvarint(b); length <= 0 {
				return nil, false
			}
		}
		t.Counts, b = append(t.Counts, count), b[length:]
	}
	return b, true
}

// load returns the number in the first bytes of b. If b has at least wordRoom bytes, the number may
// have more than width bytes.
func load(b []byte, width int) uint64 {
	if len(b) >= wordRoom {
		return binary.LittleEndian.Uint64(b)
	}
	var whole [wordRoom]byte
	copy(whole[:], b[:width])
	return binary.LittleEndian.Uint64(whole[:])
}

// packing moves the varying bits of a key next to each other, word by word.
type packing struct {
	words []packedWord
	size  int // the number of bytes of a packed key
}

type packedWord struct {
	word  int // the position of the word in a key
	width int // the number of bytes of the packed word

	strips []strip
}

// strip is a run of adjacent bits that vary. They are mask << right in a word and mask << left in
// the packed word.
type strip struct {
	right, left uint
	mask        uint64
}

// newPacking finds the strips of varying bits in every word.
func newPacking(varying []uint64) (p packing) {
	for word, mask := range varying {
		if mask == 0 {
			continue
		}
		of, left := packedWord{word: word, width: (bits.OnesCount64(mask) + 7) / 8}, 0
		for right := 0; mask>>right != 0; {
			right += bits.TrailingZeros64(mask >> right)
			n := bits.TrailingZeros64(^(mask >> right))
			s := strip{right: uint(right), left: uint(left), mask: 1<<n - 1}
			of.strips = append(of.strips, s)
			left, right = left+n, right+n
		}
		p.words, p.size = append(p.words, of), p.size+of.width
	}
	return p
}

// pack appends the packed words of the keys, which have the given number of words each. The slice
// has room for the packed words and wordRoom more bytes.
func (of packedWord) pack(to []byte, keys []uint64, words int) []byte {
	at := len(to)
	to = to[:cap(to)]
	for i := of.word; i < len(keys); i += words {
		key, packed := keys[i], uint64(0)
		for _, s := range of.strips {
			packed |= key >> (s.right & 63) & s.mask << (s.left & 63)
		}
		binary.LittleEndian.PutUint64(to[at:at+wordRoom], packed)
		at += of.width
	}
	return to[:at]
}

// unpack puts packed words into keys, which have the given number of words each. The varying bits
// of these keys are zero before.
func (of packedWord) unpack(keys []uint64, b []byte, words int) {
	at := 0
	for i := of.word; i < len(keys); i += words {
		packed, key := load(b[at:], of.width), keys[i]
		for _, s := range of.strips {
			key |= packed >> (s.left & 63) & s.mask << (s.right & 63)
		}
		keys[i] = key
		at += of.width
	}
}

package partition

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Records are stored as frames of bytes, from which the bits are left out in which all keys agree.
//
//	frame: number of records and a flag (4 bytes) |
//	       for every word of the keys a mask of the bits that vary, and what the others are (8 bytes each) |
//	       packed word 0 of all keys | word 1 … | counts (uvarints), unless all are one
//	chunk: one frame or more; of a list, one
//
// The bits that vary are together in as few packed words as they fill, each of as many bytes as it needs.
const (
	frameHead  = 4
	wordHead   = 16 // of a word of the keys
	encodeRoom = 8  // words are stored whole and then overwritten

	onesOnly = 1 << 31 // the flag of a frame without counts
	maxFrame = onesOnly - 1
	// packBlock is how many keys are packed strip by strip: they stay in the first-level cache.
	packBlock = 256
	// usualStrips and usualWords are how many strips and packed words there mostly are at most.
	usualStrips = 32
	usualWords  = 8
)

// AppendFrame appends the frame of some records, in whose keys no other bits vary than the summary's,
// which has one of these keys.
func (t *Table) AppendFrame(to []byte, rows Rows, s Summary) []byte {
	w := t.Layout.Words
	counts := t.Counts[rows.Lo:rows.Hi]
	p := packing{strips: make([]strip, 0, usualStrips), widths: make([]int, 0, usualWords)}
	p.plan(s.Varying)
	after, head := countsSize(counts, p.size() > 0), uint32(len(counts))
	if after == 0 {
		head |= onesOnly
	}
	to = slices.Grow(to, frameHead+wordHead*w+p.size()*len(counts)+after+encodeRoom)
	to = binary.LittleEndian.AppendUint32(to, head)
	for k, mask := range s.Varying {
		to = binary.LittleEndian.AppendUint64(to, mask)
		to = binary.LittleEndian.AppendUint64(to, s.Sample[k]&^mask)
	}
	to = p.pack(to, t.Keys[rows.Lo*w:rows.Hi*w], w)
	if after == 0 {
		return to
	}
	for _, n := range counts {
		if n < 0x80 {
			to = append(to, byte(n))
		} else {
			to = binary.AppendUvarint(to, n)
		}
	}
	return to
}

// countsSize returns the bytes that counts take: none when all are one and may be left out.
// Where keys take no bytes they may not, lest a damaged frame asked for any memory.
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

// FrameRecords returns the number of a frame's records, 0 of what is none.
func FrameRecords(frame []byte) int {
	if len(frame) < frameHead {
		return 0
	}
	return int(binary.LittleEndian.Uint32(frame) & maxFrame)
}

// Decode appends the records of a chunk. It returns an error wrapping spill.ErrCorrupt when the
// chunk is none of the table's layout.
func (t *Table) Decode(chunk []byte) error {
	for len(chunk) > 0 {
		rest, ok := t.decodeFrame(chunk)
		if !ok {
			return fmt.Errorf("decode a chunk of records, %d bytes before its end: %w", len(chunk), spill.ErrCorrupt)
		}
		chunk = rest
	}
	return nil
}

func (t *Table) decodeFrame(b []byte) (rest []byte, ok bool) {
	w := t.Layout.Words
	if len(b) < frameHead+wordHead*w {
		return nil, false
	}
	head := binary.LittleEndian.Uint32(b)
	n := int(head & maxFrame)
	varying, fixed := make([]uint64, w), make([]uint64, w)
	for k := range w {
		of := b[frameHead+wordHead*k:]
		varying[k], fixed[k] = binary.LittleEndian.Uint64(of), binary.LittleEndian.Uint64(of[8:])
	}
	p := packing{strips: make([]strip, 0, usualStrips), widths: make([]int, 0, usualWords)}
	p.plan(varying)
	if b = b[frameHead+wordHead*w:]; max(1, p.size())*n > len(b) { // a key or a count takes a byte at least
		return nil, false
	}
	have := len(t.Keys)
	t.Keys = slices.Grow(t.Keys, n*w)[:have+n*w]
	b = p.unpack(t.Keys[have:], fixed, b)
	if head&onesOnly == 0 {
		return t.decodeCounts(b, n)
	}
	have = len(t.Counts)
	t.Counts = slices.Grow(t.Counts, n)[:have+n]
	for i := range n {
		t.Counts[have+i] = 1
	}
	return b, true
}

func (t *Table) decodeCounts(b []byte, n int) (rest []byte, ok bool) {
	t.Counts = slices.Grow(t.Counts, n)
	for range n {
		if len(b) > 0 && b[0] < 0x80 {
			t.Counts = append(t.Counts, uint64(b[0]))
			b = b[1:]
			continue
		}
		count, length := binary.Uvarint(b)
		if length <= 0 {
			return nil, false
		}
		t.Counts = append(t.Counts, count)
		b = b[length:]
	}
	return b, true
}

// packing moves the bits that vary together.
type packing struct {
	strips []strip
	widths []int // bytes by packed word
}

// strip is a row of bits that vary: mask << right of word from is mask << left of packed
// word to.
type strip struct {
	from, to    int
	right, left uint
	mask        uint64
}

// plan finds the strips of the bits that vary, by word.
func (p *packing) plan(varying []uint64) {
	used := 64 // of the last packed word
	for word, mask := range varying {
		for right := 0; mask>>right != 0; {
			right += bits.TrailingZeros64(mask >> right)
			n := bits.TrailingZeros64(^(mask >> right))
			if used+n > 64 {
				p.widths, used = append(p.widths, 0), 0
			}
			last := len(p.widths) - 1
			p.strips = append(p.strips, strip{from: word, to: last, right: uint(right), left: uint(used), mask: 1<<n - 1})
			used += n
			right += n
			p.widths[last] = (used + 7) / 8
		}
	}
}

// size returns the bytes that a packed key takes.
func (p *packing) size() (n int) {
	for _, width := range p.widths {
		n += width
	}
	return n
}

// pack appends one packed word after the other, of all keys. There is room for them.
func (p *packing) pack(to []byte, keys []uint64, words int) []byte {
	var buffer [packBlock]uint64
	for w, width := range p.widths {
		for rest := keys; len(rest) > 0; {
			block := buffer[:min(len(rest)/words, packBlock)]
			clear(block)
			for _, s := range p.strips {
				if s.to == w {
					s.gather(block, rest[s.from:], words)
				}
			}
			at := len(to)
			for _, word := range block {
				binary.LittleEndian.PutUint64(to[at:at+encodeRoom], word)
				at += width
			}
			to, rest = to[:at], rest[len(block)*words:]
		}
	}
	return to
}

// unpack fills keys from the bytes of all, and returns what follows them.
func (p *packing) unpack(keys, fixed []uint64, b []byte) (rest []byte) {
	var buffer [packBlock]uint64
	words := len(fixed)
	for k, word := range fixed {
		for i := k; i < len(keys); i += words {
			keys[i] = word
		}
	}
	for w, width := range p.widths {
		for to := keys; len(to) > 0; {
			block := buffer[:min(len(to)/words, packBlock)]
			load(block, b, width)
			for _, s := range p.strips {
				if s.to == w {
					s.scatter(block, to[s.from:], words)
				}
			}
			b, to = b[len(block)*width:], to[len(block)*words:]
		}
	}
	return b
}

func (s strip) gather(packed, keys []uint64, words int) {
	at := 0
	for i := range packed {
		packed[i] |= keys[at] >> (s.right & 63) & s.mask << (s.left & 63)
		at += words
	}
}

func (s strip) scatter(packed, keys []uint64, words int) {
	at := 0
	for _, bits := range packed {
		keys[at] |= bits >> (s.left & 63) & s.mask << (s.right & 63)
		at += words
	}
}

// load reads numbers of a width.
func load(to []uint64, b []byte, width int) {
	mask := ^uint64(0) >> (64 - 8*width)
	whole := 0 // numbers with eight bytes ahead
	if len(b) >= 8 {
		whole = min(len(to), (len(b)-8)/width+1)
	}
	at := 0
	for i := range whole {
		to[i] = binary.LittleEndian.Uint64(b[at:]) & mask
		at += width
	}
	for i := whole; i < len(to); i++ {
		var last [8]byte
		copy(last[:], b[at:at+width])
		to[i] = binary.LittleEndian.Uint64(last[:])
		at += width
	}
}

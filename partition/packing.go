package partition

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// packing leaves out of keys the bits in which all of them agree, and moves the others
// together into as few words as they fill.
//
// Its form in a frame: for every word of the keys a mask of the bits that vary (8 bytes) and
// what the others are (8 bytes).
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

// packingHead is the length of a packing's form by word.
const packingHead = 16

// usualStrips and usualWords are how many strips and packed words there mostly are at most.
const (
	usualStrips = 32
	usualWords  = 8
)

// packBlock is how many keys are packed strip by strip: they stay in the first-level cache.
const packBlock = 256

// plan finds the strips of the bits that vary, by word.
func (p *packing) plan(varying []uint64) {
	p.strips, p.widths = p.strips[:0], p.widths[:0]
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

// appendPacking appends the form of a packing.
func appendPacking(to []byte, sample, varying []uint64) []byte {
	for w, mask := range varying {
		to = binary.LittleEndian.AppendUint64(to, mask)
		to = binary.LittleEndian.AppendUint64(to, sample[w]&^mask)
	}
	return to
}

// pack appends one packed word after the other, of all keys.
func (p *packing) pack(to []byte, keys []uint64, words int) []byte {
	var buffer [packBlock]uint64
	for w, width := range p.widths {
		for rest := keys; len(rest) > 0; {
			n := min(len(rest)/words, packBlock)
			clear(buffer[:n])
			for _, s := range p.strips {
				if s.to == w {
					s.gather(buffer[:n], rest[s.from:], words)
				}
			}
			to = appendLow(to, buffer[:n], 1, width)
			rest = rest[n*words:]
		}
	}
	return to
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

// unpack appends n keys to some, and returns what follows them.
func unpack(keys []uint64, words int, b []byte, n int) (all []uint64, rest []byte, ok bool) {
	if len(b) < packingHead*words {
		return nil, nil, false
	}
	p := packing{strips: make([]strip, 0, usualStrips), widths: make([]int, 0, usualWords)}
	var buffer [packBlock]uint64
	varying, fixed := make([]uint64, words), make([]uint64, words)
	for w := range words {
		varying[w] = binary.LittleEndian.Uint64(b[packingHead*w:])
		fixed[w] = binary.LittleEndian.Uint64(b[packingHead*w+8:])
	}
	p.plan(varying)
	if b = b[packingHead*words:]; p.size()*n > len(b) {
		return nil, nil, false
	}
	have := len(keys)
	all = slices.Grow(keys, n*words)[:have+n*words]
	fresh := all[have:]
	for i := range fresh {
		fresh[i] = fixed[i%words]
	}
	for w, width := range p.widths {
		for lo := 0; lo < n; lo += packBlock {
			m := min(n-lo, packBlock)
			load(buffer[:m], 1, b, width, m)
			b = b[m*width:]
			for _, s := range p.strips {
				if s.to == w {
					s.scatter(buffer[:m], fresh[lo*words+s.from:], words)
				}
			}
		}
	}
	return all, b, true
}

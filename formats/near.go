package formats

import "slices"

// nearWords is the widest range of words whose codes are found by position: 256 KiB.
const nearWords = 1 << 16

// near finds the codes of words that lie close together without hashing: codes[w-low] is
// the code of w, or 0 when it was not looked up yet. Ages, dates and numbers of categories
// lie so.
type near struct {
	low   uint64
	codes []uint32
}

// cover reports whether the words from least to most are in the range. The first words that
// are not too far apart choose it, with as much room on either side.
func (n *near) cover(least, most uint64) bool {
	if n.codes == nil && most-least < nearWords {
		n.codes = make([]uint32, nearWords)
		n.low = least - min(least, (nearWords-(most-least))/2)
	}
	return least >= n.low && most-n.low < uint64(len(n.codes))
}

// nearBlock is how many words are looked up together, close or not.
const nearBlock = 1024

// AppendCodes appends the codes of some words, entering those that are new.
func (d *Distinct) AppendCodes(codes []uint32, words []uint64) []uint32 {
	codes = slices.Grow(codes, len(words))
	for block := range slices.Chunk(words, nearBlock) {
		at := len(codes)
		codes = codes[:at+len(block)]
		d.codesOf(codes[at:], block)
	}
	return codes
}

func (d *Distinct) codesOf(codes []uint32, words []uint64) {
	if least, most := bounds(words); !d.near.cover(least, most) {
		for i, w := range words {
			codes[i] = d.CodeOfWord(w)
		}
		return
	}
	low, known := d.near.low, d.near.codes
	for i, w := range words {
		code := known[w-low]
		if code == 0 {
			code = d.CodeOfWord(w)
			known[w-low] = code
		}
		codes[i] = code
	}
}

// bounds returns the least and the greatest of some words.
func bounds(words []uint64) (least, most uint64) {
	least, most = words[0], words[0]
	for _, w := range words {
		least, most = min(least, w), max(most, w)
	}
	return least, most
}

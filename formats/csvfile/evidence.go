package csvfile

import (
	"math"
	"math/bits"

	"github.com/kcut/kcut/formats"
)

// evidence is the set of types that the texts of one column so far allow. A column of numbers
// becomes one of texts if two of its texts may have the same number, unless only its order matters:
// of 10, 10.0 and 1e1 a number keeps one, and the texts may be codes. In a column whose numbers all
// have one form, as programs write floats, no two do.
type evidence struct {
	guess guess
	lost  [16]spot // by bit of guess: the first text that excludes it
	first spot     // spot of the first text
	nulls bool
	blank bool   // it has an empty text in quotes
	name  string // in the header
	named bool   // it has a field with this text
	files []string

	ordered bool // only the order of its values matters: their texts need not come back

	looks    looks
	delim    byte      // between fields; 0: files have several
	numerals *numerals // nil: numbers are in kcut's own form
	buffer   []byte
	decimals decimals // of its numbers

	bytes   int64 // of all texts
	longest int   // bytes of the longest
}

// spot is a line of one of the files of a column: later lines have greater spots.
type spot int64

const (
	nowhere = spot(math.MaxInt64)
	oneFile = spot(1 << 40) // number of lines
)

// below returns the spot after files more files before its own.
func (s spot) below(files int) spot {
	if s == nowhere {
		return s
	}
	return s + spot(files)*oneFile
}

// newEvidence returns the evidence of files before the first text.
func newEvidence(files []string, n *numerals) evidence {
	c := evidence{guess: guessAny, looks: looksLikeAny(), files: files, numerals: n, first: nowhere}
	for bit := range c.lost {
		c.lost[bit] = nowhere
	}
	c.decimals.first, c.decimals.none = nowhere, nowhere
	return c
}

// decimals describes numbers with a point that all have the same number of digits behind it.
type decimals struct {
	whole, scale int  // the largest number of digits before the point, and the number behind it
	first        spot // of them
	none         spot // the first number that is none of them
}

// see adds one more field, from a record on a line.
func (c *evidence) see(f field, line int64) {
	if f.null() {
		c.nulls = true
		return
	}
	if len(f.text) == 0 { // in quotes: a null, unless the column turns out to be one of texts
		c.blank = true
		return
	}
	c.bytes, c.longest = c.bytes+int64(len(f.text)), max(c.longest, len(f.text))
	at := spot(line)
	c.first = min(c.first, at)
	c.named = c.named || string(f.text) == c.name
	if c.guess == 0 && !c.looks.like() {
		return
	}
	guess := c.numerals.guessOf(f.text, &c.buffer)
	if c.looks.like() {
		c.looks.see(f.text, guess, &c.buffer)
	}
	c.lose(c.guess&^guess, at)
	if c.guess&numeric == 0 || c.decimals.none != nowhere {
		return
	}
	text := f.text
	if c.numerals != nil {
		text = c.buffer
	}
	c.decimals.see(asString(text), at)
}

// lose notes that a text excludes some guesses.
func (c *evidence) lose(fell guess, at spot) {
	for c.guess &^= fell; fell != 0; fell &= fell - 1 {
		bit := bits.TrailingZeros16(uint16(fell))
		c.lost[bit] = min(c.lost[bit], at)
	}
}

// gone returns the spot at which the last of some guesses was excluded.
func (c *evidence) gone(of guess) (last spot) {
	for ; of != 0; of &= of - 1 {
		last = max(last, c.lost[bits.TrailingZeros16(uint16(of))])
	}
	return last
}

// see adds one more number.
func (d *decimals) see(text string, at spot) {
	if whole, scale, ok := decimalParts(text); ok {
		d.join(decimals{whole: whole, scale: scale, first: at, none: nowhere})
	} else {
		d.none = at
	}
}

// join adds numbers further down.
func (d *decimals) join(other decimals) {
	switch {
	case d.first == nowhere:
		d.scale = other.scale
	case d.scale != other.scale:
		d.none = min(d.none, other.first)
	}
	d.whole, d.first, d.none = max(d.whole, other.whole), min(d.first, other.first),
		min(d.none, other.none)
}

// join adds the evidence of texts of the column further down, after files more files.
func (c *evidence) join(other *evidence, files int) {
	c.guess &= other.guess
	for bit, at := range other.lost {
		c.lost[bit] = min(c.lost[bit], at.below(files))
	}
	d := other.decimals
	d.first, d.none = d.first.below(files), d.none.below(files)
	c.decimals.join(d)
	c.first = min(c.first, other.first.below(files))
	c.looks.join(other.looks)
	c.nulls = c.nulls || other.nulls
	if c.named = c.named || other.named; c.delim != other.delim {
		c.delim = 0
	}
	c.blank = c.blank || other.blank
	c.bytes, c.longest = c.bytes+other.bytes, max(c.longest, other.longest)
}

// Join implements formats.Texts.
func (c *evidence) Join(other formats.Texts) formats.Texts {
	all, more := *c, other.(*evidence)
	all.join(more, len(c.files))
	all.files = append(c.files[:len(c.files):len(c.files)], more.files...)
	return &all
}

// Infer implements formats.Texts.
func (c *evidence) Infer(f *formats.Field) {
	settled := *c
	settled.mix()
	f.Type, f.Text = settled.inferred(), formats.TextLine{Found: true}
	f.Nullable = c.nullable(f.Type)
	if f.Type.Kind == formats.String {
		f.Text = settled.textLine()
	}
}

// mix excludes integers, and floats of all forms, from the first line where numbers with and
// without grouped digits are mixed, unless its numbers had several forms before.
func (c *evidence) mix() {
	mixed, differs := c.gone(guessBare|guessGrouped), max(c.gone(guessInt|floats), c.decimals.none)
	if c.numerals != nil && mixed < c.gone(numeric) && mixed < differs {
		c.lose(guessInt|floats, mixed)
		c.decimals.none = min(c.decimals.none, mixed)
	}
}

// nullable reports whether a column of a type has nulls. The empty text in quotes is a null where
// it can be no value.
func (c *evidence) nullable(t formats.Type) bool {
	return c.nulls || c.blank && t.Kind != formats.String
}

// inferred returns the first type, in the order below, that all texts of the column allow.
func (c *evidence) inferred() formats.Type {
	switch g := c.guess; {
	case c.first == nowhere:
		return formats.Type{Kind: formats.String}
	case g&(guessLower|guessTitle|guessUpper) != 0:
		return formats.Type{Kind: formats.Boolean}
	case g&guessInt != 0:
		return formats.Type{Kind: formats.Int, Bits: 64}
	case g&guessExact != 0 || c.ordered && g&guessNumber != 0:
		return formats.Type{Kind: formats.Float, Bits: 64}
	case g&guessFloat != 0:
		if t := c.decimals.typ(); t.Kind != formats.String || g&floats == 0 {
			return t
		}
		return formats.Type{Kind: formats.Float, Bits: 64}
	case g&guessDate != 0:
		return date
	case g&guessZoned != 0:
		return zoned
	case g&guessLocal != 0:
		return local
	}
	return formats.Type{Kind: formats.String}
}

// typ returns a type that gives back all the texts. Its precision stays the same from one file to
// the next, as long as numbers have usual sizes.
func (d *decimals) typ() formats.Type {
	const usual, most = 18, 38
	switch precision := d.whole + d.scale; {
	case d.none != nowhere || precision > most:
		return formats.Type{Kind: formats.String}
	case precision > usual:
		return formats.Type{Kind: formats.Decimal, Precision: most, Scale: d.scale, Wide: true}
	}
	return formats.Type{Kind: formats.Decimal, Precision: usual, Scale: d.scale}
}

// textLine describes the form of the texts, and the line that made a column that began with numbers
// one of texts.
func (c *evidence) textLine() formats.TextLine {
	at, number := c.gone(numeric), c.guess&guessNumber != 0
	if number && at == nowhere { // they do not all have one form
		if at = c.gone(floats); c.decimals.none != nowhere {
			at = max(at, c.decimals.none)
		}
	}
	line := formats.TextLine{
		Advice:   c.looks.advice(),
		Numerals: c.looks.signs(),
		Type:     c.looks.declared(),
		Found:    true,
		Parted:   c.delim,
	}
	if at != nowhere && (number || c.first < at) {
		line.File, line.Line, line.Number = c.files[at/oneFile], int64(at%oneFile), number
	}
	return line
}

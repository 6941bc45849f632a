package csvfile

import (
	"cmp"

	"github.com/kcut/kcut/formats"
)

// evidence is what the texts of one column seen so far allow. A column of numbers is one of texts where
// two of them may stand for one number, unless only its order counts: of 10, 10.0 and 1e1 a number
// keeps one, and somebody else may have meant codes. In a column that is written in one form all
// along, as programs write floats, no two do.
type evidence struct {
	guess guess
	nulls bool
	texts bool   // has a field that is not empty
	blank bool   // has an empty one in quotes
	name  string // in the header
	named bool   // has a field with this text

	ordered bool // only the order of its values counts: their texts need not be given back

	numbers bool // fields stood for numbers before one did not
	text    spot // the first one that did not; zero: all do

	looks    looks
	numerals *numerals // nil: numbers are written as kcut writes them
	buffer   []byte

	lost     [8]spot // for each of ways the first number that is no such
	inexact  spot    // where no form of floats was left
	decimals decimals
	written  spot // where it was known that neither a form of floats nor a decimal gives all of them back
}

// spot is a line of a file.
type spot struct {
	file string
	line int64 // from 1; 0: nowhere
}

// decimals are numbers with a point and equally many digits behind it.
type decimals struct {
	whole, scale int  // most digits before the point, and those behind it
	first        spot // of them
	none         spot // the first number that is not such
}

// see narrows the guess by one more field, of a record on a line.
func (c *evidence) see(f field, at spot) {
	if f.null() {
		c.nulls = true
		return
	}
	if len(f.text) == 0 { // in quotes: a null, unless the column turns out to be one of texts
		c.blank = true
		return
	}
	c.texts = true
	c.named = c.named || string(f.text) == c.name
	was := c.guess
	if was == 0 && !c.looks.like() {
		return
	}
	guess := c.numerals.guessOf(f.text, &c.buffer)
	if c.looks.like() {
		c.looks.see(f.text, guess, &c.buffer)
	}
	c.guess &= guess
	if was&numeric == 0 {
		return
	}
	if fell := was &^ c.guess & ways; fell != 0 {
		c.lose(fell, at)
	}
	if c.guess&numeric == 0 {
		c.text = at
		return
	}
	c.numbers = true
	if was&floats != 0 && c.guess&floats == 0 {
		c.inexact, c.written = at, at
	}
	text := f.text
	if c.numerals != nil {
		text = c.buffer
	}
	if decimal := c.decimals.none.line == 0; decimal && !c.decimals.see(asString(text), at) {
		c.written = at
	}
	if c.numerals != nil && c.guess&(guessBare|guessGrouped) == 0 && !c.differs() {
		c.mix(at)
	}
}

// differs reports whether not all numbers are written in one form.
func (c *evidence) differs() bool { return c.guess&(guessInt|floats) == 0 && c.decimals.none.line > 0 }

// mix says that some numbers have their digits in groups and others do not.
func (c *evidence) mix(at spot) {
	c.lose(c.guess&(guessInt|floats), at)
	if c.guess &^= guessInt | floats; c.guess&numeric == 0 {
		c.text = cmp.Or(c.text, at)
	}
	c.inexact, c.decimals.none, c.written = cmp.Or(c.inexact, at), cmp.Or(c.decimals.none, at), at
}

// lose says that a number is not of some ways, of which all numbers before it are.
func (c *evidence) lose(fell guess, at spot) {
	for i := range c.lost {
		if fell&(guessInt<<i) != 0 {
			c.lost[i] = at
		}
	}
}

// lastLost returns where the last of some ways is lost further down, if none of them is left then, and one was.
func (c *evidence) lastLost(of guess, other *evidence) (last spot) {
	for i, at := range other.lost {
		switch {
		case of&c.guess&(guessInt<<i) == 0:
		case other.guess&(guessInt<<i) != 0:
			return spot{}
		case at.line > last.line:
			last = at
		}
	}
	return last
}

// see takes in one more number, and reports whether it is one of them.
func (d *decimals) see(text string, at spot) bool {
	whole, scale, ok := decimalParts(text)
	return ok && d.join(decimals{whole: whole, scale: scale, first: at}) || d.end(at)
}

// end says that a number is none of them.
func (d *decimals) end(at spot) bool {
	d.none = at
	return false
}

// join adds numbers further down, and reports whether all are such.
func (d *decimals) join(other decimals) bool {
	switch {
	case other.first.line == 0 && other.none.line == 0:
		return true
	case d.first.line > 0 && other.first.line > 0 && d.scale != other.scale:
		return d.end(other.first)
	case other.none.line > 0:
		return d.end(other.none)
	}
	d.whole, d.scale, d.first = max(d.whole, other.whole), other.scale, cmp.Or(d.first, other.first)
	return true
}

// join adds what texts of the column further down allow, all of one file.
func (c *evidence) join(other evidence) {
	if c.text.line == 0 {
		c.numbers, c.text = c.numbers || other.numbers, cmp.Or(c.lastLost(numeric, &other), other.text)
	}
	mixed, written := c.lastLost(guessBare|guessGrouped, &other), c.differs()
	last := c.lastLost(floats, &other)
	c.inexact = cmp.Or(c.inexact, last)
	if c.decimals.none.line == 0 && !c.decimals.join(other.decimals) && c.decimals.none.line > last.line {
		last = c.decimals.none
	}
	c.written = cmp.Or(last, c.written)
	for i, at := range other.lost {
		c.lost[i] = cmp.Or(c.lost[i], at)
	}
	c.guess &= other.guess
	c.looks.join(other.looks)
	if c.numerals != nil && mixed.line > 0 && !written && (!c.differs() || mixed.line < last.line) {
		c.mix(mixed)
	}
	c.nulls = c.nulls || other.nulls
	c.texts = c.texts || other.texts
	c.named = c.named || other.named
	c.blank = c.blank || other.blank
}

// Join implements formats.Texts.
func (c *evidence) Join(other formats.Texts) formats.Texts {
	all := *c
	all.join(*other.(*evidence))
	return &all
}

// Infer implements formats.Texts.
func (c *evidence) Infer(f *formats.Field) {
	f.Type, f.Text = c.inferred(), formats.TextLine{}
	f.Nullable = c.nullable(f.Type)
	if f.Type.Kind == formats.String {
		f.Text = c.textLine()
	}
}

// nullable reports whether a column of a type has nulls. The empty text in quotes is one where it can be
// no value.
func (c *evidence) nullable(t formats.Type) bool {
	return c.nulls || c.blank && t.Kind != formats.String
}

// inferred returns the first type, in the order below, that all texts of the column stand for.
func (c *evidence) inferred() formats.Type {
	switch g := c.guess; {
	case !c.texts:
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

// typ returns a type that gives back all the texts. Its precision does not change from one file to
// the next, as long as numbers are of usual sizes.
func (d *decimals) typ() formats.Type {
	const usual, most = 18, 38
	switch precision := d.whole + d.scale; {
	case d.none.line > 0 || precision > most:
		return formats.Type{Kind: formats.String}
	case precision > usual:
		return formats.Type{Kind: formats.Decimal, Precision: most, Scale: d.scale, Wide: true}
	}
	return formats.Type{Kind: formats.Decimal, Precision: usual, Scale: d.scale}
}

// textLine says what the texts look like, and what made a column that began with numbers one of texts.
func (c *evidence) textLine() formats.TextLine {
	at, number := c.text, c.guess&guessNumber != 0
	if number && at.line == 0 {
		at = cmp.Or(c.written, c.inexact)
	}
	if !number && !c.numbers {
		at = spot{}
	}
	return formats.TextLine{File: at.file, Line: at.line, Number: number && at.line > 0, Advice: c.looks.advice()}
}

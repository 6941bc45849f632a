package draft

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
)

// leastSeveral is the least share of the values of a column that are lists of several entries, and
// of those that are one, so that two columns with lists of as many in a row go together.
const leastSeveral = 0.1

// partsOf returns the number of entries of a text: those between signs that lists have.
func partsOf(text []byte) uint8 {
	if len(text) > mostMatched {
		return 1
	}
	for _, sign := range []string{"|", ";", ", "} {
		n := bytes.Count(text, []byte(sign))
		if n > 0 && sign == ", " && isSentence(text) {
			return 1
		}
		if n > 0 {
			return uint8(min(n+1, math.MaxUint8))
		}
	}
	return 1
}

// phrasesOfEach is the least number of entries of each text on average, and phrasesAgain the least
// share of the entries that recur, of those that a question offers.
const phrasesOfEach, phrasesAgain = 1.5, 0.9

// observePhrases counts n rows with a text by its entries, as far as the text is a list of some.
func (t *textProfile) observePhrases(value []byte, n int64) {
	sign := []byte(", ")
	for _, other := range []string{"|", ";"} {
		if bytes.Contains(value, []byte(other)) {
			sign = []byte(other)
			break
		}
	}
	for part := range bytes.SplitSeq(value, sign) {
		part = bytes.TrimSpace(part)
		t.entries += n
		_, known := t.phrases[string(part)]
		if t.phrases == nil {
			t.phrases = make(map[string]int64)
		}
		if known || len(t.phrases) < mostAlike && len(part) <= mostMatched {
			t.phrases[string(part)] += n
		}
	}
}

// listsPhrases reports whether texts are lists of the answers that a question offers: nearly all
// entries recur.
func (t *textProfile) listsPhrases(rows int64) bool {
	again := int64(0)
	for _, n := range t.phrases {
		if n >= rowsToTell {
			again += n
		}
	}
	return float64(t.entries) >= phrasesOfEach*float64(rows) &&
		float64(again) >= phrasesAgain*float64(t.entries)
}

// isSentence reports whether some part of a text between commas has more words than an entry of a
// list has.
func isSentence(text []byte) bool {
	for part := range bytes.SplitSeq(text, []byte(", ")) {
		if bytes.Count(bytes.TrimSpace(part), []byte(" ")) >= mostInEntry {
			return true
		}
	}
	return false
}

// mostInEntry is the largest number of words of an entry of a list.
const mostInEntry = 3

// observeParts counts the entries of the value in each row of a batch, 0 of a null, from the first
// batch with a list of several on. It gets the rows of each value, and overwrites them.
func (p *Profile) observeParts(column *formats.Column, parts []int64) {
	several := false
	for i := range parts[1:] {
		if parts[i+1] > 0 {
			parts[i+1] = int64(partsOf(column.Values.Bytes(i)))
		}
		several = several || parts[i+1] > 1
	}
	if !several && p.parts == nil {
		return
	}
	if p.parts == nil { // no batch before has a list
		p.parts = make([]uint8, p.Rows-int64(len(column.Codes)), p.Rows)
	}
	parts[0] = 0
	for _, code := range column.Codes {
		p.parts = append(p.parts, uint8(parts[code]))
	}
}

// findSeveral finds columns with lists of as many entries as another one has in the same row, as of
// the people of an incident.
func (d *draft) findSeveral() {
	var lists []*Profile
	for _, p := range d.profiles {
		n := p.lists()
		least := leastSeveral * float64(p.Field.Rows)
		if n > 0 && float64(n) >= least && float64(p.Field.Rows-n) >= least {
			lists = append(lists, p)
		}
	}
	for _, p := range lists {
		goes := func(of *Profile) bool { return of != p && haveAsMany(p.parts, of.parts) }
		if slices.ContainsFunc(lists, goes) && !slices.Contains(d.several, p.name) {
			d.several = append(d.several, p.name)
		}
	}
}

// lists returns the number of rows with a list of several entries.
func (p *Profile) lists() (rows int64) {
	for _, n := range p.parts {
		if n > 1 {
			rows++
		}
	}
	return rows
}

// haveAsMany reports whether nearly all lists of several of one column are next to one of as many
// of another column, where both have a value.
func haveAsMany(a, b []uint8) bool {
	same, all := 0, 0
	for row := range a[:min(len(a), len(b))] {
		if a[row] > 0 && b[row] > 0 && max(a[row], b[row]) > 1 {
			all++
			if a[row] == b[row] {
				same++
			}
		}
	}
	return all >= fewRows && float64(same) >= mostDates*float64(all)
}

// severalWords are about rows with several entries.
const severalWords = `
# SEVERAL ENTRIES IN ONE ROW: %s have lists of as many in a row, as of several people.
# k counts rows, and few rows have the same lists: give each entry a row of its own first. Here lists
# of numbers are null, and others are values of their own.
`

// writeSeveral writes which columns have lists of as many entries.
func (d *draft) writeSeveral(out *strings.Builder) {
	if len(d.several) > 0 {
		fmt.Fprintf(out, severalWords, text.List(quoted(d.several), mostLost))
	}
}

package masking

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// rowForm writes rows of the release as bytes that sort like the rows: by the labels of the masked
// columns, those that name folders first and the others in the order of the cut, then by the values
// of the kept columns. Null is last.
//
//	head │ kept column │ kept column │ ...
//
// The head has the labels, and the values of kept columns with a dictionary, each in as few bits as
// its column needs.
//
// A row group is made of such rows, so they contain everything. The first kept columns are in the
// head as long as each has a dictionary. The size of a row does not depend on dictionaries, and so
// row groups do not, either.
type rowForm struct {
	columns []releaseColumn
	fields  []headField // all fields of the head
	masked  []headField // the first fields: masked columns
	coded   []headField // the other fields: kept columns with a dictionary
	kept    []keptField // kept columns behind the head
	folders int         // number of masked fields, the first ones, that name folders
	words   int         // number of words of the head
	head    int         // bytes of the head
	labels  int         // bytes of the head without the coded fields
	most    int         // largest number of bytes that a row would have more if no field were coded
	other   []uint64    // by word of the head: the bits of coded fields
}

// headField is a column of the release in the head of a row.
type headField struct {
	column int             // number of the column in the release
	values *formats.Values // the values of rows, without null
	// ranks has, by code (0 for null or 1 + the position of a value), the rank, shifted to its
	// place in the word.
	ranks []uint64
	codes []uint32 // by rank: the code
	// sizes has, for a kept column, by rank the bytes that the value would have behind the head.
	sizes []int
	bits  int
	word  int
	shift int
}

// keptField is a kept column of the release behind the head.
type keptField struct {
	column int
	typ    formats.Type
	base   uint64          // type in words: the word of zero
	levels []writer.Levels // nested column: levels by leaf
}

func newRowForm(p *Plan) (f *rowForm, err error) {
	f = &rowForm{columns: p.columns, folders: p.folders}
	for i := range p.columns {
		if p.columns[i].attribute >= 0 {
			f.fields = append(f.fields, newMaskedField(i, &p.columns[i]))
		}
	}
	place := func(m *headField) int {
		if m.column >= len(p.files()) {
			return m.column - len(p.columns)
		}
		return p.columns[m.column].attribute
	}
	slices.SortStableFunc(f.fields, func(a, b headField) int { return place(&a) - place(&b) })
	masked := len(f.fields)
	for i := range p.columns {
		c := &p.columns[i]
		if c.attribute >= 0 {
			continue
		}
		kept, err := newKeptField(i, c)
		if err != nil {
			return nil, err
		}
		if c.dictionary != nil && len(f.kept) == 0 {
			f.fields = append(f.fields, kept.coded(c.dictionary))
		} else {
			f.kept = append(f.kept, kept)
		}
	}
	f.masked, f.coded = f.fields[:masked], f.fields[masked:]
	f.layOut()
	return f, nil
}

// layOut gives the fields of the head their places.
func (f *rowForm) layOut() {
	used := 0
	for i := range f.fields {
		if i == len(f.masked) {
			f.labels = 8*f.words + (used+7)/8
		}
		m := &f.fields[i]
		m.bits = bits.Len(uint(len(m.codes) - 1))
		if used+m.bits > 64 {
			f.words, used = f.words+1, 0
		}
		used += m.bits
		m.word, m.shift = f.words, 64-used
		for code := range m.ranks {
			m.ranks[code] <<= m.shift
		}
		if m.sizes != nil {
			f.most += slices.Max(m.sizes)
		}
	}
	f.head = 8*f.words + (used+7)/8
	f.words++
	if len(f.coded) == 0 {
		f.labels = f.head
	}
	f.other = make([]uint64, f.words)
	for i := range f.coded {
		f.other[f.coded[i].word] |= (1<<f.coded[i].bits - 1) << f.coded[i].shift
	}
}

// newMaskedField ranks the values of a column in the order of the cut. Equal values have the same
// rank. The mark of suppressed values comes after all others, and then null.
func newMaskedField(i int, c *releaseColumn) headField {
	m := headField{column: i, values: c.values, ranks: make([]uint64, c.values.Len()+1)}
	known := formats.NewDistinct(&formats.Values{Type: c.values.Type})
	for at := range c.values.Len() {
		if uint32(at+1) == c.mark {
			continue
		}
		code := known.CodeOf(c.values, at)
		if int(code) > len(m.codes) {
			m.codes = append(m.codes, uint32(at+1))
		}
		m.ranks[at+1] = uint64(code - 1)
	}
	if c.mark > 0 {
		m.ranks[c.mark] = uint64(len(m.codes))
		m.codes = append(m.codes, c.mark)
	}
	m.ranks[0] = uint64(len(m.codes))
	m.codes = append(m.codes, 0)
	return m
}

// rank returns the rank of the field in a word of a row's head.
func (m *headField) rank(word uint64) int {
	return int(word >> (m.shift & 63) & (1<<(m.bits&63) - 1))
}

func newKeptField(i int, c *releaseColumn) (f keptField, err error) {
	f = keptField{column: i, typ: c.output.Field.Type}
	switch {
	case f.typ.Kind == formats.Nested:
		f.levels, err = c.output.Levels()
	case f.typ.Kind != formats.Boolean && f.typ.Kind != formats.Uint:
		f.base = formats.IntWord(0)
	}
	return f, err
}

// coded returns the field of the head for the same column with a dictionary.
func (f *keptField) coded(values *formats.Values) headField {
	n := values.Len()
	m := headField{column: f.column, values: values, ranks: make([]uint64, n+1),
		codes: make([]uint32, n+1), sizes: make([]int, n+1)}
	var room []byte
	for rank := range m.codes {
		code := (rank + 1) % (n + 1)
		room = f.appendValue(room[:0], values, uint32(code))
		m.ranks[code], m.codes[rank], m.sizes[rank] = uint64(rank), uint32(code), len(room)
	}
	return m
}

// keptCells are the cells of one kept column in a batch.
type keptCells struct {
	values *formats.Values
	codes  []uint32 // by row: 0 for null or 1 + the position of a value
	data   []byte   // nested column: the bytes of all rows
	ends   []int    // nested column, by row: where its bytes end
}

// appendCell appends the bytes of a row's cell. The bytes of a dictionary's values are not kept,
// since they may be as large as the memory.
func (f *keptField) appendCell(to []byte, k *keptCells, row int) []byte {
	if f.levels == nil {
		return f.appendValue(to, k.values, k.codes[row])
	}
	from := 0
	if row > 0 {
		from = k.ends[row-1]
	}
	return append(to, k.data[from:k.ends[row]]...)
}

// appendValue appends the bytes of a value by its code.
func (f *keptField) appendValue(to []byte, values *formats.Values, code uint32) []byte {
	switch {
	case code == 0:
		return append(to, nullTag)
	case values.Type.InWords():
		return appendWord(to, values.Words[code-1], f.base)
	}
	return spill.AppendText(append(to, textTag), values.Bytes(int(code-1)))
}

// learn finds the cells of a batch.
func (f *keptField) learn(k *keptCells, c *formats.Column, rows int) error {
	if f.levels != nil {
		return f.learnNested(k, c, rows)
	}
	k.values, k.codes = c.Values, c.Codes
	if len(k.codes) > 0 && int(slices.Max(k.codes)) > k.values.Len() {
		return fmt.Errorf("%w: code without a value", formats.ErrDamaged)
	}
	return nil
}

const (
	nullTag = 0xff
	textTag = 1
)

// appendWord appends a value in words: a tag with the sign and the number of bytes, then the bytes
// of the distance to zero. Small numbers are short.
func appendWord(to []byte, word, zero uint64) []byte {
	distance, tag, n := word-zero, 0x80, 0
	if word >= zero {
		n = (bits.Len64(distance) + 7) / 8
		tag += n
	} else {
		n = (bits.Len64(^distance) + 7) / 8
		tag -= 1 + n
	}
	to = append(to, byte(tag))
	for i := n - 1; i >= 0; i-- {
		to = append(to, byte(distance>>(8*i)))
	}
	return to
}

// wordBytes returns how many bytes follow a tag.
func wordBytes(tag byte) int {
	if tag >= 0x80 {
		return int(tag - 0x80)
	}
	return int(0x7f - tag)
}

// parseWord returns the value that appendWord has appended.
func parseWord(b []byte, zero uint64) uint64 {
	distance := uint64(0)
	if b[0] < 0x80 {
		distance = ^distance
	}
	for _, c := range b[1:] {
		distance = distance<<8 | uint64(c)
	}
	return zero + distance
}

// length returns the number of bytes of a column that begins at b in a row.
func (f *keptField) length(b []byte) int {
	switch {
	case f.levels != nil:
		return 4 + int(binary.BigEndian.Uint32(b))
	case b[0] == nullTag:
		return 1
	case f.typ.InWords():
		return 1 + wordBytes(b[0])
	}
	return 1 + spill.TextLength(b[1:])
}

// block returns the number of rows that are made into labels and values, or out of them, at a time.
// It is smaller if there are many columns.
func (f *rowForm) block() int { return min(orderedBlock, max(1, blockCells/len(f.columns))) }

// short returns the number of bytes of every row if rows are short; else 0.
func (f *rowForm) short() int {
	if len(f.kept) > 0 || f.head > spill.MostShort {
		return 0
	}
	return f.head
}

// sizeOf returns the number of bytes of distinct rows, as if no field were coded.
func (f *rowForm) sizeOf(b *rowBlock) int {
	size := len(b.equal) * f.labels
	if len(b.starts) > 0 {
		size += len(b.tails) - b.starts[0]
	}
	for i := range f.coded {
		l := &f.coded[i]
		for at := l.word; at < len(b.heads); at += f.words {
			size += l.sizes[l.rank(b.heads[at])]
		}
	}
	return size
}

// read sets a block to one row with n copies. The block keeps the row's bytes.
func (f *rowForm) read(b *rowBlock, row []byte, n int64) {
	b.heads, b.equal = f.appendWords(b.heads[:0], row), append(b.equal[:0], n)
	if len(f.kept) > 0 {
		b.tails, b.starts = row[f.head:], append(b.starts[:0], 0)
	}
}

// headOf gathers some fields in the words of rows, whose bits for these fields are zero. For each
// field ranksOf returns the codes of the rows, and the ranks by code. If the labels of the first
// attribute are given, rows that they drop need no rank.
func (f *rowForm) headOf(
	fields []headField, heads []uint64, first []uint32,
	ranksOf func(i int) (ranks []uint64, codes []uint32),
) error {
	for i := range fields {
		ranks, codes := ranksOf(i)
		at, words := fields[i].word, f.words
		for row, code := range codes {
			switch {
			case int(code) < len(ranks) && ranks[code] != noRank:
				heads[at] |= ranks[code]
			case first == nil || first[row] != engine.DroppedLabel:
				return fmt.Errorf("%w: code without a rank", formats.ErrDamaged)
			}
			at += words
		}
	}
	return nil
}

// noRank is the rank of values without a label, or missing in a dictionary.
const noRank = 1<<64 - 1

// appendHead appends the head of a row.
func (f *rowForm) appendHead(to []byte, words []uint64) []byte {
	from := len(to)
	for _, word := range words {
		to = binary.BigEndian.AppendUint64(to, word)
	}
	return to[:from+f.head]
}

// appendRow appends a row of a block.
func (f *rowForm) appendRow(to []byte, rows *rowBlock, i int) []byte {
	return append(f.appendHead(to, rows.heads[i*f.words:(i+1)*f.words]), rows.tail(i)...)
}

// appendWords appends the words of a row's head.
func (f *rowForm) appendWords(to []uint64, row []byte) []uint64 {
	head := row[:f.head]
	for ; len(head) >= 8; head = head[8:] {
		to = append(to, binary.BigEndian.Uint64(head))
	}
	if f.head == 8*f.words {
		return to
	}
	var last [8]byte
	copy(last[:], head)
	return append(to, binary.BigEndian.Uint64(last[:]))
}

// rankMap maps the local codes of a column of the head to ranks, as far as the values are known.
type rankMap struct {
	of    *formats.Values
	ranks []uint64
}

// learn extends a mapping, and the ranks after it, to a list of values.
func (r *rankMap) learn(m *domain.Mapping, values *formats.Values, field *headField) error {
	if err := m.Learn(values); err != nil {
		return err
	}
	of, codes := m.Learned()
	if r.of != of {
		r.of, r.ranks = of, r.ranks[:0]
	}
	for _, code := range codes[len(r.ranks):] {
		rank := uint64(noRank)
		if int(code) < len(field.ranks) {
			rank = field.ranks[code]
		}
		r.ranks = append(r.ranks, rank)
	}
	return nil
}

// labelRanks returns, by label number of a recoding, the ranks in one masked field.
func (f *rowForm) labelRanks(i int) []uint64 {
	m := &f.masked[i]
	ranks := make([]uint64, len(f.columns[m.column].codes))
	for label, code := range f.columns[m.column].codes {
		ranks[label] = m.ranks[code]
	}
	return ranks
}

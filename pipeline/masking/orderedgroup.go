package masking

import (
	"bytes"
	"errors"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// orderedGroup is the rows of one row group of a release whose rows are in order. They are encoded column by column, each of which
// becomes pages before the next one.
type orderedGroup struct {
	o       *ordering
	rows    *writer.RowGroup
	atWork  int // groups that are filled and encoded at a time
	form    *rowForm
	taken   rowBlock // the rows; of what is encoded, tails start with the next kept column
	size    int      // of different rows, as bytes
	largest int64    // bytes of the largest row, at most: those of a block
	count   int64    // of rows
	folder  int      // number of the folder that they are in, as rowForm.folderOf has it
	held    int64    // drawn for them: the bytes above the usual
	drawn   int64    // drawn for pages

	codes []uint32 // scratch: of a block of a column's rows
	kept  keptRows // likewise
	full  int64    // bytes of the columns that are pages
	pages int64    // number of these columns
}

// keptRows is a kept column of a block of rows.
type keptRows struct {
	formats.Column
	last []byte // bytes of the last row's value
}

// newGroup returns a row group of which so many are at work at a time.
func (o *ordering) newGroup(atWork int) (*orderedGroup, error) {
	rows, err := o.encoders.NewRowGroup(o.Plan.Outputs())
	return &orderedGroup{o: o, form: o.form, rows: rows, atWork: atWork}, err
}

// take adds rows of a size. It draws what these have grown by, with a copy of the largest one: a
// writer is given values.
func (g *orderedGroup) take(rows *rowBlock, size int) error {
	g.taken.add(rows)
	g.size, g.count = g.size+size, g.count+rows.records()
	g.largest = max(g.largest, int64(g.form.head+len(rows.tails)))
	t := &g.taken
	if more := int64(cap(t.tails)) + g.largest + 8*int64(cap(t.heads)+cap(t.equal)+cap(t.starts)) - usualHeld - g.held; more > 0 {
		if err := g.o.Budget.Draw("rows of a row group of the release", more); err != nil {
			return g.o.Budget.Short(err, int64(g.o.Threads)*more, lowerGroups)
		}
		g.held += more
	}
	return nil
}

// close forgets the rows.
func (g *orderedGroup) close() {
	g.o.Budget.Return(g.held + g.drawn)
	g.held, g.drawn, g.full, g.pages = 0, 0, 0, 0
	if cap(g.taken.tails) > 2*groupBytes {
		g.taken.tails = nil
	}
	g.taken.clear()
	g.size, g.largest, g.count = 0, 0, 0
}

// encode encodes the rows, the labels of dictionaries in the order of the cut, unless rows are in
// that of the input.
func (g *orderedGroup) encode() (*writer.EncodedRowGroup, error) {
	for i := range g.form.masked[g.form.folders:] {
		f := &g.form.masked[g.form.folders+i]
		if !g.o.order.Input {
			if err := g.rows.EnterLabels(f.column, f.values, g.used(f)); err != nil {
				return nil, err
			}
		}
		err := g.appendRanked(f, func(codes []uint32) error { return g.rows.AppendLabels(f.column, f.values, codes) })
		if err != nil {
			return nil, err
		}
	}
	for i := range g.form.listed {
		f := &g.form.listed[i]
		err := g.appendRanked(f, func(codes []uint32) error {
			err := g.rows.Append(f.column, &formats.Column{Values: f.values, Codes: codes}, 0, len(codes))
			return errors.Join(err, g.drawPages(g.rows.HeldBy(f.column)))
		})
		if err != nil {
			return nil, err
		}
	}
	for k := range g.form.kept {
		if err := g.appendKept(&g.form.kept[k]); err != nil {
			return nil, err
		}
	}
	return g.rows.Encode()
}

// used returns the codes of a field of the head that occur in rows, in order, but for the null's.
func (g *orderedGroup) used(f *headField) []uint32 {
	used := make([]bool, len(f.codes))
	for at := f.word; at < len(g.taken.heads); at += g.form.words {
		used[f.rank(g.taken.heads[at])] = true
	}
	codes := g.codes[:0]
	for rank, is := range used {
		if is && f.codes[rank] > 0 {
			codes = append(codes, f.codes[rank])
		}
	}
	return codes
}

// atOnce is how many codes are written at a time where rows are equal: mostly that is enough, and
// no branch is mistaken.
const atOnce = 4

// appendRanked appends the values of a field of the head, the codes of some rows at a time.
func (g *orderedGroup) appendRanked(f *headField, add func(codes []uint32) error) error {
	codes, n, at := slices.Grow(g.codes[:0], orderedBlock+atOnce)[:orderedBlock+atOnce], 0, f.word
	g.codes = codes
	if g.count == int64(len(g.taken.equal)) { // no rows are equal
		for heads := range slices.Chunk(g.taken.heads, orderedBlock*g.form.words) {
			n = 0
			for at := f.word; at < len(heads); at += g.form.words {
				codes[n] = f.codes[f.rank(heads[at])]
				n++
			}
			if err := add(codes[:n]); err != nil {
				return err
			}
		}
		return g.complete(f.column)
	}
	for _, equal := range g.taken.equal {
		code := f.codes[f.rank(g.taken.heads[at])]
		at += g.form.words
		for left := int(equal); left > 0; {
			end := min(n+left, orderedBlock)
			for i := n; i < end; i += atOnce {
				four := codes[i:][:atOnce]
				four[0], four[1], four[2], four[3] = code, code, code, code
			}
			if left, n = left-(end-n), end; n < orderedBlock {
				continue
			}
			if err := add(codes[:n]); err != nil {
				return err
			}
			n = 0
		}
	}
	return errors.Join(add(codes[:n]), g.complete(f.column))
}

// appendKept appends the values of a kept column, those of some rows at a time: fewer where they are large.
func (g *orderedGroup) appendKept(f *keptField) error {
	codes, size := g.codes[:0], 0
	flush := func() error {
		g.kept.Codes = codes
		err := g.rows.Append(f.column, &g.kept.Column, 0, len(codes))
		g.kept.begin(f)
		codes, size = codes[:0], 0
		return errors.Join(err, g.drawPages(g.rows.HeldBy(f.column)))
	}
	g.kept.begin(f)
	for i, equal := range g.taken.equal {
		value := g.taken.tails[g.taken.starts[i]:]
		value = value[:f.length(value)]
		g.taken.starts[i] += len(value)
		for left := int(equal); left > 0; {
			n := min(left, orderedBlock-len(codes), max(1, (usualHeld-size)/len(value)))
			codes = appendEqual(codes, g.kept.add(f, value, n), n)
			left, size = left-n, size+n*len(value)
			if len(codes) == orderedBlock || size >= usualHeld {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	err := flush()
	g.codes = codes
	return errors.Join(err, g.complete(f.column))
}

// complete makes pages of a column.
func (g *orderedGroup) complete(column int) error {
	err := g.rows.Complete(column)
	g.full, g.pages = g.full+g.rows.HeldBy(column), g.pages+1
	return errors.Join(err, g.drawPages(0))
}

// A row group that holds no more than usualHeld counts as overhead; what exceeds that is
// drawn, with the pages that become of it and those that wait to be written.
const (
	usualHeld   = 16 << 20
	pagesAtWork = 2
)

// unusual returns what does not count as overhead of a row group that holds so much.
func unusual(held int64) int64 { return max(0, (1+pagesAtWork)*(held-usualHeld)) }

// lowerGroups is what helps where row groups of the release are too large.
const lowerGroups = "set or lower output.row_group_rows, or lower --threads"

// drawPages draws what the row group has grown by, with so much for the column that is being appended.
func (g *orderedGroup) drawPages(column int64) error {
	held, budget := g.full+column, g.o.Budget
	need := unusual(held) - g.drawn
	if need <= 0 {
		return nil
	}
	times := float64(len(g.form.columns)-g.form.folders) / float64(max(1, g.pages))
	whole := unusual(int64(float64(held)*times)) - g.drawn
	if err := budget.Draw("a row group of the release", need); err != nil {
		return budget.Short(err, int64(g.atWork)*max(need, whole), lowerGroups)
	}
	g.drawn += need
	return nil
}

func appendEqual(codes []uint32, code uint32, n int) []uint32 {
	for range n {
		codes = append(codes, code)
	}
	return codes
}

// begin makes the column one without rows.
func (k *keptRows) begin(f *keptField) {
	k.last = nil
	if f.levels == nil {
		fresh := formats.Values{Type: f.typ} // a writer knows values by their pointer, and keeps none
		if k.Values != nil {
			fresh.Words, fresh.Ends, fresh.Data = k.Values.Words[:0], k.Values.Ends[:0], k.Values.Data[:0]
		}
		k.Values, k.Leaves = &fresh, nil
		return
	}
	k.Values, k.Leaves = nil, make([]formats.Leaf, len(f.levels))
	for i := range k.Leaves {
		k.Leaves[i].Values = &formats.Values{Type: formats.Type{Kind: formats.Binary}}
	}
}

// add adds a value of n rows, and returns its code. Rows are in order, so that many have the value of the rows before.
func (k *keptRows) add(f *keptField, b []byte, n int) uint32 {
	switch {
	case f.levels != nil:
		for range n {
			f.appendLeaves(k.Leaves, b)
		}
		return 0
	case b[0] == nullTag:
		return 0
	case bytes.Equal(b, k.last):
	case f.typ.InWords():
		k.Values.Words = append(k.Values.Words, parseWord(b, f.base))
	default:
		k.Values.Data = spill.ParseText(k.Values.Data, b[1:])
		k.Values.Ends = append(k.Values.Ends, uint32(len(k.Values.Data)))
	}
	k.last = b
	return uint32(k.Values.Len())
}

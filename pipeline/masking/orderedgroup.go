package masking

import (
	"bytes"
	"errors"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// orderedGroup is the rows of one row group of a release. It encodes them column by column: each
// column becomes pages before the next one.
type orderedGroup struct {
	o       *ordering
	rows    *writer.RowGroup
	atWork  int // number of row groups that are filled and encoded at a time
	form    *rowForm
	taken   rowBlock // the rows; while kept columns are encoded, starts point to the next one
	size    int      // bytes of the distinct rows
	largest int64    // upper bound of the largest row's bytes: those of its block
	count   int64    // number of rows
	folder  int      // number of the rows' folder, as returned by rowForm.folderOf
	held    int64    // bytes drawn for the rows beyond usualHeld
	drawn   int64    // bytes drawn for pages

	codes []uint32 // scratch: codes of a block of rows in one column
	kept  keptRows // scratch
	full  int64    // bytes of the columns that have become pages
	pages int64    // number of these columns
}

// keptRows is one kept column of a block of rows.
type keptRows struct {
	formats.Column
	last []byte // the bytes of the last row's value
}

// newGroup returns a row group. The given number of row groups are at work at a time.
func (o *ordering) newGroup(atWork int) (*orderedGroup, error) {
	rows, err := o.encoders.NewRowGroup(o.Plan.Outputs())
	return &orderedGroup{o: o, form: o.form, rows: rows, atWork: atWork}, err
}

// take adds rows of a size. It draws the memory by which the rows have grown, including a copy of
// the largest row for the writer.
func (g *orderedGroup) take(rows *rowBlock, size int) error {
	g.taken.add(rows)
	g.size, g.count = g.size+size, g.count+rows.records()
	g.largest = max(g.largest, int64(g.form.head+len(rows.tails)))
	t := &g.taken
	if more := int64(cap(t.tails)) + g.largest +
		8*int64(cap(t.heads)+cap(t.equal)+cap(t.starts)) - usualHeld - g.held; more > 0 {
		if err := g.o.Budget.Draw("rows of a row group of the release", more); err != nil {
			return g.o.Budget.Short(err, int64(g.o.Threads)*more, lowerGroups)
		}
		g.held += more
	}
	return nil
}

// close removes the rows, and returns the drawn bytes.
func (g *orderedGroup) close() {
	g.o.Budget.Return(g.held + g.drawn)
	g.held, g.drawn, g.full, g.pages = 0, 0, 0, 0
	if cap(g.taken.tails) > 2*groupBytes {
		g.taken.tails = nil
	}
	g.taken.clear()
	g.size, g.largest, g.count = 0, 0, 0
}

// encode encodes the rows. If they are sorted, the labels of dictionaries are in the order of the
// cut.
func (g *orderedGroup) encode() (*writer.EncodedRowGroup, error) {
	for i := range g.form.masked[g.form.folders:] {
		f := &g.form.masked[g.form.folders+i]
		if !g.o.order.Input {
			if err := g.rows.EnterLabels(f.column, f.values, g.used(f)); err != nil {
				return nil, err
			}
		}
		err := g.appendRanked(f,
			func(codes []uint32) error { return g.rows.AppendLabels(f.column, f.values, codes) })
		if err != nil {
			return nil, err
		}
	}
	for i := range g.form.coded {
		f := &g.form.coded[i]
		err := g.appendRanked(f, func(codes []uint32) error {
			err := g.rows.Append(f.column, &formats.Column{Values: f.values, Codes: codes}, 0,
				len(codes))
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

// used returns the codes of a field of the head that occur in rows, in order, without null.
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

// atOnce is the number of codes that are written at a time for equal rows: mostly there are no
// more, and the processor predicts the branch.
const atOnce = 4

// appendRanked appends the values of a field of the head, in blocks of codes.
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

// appendKept appends the values of a kept column, in blocks of rows: smaller ones if values are
// large.
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

// A row group of up to usualHeld counts as overhead. Beyond that, the row group is drawn, together
// with the pages that it becomes and the pages that wait to be written.
const (
	usualHeld   = 16 << 20
	pagesAtWork = 2
)

// unusual returns the bytes to draw for a row group of the given size.
func unusual(held int64) int64 { return max(0, (1+pagesAtWork)*(held-usualHeld)) }

// lowerGroups is the hint if row groups of the release are too large.
const lowerGroups = "set or lower output.row_group_rows, or lower --threads"

// drawPages draws the bytes by which the row group has grown. The column that is being appended has
// the given size.
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

// begin makes an empty column.
func (k *keptRows) begin(f *keptField) {
	k.last = nil
	if f.levels == nil {
		fresh := formats.Values{Type: f.typ} // a writer recognizes lists of values by their pointer
		if k.Values != nil {
			fresh.Words, fresh.Ends, fresh.Data = k.Values.Words[:0], k.Values.Ends[:0],
				k.Values.Data[:0]
		}
		k.Values, k.Leaves = &fresh, nil
		return
	}
	k.Values, k.Leaves = nil, make([]formats.Leaf, len(f.levels))
	for i := range k.Leaves {
		k.Leaves[i].Values = &formats.Values{Type: formats.Type{Kind: formats.Binary}}
	}
}

// add adds a value of n rows, and returns its code. Rows are sorted, so many rows have the same
// value as the rows before them.
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

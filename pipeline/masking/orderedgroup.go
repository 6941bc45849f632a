package masking

import (
	"bytes"
	"errors"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// orderedGroup is the rows of one row group of a release whose rows are in order.
type orderedGroup struct {
	*worker
	form   *rowForm
	bytes  []byte // the rows, equal ones once
	some   []equalRows
	size   int   // of different rows, as bytes
	count  int64 // of rows
	folder int   // number of the folder that they are in, as rowForm.folderOf has it
	held   int64 // drawn for them: what is more than usual

	words []uint64   // scratch: labels of a row
	codes [][]uint32 // of a block of rows, by column of the release
	kept  []keptRows
}

// equalRows are rows of a row group that are equal.
type equalRows struct {
	end int // of their bytes
	n   int64
}

// keptRows is a kept column of a block of rows.
type keptRows struct {
	formats.Column
	last []byte // bytes of the last row's value
	room []byte
}

func newOrderedGroup(o *ordering, w *worker) *orderedGroup {
	return &orderedGroup{
		worker: w, form: o.form, words: make([]uint64, o.form.words),
		codes: make([][]uint32, len(o.form.columns)), kept: make([]keptRows, len(o.form.kept)),
	}
}

// take adds n rows that are equal, and bytes.
func (g *orderedGroup) take(row []byte, n int64) {
	g.bytes, g.size, g.count = append(g.bytes, row...), g.size+len(row), g.count+n
	g.some = append(g.some, equalRows{len(g.bytes), n})
}

// drawRows draws what the rows have grown by.
func (g *orderedGroup) drawRows() error {
	if more := int64(cap(g.bytes)) + 16*int64(cap(g.some)) - usualHeld - g.held; more > 0 {
		if err := g.m.Budget.Draw("rows of a row group of the release", more); err != nil {
			return g.m.Budget.Short(err, int64(g.m.Threads)*more, lowerGroups)
		}
		g.held += more
	}
	return nil
}

// close forgets the rows.
func (g *orderedGroup) close() {
	g.m.Budget.Return(g.held + g.drawn)
	g.held, g.drawn = 0, 0
	if cap(g.bytes) > 2*groupBytes {
		g.bytes = nil
	}
	g.bytes, g.some, g.size, g.count = g.bytes[:0], g.some[:0], 0, 0
}

// encode encodes the rows, the labels of dictionaries in the order of the cut.
func (g *orderedGroup) encode() (*writer.EncodedRowGroup, error) {
	if err := errors.Join(g.drawLabels(g.count), g.enterLabels()); err != nil {
		return nil, err
	}
	filled, bytes, done := 0, 0, int64(0) // bytes of the block's rows
	flush := func() error {
		done += int64(filled)
		err := g.flush(filled, done)
		filled, bytes = 0, 0
		return err
	}
	block := g.form.block()
	g.begin()
	for i := range g.some {
		size := max(1, len(g.row(i)))
		for left := int(g.some[i].n); left > 0; {
			n := min(left, block-filled, max(1, (usualHeld-bytes)/size))
			g.add(i, n)
			left, filled, bytes = left-n, filled+n, bytes+n*size
			if filled == block || bytes >= usualHeld {
				if err := flush(); err != nil {
					return nil, err
				}
				g.begin()
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return g.worker.rows.Encode()
}

// row returns the bytes of some equal rows.
func (g *orderedGroup) row(i int) []byte {
	if i == 0 {
		return g.bytes[:g.some[0].end]
	}
	return g.bytes[g.some[i-1].end:g.some[i].end]
}

// enterLabels gives the labels that the rows have their places in the dictionaries.
func (g *orderedGroup) enterLabels() error {
	used := make([][]bool, len(g.form.masked))
	for i := range used {
		used[i] = make([]bool, len(g.form.masked[i].codes))
	}
	last := make([]uint64, g.form.words)
	for row := range g.some {
		words := g.form.parseHead(g.row(row), g.words)
		if slices.Equal(words, last) && row > 0 {
			continue
		}
		copy(last, words)
		for i := range used {
			used[i][g.form.masked[i].rank(words)] = true
		}
	}
	for i := range used {
		f := &g.form.masked[i]
		if i < g.form.folders {
			continue
		}
		var codes []uint32
		for rank, is := range used[i] {
			if is && f.codes[rank] > 0 {
				codes = append(codes, f.codes[rank])
			}
		}
		if err := g.worker.rows.EnterLabels(f.column, g.form.columns[f.column].values, codes); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a block of rows.
func (g *orderedGroup) begin() {
	for i := range g.codes {
		g.codes[i] = g.codes[i][:0]
	}
	for k := range g.kept {
		g.kept[k].begin(&g.form.kept[k])
	}
}

// add adds some equal rows to the block, n of them.
func (g *orderedGroup) add(i, n int) {
	row := g.row(i)
	words := g.form.parseHead(row, g.words)
	for i := range g.form.masked {
		f := &g.form.masked[i]
		g.codes[f.column] = appendEqual(g.codes[f.column], uint32(f.rank(words)), n)
	}
	row = row[g.form.head:]
	for k := range g.kept {
		f := &g.form.kept[k]
		length := f.length(row)
		g.codes[f.column] = appendEqual(g.codes[f.column], g.kept[k].add(f, row[:length], n), n)
		row = row[length:]
	}
}

func appendEqual(codes []uint32, code uint32, n int) []uint32 {
	for range n {
		codes = append(codes, code)
	}
	return codes
}

// flush appends the block to the row group, of whose rows so many are done then.
func (g *orderedGroup) flush(rows int, done int64) (err error) {
	for i := range g.form.masked {
		f := &g.form.masked[i]
		if i < g.form.folders {
			continue
		}
		err = errors.Join(err, g.worker.rows.AppendLabels(f.column, g.form.columns[f.column].values, f.codes, g.codes[f.column]))
	}
	for k := range g.kept {
		column := g.form.kept[k].column
		g.kept[k].Codes = g.codes[column]
		err = errors.Join(err, g.worker.rows.Append(column, &g.kept[k].Column, 0, rows))
	}
	if err != nil {
		return err
	}
	return g.draw(done, g.count)
}

// begin makes the column one without rows.
func (k *keptRows) begin(f *keptField) {
	k.last = nil
	if f.levels == nil {
		fresh := formats.Values{Type: f.typ} // a writer knows values by their pointer, and keeps none
		if k.Values != nil {
			fresh.Words, fresh.Ends, fresh.Data = k.Values.Words[:0], k.Values.Ends[:0], k.Values.Data[:0]
		}
		k.Values = &fresh
		return
	}
	k.Leaves = make([]formats.Leaf, len(f.levels))
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
		k.room = spill.ParseText(k.room[:0], b[1:])
		k.Values.AppendBytes(k.room)
	}
	k.last = b
	return uint32(k.Values.Len())
}

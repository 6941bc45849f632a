package masking

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// Order says how the rows of a release are put in order.
type Order struct {
	Input   bool  // they stay in the order of the input
	Rows    int64 // of a row group; 0: UsualGroup, more where there would be too many, fewer where rows are large
	Store   func() (*spill.Store, error)
	Sharers int // that put rows in order in one budget at a time; 0: there is one
}

// share returns the bytes of a budget that one of them has.
func (o *Order) share(b *spill.Budget) int64 {
	return b.Grant(&spill.ReleasedRows) / int64(max(1, o.Sharers))
}

// Rows are the rows that MaskSplit has made of a split.
type Rows func(split int, use func(rows []byte) error) error

// ordering masks the input into rows of bytes, sorts these, and encodes row groups of them. What comes out depends on
// which rows the release has, and on nothing else of the input.
//
//	splits ─▶ batches ─mask─▶ rows ─sort─▶ rows in order ─▶ row groups
//	             └─ rows of divided cells ─sort─▶ mask ─┘
//
// Which rows of a divided cell go where is decided by their kept values, whose order they are in then, since it must not be the
// input's order that decides. Rows that stay in the input's order become row groups as they come.
type ordering struct {
	*Masker
	form    *rowForm
	order   Order
	sorter  *spill.Sorter
	rows    []*spill.RowRun // of it, by worker
	divided *spill.Sorter   // of the rows of divided cells; nil: there are none
	apart   []*spill.RowRun // of these, by worker
	labelOf [][]uint64      // by masked field and label: the rank, where labels depend on all codes
	readers []*worker       // by worker
	scratch []blockScratch  // likewise
	made    Rows            // the rows that other processes have made; nil: there are none
}

// blockScratch is what a worker makes a block of rows in.
type blockScratch struct {
	heads []uint64
	cells []int32
	rows  rowBlock
}

// rowSink takes rows. Their block is its caller's again when it returns, to be made anew.
type rowSink interface {
	take(rows *rowBlock) error
}

// sorted is rows that are sorted later.
type sorted struct {
	form *rowForm
	*spill.RowRun
}

func (s sorted) take(rows *rowBlock) (err error) {
	short := s.form.short() > 0
	for i := 0; i < len(rows.equal) && err == nil; i++ {
		if short {
			err = s.AppendShort(rows.heads[i], rows.equal[i])
			continue
		}
		s.Bytes = s.form.appendRow(s.Bytes, rows, i)
		err = s.End(rows.equal[i])
	}
	return err
}

const (
	// orderedBlock is how many rows of a batch are made into bytes at a time.
	orderedBlock = 1 << 13
	// blockBytes is from how many bytes behind heads on rows are handed on before their block ends.
	blockBytes = 1 << 16
	// blockCells is how many cells rows have that are made into bytes at a time, or out of them.
	blockCells = 1 << 21
	// groupBytes is how many bytes rows may have for a row group of the usual size to take all of them.
	groupBytes = 8 << 20
)

// Mask masks the input and hands on its row groups, from one goroutine. Rows are given where other
// processes have masked the input by MaskSplit, else nil.
func (m *Masker) Mask(ctx context.Context, order Order, rows Rows, to Sink) (err error) {
	o, err := m.ordering(order)
	if err != nil {
		return err
	}
	if o.made = rows; order.Input {
		return o.keep(ctx, to)
	}
	if err := o.form.checkFolders(); err != nil {
		return err
	}
	share := order.share(m.Budget)
	if m.Recoding.Cells() > 0 {
		share /= 2
		o.divided, o.apart = o.newSorter(share, 0)
		defer func() { err = errors.Join(err, o.divided.Close()) }()
	}
	return o.sort(ctx, share, m.Dataset.Splits(), func(rows *spill.SortedRows) error { return o.write(ctx, rows, to) })
}

// sort sorts the rows of splits in a share of the budget, and calls use with them.
func (o *ordering) sort(ctx context.Context, share int64, splits []formats.Split, use func(*spill.SortedRows) error) (err error) {
	o.sorter, o.rows = o.newSorter(share, o.form.short())
	defer func() { err = errors.Join(err, o.sorter.Close()) }()
	err = workers.Each(len(splits), o.Threads, func(w workers.Worker, i int) error { return o.split(ctx, w, splits[i], nil) })
	if err = errors.Join(err, o.closeReaders()); err == nil && o.divided != nil {
		err = o.recodeDivided(ctx)
	}
	if err != nil {
		return err
	}
	rows, err := o.sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the rows of the release: %w", err)
	}
	defer rows.Close()
	return use(rows)
}

// newSorter returns a sorter of rows in a share of the budget, and the run of each worker. Short is
// the length of rows that all have the same, at most spill.MostShort; 0: they differ.
func (o *ordering) newSorter(share int64, short int) (s *spill.Sorter, rows []*spill.RowRun) {
	s = spill.NewSorter(sorting(o.Budget, share, o.Threads, short, o.order.Store))
	for range o.Threads {
		rows = append(rows, s.NewRun())
	}
	return s, rows
}

// sorting says how rows are put in order in a share of a budget.
func sorting(budget *spill.Budget, share int64, threads, short int, open func() (*spill.Store, error)) spill.Sorting {
	return spill.Sorting{
		Budget: budget, Share: share, Run: spill.UsualRun(share, threads), Short: short, Readers: share, Open: open,
		What: "rows that are put in order", Instead: "release in order: input",
	}
}

// ordering returns what puts rows in order, once it has a sorter.
func (m *Masker) ordering(order Order) (o *ordering, err error) {
	o = &ordering{Masker: m, order: order}
	if order.Input && m.Recoding.Cells() > 0 { // which rows of a divided cell go where depends on those before
		m.Threads = 1
	}
	if o.form, err = newRowForm(m.Plan); err != nil {
		return nil, err
	}
	if !Columnwise(o.Recoding, len(o.Coders)) {
		for i := range o.form.masked {
			o.labelOf = append(o.labelOf, o.form.labelRanks(i))
		}
	}
	o.readers, o.scratch = make([]*worker, o.Threads), make([]blockScratch, o.Threads)
	for i := range o.scratch {
		o.scratch[i] = blockScratch{heads: make([]uint64, o.form.block()*o.form.words), cells: make([]int32, o.form.block())}
	}
	m.encoders, err = writer.NewPageEncoders(m.Write)
	return o, err
}

// told tells how many rows have been read or written: half of the work on a row each.
func (o *ordering) told(rows int64) { o.Advanced(o.done.Add(rows)/2, o.Dataset.Rows()) }

// batch makes rows of the first n of a reader's batch: in their order for a sink, or to be sorted,
// where there is none.
func (o *ordering) batch(b *worker, n int, to rowSink) error {
	err := b.pool.Share(len(b.kept), func(_, i int) error {
		f := &o.form.kept[i]
		return f.learn(&b.kept[i], b.column(f.column), n)
	})
	if err != nil {
		return err
	}
	o.told(b.batch.Records(0, n))
	block := o.form.block()
	if to != nil {
		for from := 0; from < n && err == nil; from += block {
			err = o.block(b, b.pool.Number, to, from, min(n, from+block))
		}
		return err
	}
	return b.pool.Share((n+block-1)/block, func(worker, i int) error {
		return o.block(b, worker, sorted{o.form, o.rows[worker]}, i*block, min(n, (i+1)*block))
	})
}

// headsOf gathers the heads of rows from..to-1 of a batch. Where labels depend on all codes it
// returns those of the first attribute, by which dropped rows are known.
func (o *ordering) headsOf(b *worker, heads []uint64, from, to int) (first []uint32, err error) {
	if b.tuples != nil {
		first = b.tuples.labels[0][from:to]
	}
	return first, o.form.headOf(o.form.fields, heads, first, func(i int) ([]uint64, []uint32) {
		field := &o.form.fields[i]
		if b.tuples == nil || i >= len(o.form.masked) {
			return b.ranks[i].ranks, b.column(field.column).Codes[from:to]
		}
		return o.labelOf[i], b.tuples.labels[o.form.columns[field.column].attribute][from:to]
	})
}

// block makes rows of those from..to-1 of a batch.
func (o *ordering) block(b *worker, worker int, sink rowSink, from, to int) error {
	words, scratch := o.form.words, &o.scratch[worker]
	heads, cells := scratch.heads[:(to-from)*words], scratch.cells[:to-from]
	clear(heads)
	first, err := o.headsOf(b, heads, from, to)
	if err != nil {
		return err
	}
	if o.divided != nil {
		o.Recoding.Divided(b.tuples.rows(from, to), cells)
	}
	rows := &scratch.rows
	rows.clear()
	rows.heads = heads[:0] // what is left out is overwritten
	for i := range to - from {
		head := heads[i*words : (i+1)*words]
		if o.divided != nil && cells[i] != engine.Undivided {
			if err := o.put(b, worker, uint32(cells[i]), head, from+i); err != nil {
				return err
			}
			continue
		}
		if first != nil && first[i] == engine.DroppedLabel {
			continue
		}
		at := len(rows.heads)
		if rows.heads = heads[:at+words]; at < i*words {
			copy(rows.heads[at:], head)
		}
		rows.equal = append(rows.equal, b.batch.Records(from+i, from+i+1))
		if len(b.kept) == 0 {
			continue
		}
		rows.starts = append(rows.starts, len(rows.tails))
		for k := range b.kept {
			rows.tails = o.form.kept[k].appendCell(rows.tails, &b.kept[k], from+i)
		}
		if len(rows.tails) >= blockBytes {
			if err := sink.take(rows); err != nil {
				return err
			}
			rows.clear()
		}
	}
	return sink.take(rows)
}

// put puts a row of a divided cell aside: the cell, the kept values, the codes.
func (o *ordering) put(b *worker, worker int, cell uint32, head []uint64, row int) error {
	run := o.apart[worker]
	run.Bytes = binary.BigEndian.AppendUint32(run.Bytes, cell)
	for i, bits := range o.form.other {
		head[i] &= bits
	}
	run.Bytes = o.form.appendHead(run.Bytes, head)
	for k := range b.kept {
		run.Bytes = o.form.kept[k].appendCell(run.Bytes, &b.kept[k], row)
	}
	for _, codes := range b.tuples.codes {
		run.Bytes = binary.BigEndian.AppendUint32(run.Bytes, codes[row])
	}
	return run.End(b.batch.Records(row, row+1))
}

// recodeDivided gives the rows of divided cells their labels, some at a time.
func (o *ordering) recodeDivided(ctx context.Context) (err error) {
	rows, err := o.divided.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the rows of divided cells: %w", err)
	}
	defer rows.Close()
	t := o.newRecoded(o.Budget, o.Threads)
	var block, one rowBlock
	for {
		row, n, err := rows.Next()
		if err == io.EOF {
			return o.recode(t, &block)
		}
		if err != nil {
			return err
		}
		end := len(row) - 4*len(t.codes)
		o.form.read(&one, row[4:end], 1)
		for range n {
			block.add(&one)
			for i := range t.codes {
				t.codes[i] = append(t.codes[i], binary.BigEndian.Uint32(row[end+4*i:]))
			}
			if len(block.equal) < o.form.block() && len(block.tails) < blockBytes {
				continue
			}
			if err := errors.Join(ctx.Err(), o.recode(t, &block)); err != nil {
				return err
			}
		}
	}
}

// recode gives rows of divided cells, of which the codes and the kept values are known, their
// labels, in their order, and forgets rows and codes.
func (o *ordering) recode(t *recoded, rows *rowBlock) error {
	t.label(len(rows.equal))
	err := o.form.headOf(o.form.masked, rows.heads, t.labels[0], func(i int) ([]uint64, []uint32) {
		return o.labelOf[i], t.labels[o.form.columns[o.form.masked[i].column].attribute]
	})
	run := o.rows[0]
	for i := 0; i < len(rows.equal) && err == nil; i++ {
		if t.labels[0][i] != engine.DroppedLabel {
			run.Bytes = o.form.appendRow(run.Bytes, rows, i)
			err = run.End(1)
		}
	}
	rows.clear()
	for i := range t.codes {
		t.codes[i] = t.codes[i][:0]
	}
	return err
}

// write encodes the rows in their order.
func (o *ordering) write(ctx context.Context, rows *spill.SortedRows, to Sink) error {
	limit := newGroupLimit(o.order.Rows, o.Dataset.Rows())
	count := o.sorter.Len()
	size := o.sorter.Size() + count*int64(o.form.most)
	groups := int((count + limit.rows - 1) / limit.rows)
	folders := o.form.folderCount()
	groups += int(min(count, int64(folders-1))) // at most: the row group before another folder may have fewer rows
	pull := newPulling(rows, limit)
	pull.folders = folders > 1
	if limit.bytes > 0 {
		groups += int(min(count, 2*size/limit.bytes)) // at most: a row of several groups is in each of them
	}
	threads := max(1, min(o.Threads, groups, int(o.Budget.Left()/(4*max(groupBytes, o.sorter.Largest())))))
	made := make([]*orderedGroup, threads)
	for i := range made {
		var err error
		if made[i], err = o.newGroup(threads); err != nil {
			return err
		}
	}
	return workers.Ordered(ctx, groups, threads, func(ctx context.Context, pool workers.Worker, i int, emit func(group) error) error {
		g := made[pool.Number]
		defer g.close()
		if err := pull.next(i, g); err != nil || g.count == 0 {
			return err
		}
		return o.hand(g, emit)
	}, func(g group) error { return to.Add(g.EncodedRowGroup, g.folder) })
}

// hand hands on a row group of the rows that were taken, and forgets these.
func (o *ordering) hand(g *orderedGroup, emit func(group) error) error {
	defer g.close()
	encoded, err := g.encode()
	if err != nil {
		return err
	}
	o.told(g.count)
	folder, err := o.form.folderPath(g.folder)
	if err != nil {
		return err
	}
	return emit(group{EncodedRowGroup: encoded, folder: folder})
}

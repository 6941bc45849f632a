package masking

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// Order says how the rows of a release are sorted.
type Order struct {
	Input bool // rows stay in the order of the input
	// Rows is the number of rows of a row group; 0: UsualGroup, more if there would be too many row
	// groups, fewer if rows are large.
	Rows    int64
	Store   func() (*spill.Store, error)
	Sharers int // number of orderings that sort in one budget at a time; 0: one
}

// share returns the bytes of a budget that one ordering has.
func (o *Order) share(b *spill.Budget) int64 {
	return b.Grant(&spill.ReleasedRows) / int64(max(1, o.Sharers))
}

// Rows passes on the rows that MaskSplit has made of a split.
type Rows func(split int, use func(rows []byte) error) error

// ordering masks the input into rows of bytes, sorts them, and encodes row groups. The result
// depends only on the set of released rows.
//
//	splits ─▶ batches ─mask─▶ rows ─sort─▶ rows in order ─▶ row groups
//	             └─ rows of divided cells ─sort─▶ mask ─┘
//
// The kept values of a divided cell's rows decide which labels each row gets: the rows are sorted
// by them first, since the input's order must not decide. If rows stay in the input's order, row
// groups are made of rows as they come.
type ordering struct {
	*Masker
	form        *rowForm
	order       Order
	sorter      *spill.Sorter
	rows        []*spill.RowRun // of the sorter, by worker
	divided     *spill.Sorter   // sorts the rows of divided cells; nil: there are none
	dividedRuns []*spill.RowRun // of divided, by worker
	// labelOf has the rank by masked field and label; nil for a columnwise recoding.
	labelOf [][]uint64
	readers []*splitReader // by worker
	scratch []blockScratch // by worker
	made    Rows           // rows that other processes have made; nil: there are none
}

// blockScratch is the scratch memory in which a worker makes a block of rows.
type blockScratch struct {
	heads []uint64
	cells []int32
	rows  rowBlock
}

// rowSink takes blocks of rows. When take returns, the caller may overwrite the block.
type rowSink interface {
	take(rows *rowBlock) error
}

// sortSink adds rows to a run of the sorter.
type sortSink struct {
	form *rowForm
	*spill.RowRun
}

func (s sortSink) take(rows *rowBlock) (err error) {
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
	// orderedBlock is the number of rows of a batch that are made into bytes at a time.
	orderedBlock = 1 << 13
	// blockBytes is the number of bytes behind heads from which on rows are passed on before their
	// block ends.
	blockBytes = 1 << 16
	// blockCells is the number of cells of the rows that are made into bytes, or read from bytes,
	// at a time.
	blockCells = 1 << 21
	// groupBytes is the size of rows from which on a row group ends, unless a job asks for a number
	// of rows.
	groupBytes = 8 << 20
)

// Mask masks the input and passes on its row groups, from one goroutine. The rows are not nil if
// other processes have masked the input by MaskSplit.
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
		o.divided, o.dividedRuns = o.newSorter(share, 0)
		defer func() { err = errors.Join(err, o.divided.Close()) }()
	}
	return o.sort(ctx, share, m.Dataset.Splits(),
		func(rows *spill.SortedRows) error { return o.write(ctx, rows, to) })
}

// sort sorts the rows of splits in a share of the budget, and calls use with the sorted rows.
func (o *ordering) sort(
	ctx context.Context, share int64, splits []formats.Split, use func(*spill.SortedRows) error,
) (err error) {
	o.sorter, o.rows = o.newSorter(share, o.form.short())
	defer func() { err = errors.Join(err, o.sorter.Close()) }()
	err = workers.Each(len(splits), o.Threads,
		func(w workers.Worker, i int) error { return o.split(ctx, w, splits[i], nil) })
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
// the length of all rows if they have the same one, at most spill.MostShort; 0: lengths differ.
func (o *ordering) newSorter(share int64, short int) (s *spill.Sorter, rows []*spill.RowRun) {
	s = spill.NewSorter(sorting(o.Budget, share, o.Threads, short, o.order.Store))
	for range o.Threads {
		rows = append(rows, s.NewRun())
	}
	return s, rows
}

// sorting says how rows are sorted in a share of a budget.
func sorting(
	budget *spill.Budget, share int64, threads, short int, open func() (*spill.Store, error),
) spill.Sorting {
	return spill.Sorting{
		Budget: budget, Share: share, Run: spill.UsualRun(share, threads), Short: short,
		Readers: share, Open: open,
		What: "rows that are put in order", Instead: "release in order: input",
	}
}

// ordering returns an ordering without a sorter.
func (m *Masker) ordering(order Order) (o *ordering, err error) {
	o = &ordering{Masker: m, order: order}
	// The labels of a divided cell's row depend on the rows before it.
	if order.Input && m.Recoding.Cells() > 0 {
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
	o.readers, o.scratch = make([]*splitReader, o.Threads), make([]blockScratch, o.Threads)
	for i := range o.scratch {
		o.scratch[i] = blockScratch{heads: make([]uint64, o.form.block()*o.form.words),
			cells: make([]int32, o.form.block())}
	}
	m.encoders, err = writer.NewPageEncoders(m.Write)
	return o, err
}

// advance reports rows that were read or written: each is half of the work on a row.
func (o *ordering) advance(rows int64) { o.Advanced(o.done.Add(rows)/2, o.Dataset.Rows()) }

// batch makes rows of the first n rows of a reader's batch. It passes them to the sink in their
// order or, if that is nil, to sorters.
func (o *ordering) batch(b *splitReader, n int, to rowSink) error {
	err := b.pool.Share(len(b.kept), func(_, i int) error {
		f := &o.form.kept[i]
		return f.learn(&b.kept[i], b.column(f.column), n)
	})
	if err != nil {
		return err
	}
	o.advance(b.batch.Records(0, n))
	block := o.form.block()
	if to != nil {
		for from := 0; from < n && err == nil; from += block {
			err = o.block(b, b.pool.Number, to, from, min(n, from+block))
		}
		return err
	}
	return b.pool.Share((n+block-1)/block, func(worker, i int) error {
		return o.block(b, worker, sortSink{o.form, o.rows[worker]}, i*block, min(n, (i+1)*block))
	})
}

// headsOf gathers the heads of rows from..to-1 of a batch. If labels depend on all codes, it
// returns the labels of the first attribute, which show dropped rows.
func (o *ordering) headsOf(
	b *splitReader, heads []uint64, from, to int,
) (first []uint32, err error) {
	if b.labeler != nil {
		first = b.labeler.labels[0][from:to]
	}
	return first, o.form.headOf(o.form.fields, heads, first, func(i int) ([]uint64, []uint32) {
		field := &o.form.fields[i]
		if b.labeler == nil || i >= len(o.form.masked) {
			return b.ranks[i].ranks, b.column(field.column).Codes[from:to]
		}
		return o.labelOf[i], b.labeler.labels[o.form.columns[field.column].attribute][from:to]
	})
}

// block makes rows of rows from..to-1 of a batch.
func (o *ordering) block(b *splitReader, worker int, sink rowSink, from, to int) error {
	words, scratch := o.form.words, &o.scratch[worker]
	heads, cells := scratch.heads[:(to-from)*words], scratch.cells[:to-from]
	clear(heads)
	first, err := o.headsOf(b, heads, from, to)
	if err != nil {
		return err
	}
	if o.divided != nil {
		o.Recoding.Divided(b.labeler.rows(from, to), cells)
	}
	rows := &scratch.rows
	rows.clear()
	rows.heads = heads[:0] // rows that are left out are overwritten
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

// put keeps a row of a divided cell for later: the cell, the kept values, the codes.
func (o *ordering) put(b *splitReader, worker int, cell uint32, head []uint64, row int) error {
	run := o.dividedRuns[worker]
	run.Bytes = binary.BigEndian.AppendUint32(run.Bytes, cell)
	for i, bits := range o.form.other {
		head[i] &= bits
	}
	run.Bytes = o.form.appendHead(run.Bytes, head)
	for k := range b.kept {
		run.Bytes = o.form.kept[k].appendCell(run.Bytes, &b.kept[k], row)
	}
	for _, codes := range b.labeler.codes {
		run.Bytes = binary.BigEndian.AppendUint32(run.Bytes, codes[row])
	}
	return run.End(b.batch.Records(row, row+1))
}

// recodeDivided gives the rows of divided cells their labels, block by block.
func (o *ordering) recodeDivided(ctx context.Context) (err error) {
	rows, err := o.divided.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the rows of divided cells: %w", err)
	}
	defer rows.Close()
	t := o.newLabeler(o.Budget, o.Threads)
	var block, one rowBlock
	err = rows.Each(func(row []byte, n int64) error {
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
		return nil
	})
	if err != nil {
		return err
	}
	return o.recode(t, &block)
}

// recode gives rows of divided cells, whose codes and kept values are known, their labels in the
// order of the rows, passes the rows on, and removes rows and codes.
func (o *ordering) recode(t *rowLabeler, rows *rowBlock) error {
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
	// An upper bound: the last row group of each folder may have fewer rows.
	groups += int(min(count, int64(folders-1)))
	reader := newGroupReader(rows, limit)
	reader.folders = folders > 1
	if limit.bytes > 0 {
		// An upper bound: a row in several row groups counts in each of them.
		groups += int(min(count, 2*size/limit.bytes))
	}
	threads := max(1,
		min(o.Threads, groups, int(o.Budget.Left()/(4*max(groupBytes, o.sorter.Largest())))))
	made := make([]*orderedGroup, threads)
	for i := range made {
		var err error
		if made[i], err = o.newGroup(threads); err != nil {
			return err
		}
	}
	return workers.Ordered(ctx, groups, threads,
		func(ctx context.Context, pool workers.Worker, i int, emit func(group) error) error {
			g := made[pool.Number]
			defer g.close()
			if err := reader.next(i, g); err != nil || g.count == 0 {
				return err
			}
			return o.hand(g, emit)
		}, func(g group) error { return to.Add(g.EncodedRowGroup, g.folder) })
}

// hand encodes and passes on a row group, and removes its rows.
func (o *ordering) hand(g *orderedGroup, emit func(group) error) error {
	defer g.close()
	encoded, err := g.encode()
	if err != nil {
		return err
	}
	o.advance(g.count)
	folder, err := o.form.folderPath(g.folder)
	if err != nil {
		return err
	}
	return emit(group{EncodedRowGroup: encoded, folder: folder})
}

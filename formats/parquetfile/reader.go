package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// maxBatchBytes is the number of bytes of values after which a batch ends early.
const maxBatchBytes = 16 << 20

// columnReader reads one leaf of a split, row group after row group: a flatColumn, or a leafReader
// of a nested column.
type columnReader interface {
	open(f *source, from io.ReaderAt, chunk *meta.Column, room columnRoom)
	begin(rows int) error
	read(n int) error
	deliver() // writes the batch's column to its destination
	finish() error
	size() int
	reported() int64 // number of bytes that it holds beyond the usual
	close()
}

// reader reads a range of row groups. A batch never crosses from one to the next, since
// dictionaries do not.
type reader struct {
	ctx     context.Context // for fetching
	plan    storage.Plan    // of the current row group
	file    *source
	group   int // the current row group
	end     int
	left    int64 // rows left in the current row group
	room    columnRoom
	step    int            // number of rows of a column to read before the next one takes its turn
	columns []columnReader // of all leaves
	leaves  []int          // numbers of the leaves
	chunks  []meta.Column  // of the current row group
	batch   formats.Batch
	store   []formats.Column
	share   formats.Share
	err     error
}

func newReader(ctx context.Context, f *source, first, count int,
	columns []formats.Request) *reader {
	r := &reader{ctx: ctx, file: f, group: first - 1, end: first + count, share: formats.Alone(0)}
	r.store = make([]formats.Column, len(columns))
	r.room, r.step = f.columnRoom(columns), 1
	for i, request := range columns {
		top, column := &f.columns[request.Column], &r.store[i]
		r.batch.Columns = append(r.batch.Columns, column)
		if top.field.Type.Kind != formats.Nested {
			r.columns = append(r.columns,
				newFlatColumn(&f.footer.Leaves[top.First], column, top.field.Type, request.Coded,
					f.remember))
			r.leaves = append(r.leaves, top.First)
			continue
		}
		column.Leaves = make([]formats.Leaf, top.Last-top.First)
		for j := range column.Leaves {
			r.columns = append(r.columns,
				newLeafReader(&f.footer.Leaves[top.First+j], &column.Leaves[j]))
			r.leaves = append(r.leaves, top.First+j)
		}
	}
	return r
}

// Share implements formats.BatchReader.
func (r *reader) Share(share formats.Share) { r.share = share }

// Next implements BatchReader.
func (r *reader) Next(ctx context.Context) (*formats.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.err == nil {
		r.err = r.next()
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.batch, nil
}

func (r *reader) next() (err error) {
	defer fence.Catch(&err)
	r.batch.Row += int64(r.batch.Rows)
	r.batch.Rows = 0
	for r.left == 0 {
		if r.group++; r.group >= r.end {
			return io.EOF
		}
		if err := r.open(); err != nil {
			return err
		}
	}
	for i, c := range r.columns {
		if err := c.begin(int(min(int64(r.room.rows), r.left))); err != nil {
			return r.wrap(i, err)
		}
	}
	if err := r.fill(); err != nil {
		return err
	}
	for _, c := range r.columns {
		c.deliver()
	}
	return nil
}

// open starts with the current row group.
func (r *reader) open() error {
	g, err := r.file.footer.Group(r.group)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.file.path, err)
	}
	r.left = g.NumRows
	r.closePlan()
	var ranges []storage.Range
	r.chunks = r.chunks[:0]
	for _, leaf := range r.leaves {
		r.chunks = append(r.chunks, *g.Chunk(leaf))
		ranges = append(ranges, r.file.extent(g.Chunk(leaf)))
	}
	r.plan = r.file.file.Plan(r.ctx, ranges)
	for i, c := range r.columns {
		c.open(r.file, r.plan, &r.chunks[i], r.room)
	}
	return nil
}

func (r *reader) closePlan() {
	if r.plan != nil {
		r.plan.Close()
		r.plan = nil
	}
}

// fill reads the rows of a batch, some at a time from each column: increasing numbers while their
// values are small, for long parallel work, and smaller numbers while they are large.
func (r *reader) fill() error {
	size := 0
	for r.left > 0 && r.batch.Rows < r.room.rows {
		n := int(min(int64(r.step), r.left, int64(r.room.rows-r.batch.Rows)))
		if err := r.share(len(r.columns), func(_, i int) error {
			return r.wrap(i, readColumn(r.columns[i], n))
		}); err != nil {
			return err
		}
		r.batch.Rows += n
		r.left -= int64(n)
		before := size
		size = 0
		for _, c := range r.columns {
			size += c.size()
		}
		switch {
		case size-before > maxBatchBytes/4:
			r.step = max(1, r.step/4)
		case r.step < mostStepRows && size-before <= maxBatchBytes/16:
			r.step *= 2
		}
		if size > maxBatchBytes {
			break
		}
	}
	if r.left > 0 {
		return nil
	}
	for i, c := range r.columns {
		if err := c.finish(); err != nil {
			return r.wrap(i, err)
		}
	}
	return nil
}

// readColumn reads n rows of a column, on any goroutine.
func readColumn(c columnReader, n int) (err error) {
	defer fence.Catch(&err)
	return c.read(n)
}

func (r *reader) wrap(i int, err error) error {
	if err == nil {
		return nil
	}
	var short *fault.Error
	if errors.As(err, &short) && short.Short != nil {
		err = fault.LacksMore(err, r.toCome(i, short.Lacks))
	}
	return fmt.Errorf("read column %q of row group %d of %s: %w",
		r.file.footer.Leaves[r.leaves[i]].Column(), r.group, r.file.path, err)
}

// toCome returns an estimate of the additional bytes that the columns will report, of which column
// i lacks some already: for the following columns as much as for those before, without the
// largest, or more.
func (r *reader) toCome(i int, lacks int64) (bytes int64) {
	reported, largest := int64(0), int64(0)
	for _, c := range r.columns[:i] {
		reported, largest = reported+c.reported(), max(largest, c.reported())
	}
	each := (reported - largest) / int64(max(1, i))
	for j, foreseen := range r.foreseen(r.plan) {
		switch more := foreseen.rows - r.columns[j].reported(); {
		case j < i:
			bytes += max(0, more)
		case j == i:
			bytes += max(0, more+foreseen.loading-lacks)
		default:
			bytes += max(foreseen.rows, each)
		}
	}
	return bytes
}

// Close implements BatchReader.
func (r *reader) Close() error {
	for _, c := range r.columns {
		c.close()
	}
	r.closePlan()
	r.columns, r.err = nil, io.EOF
	return nil
}

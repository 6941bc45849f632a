package arrowfile

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// batchBytes is the approximate largest number of bytes of a batch's values when rows are large.
const batchBytes = 16 << 20

// reader reads the rows of consecutive record batches.
type reader struct {
	ctx     context.Context // for fetching
	src     *source
	next    int // the record batch to load next
	end     int // behind the last one
	row     int // next row of the loaded record batch, which is the one before next
	rows    int // number of its rows
	most    int // largest number of its rows that are returned at a time
	targets []target
	batch   formats.Batch

	columns      []*column // of the loaded record batch; nil: not wanted
	dictionaries []*dictionary
	slabs        [][]byte // buffers of a record batch, reused for the next one
	used         int      // number of slabs in use
	packed       []byte   // scratch: a compressed buffer
	holding      formats.Holding
	held         int64 // bytes of slabs, packed and dictionaries
	lz4          *lz4.Reader
}

// target is a column that is being built.
type target struct {
	formats.Request
	field      formats.Field
	out        formats.Column
	dictionary *dictionary
	coded      *formats.Distinct // for a coded column without a dictionary
	values     *formats.Values   // for a plain column
	nested     *shredder
	known      []uint32 // codes of values

	holding formats.Holding // of the values
}

// Read returns a reader of the rows of count record batches from first on.
func (s *source) Read(ctx context.Context, first, count int,
	columns []formats.Request) (formats.BatchReader, error) {
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	r := &reader{
		ctx: ctx, src: s, next: first, end: first + count,
		targets: make([]target, len(columns)), columns: make([]*column, len(s.columns)),
		lz4: lz4.NewReader(nil), holding: formats.Holding{Tell: s.hold},
	}
	for i, c := range columns {
		r.targets[i].holding.Tell = s.hold
		if err := r.target(&r.targets[i], c); err != nil {
			return nil, fmt.Errorf("read %s: column %q: %w", s.path, s.schema[c.Column].Name, err)
		}
		r.columns[c.Column] = &column{}
		r.batch.Columns = append(r.batch.Columns, &r.targets[i].out)
	}
	return r, ctx.Err()
}

// target prepares a requested column.
func (r *reader) target(t *target, request formats.Request) (err error) {
	f, field := r.src.columns[request.Column], r.src.schema[request.Column]
	t.Request, t.field, t.values = request, field, &formats.Values{Type: field.Type}
	switch {
	case field.Type.Kind == formats.Nested && field.Declared == nil:
		return fmt.Errorf("%w: a column of type %q", formats.ErrUnsupported, field.Type.Nested)
	case field.Type.Kind == formats.Nested && request.Coded:
		return fmt.Errorf("%w: codes of a nested column", formats.ErrUnsupported)
	case field.Type.Kind == formats.Nested:
		t.nested, err = r.newShredder(f)
	case f.values != nil:
		t.dictionary = r.dictionary(f, false)
	case request.Coded:
		t.coded = formats.NewDistinct(&formats.Values{Type: field.Type})
	}
	return err
}

// Share implements formats.BatchReader: one goroutine reads a record batch.
func (r *reader) Share(formats.Share) {}

// Next returns the next rows of the loaded record batch, or of the next one.
func (r *reader) Next(ctx context.Context) (*formats.Batch, error) {
	r.batch.Row += int64(r.batch.Rows)
	r.batch.Rows = 0
	for r.row == r.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.next == r.end {
			return nil, io.EOF
		}
		if err := r.nextBatch(); err != nil {
			return nil, fmt.Errorf("read %s: record batch %d: %w", r.src.path, r.next, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, to := r.row, min(r.row+r.most, r.rows)
	for i := range r.targets {
		t := &r.targets[i]
		if err := t.more(0); err != nil {
			return nil, fmt.Errorf("read %s: column %q: %w", r.src.path, t.field.Name, err)
		}
		if err := r.fill(t, r.columns[t.Column], from, to); err != nil {
			return nil, fmt.Errorf("read %s: record batch %d: column %q: %w", r.src.path, r.next-1,
				t.field.Name, err)
		}
	}
	r.row, r.batch.Rows = to, to-from
	return &r.batch, nil
}

// nextBatch loads the wanted columns of the next record batch.
func (r *reader) nextBatch() (err error) {
	defer fence.Catch(&err)
	place := r.src.batches[r.next]
	b, err := r.src.readBatch(place.at)
	if err != nil {
		return err
	}
	if b.rows != place.rows {
		return fmt.Errorf("%w: it changed since it was opened", formats.ErrDamaged)
	}
	for _, d := range r.dictionaries {
		if err := r.update(d); err != nil {
			return err
		}
	}
	places, err := r.choose(b)
	if err != nil {
		return err
	}
	plan := r.src.file.Plan(r.ctx, places)
	defer plan.Close()
	r.used = 0
	for i, c := range r.columns {
		if c == nil {
			continue
		}
		if err := r.load(c, b.codec, plan, r.slab); err != nil {
			return fmt.Errorf("column %q: %w", c.field.name, fault.LacksMore(err, r.toCome(i)))
		}
	}
	r.next, r.row, r.rows, r.most = r.next+1, 0, int(b.rows), r.atOnce(b.rows)
	return nil
}

// choose takes the wanted columns of a record batch, and returns where their buffers lie.
func (r *reader) choose(b *recordBatch) (places []storage.Range, err error) {
	for i, f := range r.src.columns {
		c := b.column(f)
		if r.columns[i] == nil {
			continue
		}
		if rows := int64(c.data.Len()); rows != b.rows {
			return nil, fmt.Errorf("%w: column %q of %d rows where the batch has %d",
				formats.ErrDamaged, f.name, rows, b.rows)
		}
		r.columns[i] = c
		for _, p := range c.buffers {
			places = append(places, p.place)
		}
	}
	return places, nil
}

// atOnce returns the number of rows to return at a time from the loaded record batch.
func (r *reader) atOnce(rows int64) int {
	bytes := int64(0)
	for _, slab := range r.slabs[:r.used] {
		bytes += int64(len(slab))
	}
	return r.rowsOf(rows, bytes)
}

// rowsOf returns how many of so many rows are returned at a time that take some bytes.
func (r *reader) rowsOf(rows, bytes int64) int {
	return int(max(1, min(int64(r.src.rows), rows*batchBytes/max(1, bytes))))
}

// toCome returns the number of bytes of the columns behind column i, and of the values of a batch
// after them.
func (r *reader) toCome(i int) (bytes int64) {
	for _, c := range r.columns[i+1:] {
		if c != nil {
			for _, p := range c.buffers {
				bytes += p.place.To - p.place.From
			}
		}
	}
	return bytes + batchBytes
}

// take reports n more held bytes.
func (r *reader) take(n int64) error {
	if err := r.holding.Hold(r.held + n); err != nil {
		return err
	}
	r.held += n
	return nil
}

// more reports the growth of a column's values before it happens.
func (t *target) more(bytes int64) error {
	bytes += t.values.MemoryBytes()
	if t.coded != nil {
		bytes += t.coded.Values.MemoryBytes() + t.coded.MemoryBytes()
	}
	return t.holding.Hold(bytes)
}

// Close frees the decompressors, and the reader's memory.
func (r *reader) Close() error {
	r.holding.Release()
	for i := range r.targets {
		r.targets[i].holding.Release()
	}
	r.lz4.Reset(nil) // returns its block to the pool
	return nil
}

var errNull = fmt.Errorf("%w: a null where the schema allows none", formats.ErrDamaged)

// fill makes the column of rows [from, to).
func (r *reader) fill(t *target, c *column, from, to int) (err error) {
	defer fence.Catch(&err)
	out := &t.out
	switch {
	case t.nested != nil:
		out.Leaves, err = t.nested.shred(c.rows, from, to)
		return err
	case t.dictionary != nil:
		out.Values = t.dictionary.values
		t.values.Words = c.field.numbers(t.values.Words[:0], c.rows.Data(), from, to)
		out.Codes, err = t.dictionary.appendCodes(out.Codes[:0], t.values.Words,
			c.rows.NullBitmapBytes(), from)
	case t.coded != nil:
		t.coded = t.coded.Renewed(r.src.remember)
		out.Values = t.coded.Values
		err = t.code(c, from, to)
	default:
		t.values = t.values.Emptied()
		out.Values, out.Codes = t.values,
			c.field.appendPositions(out.Codes[:0], c.rows, 0, from, to)
		err = c.field.appendValues(t.values, c.rows, from, to, t.room)
	}
	if err != nil || t.field.Nullable {
		return err
	}
	if slices.Contains(out.Codes, 0) {
		return errNull
	}
	return nil
}

// room makes room for a value, and reports a large growth to the budget.
func (t *target) room(v *formats.Values, bytes int) error {
	return v.Grow(bytes, t.more)
}

// code assigns codes to rows [from, to) of a column without a dictionary.
func (t *target) code(c *column, from, to int) error {
	values, known := t.values, t.known[:0]
	values.Clear()
	t.out.Codes = c.field.appendPositions(t.out.Codes[:0], c.rows, 0, from, to)
	if err := c.field.appendValues(values, c.rows, from, to, t.room); err != nil {
		return err
	}
	if values.Type.InWords() {
		known = t.coded.AppendCodes(known, values.Words)
	}
	for i := range values.Ends {
		if err := t.room(t.coded.Values, len(values.Bytes(i))); err != nil {
			return err
		}
		known = append(known, t.coded.CodeOf(values, i))
	}
	for i, position := range t.out.Codes {
		if position > 0 {
			t.out.Codes[i] = known[position-1]
		}
	}
	t.known = known
	return nil
}

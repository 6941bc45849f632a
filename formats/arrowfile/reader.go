package arrowfile

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/storage"
)

// reader reads the rows of consecutive record batches.
type reader struct {
	ctx     context.Context // of what is fetched
	src     *source
	next    int // record batch to load
	end     int // behind the last one
	loaded  int // record batch in hand
	row     int // of the next row in it
	rows    int // it has
	targets []target
	batch   formats.Batch

	arrays       []*column // of the record batch in hand, by column
	wanted       []bool    // columns
	dictionaries map[*field]*dictionary
	slabs        [][]byte // buffers of a record batch, used again for the next
	used         int
	packed       []byte
	holding      formats.Holding
	held         int64 // bytes of slabs, packed and dictionaries
	zstd         *zstd.Decoder
}

// target is a column being built.
type target struct {
	formats.Request
	field    formats.Field
	out      formats.Column
	coded    *formats.Distinct // of a column to be coded that has no dictionary
	remember int               // values of it
	values   formats.Values    // of a plain one
	words    []uint64
	nested   *shredder
}

// read returns the rows of count record batches from first on.
func (s *source) Read(ctx context.Context, first, count int, columns []formats.Request) (formats.BatchReader, error) {
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	r := &reader{ctx: ctx, src: s, next: first, end: first + count, targets: make([]target, len(columns))}
	r.holding.Tell = s.hold
	r.arrays, r.wanted = make([]*column, len(s.columns)), make([]bool, len(s.columns))
	r.dictionaries = make(map[*field]*dictionary)
	for i, c := range columns {
		if err := r.targets[i].init(c, s.columns[c.Column], s.schema[c.Column]); err != nil {
			return nil, fmt.Errorf("read %s: column %q: %w", s.path, s.schema[c.Column].Name, err)
		}
		r.targets[i].remember = s.remember
		r.wanted[c.Column] = true
		r.batch.Columns = append(r.batch.Columns, &r.targets[i].out)
	}
	return r, ctx.Err()
}

func (t *target) init(request formats.Request, f *field, field formats.Field) error {
	t.Request, t.field, t.values.Type = request, field, field.Type
	switch {
	case field.Type.Kind == formats.Nested:
		if field.Declared == nil {
			return fmt.Errorf("%w: a column of type %q", formats.ErrUnsupported, field.Type.Nested)
		}
		if request.Coded {
			return fmt.Errorf("%w: codes of a nested column", formats.ErrUnsupported)
		}
		var err error
		t.nested, err = newShredder(f)
		return err
	case request.Coded && f.shape != asDictionary:
		t.coded = formats.NewDistinct(&formats.Values{Type: field.Type})
	}
	return nil
}

// Next returns the next rows of the record batch in hand, or of the next one.
func (r *reader) Next(ctx context.Context) (b *formats.Batch, err error) {
	defer fence.Catch(&err)
	r.batch.Row += int64(r.batch.Rows)
	r.batch.Rows = 0
	for r.row == r.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.next == r.end {
			return nil, io.EOF
		}
		if err := r.load(); err != nil {
			return nil, fmt.Errorf("read %s: record batch %d: %w", r.src.path, r.next, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, to := r.row, min(r.row+r.src.rows, r.rows)
	for i := range r.targets {
		t := &r.targets[i]
		if err := t.fill(r.arrays[t.Column], from, to); err != nil {
			return nil, fmt.Errorf("read %s: record batch %d: column %q: %w", r.src.path, r.loaded, t.field.Name, err)
		}
	}
	r.row, r.batch.Rows = to, to-from
	return &r.batch, nil
}

// load loads the wanted columns of the next record batch.
func (r *reader) load() error {
	place := r.src.batches[r.next]
	m, err := r.src.readMessage(place.at)
	if err != nil {
		return err
	}
	b, err := m.batch(m.header)
	if err != nil {
		return err
	}
	if b.rows != place.rows {
		return fmt.Errorf("%w: it changed since it was opened", formats.ErrDamaged)
	}
	r.used, r.loaded = 0, r.next
	ranges, err := r.ranges(b)
	if err != nil {
		return err
	}
	plan := r.src.file.Plan(r.ctx, ranges)
	defer plan.Close()
	l := loader{reader: r, batch: b, from: plan, alloc: r.slab}
	for i, f := range r.src.columns {
		if r.arrays[i], err = l.load(f, r.wanted[i]); err != nil {
			return fmt.Errorf("column %q: %w", f.name, err)
		}
		if r.wanted[i] && int64(r.arrays[i].n) != b.rows {
			return fmt.Errorf("column %q: %w: %d rows where the batch has %d", f.name, formats.ErrDamaged, r.arrays[i].n, b.rows)
		}
	}
	r.next, r.row, r.rows = r.next+1, 0, int(b.rows)
	return nil
}

// ranges are where the buffers of the wanted columns of a record batch lie.
func (r *reader) ranges(b *recordBatch) (ranges []storage.Range, err error) {
	l := loader{reader: r, batch: b}
	for i, f := range r.src.columns {
		first := l.buffer
		if _, err := l.load(f, false); err != nil {
			return nil, fmt.Errorf("column %q: %w", f.name, err)
		}
		for ; r.wanted[i] && first < l.buffer; first++ {
			offset, length := b.buffers.pair(first)
			at := b.message.body + offset
			ranges = append(ranges, storage.Range{From: at, To: at + length})
		}
	}
	return ranges, nil
}

// take says that n more bytes are held.
func (r *reader) take(n int64) error {
	if err := r.holding.Hold(r.held + n); err != nil {
		return err
	}
	r.held += n
	return nil
}

// slab returns n bytes that are good until the next record batch is loaded.
func (r *reader) slab(n int) ([]byte, error) {
	if r.used == len(r.slabs) {
		r.slabs = append(r.slabs, nil)
	}
	if had := cap(r.slabs[r.used]); had < n {
		if err := r.take(int64(n - had)); err != nil {
			return nil, err
		}
		r.slabs[r.used] = make([]byte, n)
	}
	r.used++
	return r.slabs[r.used-1][:n], nil
}

// scratch returns n bytes that are good until the next call.
func (r *reader) scratch(n int) ([]byte, error) {
	if had := cap(r.packed); had < n {
		if err := r.take(int64(n - had)); err != nil {
			return nil, err
		}
		r.packed = make([]byte, n)
	}
	return r.packed[:n], nil
}

// dictionary returns the dictionary of a field as the record batch being loaded sees it.
// Deltas extend the values that earlier batches saw; a replacement makes new ones.
func (r *reader) dictionary(f *field) (*dictionary, error) {
	first, last := r.src.parts(f.id, r.next)
	d := r.dictionaries[f]
	if d == nil || d.first != first || d.last > last {
		if d != nil {
			r.held -= d.held
		}
		d = &dictionary{first: first, last: first}
		if !f.inner && f.typ.Kind != formats.Nested {
			d.values = &formats.Values{Type: f.typ}
		}
		r.dictionaries[f] = d
	}
	for ; d.last < last; d.last++ {
		a, err := r.entries(f, d, r.src.dictionaries[f.id][d.last])
		if err == nil {
			err = d.extend(a)
		}
		if err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", f.id, err)
		}
	}
	return d, nil
}

// dictionaryWeight is how many bytes are held for one of a dictionary in the file: it, and a
// list of values that has grown to it.
const dictionaryWeight = 3

// entries loads one message of a dictionary.
func (r *reader) entries(f *field, d *dictionary, part part) (*column, error) {
	m, err := r.src.readMessage(part.at)
	if err != nil {
		return nil, err
	}
	data, ok := m.header.child(1)
	if !ok {
		return nil, fmt.Errorf("%w: a dictionary without values", formats.ErrDamaged)
	}
	b, err := m.batch(data)
	if err != nil {
		return nil, err
	}
	l := loader{reader: r, batch: b, from: r.src.file, alloc: func(n int) ([]byte, error) {
		if err := r.take(dictionaryWeight * int64(n)); err != nil {
			return nil, err
		}
		d.held += dictionaryWeight * int64(n)
		return make([]byte, n), nil
	}}
	return l.load(f.values(), true)
}

// Close frees the decompressor, and the reader's memory.
func (r *reader) Close() error {
	r.holding.Release()
	if r.zstd != nil {
		r.zstd.Close()
	}
	return nil
}

// fill makes the column of rows [from, to) of an array.
func (t *target) fill(a *column, from, to int) (err error) {
	if t.nested != nil {
		t.out.Leaves, err = t.nested.shred(a, from, to)
		return err
	}
	if err := t.fillFlat(a, from, to); err != nil || t.field.Nullable {
		return err
	}
	if slices.Contains(t.out.Codes, 0) || slices.Contains(t.out.Valid, false) {
		return errNull
	}
	return nil
}

var errNull = fmt.Errorf("%w: a null where the schema allows none", formats.ErrDamaged)

func (t *target) fillFlat(a *column, from, to int) (err error) {
	switch {
	case t.field.Type.Kind == formats.Null:
		t.out.Codes, t.out.Values = append(t.out.Codes[:0], make([]uint32, to-from)...), &t.values
		return nil
	case a.field.shape == asDictionary:
		t.out.Values = a.dictionary.values
		t.out.Codes, err = a.appendCodes(t.out.Codes[:0], from, to)
		return err
	case t.coded != nil:
		t.coded = t.coded.Renewed(t.remember)
		t.out.Values = t.coded.Values
		return t.code(a, from, to)
	}
	return t.plain(a, from, to)
}

// plain makes a plain column.
func (t *target) plain(a *column, from, to int) error {
	v := &t.values
	v.Words, v.Ends, v.Data = v.Words[:0], v.Ends[:0], v.Data[:0]
	t.out.Values, t.out.Valid = v, t.out.Valid[:0]
	for i := from; i < to; i++ {
		t.out.Valid = append(t.out.Valid, a.valid(i))
	}
	return a.appendValues(v, from, to)
}

// code makes a coded column of an array that is not.
func (t *target) code(a *column, from, to int) (err error) {
	t.out.Codes = t.out.Codes[:0]
	if !t.field.Type.InWords() {
		return t.codeBytes(a, from, to)
	}
	if t.words, err = a.appendWords(t.words[:0], from, to); err != nil {
		return err
	}
	if a.validity == nil {
		t.out.Codes = t.coded.AppendCodes(t.out.Codes, t.words)
		return nil
	}
	for i, w := range t.words {
		code := uint32(0)
		if a.valid(from + i) {
			code = t.coded.CodeOfWord(w)
		}
		t.out.Codes = append(t.out.Codes, code)
	}
	return nil
}

func (t *target) codeBytes(a *column, from, to int) error {
	var scratch [32]byte
	for i := from; i < to; i++ {
		code := uint32(0)
		if a.valid(i) {
			b, err := a.value(i, &scratch)
			if err != nil {
				return err
			}
			code = t.coded.CodeOfBytes(b)
			if len(t.coded.Values.Data) > batchBytes {
				return errLarge
			}
		}
		t.out.Codes = append(t.out.Codes, code)
	}
	return nil
}

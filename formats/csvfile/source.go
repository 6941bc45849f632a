// Package csvfile reads CSV files, plain, gzip or Zstandard: a formats.Source whose chunks are
// ranges of whole records. It reads RFC 4180 in UTF-8, or the syntax in formats.CSV, with a header;
// an empty field without quotes is a null.
//
// Contract: opening reads the whole file once, to count its rows and to infer the types that are
// not declared: block by block on several goroutines, unless it is compressed, in another encoding
// or has escapes. The file is not kept open. A type is inferred only if every text of the column is
// a value of it; a text that only looks like a number, such as a code with leading zeros, stays a
// text. So does a column of numbers in different forms, such as 10 and 10.0, unless only its order
// matters (formats.CSV.Ordered).
//
// Limits: the text of a date, or of a value of a declared type, may not come back as it was
// written.
package csvfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

const (
	batchRows  = 65536 // of a batch, by default
	maxColumns = 65536
)

// source is a CSV file whose records were counted. It has no file open while nobody reads it.
type source struct {
	path     string
	info     storage.Info // of the opened file
	ahead    storage.Ahead
	hold     func(bytes int64) error // formats.ReadOptions.Hold
	threads  int
	cutting  cutting
	unpack   func(io.Reader) (io.ReadCloser, error) // nil: the file is not packed
	decode   func(io.Reader) io.Reader              // nil: UTF-8
	returns  bool                                   // lines end in carriage returns
	dialect  dialect
	csv      formats.CSV
	numerals *numerals       // nil: numbers are in kcut's own form
	nulls    map[string]bool // texts that mean null; nil: none
	remember int             // number of distinct values of a coded column to keep
	batch    int
	schema   []formats.Field
	headed   int      // number of fields of the header, with unnamed ones at its end
	shifted  bool     // the header lacks the name of the first column: see isShifted
	surplus  bool     // lines end in delimiters followed by nothing
	asked    []string // questions that follow the header, with their numbers in Qualtrics
	notes    []string
	parts    []part
	held     int64       // most bytes that reading reported when the file was opened
	sizes    []textSizes // by column
}

// textSizes are the bytes of all texts of a column, and of the longest one.
type textSizes struct{ all, longest int64 }

// part is a chunk: a range of records, as many as every chunk has, or, in a compressed file, all.
// Offsets count from the file's first byte, or the first unpacked one.
type part struct {
	place       // of a record at or before the first
	skip  int64 // number of records from there to the first
	end   int64 // behind the last record, or later
	row   int64 // row of the first record, from 0
	rows  int64
}

// Open opens a CSV file, plain, gzip or zstd, and reads the whole file once to count its rows and
// to infer the types that opt does not declare. The file must have a header. It returns
// formats.ErrSchema for a header that cannot name columns, and formats.ErrDamaged for text that is
// not CSV in UTF-8.
func Open(ctx context.Context, path string, opt formats.ReadOptions) (formats.Source, error) {
	return open(ctx, path, opt, usualCutting)
}

func open(ctx context.Context, path string, opt formats.ReadOptions, cutting cutting) (*source,
	error) {
	info, err := storage.Stat(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &source{
		path: path, info: info, ahead: opt.Ahead, hold: opt.Hold, cutting: cutting,
		threads:  opt.Threads,
		batch:    opt.BatchRows,
		remember: opt.Remember,
		csv:      opt.CSV,
		numerals: numeralsOf(&opt.CSV),
	}
	if s.batch <= 0 {
		s.batch = batchRows
	}
	if s.threads <= 0 {
		s.threads = runtime.GOMAXPROCS(0)
	}
	for _, text := range opt.CSV.Nulls {
		if s.nulls == nil {
			s.nulls = make(map[string]bool)
		}
		s.nulls[text] = true
	}
	if err := s.profile(ctx, opt); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

func (s *source) Fields() []formats.Field { return s.schema }

// Notes implements formats.Inferring.
func (s *source) Notes() []string { return s.notes }

// Close does nothing: no file is open while nobody reads.
func (s *source) Close() error { return nil }

func (s *source) Chunks() []int64 {
	rows := make([]int64, len(s.parts))
	for i, p := range s.parts {
		rows[i] = p.rows
	}
	return rows
}

// Holds implements formats.Weighed by the reading when the file was opened.
func (s *source) Holds(context.Context, int, int, []formats.Request) (formats.Held, error) {
	return formats.Held{Rows: s.held}, nil
}

// Statistics implements formats.Described by the texts that were read when the file was opened.
func (s *source) Statistics(_ context.Context, first, count int,
	columns []int) ([]formats.Statistics, error) {
	if err := formats.CheckRead(s, first, count, nil); err != nil {
		return nil, err
	}
	rows, all := int64(0), int64(0)
	for i, p := range s.parts {
		if all += p.rows; i >= first && i < first+count {
			rows += p.rows
		}
	}
	known := make([]formats.Statistics, len(columns))
	for i, column := range columns {
		known[i] = formats.UnknownStatistics(s.schema[column].Type, rows)
		size := s.sizes[column]
		known[i].Spelled = int64(float64(size.all) / float64(max(1, all)) * float64(rows))
		known[i].Longest = size.longest
	}
	return known, nil
}

// text is a part of the file, unpacked.
type text struct {
	io.Reader
	unpacked io.Closer // nil: the file is not packed
	plan     storage.Plan
	file     storage.File
}

// inSequence reports whether the text can only be read from its start.
func (s *source) inSequence() bool { return s.unpack != nil || s.decode != nil }

// text returns the unpacked bytes from offset to end of the file (end < 0, or in sequence: all).
// The file must be the one whose records were counted.
func (s *source) text(ctx context.Context, offset, end int64) (*text, error) {
	from := offset
	if s.inSequence() {
		from, end = 0, -1
	}
	if end < 0 {
		end = s.info.Size()
	}
	file, err := storage.Reopen(ctx, s.path, s.info, s.ahead)
	if err != nil {
		return nil, err
	}
	plan := file.Plan(ctx, []storage.Range{{From: from, To: end}})
	t := &text{Reader: io.NewSectionReader(plan, from, end-from), plan: plan, file: file}
	if s.unpack != nil {
		var unpacked io.ReadCloser
		if unpacked, err = s.unpack(t.Reader); err == nil {
			t.Reader, t.unpacked = unpacked, unpacked
		}
	}
	if s.decode != nil {
		t.Reader = s.decode(t.Reader)
	}
	if s.returns {
		t.Reader = lineFeeds{t.Reader}
	}
	if err == nil && s.inSequence() {
		_, err = io.CopyN(io.Discard, t, offset)
	}
	if err != nil {
		t.Close()
		return nil, damage(err)
	}
	return t, nil
}

// lineFeeds reads carriage returns as line feeds.
type lineFeeds struct{ io.Reader }

func (f lineFeeds) Read(b []byte) (n int, err error) {
	n, err = f.Reader.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

func (t *text) Close() (err error) {
	if t.unpacked != nil {
		err = t.unpacked.Close()
	}
	t.plan.Close()
	return errors.Join(err, t.file.Close())
}

// unpackerOf returns the unpacker for a file, by its first bytes; nil when it is not packed.
func unpackerOf(head []byte) func(io.Reader) (io.ReadCloser, error) {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return func(r io.Reader) (io.ReadCloser, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				return nil, err
			}
			return z.IOReadCloser(), nil
		}
	}
	return nil
}

// damage turns an error of a decompressor into formats.ErrDamaged. It does not change errors of the
// disk, of a stopped run and of this package.
func damage(err error) error {
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return err
	}
	for _, known := range []error{
		storage.ErrUnavailable, storage.ErrDenied, fs.ErrNotExist, formats.ErrDamaged,
		formats.ErrSchema, formats.ErrUnsupported, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", formats.ErrDamaged, err)
}

// profile finds the delimiter, the columns, their types and the chunks.
func (s *source) profile(ctx context.Context, opt formats.ReadOptions) error {
	start, err := s.sniff(ctx, opt.CSV)
	if err != nil {
		return err
	}
	names, start, err := s.header(ctx, start)
	if err != nil {
		return err
	}
	columns, err := s.surveyNamed(ctx, names, start, opt.Types)
	if err != nil {
		return err
	}
	s.noteHeader(columns)
	return s.declare(columns, opt.Types)
}

var utf8BOM = []byte("\xef\xbb\xbf")

// sniff finds the unpacker, the encoding and the line ends of the file, and the dialect. It returns
// the start of the text, behind a byte order mark and Excel's line that names the delimiter.
func (s *source) sniff(ctx context.Context, declared formats.CSV) (start place, err error) {
	head, err := s.head(ctx)
	if s.unpack = unpackerOf(head); err == nil && s.unpack != nil {
		head, err = s.head(ctx)
	}
	if err != nil {
		return start, err
	}
	if s.decode, err = decoderOf(declared.Encoding, head); err == nil && s.decode != nil {
		head, err = s.head(ctx)
	}
	s.returns = !bytes.Contains(head, newline) && bytes.IndexByte(head, '\r') >= 0
	if err == nil && s.returns {
		head, err = s.head(ctx)
	}
	if err != nil {
		return start, err
	}
	start.line = 1
	text := bytes.TrimPrefix(head, utf8BOM)
	if delimiter, rest, named := cutSeparator(text); named {
		text, start.line, declared.Delimiter = rest, 2, cmp.Or(declared.Delimiter, delimiter)
	}
	start.offset = int64(len(head) - len(text))
	s.dialect, err = dialectOf(&declared,
		&sample{text: text, whole: len(head) < bufferSize, headless: declared.Headless})
	return start, err
}

// head returns the first bytes of the text.
func (s *source) head(ctx context.Context) ([]byte, error) {
	r, err := s.text(ctx, 0, -1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, bufferSize)
	n, err := io.ReadFull(r, head)
	if n == 0 && err != io.EOF {
		return nil, damage(err)
	}
	return head[:n], nil
}

// declare sets the types of the columns.
func (s *source) declare(columns []evidence, types map[string]formats.Type) error {
	for i := range s.schema {
		f := &s.schema[i]
		t, declared := types[f.Name]
		if !declared {
			columns[i].ordered = s.csv.Ordered[f.Name]
			f.Texts = &columns[i]
			f.Texts.Infer(f)
			continue
		}
		f.Type, f.Nullable = t, columns[i].nullable(t) || s.csv.Lenient[f.Name]
		if t.Kind == formats.Nested {
			return fmt.Errorf("column %q: %w: a nested type in CSV", f.Name, formats.ErrUnsupported)
		}
	}
	return nil
}

// Settle implements formats.Inferring.
func (s *source) Settle(fields map[string]formats.Field) {
	for i := range s.schema {
		f := &s.schema[i]
		if of, ok := fields[f.Name]; ok && f.Texts != nil {
			f.Type, f.Text = of.Type, of.Text
		}
	}
}

// Package dataset opens the input: it finds files, detects their formats, combines their schemas,
// and presents them as one table, divided into splits. If a column has the number of records of
// each row, the table has that many rows, and not that column.
//
// Contract: splits are in the order of the patterns and, within one, of the paths, and depend only
// on the files. Whatever the number of files, few are open at a time. A file that changes while it
// is in use is refused, as far as its size and time show it.
//
// Limits: the columns of later files may have any order; the table has that of the first file with
// each column.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
)

// Dataset is one input: files of one schema, as one table. Its methods may be called from several
// goroutines at a time.
type Dataset struct {
	schema  formats.Schema
	hive    []hiveColumn // the last columns of the schema
	files   []member
	byPath  map[string]int
	splits  []formats.Split
	rows    int64
	sources *sourceCache
	noted   []string   // of all files, each once
	notes   []string   // the same, with the first file
	notedIn []int      // number of files
	tables  []*Dataset // tables of counts, if there are several: each is read instead
	part    bool       // some splits end before their rows do
}

// member is the part of a file that a dataset keeps while the file is not open.
type member struct {
	path string
	// by column of the schema without hive columns: position in the file, -1 or none if it does not
	// have the column
	columns []int
	chunks  []int64 // rows
	count   int     // the column with the number of records of each row; -1: each row is one record
	records []int64 // by chunk

	fields []formats.Field
	notes  []string
	blank  error // it is empty, without even a header: it does not count next to other files
	err    error // of opening it
}

// position returns the position of a column of the schema in a file, or -1.
func (m *member) position(column int) int {
	if column < len(m.columns) {
		return m.columns[column]
	}
	return -1
}

// Open finds the files that the patterns name and reads their schemas and sizes. A pattern is a
// file, a directory (all files below it, except those whose names start with _ or .), or a glob in
// which ** matches any directories. Directories named key=value below a given one, or in the path
// that a glob matched, become columns. In an object store keys are paths, see storage.
//
// The error wraps formats.ErrNoInput when a pattern names no file, formats.ErrSchema when a file
// has two columns of one name or the directories have different keys, formats.ErrDamaged or
// formats.ErrUnsupported when a file cannot be read.
func Open(ctx context.Context, patterns []string, opt formats.ReadOptions) (*Dataset, error) {
	found, err := discover(ctx, patterns)
	if err != nil {
		return nil, err
	}
	sources := &sourceCache{opt: opt, entries: make(map[string]*cachedSource)}
	d := &Dataset{sources: sources, byPath: make(map[string]int, len(found))}
	if err := d.open(ctx, found); err != nil {
		d.Close()
		return nil, err
	}
	d.splits = planSplits(d.files)
	return d, nil
}

func (d *Dataset) open(ctx context.Context, found []inputFile) (err error) {
	if d.hive, err = hiveColumns(found); err != nil {
		return err
	}
	var all union
	for i, file := range d.sources.profile(ctx, found) {
		if err := d.add(&all, file); err != nil {
			return err
		}
		d.byPath[file.path] = i
	}
	if len(all.paths) == 0 {
		return d.files[0].blank
	}
	d.schema.Fields = all.fields(d.sources.opt.MissingNull)
	d.sources.settle(all.settled())
	for _, c := range d.hive {
		if d.schema.Index(c.field.Name) >= 0 {
			return fmt.Errorf("open %s: column %q is both in the file and a directory's key: %w",
				d.files[0].path, c.field.Name, formats.ErrSchema)
		}
		d.schema.Fields = append(d.schema.Fields, c.field)
	}
	return nil
}

// add adds one more file.
func (d *Dataset) add(all *union, file member) error {
	if file.err != nil {
		return file.err
	}
	if file.blank != nil {
		d.note(&file)
		d.files = append(d.files, file)
		return nil
	}
	if err := checkNames(file.path, file.fields); err != nil {
		return err
	}
	file.columns = all.add(file.path, file.fields, file.count)
	file.fields = nil
	d.note(&file)
	for _, records := range file.records {
		d.rows += records
	}
	d.files = append(d.files, file)
	return nil
}

// Schema returns the columns, hive partitions last.
func (d *Dataset) Schema() *formats.Schema { return &d.schema }

// Splits returns the splits in the order of the input. Files without rows have none.
func (d *Dataset) Splits() []formats.Split { return d.splits }

// Rows returns the number of rows of all files.
func (d *Dataset) Rows() int64 { return d.rows }

// Files returns the paths of all files in the order of the input.
func (d *Dataset) Files() []string {
	paths := make([]string, len(d.files))
	for i, file := range d.files {
		paths[i] = file.path
	}
	return paths
}

// Read returns a reader of some columns of a split, whose rows are single records. Batches have the
// requested columns, in that order. The reader must be closed.
func (d *Dataset) Read(ctx context.Context, s formats.Split,
	columns []formats.Request) (formats.BatchReader, error) {
	r, err := d.ReadCounted(ctx, s, columns)
	if err == nil && d.sources.opt.Count != "" {
		r = &singlesReader{r, formats.Singles{Most: d.sources.opt.BatchRows}}
	}
	return r, err
}

// ReadCounted is Read for callers that accept rows of several records.
func (d *Dataset) ReadCounted(ctx context.Context, s formats.Split,
	columns []formats.Request) (formats.BatchReader, error) {
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return nil, err
	}
	r, err := d.newReader(ctx, src, file, s, columns)
	if err != nil {
		d.sources.release(s.File)
		return nil, err
	}
	return r, nil
}

// acquire opens the file of a split, which stays open until it is released.
func (d *Dataset) acquire(ctx context.Context, s formats.Split) (*member, formats.Source, error) {
	index, ok := d.byPath[s.File]
	if !ok {
		return nil, nil, fmt.Errorf("read %s: not a file of this input", s.File)
	}
	file := &d.files[index]
	src, err := d.sources.acquire(ctx, s.File)
	if err == nil && !slices.Equal(file.chunks, src.Chunks()) {
		d.sources.release(s.File)
		err = fmt.Errorf("read %s: file changed while it was in use: %w", s.File,
			formats.ErrDamaged)
	}
	return file, src, err
}

// Close closes the files that no reader uses. It must be the last call.
func (d *Dataset) Close() (err error) {
	for _, table := range d.tables {
		err = errors.Join(err, table.Close())
	}
	if d.sources != nil {
		err = errors.Join(err, d.sources.close())
	}
	return err
}

// splitRows is the least number of rows of a split, unless its file ends: smaller row groups are
// joined.
const splitRows = 65536

// planSplits divides files into splits. The plan depends only on the files.
func planSplits(files []member) []formats.Split {
	var splits []formats.Split
	row := int64(0)
	for _, file := range files {
		split := formats.Split{File: file.path, Row: row}
		flush := func() {
			split.Ordinal = len(splits)
			splits = append(splits, split)
			split = formats.Split{File: file.path, First: split.First + split.Count, Row: row}
		}
		for _, rows := range file.records {
			split.Count++
			split.Rows += rows
			row += rows
			if split.Rows >= splitRows {
				flush()
			}
		}
		if split.Rows > 0 {
			flush()
		}
	}
	return splits
}

// Statistics returns statistics of columns without reading their values, one for each requested
// column: of all splits, or of at most most splits that are spread over the input. Their Rows are
// the rows of these splits.
func (d *Dataset) Statistics(ctx context.Context, columns []int, most int) ([]formats.Statistics,
	error) {
	all := make([]formats.Statistics, len(columns))
	for _, place := range spread(len(d.splits), most) {
		known, err := d.splitStatistics(ctx, d.splits[place], columns)
		if err != nil {
			return nil, err
		}
		for i, k := range known {
			all[i] = all[i].Join(k)
		}
	}
	own := len(d.schema.Fields) - len(d.hive)
	for i, column := range columns {
		if column >= own { // the names of the directories have the value
			values := int64(d.hive[column-own].values.Len())
			all[i].AtLeast, all[i].AtMost = values, values
		}
	}
	return all, nil
}

// Holds returns about the most bytes that a reader of columns of a split reports to hold, as far as
// files say it: of all splits, or of a number of them that are spread over the input.
func (d *Dataset) Holds(ctx context.Context, columns []formats.Request,
	most int) (held formats.Held, err error) {
	for _, place := range spread(len(d.splits), most) {
		of, err := d.splitHolds(ctx, d.splits[place], columns)
		if err != nil {
			return held, err
		}
		held = held.Max(of)
	}
	return held, nil
}

func (d *Dataset) splitHolds(ctx context.Context, s formats.Split,
	columns []formats.Request) (held formats.Held, err error) {
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return held, err
	}
	defer d.sources.release(s.File)
	weighed, ok := src.(formats.Weighed)
	if !ok {
		return held, nil
	}
	var inFile []formats.Request
	for _, request := range columns {
		if position := file.position(request.Column); position >= 0 {
			inFile = append(inFile, formats.Request{Column: position, Coded: request.Coded})
		}
	}
	if file.count >= 0 {
		inFile = append(inFile, formats.Request{Column: file.count, Coded: true})
	}
	return weighed.Holds(ctx, s.First, s.Count, inFile)
}

func (d *Dataset) splitStatistics(ctx context.Context, s formats.Split,
	columns []int) ([]formats.Statistics, error) {
	all := make([]formats.Statistics, len(columns))
	var inFile, at []int // columns of the file, and their positions among the requested ones
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return nil, err
	}
	defer d.sources.release(s.File)
	own := len(d.schema.Fields) - len(d.hive)
	for i, column := range columns {
		all[i] = formats.UnknownStatistics(d.schema.Fields[column].Type, s.Rows)
		switch position := file.position(column); {
		case column >= own:
		case position < 0:
			all[i].AtMost = 0
		case src.Fields()[position].Type == d.schema.Fields[column].Type:
			inFile, at = append(inFile, position), append(at, i)
		}
	}
	described, ok := src.(formats.Described)
	if !ok || file.count >= 0 {
		return all, nil
	}
	known, err := described.Statistics(ctx, s.First, s.Count, inFile)
	for i, k := range known {
		all[at[i]] = k
	}
	return all, err
}

package dataset

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
)

// Dataset is one input: files of one schema, read as one table. Its methods may be
// called from several goroutines at a time.
type Dataset struct {
	schema  formats.Schema
	hive    []hiveColumn // the last columns of the schema
	files   []member
	byPath  map[string]int
	splits  []formats.Split
	rows    int64
	sources *sourceCache
}

// member is what a dataset remembers of a file while it is not open.
type member struct {
	path    string
	columns []int   // position in the file of each column of the schema but the hive columns
	chunks  []int64 // rows
	raw     bool    // chunks are row groups of Parquet

	fields []formats.Field // until it is compared with the other files
	err    error           // of opening it
}

// Open finds the files that the patterns name and reads their schemas and sizes. A
// pattern is a file, a directory (all files below it, but for names that start with _ or .),
// or a glob in which ** stands for any directories. Directories named key=value below
// a given one, or in the path that a glob matched, become columns. In an object store keys
// are paths, see storage.
//
// The error wraps formats.ErrNoInput when a pattern names no file, formats.ErrSchema when the files do not
// have the same columns, formats.ErrDamaged or formats.ErrUnsupported when one cannot be read.
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
	for i, file := range d.sources.profile(ctx, found) {
		if err := d.add(file); err != nil {
			return err
		}
		d.byPath[file.path] = i
	}
	for _, c := range d.hive {
		if d.schema.Index(c.field.Name) >= 0 {
			return fmt.Errorf("open %s: column %q is both in the file and a directory's key: %w", d.files[0].path, c.field.Name, formats.ErrSchema)
		}
		d.schema.Fields = append(d.schema.Fields, c.field)
	}
	return nil
}

// add adds one more file.
func (d *Dataset) add(file member) (err error) {
	if file.err != nil {
		return file.err
	}
	if err := checkNames(file.path, file.fields); err != nil {
		return err
	}
	if len(d.files) == 0 {
		d.schema.Fields = slices.Clone(file.fields)
	}
	if file.columns, err = unify(&d.schema, file.fields); err != nil {
		return fmt.Errorf("compare %s and %s: %w", d.files[0].path, file.path, err)
	}
	file.fields = nil
	for _, rows := range file.chunks {
		d.rows += rows
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

// Read returns a reader of some columns of a split. Columns of the batches are those
// asked for, in that order. The reader must be closed.
func (d *Dataset) Read(ctx context.Context, s formats.Split, columns []formats.Request) (formats.BatchReader, error) {
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
		err = fmt.Errorf("read %s: file changed while it was in use: %w", s.File, formats.ErrDamaged)
	}
	return file, src, err
}

// Close closes the files that no reader uses. It is called last.
func (d *Dataset) Close() error { return d.sources.close() }

package records_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/pipeline/records"
)

// jobOf returns a job for people that writes to a path.
func jobOf(output string) *kcut.Job {
	return &kcut.Job{
		Output: kcut.Output{Path: output},
		Class:  "income",
		Sets:   []kcut.Set{{Columns: []string{"age", "zip"}, K: 20}},
		Columns: []kcut.Column{
			{Name: "name", Mask: kcut.MaskDrop},
			{Name: "age", Mask: kcut.MaskDiscretize},
			{Name: "zip", Mask: kcut.MaskGeneralize,
				Taxonomy: kcut.Taxonomy{Prefix: []int{5, 3, 1}}},
			{Name: "income", Mask: kcut.MaskKeep},
		},
	}
}

// released runs a job on people, and returns the cells of the release by column.
func released(t *testing.T, job *kcut.Job) map[string][]string {
	t.Helper()
	table := people()
	defer table.Release()
	bound, remove, err := records.Input(t.Context(), job, table)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	report, err := kcut.Run(t.Context(), bound, kcut.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	release, err := records.Open(t.Context(), report.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer release.Release()
	cells := make(map[string][]string)
	for release.Next() {
		for i, field := range release.Schema().Fields() {
			column := release.Record().Column(i)
			for row := range column.Len() {
				cells[field.Name] = append(cells[field.Name], column.ValueStr(row))
			}
		}
	}
	if err := release.Err(); err != nil {
		t.Fatal(err)
	}
	return cells
}

// The release of batches has the bytes of the release of a file with the same rows, and no other
// file stays.
func TestSameAsFile(t *testing.T) {
	folder := t.TempDir()
	job := jobOf(filepath.Join(folder, "batches.parquet"))
	job.Limits.SpillDir = filepath.Join(folder, "spill")
	if err := os.Mkdir(job.Limits.SpillDir, 0o700); err != nil {
		t.Fatal(err)
	}
	released(t, job)
	if left, err := os.ReadDir(job.Limits.SpillDir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}

	file, err := os.Create(filepath.Join(folder, "people.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table := people()
	defer table.Release()
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(table.Schema()))
	for err == nil && table.Next() {
		err = w.Write(table.Record())
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	other := jobOf(filepath.Join(folder, "file.parquet"))
	other.Input = []string{file.Name()}
	if _, err := kcut.Run(t.Context(), other, kcut.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(job.Output.Path)
	b, otherErr := os.ReadFile(other.Output.Path)
	if err != nil || otherErr != nil || !slices.Equal(a, b) {
		t.Errorf("the releases differ: %v, %v", err, otherErr)
	}
}

// A release of several files, in folders of labels, has the rows of one file.
func TestParts(t *testing.T) {
	folder := t.TempDir()
	want := released(t, jobOf(filepath.Join(folder, "release.parquet")))
	parts := jobOf(filepath.Join(folder, "parts") + "/")
	parts.Output.PartitionBy = []string{"zip"}
	got := released(t, parts)
	for name, cells := range want {
		slices.Sort(cells)
		slices.Sort(got[name])
		if len(cells) != 1000 || !slices.Equal(got[name], cells) {
			t.Errorf("column %s has %d cells, want %d", name, len(got[name]), len(cells))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d columns, want %d", len(got), len(want))
	}
}

// failing is a reader that fails after its first batch.
type failing struct {
	array.RecordReader
	read int
}

func (f *failing) Next() bool {
	f.read++
	return f.read == 1 && f.RecordReader.Next()
}

func (f *failing) Err() error { return errors.New("the line is cut") }

func TestErrors(t *testing.T) {
	folder := t.TempDir()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	spoilt := filepath.Join(folder, "spoilt.parquet")
	if err := os.WriteFile(spoilt, []byte("PAR1 no footer PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	input := func(ctx context.Context, spill string, reader array.RecordReader) error {
		job := jobOf(filepath.Join(folder, "release.parquet"))
		job.Limits.SpillDir = spill
		_, _, err := records.Input(ctx, job, reader)
		return err
	}
	open := func(path string) error {
		_, err := records.Open(t.Context(), path)
		return err
	}
	for _, tt := range []struct {
		name  string
		err   error
		class kcut.Class
	}{
		{"reader", input(t.Context(), folder, &failing{RecordReader: people()}), kcut.ErrInput},
		{"cancelled", input(stopped, folder, people()), kcut.ErrCancelled},
		{"no folder", input(t.Context(), filepath.Join(folder, "none"), people()), kcut.ErrUsage},
		{"panic", input(t.Context(), folder, nil), kcut.ErrInternal},
		{"no release", open(filepath.Join(folder, "none.parquet")), kcut.ErrInput},
		{"no parquet", open(spoilt), kcut.ErrInput},
	} {
		var classified *kcut.Error
		if !errors.As(tt.err, &classified) || kcut.ClassOf(tt.err) != tt.class {
			t.Errorf("%s: %v of class %v, want %v", tt.name, tt.err, kcut.ClassOf(tt.err), tt.class)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Batches may have different dictionaries.
func TestDictionaries(t *testing.T) {
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "town", Type: kind}}, nil)
	var batches []arrow.Record
	for _, towns := range [][]string{{"Bonn", "Ulm"}, {"Ulm", "Bonn"}, {"Ulm"}} {
		build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range 30 {
			for _, town := range towns {
				err := build.Field(0).(*array.BinaryDictionaryBuilder).AppendString(town)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		batches = append(batches, build.NewRecord())
	}
	table, err := array.NewRecordReader(schema, batches)
	if err != nil {
		t.Fatal(err)
	}
	job, remove, err := records.Input(t.Context(), &kcut.Job{
		Output:  kcut.Output{Path: filepath.Join(t.TempDir(), "release.parquet")},
		Sets:    []kcut.Set{{Columns: []string{"town"}, K: 60}},
		Columns: []kcut.Column{{Name: "town", Mask: kcut.MaskSuppress}},
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	report, err := kcut.Run(t.Context(), job, kcut.RunOptions{})
	if err != nil || report.Sets[0].Anonymity != 60 {
		t.Errorf("%+v, %v; 60 of 150 are of Bonn", report, err)
	}
}

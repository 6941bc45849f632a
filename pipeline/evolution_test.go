package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// TestColumnsThatChanged: a folder whose files lack some columns, or have narrower types, has the
// same release as the same rows in one file.
func TestColumnsThatChanged(t *testing.T) {
	const released = `
input: in
output: out.parquet
missing_columns: null
unlisted: drop
quasi_identifiers: [{columns: [age, sex], k: 5}]
columns: {age: discretize, sex: suppress, wage: {keep: {identifying: accepted}}, note: {keep: {identifying: accepted}}}
`
	field := func(name string, kind formats.Kind, bits int) formats.Field {
		return formats.Field{Name: name, Type: formats.Type{Kind: kind, Bits: bits}, Nullable: true}
	}
	narrow := &testTable{fields: []formats.Field{field("wage", formats.Int, 32),
		field("age", formats.Int, 16), field("other", formats.Int, 32)}}
	wider := &testTable{fields: []formats.Field{
		field("wage", formats.Float, 64), field("age", formats.Int, 64),
		field("sex", formats.String, 0), field("note", formats.String, 0),
		field("other", formats.String, 0),
	}}
	one := &testTable{fields: wider.fields[:4]}
	for i := range 300 {
		wage, age := fmt.Sprint(i%50), fmt.Sprint(20+i%7)
		narrow.rows = append(narrow.rows, []string{wage, age, "1"})
		one.rows = append(one.rows, []string{wage, age, null, null})
	}
	for i := range 200 {
		row := []string{fmt.Sprint(i%30) + ".5",
			fmt.Sprint(25 + i%9), []string{"f", "m"}[i%2], fmt.Sprint("n", i%40), "x"}
		wider.rows, one.rows = append(wider.rows, row), append(one.rows, row[:4])
	}
	want := one.folder(t, released, 100)
	dir := jobFolder(t, released)
	narrow.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
	wider.parquet(t, filepath.Join(dir, "in", "b.parquet"), 0, 200, 100)
	for _, order := range []string{job.OrderReleased, job.OrderInput} {
		got, of := releasedRows(t, dir, "order", order), releasedRows(t, want, "order", order)
		if !slices.EqualFunc(got.rows, of.rows, slices.Equal[[]string]) {
			t.Errorf("order %s: other rows than those of one file", order)
		}
	}
	mustAgree(t, outcomeOf(t, dir, RunOptions{}, "order", job.OrderReleased),
		outcomeOf(t, want, RunOptions{}, "order", job.OrderReleased))
	if _, err := runJob(t, dir, nil, "missing_columns", "error"); err == nil {
		t.Error("columns that a file lacks were released without missing_columns: null")
	}
}

package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// What an inspection tells of groups is what a plain count over the released rows finds, also
// when a column is released as numbers, and with regions.
func TestInspect(t *testing.T) {
	for _, tt := range []struct{ name, job string }{
		{"labels", peopleJob},
		{"numbers", changed("weight: discretize", "weight: {mask: discretize, render: midpoint}")},
		{"regions", changed("class: income", "class: income\nalgorithm: mondrian")},
		{"parts", changed("out.parquet", "out/")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := peopleFolder(t, tt.job, 300)
			report := mustRun(t, dir, nil)
			in, err := verify.Inspect(t.Context(), report.Output, job.Limits{}, verify.Watch{})
			if err != nil {
				t.Fatal(err)
			}
			if in.Rows != report.Rows || in.Digest != report.Digests.Output {
				t.Errorf("%d rows, digest %s; the report has %d and %s", in.Rows, in.Digest, report.Rows, report.Digests.Output)
			}
			checkGroups(t, in, readTable(t, report.Output))
		})
	}
}

// checkGroups compares what an inspection tells of sizes and labels with plain counts.
func checkGroups(t *testing.T, in *verify.Inspection, table *testTable) {
	t.Helper()
	type of struct {
		column int
		label  string
	}
	records := make(map[of]uint64)
	for _, row := range table.rows {
		for c, column := range in.Cut.Columns {
			if column.Render == "" {
				records[of{c, row[table.index(column.Name)]}]++
			}
		}
	}
	smallest := make([]map[of]uint64, len(in.Cut.Sets))
	for i, set := range in.Cut.Sets {
		sizes := make(map[string]uint64)
		for _, row := range table.rows {
			sizes[table.key(row, set.Columns)]++
		}
		checkSizes(t, i, in.Sizes[i], slices.Sorted(maps.Values(sizes)))
		smallest[i] = make(map[of]uint64)
		for _, row := range table.rows {
			for c, column := range in.Cut.Columns {
				if at := (of{c, row[table.index(column.Name)]}); slices.Contains(set.Columns, column.Name) {
					smallest[i][at] = min(cmp.Or(smallest[i][at], math.MaxUint64), sizes[table.key(row, set.Columns)])
				}
			}
		}
	}
	for c, column := range in.Cut.Columns {
		labels := column.Cut
		if column.Suppressed != "" {
			labels = append(labels, cutfile.Label{Label: column.Suppressed})
		}
		if column.Render != "" {
			labels = nil
		}
		if len(labels) != len(in.Labels[c]) {
			t.Fatalf("column %s: %d labels, want %d", column.Name, len(in.Labels[c]), len(labels))
		}
		for i, label := range labels {
			if label.Null {
				label.Label = null
			}
			at, got := of{c, label.Label}, in.Labels[c][i]
			for set := range smallest {
				if got.Records != records[at] || got.Smallest[set] != smallest[set][at] {
					t.Errorf("column %s, label %d: %+v, want %d records and %d", column.Name, i, got, records[at], smallest[set][at])
				}
			}
		}
	}
}

// key returns what a row is in some columns.
func (t *testTable) key(row []string, columns []string) string {
	var key []string
	for _, column := range columns {
		key = append(key, row[t.index(column)])
	}
	return fmt.Sprintf("%q", key)
}

// checkSizes compares the sizes of a set's classes with what was counted, in order.
func checkSizes(t *testing.T, set int, got verify.GroupSizes, sizes []uint64) {
	t.Helper()
	if got.Classes != uint64(len(sizes)) || got.Largest != sizes[len(sizes)-1] || got.Buckets[0].From != sizes[0] {
		t.Errorf("set %d: %+v, want %d", set, got, sizes)
	}
	for i, bucket := range got.Buckets {
		count, records := uint64(0), uint64(0)
		for _, n := range sizes {
			if bucket.From <= n && n < bucket.To {
				count, records = count+1, records+n
			}
		}
		if bucket.Classes != count || bucket.Records != records || i > 0 && got.Buckets[i-1].To > bucket.From {
			t.Errorf("set %d: %+v, want %d classes and %d records", set, bucket, count, records)
		}
	}
}

// A release that does not hold is not described.
func TestInspectRefuses(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	if _, err := verify.Inspect(t.Context(), filepath.Join(dir, "job.yaml"), job.Limits{}, verify.Watch{}); fault.ClassOf(err) != fault.Input {
		t.Errorf("got %v", err)
	}
}

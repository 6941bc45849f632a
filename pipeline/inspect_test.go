package pipeline

import (
	"fmt"
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
			table := readTable(t, report.Output)
			var names []string
			rows := make([][]string, len(table.rows))
			for _, column := range in.Cut.Columns {
				names = append(names, column.Name)
				for i, row := range table.rows {
					rows[i] = append(rows[i], row[table.index(column.Name)])
				}
			}
			for set := range in.Cut.Sets {
				checkSizes(t, in, set, names, rows)
			}
			for c, column := range in.Cut.Columns {
				checkLabelGroups(t, in, c, column, names, rows)
			}
		})
	}
}

// setKey returns what a row is in a set.
func setKey(set cutfile.Set, names, row []string) string {
	var key []string
	for _, column := range set.Columns {
		key = append(key, row[slices.Index(names, column)])
	}
	return fmt.Sprintf("%q", key)
}

func classes(set cutfile.Set, names []string, rows [][]string) map[string]uint64 {
	classes := make(map[string]uint64)
	for _, row := range rows {
		classes[setKey(set, names, row)]++
	}
	return classes
}

func checkSizes(t *testing.T, in *verify.Inspection, set int, names []string, rows [][]string) {
	t.Helper()
	got, want := in.Sizes[set], classes(in.Cut.Sets[set], names, rows)
	largest, least := uint64(0), uint64(0)
	for _, n := range want {
		largest, least = max(largest, n), lesser(least, n)
	}
	if got.Classes != uint64(len(want)) || got.Largest != largest || got.Buckets[0].From != least {
		t.Errorf("set %d: %+v, want %d classes of %d to %d", set, got, len(want), least, largest)
	}
	for i, bucket := range got.Buckets {
		count, records := uint64(0), uint64(0)
		for _, n := range want {
			if bucket.From <= n && n < bucket.To {
				count, records = count+1, records+n
			}
		}
		if bucket.Classes != count || bucket.Records != records || i > 0 && got.Buckets[i-1].To > bucket.From {
			t.Errorf("set %d: %+v, want %d classes and %d records", set, bucket, count, records)
		}
	}
}

func checkLabelGroups(t *testing.T, in *verify.Inspection, c int, column cutfile.Column, names []string, rows [][]string) {
	t.Helper()
	if column.Render != "" {
		if in.Labels[c] != nil {
			t.Errorf("column %s has labels", column.Name)
		}
		return
	}
	var labels []string
	for _, label := range column.Cut {
		if label.Null {
			label.Label = null
		}
		labels = append(labels, label.Label)
	}
	if column.Suppressed != "" {
		labels = append(labels, column.Suppressed)
	}
	if len(labels) != len(in.Labels[c]) {
		t.Fatalf("column %s: %d labels, want %d", column.Name, len(in.Labels[c]), len(labels))
	}
	for i, label := range labels {
		got, records := in.Labels[c][i], uint64(0)
		smallest := make([]uint64, len(in.Cut.Sets))
		for set := range in.Cut.Sets {
			counts := classes(in.Cut.Sets[set], names, rows)
			has := slices.Contains(in.Cut.Sets[set].Columns, column.Name)
			for _, row := range rows {
				if row[c] != label {
					continue
				}
				if set == 0 {
					records++
				}
				if has {
					smallest[set] = lesser(smallest[set], counts[setKey(in.Cut.Sets[set], names, row)])
				}
			}
		}
		if got.Records != records || fmt.Sprint(got.Smallest) != fmt.Sprint(smallest) {
			t.Errorf("column %s, label %d: %+v, want %d records and %v", column.Name, i, got, records, smallest)
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

// lesser returns the lesser of two counts, of which 0 is none.
func lesser(a, b uint64) uint64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

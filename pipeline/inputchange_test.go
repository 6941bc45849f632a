package pipeline

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
)

// An input that changes between its two readings makes no release, even when both readings
// have the same values and counts.
func TestInputChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*testTable)
	}{
		{"nothing but the time", func(*testTable) {}},
		{"new values", func(table *testTable) {
			for row := range table.rows {
				table.set(row, "job", "x"+table.rows[row][table.index("job")][1:])
			}
		}},
		{"fewer rows", func(table *testTable) { table.rows = table.rows[:200] }},
		{"more rows", func(table *testTable) { table.rows = append(table.rows, table.rows...) }},
		{"rows mixed", func(table *testTable) {
			jobs, cities := table.index("job"), table.index("city")
			for row := range table.rows {
				other := (row * 7) % len(table.rows)
				table.rows[row][jobs], table.rows[other][jobs] = table.rows[other][jobs], table.rows[row][jobs]
				table.rows[row][cities], table.rows[other/2][cities] = table.rows[other/2][cities], table.rows[row][cities]
			}
		}},
	} {
		for _, kind := range []string{"parquet", "csv"} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				dir := jobFolder(t, peopleJob)
				table := people(rand.New(rand.NewPCG(3, 4)), 300)
				path := filepath.Join(dir, "in", "a."+kind)
				table.file(t, path)
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
					t.Fatal(err)
				}
				names := slices.Sorted(maps.Keys(listing(t, dir)))
				err := tryJob(t, dir, t.Context(), RunOptions{Events: Events{Start: func(s Stage) {
					if s == StageMask {
						tt.change(table)
						table.file(t, path)
					}
				}}})
				if err == nil || fault.ClassOf(err) != fault.Input {
					t.Errorf("got %v of class %d", err, fault.ClassOf(err))
				}
				if left := slices.Sorted(maps.Keys(listing(t, dir))); !slices.Equal(left, names) {
					t.Errorf("left %v of %v", left, names)
				}
			})
		}
	}
}

package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
)

// inputChanges are what may happen to an input between its readings.
var inputChanges = map[string]func(*testTable){
	"nothing but the time": func(*testTable) {},
	"new values": func(table *testTable) {
		for row := range table.rows {
			table.set(row, "job", "x"+table.rows[row][table.index("job")][1:])
			table.set(row, "weight", "NaN")
		}
	},
	"values and nulls": func(table *testTable) {
		for row := range table.rows {
			table.set(row, "job", []string{null, "pilot"}[row%2])
			table.set(row, "age", []string{null, fmt.Sprint(17 + row%70)}[row/2%2])
			table.set(row, "city", null)
		}
	},
	"fewer rows": func(table *testTable) { table.rows = table.rows[:200] },
	"more rows":  func(table *testTable) { table.rows = append(table.rows, table.rows...) },
	"rows mixed": func(table *testTable) { // the values and their counts stay
		jobs, cities := table.index("job"), table.index("city")
		for row := range table.rows {
			other := (row * 7) % len(table.rows)
			table.rows[row][jobs], table.rows[other][jobs] = table.rows[other][jobs], table.rows[row][jobs]
			table.rows[row][cities], table.rows[other/2][cities] = table.rows[other/2][cities], table.rows[row][cities]
		}
	},
}

// An input that changes between its readings, before it is masked or, out of core, after its values
// were counted, makes no release, whatever has to be recoded.
func TestInputChanges(t *testing.T) {
	for change := range inputChanges {
		for _, name := range []string{"a.parquet", "a.csv"} {
			for _, early := range []bool{false, true} {
				t.Run(fmt.Sprint(change, " ", name, " ", early), func(t *testing.T) {
					mustNoticeChange(t, change, name, "tdr", early, early)
				})
			}
		}
	}
	for _, algorithm := range searches() {
		for _, spill := range []bool{false, true} {
			t.Run(fmt.Sprint(searchName(algorithm), " ", spill), func(t *testing.T) {
				mustNoticeChange(t, "values and nulls", "a.parquet", algorithm, false, spill)
			})
		}
	}
}

func mustNoticeChange(t *testing.T, change, name, algorithm string, early, spill bool) {
	t.Helper()
	dir := jobFolder(t, withAlgorithm(peopleJob, algorithm))
	table := people(rand.New(rand.NewPCG(3, 4)), 300)
	for _, row := range table.rows {
		for c := range row {
			row[c] = strings.ReplaceAll(row[c], null, table.rows[1][c])
		}
	}
	path := filepath.Join(dir, "in", name)
	table.file(t, path)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(listing(t, dir)))
	var once sync.Once
	happens := func() {
		once.Do(func() {
			inputChanges[change](table)
			table.file(t, path)
		})
	}
	err := tryJob(t, dir, t.Context(), RunOptions{System: System{Spill: spill}, Events: Events{
		Start: func(s Stage) {
			if s == StageMask && !early {
				happens()
			}
		},
		Progress: func(s Stage, p Progress) {
			if s == StageCompress && 2*p.Done == p.Total && early {
				happens()
			}
		},
	}})
	if err == nil || fault.ClassOf(err) != fault.Input {
		t.Errorf("got %v of class %d", err, fault.ClassOf(err))
	}
	if left := slices.Sorted(maps.Keys(listing(t, dir))); !slices.Equal(left, names) {
		t.Errorf("left %v of %v", left, names)
	}
}

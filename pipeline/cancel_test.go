package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/resources"
)

// stages are the stages of a run.
var stages = []resources.Stage{resources.StagePlan, resources.StageCompress, resources.StageSearch,
	resources.StageMask, resources.StageVerify, resources.StagePublish}

// A run that is cancelled in any stage, in memory or out of core, returns the error of the
// context, leaves no files, and ends its goroutines.
func TestCancelled(t *testing.T) {
	inMemory := func(output string) func(*testing.T) string {
		return func(t *testing.T) string { return peopleFolder(t, outputIs(output), 3000) }
	}
	for _, tt := range []struct {
		name   string
		folder func(*testing.T) string
		system System
	}{
		{"out.parquet", inMemory("out.parquet"), System{}},
		{"out/", inMemory("out/"), System{}},
		{"out of core", func(t *testing.T) string {
			return spillingRows(t, 24_000)
		}, System{Spill: true, Room: 3000}},
	} {
		for _, stage := range stages {
			for _, share := range []int64{-1, 0, 40, 60, 100} {
				// of the stage in percent; negative: when it starts
				if share > 0 && (stage != resources.StageCompress || !tt.system.Spill) ||
					share == 0 && (stage == resources.StagePlan ||
						stage == resources.StagePublish) {
					continue
				}
				t.Run(fmt.Sprint(tt.name, " ", stage, " ", share), func(t *testing.T) {
					dir := tt.folder(t)
					check := mustLeaveNothing(t, dir)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					events := resources.Events{
						Start: func(s resources.Stage) {
							if s == stage && share < 0 {
								cancel()
							}
						},
						Progress: func(s resources.Stage, p resources.Progress) {
							if s == stage && share >= 0 && p.Done*100 >= p.Total*share {
								cancel()
							}
						},
					}
					err := tryJob(t, dir, ctx, RunOptions{Events: events, System: tt.system})
					if stage == resources.StagePublish && err == nil { // too late to stop it
						return
					}
					mustFail(t, err, fault.Cancelled, context.Canceled.Error())
					check()
				})
			}
		}
	}
}

// mustLeaveNothing returns a function that demands, after a run, that no file, goroutine or open
// file stays behind.
func mustLeaveNothing(t *testing.T, dir string) func() {
	t.Helper()
	before, goroutines, files := listing(t, dir), runtime.NumGoroutine(), openFiles()
	return func() {
		t.Helper()
		unchanged(t, dir, before)
		for range 500 {
			if runtime.NumGoroutine() <= goroutines {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if now := runtime.NumGoroutine(); now > goroutines {
			t.Errorf("%d goroutines, %d before", now, goroutines)
		}
		if now := openFiles(); now > files {
			t.Errorf("%d files open, %d before", now, files)
		}
	}
}

// openFiles returns the number of open files of the process, on systems that report it.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// inputChanges are changes of an input between its readings.
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
			table.rows[row][jobs], table.rows[other][jobs] = table.rows[other][jobs],
				table.rows[row][jobs]
			table.rows[row][cities], table.rows[other/2][cities] = table.rows[other/2][cities],
				table.rows[row][cities]
		}
	},
}

// An input that changes before it is masked or, out of core, after its values were counted, makes
// no release, whatever the change and the masks.
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
	must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)))
	names := slices.Sorted(maps.Keys(listing(t, dir)))
	var once sync.Once
	happens := func() {
		once.Do(func() {
			inputChanges[change](table)
			table.file(t, path)
		})
	}
	err := tryJob(t, dir, t.Context(), RunOptions{System: System{Spill: spill},
		Events: resources.Events{
			Start: func(s resources.Stage) {
				if s == resources.StageMask && !early {
					happens()
				}
			},
			Progress: func(s resources.Stage, p resources.Progress) {
				if s == resources.StageCompress && 2*p.Done == p.Total && early {
					happens()
				}
			},
		}})
	mustFail(t, err, fault.Input)
	if left := slices.Sorted(maps.Keys(listing(t, dir))); !slices.Equal(left, names) {
		t.Errorf("left %v of %v", left, names)
	}
}

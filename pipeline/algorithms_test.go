package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// searches are the values of a job's key algorithm that tests try: every algorithm, with
// all the options that change what it does. Those from firstClassed on need a class.
func searches() (list []string, firstClassed int) {
	list = []string{"tdr", "tds", "mondrian", "{name: mondrian, partitioning: relaxed, seed: 5}", "{name: mondrian, categories: ordered}"}
	firstClassed = len(list)
	list = append(list, "infogain-mondrian", "bottom-up", "{name: bottom-up, loss: weighted, bins: 5}",
		"iack", "{name: iack, small: topup, bins: 3}", "{name: iacc, max_divergence: 0.4, max_information_change: 0.4}")
	list = append(list, "kactus", "{name: kactus, seed: 9, prune: pessimistic}", "{name: kactus, leftover: recruit, min_objects: 2}")
	return list, firstClassed
}

// withAlgorithm returns a job of another algorithm. It asks iacc, which may not reach it, for no k.
func withAlgorithm(j, algorithm string) string {
	if strings.Contains(algorithm, job.AlgorithmIACc) {
		j = askedK.ReplaceAllString(j, "")
	}
	return j + "algorithm: " + algorithm + "\n"
}

var askedK = regexp.MustCompile(`, k: \d+|k: \d+, `)

// searchName makes a subtest's name of an algorithm's value.
func searchName(algorithm string) string {
	return strings.NewReplacer("{name: ", "", "}", "", ": ", "=", ", ", " ").Replace(algorithm)
}

// Every algorithm ends in the same way whether the table fits the memory or not, however its
// rows are stored and by however many threads they are read; and what it releases is true.
func TestAlgorithmsOnRandomTables(t *testing.T) {
	list, firstClassed := searches()
	schema := newSchemaCheck(t)
	tried := map[string]int{}
	for _, seed := range seeded(t, 60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := randomCase(rng)
		few := list
		if !strings.Contains(table.job, "class:") {
			few = list[:firstClassed]
		}
		algorithm := few[rng.IntN(len(few))]
		table.job = withAlgorithm(table.job, algorithm)
		ok := t.Run(fmt.Sprint(searchName(algorithm), " ", seed), func(t *testing.T) {
			dir := table.put(t, rng)
			want := outcomeOf(t, dir, RunOptions{}, table.overrides...)
			options := RunOptions{System: System{Spill: true, Room: []int{0, 1, 3, 50}[rng.IntN(4)], Store: spill.Options{FS: spilltest.Healthy()}}}
			mustAgree(t, outcomeOf(t, dir, options, table.overrides...), want)
			mustAgree(t, outcomeOf(t, dir, RunOptions{}, append(slices.Clone(table.overrides), "limits.threads", "3")...), want)
			if want.err == "" {
				mustAgree(t, outcomeOf(t, table.put(t, rng), RunOptions{}, table.overrides...), want)
				report := mustRun(t, dir, nil, table.overrides...)
				a := auditFolder(t, dir, table.overrides...)
				a.checkReport(report)
				if found := schema.check(t, a.cut.Raw); found != nil {
					t.Errorf("the cut is not as its schema says: %q", found)
				}
			}
			if t.Failed() {
				t.Logf("room %d, %v, %d rows\n%s", options.System.Room, table.overrides, len(table.rows), table.job)
			}
			tried[searchName(algorithm)]++
			if want.err != "" {
				tried["errors"]++
			}
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(tried)
}

// storedAs writes a table in a shape and returns the folder of the people job, with the
// given algorithm.
func storedAs(t *testing.T, table *testTable, s shape, algorithm string) string {
	t.Helper()
	dir := jobFolder(t, withAlgorithm(peopleJob, algorithm))
	if s.csv {
		table.csv(t, filepath.Join(dir, "in", "all.csv"))
	}
	for i := range s.files {
		from, to := i*len(table.rows)/s.files, (i+1)*len(table.rows)/s.files
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%03d.parquet", i)), from, to, s.groupRows)
	}
	return dir
}

// Every algorithm's release of people is true, and the same bytes whatever the layout. In
// another order of the rows it has the same cut, and as many rows.
func TestAlgorithmsOnPeople(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	table := people(rng, 2000)
	shuffled := &testTable{fields: table.fields, rows: slices.Clone(table.rows)}
	rng.Shuffle(len(table.rows), func(i, j int) {
		shuffled.rows[i], shuffled.rows[j] = shuffled.rows[j], shuffled.rows[i]
	})
	list, _ := searches()
	for _, algorithm := range list {
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := storedAs(t, table, shape{files: 1, groupRows: 1 << 20}, algorithm)
			report := mustRun(t, dir, nil, "limits.threads", "1", "limits.memory", "64MiB")
			auditFolder(t, dir).checkReport(report)
			want := mustRead(t, filepath.Join(dir, "out.parquet"))
			for _, s := range []shape{
				{files: 1, groupRows: 7, threads: "8"},
				{files: 20, groupRows: 13, threads: "2"},
				{csv: true, threads: "2"},
				{files: 3, groupRows: 100, threads: "2", spill: true},
			} {
				if got := releaseOf(t, storedAs(t, table, s, algorithm), s); !bytes.Equal(got, want) {
					t.Errorf("%+v: other bytes, %d instead of %d", s, len(got), len(want))
				}
			}
			other := storedAs(t, shuffled, shape{files: 3, groupRows: 100}, algorithm)
			mustRun(t, other, nil)
			a, b := cutOf(t, dir), cutOf(t, other)
			if !bytes.Equal(a.Raw, b.Raw) {
				t.Errorf("shuffled rows make another cut:\n%s\n%s", b.Raw, a.Raw)
			}
		})
	}
}

// releaseOf runs a folder's job as a shape says and returns the release.
func releaseOf(t *testing.T, dir string, s shape) []byte {
	t.Helper()
	job, err := loadJob(dir, "limits.threads", s.threads, "limits.memory", "64MiB")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), job, RunOptions{System: System{Spill: s.spill}}); err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile(job.Output.Path)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func cutOf(t *testing.T, dir string) *cutfile.File {
	t.Helper()
	cut, err := cutfile.Read(t.Context(), filepath.Join(dir, "out.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return cut
}

// An algorithm that must know every value says so when they do not fit the memory. With
// room for them it ends in the same way out of core.
func TestWholeDomains(t *testing.T) {
	table := &testTable{fields: []formats.Field{{Name: "id", Type: formats.Type{Kind: formats.String}}}}
	for i := range 120_000 {
		table.rows = append(table.rows, []string{fmt.Sprintf("%040d", i)})
	}
	dir := jobFolder(t, "input: in\noutput: out.parquet\nquasi_identifiers: [{columns: [id], k: 60000}]\ncolumns: {id: {mask: generalize, taxonomy: {prefix: [39]}}}\nalgorithm: mondrian\n")
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 40_000)
	err := tryJob(t, dir, t.Context(), RunOptions{}, "limits.memory", "16MiB")
	var advised *fault.Error
	if fault.ClassOf(err) != fault.Resources || !strings.Contains(err.Error(), "list every value, as algorithm mondrian must") ||
		!errors.As(err, &advised) || !strings.Contains(advised.Hint, "algorithm tdr") {
		t.Errorf("got %v of class %d", err, fault.ClassOf(err))
	}
	want := outcomeOf(t, dir, RunOptions{}, "limits.memory", "1GiB")
	mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true}}, "limits.memory", "1GiB"), want)
	if want.err != "" {
		t.Error(want.err)
	}
}

// An input that has other values and nulls when it is masked than when it was counted makes
// no release, whatever has to be recoded.
func TestInputChangesBeforeRegions(t *testing.T) {
	list, _ := searches()
	for _, algorithm := range list {
		for _, spilled := range []bool{false, true} {
			t.Run(fmt.Sprint(searchName(algorithm), " spill ", spilled), func(t *testing.T) {
				dir := jobFolder(t, withAlgorithm(peopleJob, algorithm))
				table := people(rand.New(rand.NewPCG(3, 4)), 300)
				for row := range table.rows {
					for c := range table.rows[row] {
						table.rows[row][c] = strings.ReplaceAll(table.rows[row][c], null, table.rows[1][c])
					}
				}
				path := filepath.Join(dir, "in", "a.parquet")
				table.parquet(t, path, 0, len(table.rows), 1000)
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
					t.Fatal(err)
				}
				err := tryJob(t, dir, t.Context(), RunOptions{Events: Events{Start: func(s Stage) {
					if s != StageMask {
						return
					}
					for row := range table.rows {
						table.set(row, "job", []string{null, "pilot"}[row%2])
						table.set(row, "age", []string{null, fmt.Sprint(17 + row%70)}[row/2%2])
						table.set(row, "city", null)
					}
					table.parquet(t, path, 0, len(table.rows), 1000)
				}}, System: System{Spill: spilled}})
				if err == nil || fault.ClassOf(err) != fault.Input {
					t.Errorf("got %v of class %d", err, fault.ClassOf(err))
				}
			})
		}
	}
}

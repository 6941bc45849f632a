package pipeline

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/verify"
)

// linkedReleases are releases with tokens of patients: of a cut and of regions, with labels, and
// with numbers instead of labels.
func linkedReleases(t *testing.T) (releases []*forged) {
	t.Helper()
	numbers := strings.Replace(withPatients(), "[17, 90]}", "[17, 90], render: bounds}", 1)
	for _, text := range []string{
		withPatients(), numbers, withAlgorithm(withPatients(), "mondrian"),
	} {
		dir := pseudonymized(t, patients(400), text, 50)
		mustRun(t, dir, nil)
		releases = append(releases, readRelease(t, filepath.Join(dir, "out.parquet")))
	}
	return releases
}

// withTokens writes a copy of some rows of a release, each with the token of one of a number of
// people, or of nobody.
func (f *forged) withTokens(t *testing.T, rng *rand.Rand, path string, people int) *testTable {
	t.Helper()
	table := &testTable{fields: f.fields}
	at := f.index("patient")
	for _, row := range f.rows {
		if rng.IntN(3) == 0 {
			continue
		}
		row = slices.Clone(row)
		row[at] = tokenOf(secretKey, fmt.Sprint(rng.IntN(people)))
		if rng.IntN(9) == 0 {
			row[at] = null
		}
		table.rows = append(table.rows, row)
	}
	cut := *f.cut
	cut.Rows = int64(len(table.rows))
	(&forged{table, &cut, make(map[string]string)}).write(t, path)
	return table
}

// labelColumns returns the released columns of the masked columns of a cut.
func labelColumns(cut *cutfile.File) (names []string) {
	for _, c := range cut.Columns {
		if c.Render == job.RenderBounds {
			names = append(names, c.Name+"_lower", c.Name+"_upper")
		} else {
			names = append(names, c.Name)
		}
	}
	return names
}

// profiles adds the labels of a table's rows to those of their people.
func (t *testTable) profiles(of map[string]map[string]bool, number int, labels []string) {
	for _, row := range t.rows {
		person := row[t.index("patient")]
		if person == null {
			continue
		}
		if of[person] == nil {
			of[person] = make(map[string]bool)
		}
		of[person][fmt.Sprintf("%d %q", number, t.key(row, labels))] = true
	}
}

// joinedNaively counts people by the sets of all labels of their rows.
func joinedNaively(of map[string]map[string]bool, k int) (j verify.Joined) {
	classes := make(map[string]int)
	for _, labels := range of {
		classes[strings.Join(slices.Sorted(maps.Keys(labels)), "\n")]++
		first := slices.Sorted(maps.Keys(labels))[0]
		j.People++
		for label := range labels {
			if label[0] != first[0] {
				j.Several++
				break
			}
		}
	}
	alone, small := 0, 0
	for _, people := range classes {
		if people == 1 {
			alone++
		}
		if people < k {
			small += people
		}
	}
	digits := func(n int) float64 { return math.Round(1e6*float64(n)/float64(j.People)) / 1e6 }
	j.Unique, j.BelowK, j.K = digits(alone), digits(small), k
	return j
}

// linked returns releases that are joined by one column.
func linked(column string, paths ...string) (all []verify.Linked) {
	for _, path := range paths {
		all = append(all, verify.Linked{Path: path, Column: column})
	}
	return all
}

// Join counts the people of random pairs of releases as a naive count of their rows does, with any
// number of threads.
func TestJoined(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	releases := linkedReleases(t)
	dir := t.TempDir()
	shares := make(map[float64]bool)
	for range enginetest.Naive(300) {
		of, k := make(map[string]map[string]bool), math.MaxInt
		var paths []string
		people := 1 + rng.IntN(1<<rng.IntN(11))
		for number := range 2 {
			f := releases[rng.IntN(len(releases))]
			path := filepath.Join(dir, fmt.Sprintf("%d.parquet", number))
			table := f.withTokens(t, rng, path, people)
			table.profiles(of, number, labelColumns(f.cut))
			k, paths = min(k, f.cut.SmallestK()), append(paths, path)
		}
		got, err := verify.Join(t.Context(), linked("patient", paths...),
			job.Limits{Threads: 1 + rng.IntN(3)}, resources.Events{})
		must(t, err)
		want := joinedNaively(of, k)
		want.Column, want.Paths = "patient", paths
		if fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", want) {
			t.Fatalf("%d people: got %+v\nwant %+v", people, *got, want)
		}
		shares[got.Unique] = true
	}
	if len(shares) < 50 {
		t.Errorf("only %d different shares", len(shares))
	}
}

// People who do not fit the memory are counted in several readings, with the same result.
func TestJoinedInParts(t *testing.T) {
	const people = 30_000
	rng := rand.New(rand.NewPCG(1, 2))
	f := linkedReleases(t)[0]
	for len(f.rows) < 2*people {
		f.rows = append(f.rows, f.rows...)
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")}
	for _, path := range paths {
		f.withTokens(t, rng, path, people)
	}
	releases := linked("patient", paths...)
	whole, err := verify.Join(t.Context(), releases, job.Limits{}, resources.Events{})
	must(t, err)
	readings := 0
	parts, err := verify.Join(t.Context(), releases,
		job.Limits{Memory: 4 << 20, Threads: 1},
		resources.Events{Progress: func(_ resources.Stage, p resources.Progress) {
			if p.Done == p.Total {
				readings++
			}
		}})
	must(t, err)
	if fmt.Sprintf("%+v", *whole) != fmt.Sprintf("%+v", *parts) {
		t.Errorf("got %+v\nwant %+v", *parts, *whole)
	}
	if whole.People < people*9/10 || readings < 2 {
		t.Errorf("%d people in %d readings", whole.People, readings)
	}
}

// A column that is masked, that a release lacks, or that names no people, joins nothing.
func TestJoinedColumns(t *testing.T) {
	dir := pseudonymized(t, patients(400), withPatients(), 50)
	mustRun(t, dir, nil)
	tokens := filepath.Join(dir, "out.parquet")
	editJob(t, dir, "out.parquet", "without.parquet")
	editJob(t, dir, "patient: {mask: pseudonym, key_file: patients.key}", "patient: drop")
	mustRun(t, dir, nil)
	without := filepath.Join(dir, "without.parquet")
	for _, tt := range []struct {
		column string
		paths  []string
		says   string
	}{
		{"age", []string{tokens}, "column age is masked"},
		{"patient", []string{tokens, without}, "it has no column patient"},
		{"nobody", []string{tokens}, "it has no column nobody"},
	} {
		_, err := verify.Join(t.Context(), linked(tt.column, tt.paths...), job.Limits{},
			resources.Events{})
		mustFail(t, err, fault.Usage, tt.says, "name a column of pseudonyms")
	}
}

// Labels in the names of folders are labels of a person's rows, too.
func TestJoinedFolders(t *testing.T) {
	dir := pseudonymized(t, patients(900), withPatients(), 200)
	mustRun(t, dir, nil)
	editJob(t, dir, "output: out.parquet", "output: {path: folders/, partition_by: [city]}")
	mustRun(t, dir, nil, "order", job.OrderReleased)
	var joined []*verify.Joined
	for _, name := range []string{"out.parquet", "folders/"} {
		j, err := verify.Join(t.Context(), linked("patient", filepath.Join(dir, name)),
			job.Limits{}, resources.Events{})
		must(t, err)
		j.Paths = nil
		joined = append(joined, j)
	}
	if fmt.Sprintf("%+v", *joined[0]) != fmt.Sprintf("%+v", *joined[1]) {
		t.Errorf("got %+v\nwant %+v", *joined[1], *joined[0])
	}
	if joined[0].Several != 0 || joined[0].Unique == 0 {
		t.Errorf("got %+v", *joined[0])
	}
}

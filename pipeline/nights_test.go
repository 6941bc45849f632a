package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/search"
)

// nightlyJob masks a column in every way.
const nightlyJob = `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, age, job], k: 5}
  - {columns: [born, city, zip], k: 3}
columns:
  id: {keep: {identifying: accepted}}
  age: {mask: discretize, bounds: [0, 120]}
  born: {mask: discretize, render: bounds}
  city: {mask: generalize, unknown: root}
  zip: {mask: generalize, unknown: root, taxonomy: {prefix: [3, 1]}}
  job: suppress
  weight: drop
  income: keep
taxonomies: trees.yaml
`

// residents are people from night to night: some leave and some come. Those who come are older,
// live in another place and have new values.
type residents struct {
	rng   *rand.Rand
	next  int
	drift int
	table *testTable
}

func newResidents(rng *rand.Rand, n int) *residents {
	r := &residents{rng: rng, table: &testTable{}}
	people := people(rng, 0)
	r.table.fields = append([]formats.Field{{Name: "id", Type: wholeType}}, people.fields...)
	r.table.fields = append(r.table.fields, textFields("zip")...)
	r.come(n)
	return r
}

func (r *residents) come(n int) {
	for _, row := range people(r.rng, n).rows {
		if row[0] != null {
			age, _ := strconv.Atoi(row[0])
			row[0] = fmt.Sprint(min(age+r.drift, 120))
		}
		if r.rng.IntN(40) < r.drift {
			row[2] = []string{"Bonn", "Nice", "Rome"}[r.rng.IntN(3)]
			row[3] = []string{"pilot", "cook"}[r.rng.IntN(2)]
		}
		zip := fmt.Sprintf("%d%02d%d", 1+r.rng.IntN(2+r.drift/4), r.rng.IntN(3), r.rng.IntN(10))
		r.table.rows = append(r.table.rows, append(append([]string{fmt.Sprint(r.next)}, row...),
			zip))
		r.next++
	}
}

// night removes some residents, adds others, and writes the extract.
func (r *residents) night(t *testing.T, path string) {
	r.drift++
	r.rng.Shuffle(len(r.table.rows), func(i, j int) {
		r.table.rows[i], r.table.rows[j] = r.table.rows[j], r.table.rows[i]
	})
	gone := r.rng.IntN(len(r.table.rows) / 8)
	r.table.rows = r.table.rows[gone:]
	r.come(gone)
	r.table.parquet(t, path, 0, len(r.table.rows), 150)
}

// releasedNight has the labels of people in a release, by set.
type releasedNight struct {
	seen     []map[string]string // by set and id: the labels of a person
	like     []map[string]int    // by set and labels: the number of people with them
	redacted map[string]bool     // people with marks alone
	ks       []int
}

func readNight(a *audit) *releasedNight {
	n := &releasedNight{redacted: make(map[string]bool)}
	id := a.release.column("id")
	for _, set := range a.job.Sets {
		seen, like := make(map[string]string), make(map[string]int)
		for row := range a.release.rows {
			key := ""
			for _, name := range set.Columns {
				for _, part := range releasedNames(name, a.spec(name).Render) {
					key += a.release.column(part).at(row) + "\x00"
				}
			}
			seen[id.at(row)] = key
			like[key]++
		}
		n.seen, n.like, n.ks = append(n.seen, seen), append(n.like, like), append(n.ks, set.K)
	}
	for row := range a.release.rows {
		n.redacted[id.at(row)] = a.release.column("city").at(row) == "*" // no node is called that
	}
	return n
}

// mustNest joins two releases on the people of both: each group in the join must be a group of
// one of the releases, with k people of the join.
func mustNest(t *testing.T, earlier, later *releasedNight) {
	t.Helper()
	for set, k := range later.ks {
		became := make(map[string]string)
		for id, was := range earlier.seen[set] {
			is, ok := later.seen[set][id]
			if !ok {
				continue
			}
			if n, m := earlier.like[set][was], later.like[set][is]; n < k || m < k {
				t.Fatalf("set %d: somebody is among %d in one release and %d in the other",
					set+1, n, m)
			}
			if earlier.redacted[id] || later.redacted[id] {
				continue // nothing is seen in that one
			}
			if before, ok := became[was]; ok && before != is {
				t.Fatalf("set %d: one class became two", set+1)
			}
			became[was] = is
		}
	}
}

// applyNight applies an earlier cut to an extract.
func applyNight(
	t *testing.T, dir, input, output, cut string, opt ApplyOptions,
) (*audit, *Report, error) {
	t.Helper()
	job := mustLoad(t, dir, "input", input, "output.path", output)
	opt.Cut = cut
	report, err := Apply(context.Background(), job, opt)
	if err != nil {
		return nil, nil, err
	}
	return auditJob(t, job), report, nil
}

// TestNights applies the cut of every night's release to the next night's extract. Each
// release is audited against its extract, verified, and joined with the one before.
func TestNights(t *testing.T) {
	nights := cases(t, 30)
	for _, tt := range []struct {
		onBreak search.OnBreak
		most    Quota
	}{{search.BreakFail, Quota{}}, {search.BreakCoarsen, Quota{}},
		{search.BreakSuppress, Quota{Percent: 60}}} {
		t.Run(string(tt.onBreak), func(t *testing.T) {
			const seed = 1 // of nights that break the cut; not all seeds have some
			dir := jobFolder(t, nightlyJob)
			r := newResidents(rand.New(rand.NewPCG(seed, 0)), 400)
			r.night(t, filepath.Join(dir, "in", "0.parquet"))
			mustRun(t, dir, nil)
			last := filepath.Join(dir, "out.parquet")
			before := readNight(auditFolder(t, dir))
			held, undone, suppressed := 0, 0, uint64(0)
			for night := 1; night <= nights; night++ {
				input, output := filepath.Join(dir, fmt.Sprintf("%d.parquet", night)),
					filepath.Join(dir, fmt.Sprintf("out%d.parquet", night))
				r.night(t, input)
				a, report, err := applyNight(t, dir, input, output,
					last, ApplyOptions{OnBreak: tt.onBreak, MaxSuppressed: tt.most})
				if err != nil {
					if _, missing := os.Stat(output); tt.onBreak != search.BreakFail ||
						fault.ClassOf(err) != fault.Privacy || missing == nil {
						t.Fatalf("night %d: %v", night, err)
					}
					job, _ := loadJob(dir, "input", input, "output.path", output) // a new cut then
					if _, err := Run(t.Context(), job, RunOptions{}); err != nil {
						t.Fatal(err)
					}
					last, before = output, readNight(auditJob(t, job))
					continue
				}
				held++
				undone, suppressed = report.Applied.Undone, suppressed+report.Applied.Suppressed
				now := readNight(a)
				mustNest(t, before, now)
				last, before = output, now
				if t.Failed() {
					t.Fatalf("night %d", night)
				}
			}
			switch {
			case held == 0, tt.onBreak == search.BreakCoarsen &&
				undone == 0, tt.onBreak == search.BreakSuppress && suppressed == 0:
				t.Errorf("%d nights held, %d steps are undone, %d records suppressed",
					held, undone, suppressed)
			}
		})
	}
}

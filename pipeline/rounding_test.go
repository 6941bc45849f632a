package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

const membersJob = `
input: in
output: out.parquet
class: leaves
quasi_identifiers:
  - {columns: [joined, paid, city], k: 5}
columns:
  joined: discretize
  paid: discretize
  city: suppress
  leaves: keep
`

// members are people with days of joining and fees that nearly nobody shares.
func members(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "joined", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "paid", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "city", Type: textType},
		{Name: "leaves", Type: textType},
	}}
	for range rows {
		days, paid := rng.IntN(40_000), rng.IntN(1_000_000)
		leaves := days/4000%2 == paid/90_000%2 || rng.IntN(5) == 0
		t.rows = append(t.rows, []string{
			time.Date(1920, 1, 1+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
			fmt.Sprint(paid),
			[]string{"Oslo", "Bergen", "Narvik"}[rng.IntN(3)], fmt.Sprint(leaves),
		})
	}
	return t
}

// alone returns the number of bounds of an attribute's labels that are the value of exactly one
// row, and the number of all bounds.
func (t *testTable) alone(cut *cutfile.File, attribute int) (alone, all int) {
	records := make(map[string]int)
	for _, row := range t.rows {
		records[row[attribute]]++
	}
	bounds := make(map[string]bool)
	for _, label := range cut.Columns[attribute].Cut {
		for _, end := range []json.RawMessage{label.Lower, label.Upper} {
			if text, closed := cutfile.EndText(end); closed {
				bounds[text] = true
			}
		}
	}
	for bound := range bounds {
		if records[bound] == 1 {
			alone++
		}
	}
	return alone, len(bounds)
}

// withoutLabels removes the labels of intervals from a trace.
func withoutLabels(trace string) string {
	return regexp.MustCompile(`"[[(][^"]*,[^"]*[])]"`).ReplaceAllString(trace, "interval")
}

// TestBoundsIdentifyNobody: a bound that is a value of the data reveals that somebody has this
// value. With the values at which algorithms split, nearly all bounds do; with the roundest
// bounds nearly none do, and steps and parts are the same.
func TestBoundsIdentifyNobody(t *testing.T) {
	table := members(rand.New(rand.NewPCG(11, 12)), 1500)
	dir := table.folder(t, membersJob, 500)
	for _, algorithm := range []string{"tdr", "bottom-up", "mondrian", "infogain-mondrian",
		"guided"} {
		t.Run(algorithm, func(t *testing.T) {
			var cuts [2]*cutfile.File
			var traces [2]bytes.Buffer
			for i := range cuts {
				res, err := newRunState(mustLoad(t, dir, "algorithm.name", algorithm),
					&Report{}, resources.Events{}, spill.Options{})
				must(t, err)
				b, err := bindJob(t.Context(), mustLoad(t, dir, "algorithm.name", algorithm), res)
				must(t, err)
				defer b.Close()
				counts, err := b.Count(t.Context(), (&RunOptions{}).System.tuning(), nil)
				must(t, err)
				for a := range counts.Table.Attributes {
					if i == 0 { // as it was: at the values themselves
						counts.Table.Attributes[a].Bounds = nil
					}
				}
				found, err := b.Find(t.Context(), counts, search.Options{Trace: &traces[i]})
				must(t, err)
				cuts[i] = found.Cut
			}
			if before, now := withoutLabels(traces[0].String()),
				withoutLabels(traces[1].String()); before != now {
				t.Errorf("other steps:\n%s\nbefore\n%s", now, before)
			}
			bounds := 0
			for a := range 2 {
				before, of := table.alone(cuts[0], a)
				now, still := table.alone(cuts[1], a)
				if bounds += of; of != still || before*10 < of*8 || now*10 > of*3 {
					t.Errorf("column %d: of %d bounds %d are one member's, before %d of %d",
						a, still, now, before, of)
				}
			}
			if bounds < 5 {
				t.Errorf("only %d bounds", bounds)
			}
			for _, cut := range cuts {
				cut.Raw = nil
				for a := range cut.Columns {
					for i := range cut.Columns[a].Cut {
						cut.Columns[a].Cut[i] = cutfile.Label{}
					}
				}
			}
			if !reflect.DeepEqual(cuts[0], cuts[1]) {
				t.Errorf("other parts:\n%v\nbefore\n%v", cuts[1].Regions, cuts[0].Regions)
			}
		})
	}
}

// TestRoundIsASearchInRoundedValues: with the key round, every algorithm takes the same steps and
// makes the same parts as for a table with values rounded down to multiples, and all bounds are
// multiples.
func TestRoundIsASearchInRoundedValues(t *testing.T) {
	for _, algorithm := range []string{"tdr", "tds", "bottom-up", "kactus", "iack",
		"mondrian", "infogain-mondrian", "guided"} {
		t.Run(algorithm, func(t *testing.T) {
			table := members(rand.New(rand.NewPCG(13, 14)), 600)
			text := strings.Replace(membersJob, "joined: discretize",
				"joined: {mask: discretize, round: year, bounds: [1919-02-03, 2040-12-31]}", 1)
			text = strings.Replace(text, "paid: discretize",
				"paid: {mask: discretize, round: 40000}", 1)
			var traces [2]bytes.Buffer
			a := [2]*audit{}
			for i := range traces {
				dir := table.folder(t, text, 100)
				mustRun(t, dir, &traces[i], "algorithm.name", algorithm)
				a[i] = auditFolder(t, dir, "algorithm.name", algorithm)
				for _, row := range table.rows {
					paid, err := strconv.Atoi(row[1])
					must(t, err)
					row[0], row[1] = row[0][:4]+"-01-01", fmt.Sprint(paid/40_000*40_000)
				}
			}
			// which draws by values, and goes by their distances
			exact := algorithm != "kactus" && algorithm != "mondrian"
			if exact && withoutLabels(traces[0].String()) != withoutLabels(traces[1].String()) {
				t.Errorf("other steps:\n%s\nof rounded values\n%s",
					traces[0].String(), traces[1].String())
			}
			bounds := 0
			for column, is := range []func(string) bool{
				func(end string) bool {
					return strings.HasSuffix(end, "-01-01") || end == "1919-02-03" ||
						end == "2040-12-31"
				},
				func(end string) bool { return strings.HasSuffix(end, "0000") || end == "0" },
			} {
				of, rounded := a[0].cut.Columns[column], a[1].cut.Columns[column]
				if exact && len(of.Cut) != len(rounded.Cut) {
					t.Errorf("column %s: %d labels, of rounded values %d",
						of.Name, len(of.Cut), len(rounded.Cut))
				}
				for _, label := range of.Cut {
					for _, end := range []json.RawMessage{label.Lower, label.Upper} {
						if text, closed := cutfile.EndText(end); closed {
							if bounds++; !is(text) {
								t.Errorf("column %s: a bound %s", of.Name, text)
							}
						}
					}
				}
			}
			if bounds < 2 {
				t.Errorf("only %d bounds", bounds)
			}
		})
	}
}

// TestRoundOfTheColumnsType: a step that does not fit the column is an error with its place in
// the job, and so is a cut with other bounds.
func TestRoundOfTheColumnsType(t *testing.T) {
	dir := members(rand.New(rand.NewPCG(11, 12)), 1500).folder(t, membersJob, 500)
	rounded := func(column, round string) {
		write(t, filepath.Join(dir, "job.yaml"), strings.Replace(membersJob, column+": discretize",
			column+": {mask: discretize, round: "+round+"}", 1))
	}
	for _, c := range []struct{ column, round, want string }{
		{"joined", "5", "a step of date is one of year, month, day"},
		{"joined", "hour", "a step of date is one of year, month, day"},
		{"paid", "year", "not a value of the column's type"},
		{"paid", "0.5", "not a value of the column's type"},
	} {
		rounded(c.column, c.round)
		_, err := runJob(t, dir, nil)
		if fault.ClassOf(err) != fault.Usage || !strings.Contains(fmt.Sprint(err), c.want) ||
			!strings.Contains(fmt.Sprint(err), "round: "+c.round) {
			t.Errorf("%s of %s: %v", c.round, c.column, err)
		}
	}
	for _, algorithm := range []string{"tdr", "mondrian"} {
		cut := filepath.Join(dir, algorithm+".parquet")
		rounded("joined", "month")
		mustRun(t, dir, nil, "output.path", cut, "algorithm.name", algorithm)
		for round, fits := range map[string]bool{"day": true, "month": true, "year": false} {
			rounded("joined", round)
			_, err := Apply(t.Context(), mustLoad(t, dir, "algorithm.name", algorithm),
				ApplyOptions{Cut: cut, RunOptions: RunOptions{Overwrite: true}})
			if (err == nil) != fits || !fits &&
				!strings.Contains(err.Error(), "a bound is no multiple of the job's round: year") {
				t.Errorf("%s, round: %s: %v", algorithm, round, err)
			}
		}
	}
}

// TestExtremesAsBoundsAreNoted: a declared bound that few records have reveals that they exist; a
// bound that many or no records have does not.
func TestExtremesAsBoundsAreNoted(t *testing.T) {
	table := members(rand.New(rand.NewPCG(11, 12)), 300)
	for i, row := range table.rows {
		row[1] = fmt.Sprint(1000 + min(i, 200)) // 1000 once, 1200 a hundred times
	}
	for bounds, want := range map[string][2]bool{ // of the lower bound: in a plan, in a run
		"[1000, 1200]": {true, true},
		"[1000, null]": {true, true},
		"[0, 1200]":    {false, false},
		"[null, 1200]": {false, false},
		"[0, 5000]":    {false, false},
	} {
		dir := table.folder(t, strings.Replace(membersJob, "paid: discretize",
			"paid: {mask: discretize, bounds: "+bounds+"}", 1), 100)
		forecast, err := Plan(t.Context(), mustLoad(t, dir), PlanOptions{})
		must(t, err)
		report := mustRun(t, dir, nil)
		lower := "column paid: the declared lower bound is the smallest value in the input"
		if noted(forecast.Notices, lower+": if fewer than 5 records") != want[0] ||
			noted(report.Notices, lower+", which fewer than 5 records have") != want[1] {
			t.Errorf("%s: plan %q, run %q", bounds, forecast.Notices, report.Notices)
		}
		upper := "column paid: the declared upper bound is the largest value in the input"
		if noted(forecast.Notices, upper) != strings.Contains(bounds, "1200") ||
			noted(report.Notices, upper) {
			t.Errorf("%s: plan %q, run %q", bounds, forecast.Notices, report.Notices)
		}
	}
}

func noted(notices []string, prefix string) bool {
	return slices.ContainsFunc(notices, func(n string) bool { return strings.HasPrefix(n, prefix) })
}

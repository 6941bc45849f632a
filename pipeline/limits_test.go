package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
)

const levelsJob = `
input: in
output: out.parquet
class: leaves
quasi_identifiers:
  - {columns: [city, code], k: 4}
columns:
  city: {mask: generalize, taxonomy: {ANY: {North: [Narvik, Hamar], South: {Oslo: [Frogner, Grefsen], West: [Bergen]}, abroad: {}}}}
  code: {mask: generalize, taxonomy: {prefix: [3, 2, 1]}}
  leaves: keep
`

// coarserJob is levelsJob for the values of the first level of cities and the second level of
// codes.
var coarserJob = strings.NewReplacer("[Narvik, Hamar]", "{}",
	"{Oslo: [Frogner, Grefsen], West: [Bergen]}", "{}", "[3, 2, 1]", "[1]").Replace(levelsJob)

// limitedJob is levelsJob with these levels as the finest.
var limitedJob = strings.NewReplacer("city: {", "city: {at_most: 1, ", "code: {",
	"code: {at_most: 2, ").Replace(levelsJob)

// citizens are people whose city and code determine whether they leave.
func citizens(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{{Name: "city", Type: textType, Nullable: true},
		{Name: "code", Type: textType}, {Name: "leaves", Type: textType}}}
	for range rows {
		city, code := rng.IntN(6), rng.IntN(30)*rng.IntN(30)
		t.rows = append(t.rows, []string{
			[]string{"Narvik", "Hamar", "Frogner", "Grefsen", "Bergen", "abroad"}[city],
			fmt.Sprintf("%04d", 7*code),
			fmt.Sprint((city+code/20)%3 == 0 || rng.IntN(6) == 0),
		})
	}
	return t
}

// TestAtMostIsASearchInCoarserValues: with a finest level, every algorithm takes the same steps,
// and makes the same release, as for a table whose values are the nodes of that level.
func TestAtMostIsASearchInCoarserValues(t *testing.T) {
	regions := map[string]string{"Narvik": "North", "Hamar": "North", "Frogner": "South",
		"Grefsen": "South", "Bergen": "South", "abroad": "abroad"}
	for _, algorithm := range []string{"tdr", "tds", "bottom-up", "kactus", "iack",
		"iacc", "mondrian", "infogain-mondrian", "guided", "auto"} {
		t.Run(algorithm, func(t *testing.T) {
			table := citizens(rand.New(rand.NewPCG(15, 16)), 700)
			var traces [2]bytes.Buffer
			a := [2]*audit{}
			for i, text := range []string{limitedJob, coarserJob} {
				dir := table.folder(t, text, 100)
				mustRun(t, dir, &traces[i], "algorithm.name", algorithm)
				a[i] = auditFolder(t, dir, "algorithm.name", algorithm)
				for _, row := range table.rows {
					row[0], row[1] = regions[row[0]], row[1][:2]+"*"
				}
			}
			if traces[0].String() != traces[1].String() {
				t.Errorf("other steps:\n%s\nof coarser values\n%s",
					traces[0].String(), traces[1].String())
			}
			if a[0].cut.Algorithm != a[1].cut.Algorithm ||
				!reflect.DeepEqual(a[0].cut.Columns, a[1].cut.Columns) {
				t.Errorf("other labels:\n%+v\nof coarser values\n%+v",
					a[0].cut.Columns, a[1].cut.Columns)
			}
			if len(a[0].cut.Columns[0].Cut)+len(a[0].cut.Columns[1].Cut) < 4 {
				t.Errorf("only %+v", a[0].cut.Columns)
			}
		})
	}
}

// TestAtMostOfAnEarlierCut: a cut with finer labels does not fit the job.
func TestAtMostOfAnEarlierCut(t *testing.T) {
	dir := citizens(rand.New(rand.NewPCG(17, 18)), 700).folder(t, levelsJob, 100)
	for _, algorithm := range []string{"tdr", "mondrian"} {
		cut := filepath.Join(dir, algorithm+".parquet")
		write(t, filepath.Join(dir, "job.yaml"), strings.Replace(levelsJob, "k: 4", "k: 1", 1))
		mustRun(t, dir, nil, "output.path", cut, "algorithm.name", algorithm)
		for limit, fits := range map[string]bool{
			"city: {at_most: 3, ": true, "city: {at_most: 2, ": false, "code: {at_most: 4, ": true,
			"code: {at_most: 1, ": false,
		} {
			column, _, _ := strings.Cut(limit, ": ")
			write(t, filepath.Join(dir, "job.yaml"),
				strings.Replace(strings.Replace(levelsJob, column+": {", limit, 1), "k: 4",
					"k: 1", 1))
			_, err := Apply(t.Context(), mustLoad(t, dir, "algorithm.name", algorithm),
				ApplyOptions{Cut: cut, RunOptions: RunOptions{Overwrite: true}})
			if (err == nil) != fits || !fits && (fault.ClassOf(err) != fault.Usage ||
				!strings.Contains(err.Error(), "finer than the job's at_most")) {
				t.Errorf("%s with %s: %v", algorithm, limit, err)
			}
		}
	}
}

// TestAtMostOfIntervals: no interval is narrower than the job allows, the bounds are the same as
// without that limit, and a cut with narrower intervals does not fit the job.
func TestAtMostOfIntervals(t *testing.T) {
	table := members(rand.New(rand.NewPCG(19, 20)), 1500)
	dir := table.folder(t, membersJob, 500)
	free := filepath.Join(dir, "free.parquet")
	mustRun(t, dir, nil, "output.path", free)
	write(t, filepath.Join(dir, "job.yaml"), strings.NewReplacer(
		"joined: discretize", "joined: {mask: discretize, at_most: 4000d, bounds: [1919-02-03, "+
			"2040-12-31]}", "paid: discretize", "paid: {mask: discretize, at_most: 90000.5}",
	).Replace(membersJob))
	for _, algorithm := range []string{"tdr", "tds"} {
		mustRun(t, dir, nil, "algorithm.name", algorithm, "output.path",
			filepath.Join(dir, algorithm+".parquet"))
		a := auditFolder(t, dir, "algorithm.name", algorithm, "output.path",
			filepath.Join(dir, algorithm+".parquet"))
		for column, least := range []float64{4000, 90000.5} {
			if len(a.cut.Columns[column].Cut) < 3 {
				t.Errorf("%s: only %+v", algorithm, a.cut.Columns[column].Cut)
			}
			for _, label := range a.cut.Columns[column].Cut {
				if width := widthOf(t, label); width < least {
					t.Errorf("%s: an interval %s is %v wide", algorithm, label.Label, width)
				}
			}
		}
	}
	_, err := Apply(t.Context(), mustLoad(t, dir),
		ApplyOptions{Cut: free, RunOptions: RunOptions{Overwrite: true}})
	if fault.ClassOf(err) != fault.Usage {
		t.Errorf("a cut of narrower intervals: %v", err)
	}
	for limit, want := range map[string]string{
		"joined: 40": "the unit d", "joined: 3h": "the unit d", "paid: 3d": "no unit",
	} {
		column, width, _ := strings.Cut(limit, ": ")
		write(t, filepath.Join(dir, "job.yaml"), strings.Replace(membersJob, column+": discretize",
			column+": {mask: discretize, at_most: "+width+"}", 1))
		if _, err := runJob(t, dir, nil); fault.ClassOf(err) != fault.Usage ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", limit, err)
		}
	}
}

// widthOf returns the width of an interval of numbers, or of dates in days; an open end makes it
// infinite.
func widthOf(t *testing.T, label cutfile.Label) float64 {
	t.Helper()
	var ends [2]float64
	for i, end := range []json.RawMessage{label.Lower, label.Upper} {
		text, closed := cutfile.EndText(end)
		if !closed {
			return math.Inf(1)
		}
		number, err := strconv.ParseFloat(text, 64)
		if day, failed := time.Parse(time.DateOnly, text); failed == nil {
			number, err = float64(day.Unix()/86400), nil
		}
		must(t, err)
		ends[i] = number
	}
	return ends[1] - ends[0]
}

// TestAtLeast: the release is as fine as its columns allow, and a limit that it does not reach
// ends the run.
func TestAtLeast(t *testing.T) {
	text := strings.NewReplacer("city: {", "city: {at_least: 2, ",
		"code: {", "code: {at_least: 1, ", "  - {columns: [city, code], k: 4}",
		"  - {columns: [city], k: 4}\n  - {columns: [code], k: 2}").Replace(levelsJob)
	dir := citizens(rand.New(rand.NewPCG(21, 22)), 700).folder(t, text, 100)
	mustRun(t, dir, nil)
	for _, label := range auditFolder(t, dir).cut.Columns[0].Cut {
		if label.Label == "ANY" || label.Label == "North" || label.Label == "South" {
			t.Errorf("a label %s", label.Label)
		}
	}
	for _, k := range []string{"k: 300", "k: 699"} {
		write(t, filepath.Join(dir, "job.yaml"), strings.Replace(text, "k: 4", k, 1))
		_, err := runJob(t, dir, nil, "output.path", filepath.Join(dir, "none.parquet"))
		if fault.ClassOf(err) != fault.Privacy ||
			!strings.Contains(fmt.Sprint(err), "coarser than the job's at_least") {
			t.Errorf("%s: %v", k, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "none.parquet")); err == nil {
			t.Errorf("%s: there is a release", k)
		}
	}
	dir = members(rand.New(rand.NewPCG(23, 24)), 900).folder(t, membersJob, 300)
	for k, fits := range map[string]bool{"k: 1": true, "k: 900": false} {
		// of dates, whose levels are no widths
		write(t, filepath.Join(dir, "job.yaml"), strings.NewReplacer(
			"joined: discretize", "joined: {mask: generalize, at_least: 1, taxonomy: {date: "+
				"[month, century]}}", "k: 5", k,
		).Replace("max_unique: 100%\n"+membersJob))
		if _, err := runJob(t, dir, nil); (err == nil) != fits ||
			!fits && fault.ClassOf(err) != fault.Privacy {
			t.Errorf("%s: %v", k, err)
		}
	}
	for width, fits := range map[string]bool{"1000000": true, "1000": false} {
		write(t, filepath.Join(dir, "job.yaml"), strings.Replace(membersJob, "paid: discretize",
			"paid: {mask: discretize, at_least: "+width+"}", 1))
		if _, err := runJob(t, dir, nil); (err == nil) != fits ||
			!fits && fault.ClassOf(err) != fault.Privacy {
			t.Errorf("%s: %v", width, err)
		}
	}
}

package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// rareJob has a column that one rare value keeps masked for all rows, unless records may be
// suppressed.
const rareJob = `
input: in
output: out.parquet
class: class
quasi_identifiers:
  - {columns: [city, code], k: 10}
columns:
  city:  {mask: generalize, unknown: root}
  code:  {mask: generalize, taxonomy: {prefix: [2]}}
  class: keep
taxonomies:
  city: {ANY: [Bonn, Paris]}
`

// rareFolder makes a folder in which 12 of 412 rows have a city or a code that no other row has;
// one of them has no city.
func rareFolder(t *testing.T, more string) string {
	t.Helper()
	table := &testTable{fields: textFields("city", "code", "class")}
	for row := range 400 {
		table.rows = append(table.rows, []string{[]string{"Bonn", "Paris"}[row%2],
			fmt.Sprintf("%d0%d", 1+row%4, row%7), fmt.Sprint(row % 2 * (row % 3))})
	}
	for row := range 12 {
		city, code := "Bonn", fmt.Sprintf("%s-%d", canary, row)
		if row%2 == 0 {
			city, code = fmt.Sprintf("%s-%d", canary, row), "101"
		}
		if row == 11 {
			city = null
		}
		table.rows = append(table.rows, []string{city, code, "0"})
	}
	return table.folder(t, rareJob+more, 100)
}

// TestSuppressedLabelsStay: with a few records suppressed the columns have labels that reveal
// neither the values of these records alone, nor that there are such values, nor their nulls. The
// cut, applied again, makes the same release, though it does not name every value.
func TestSuppressedLabelsStay(t *testing.T) {
	masked := mustRelease(t, rareFolder(t, ""), 0).cut
	for _, column := range masked.Columns {
		if len(column.Cut) != 1 {
			t.Fatalf("without suppression %+v is released", column)
		}
	}
	for _, more := range []string{"max_suppressed: 5%\n", "max_suppressed: 12\n",
		"max_suppressed: 12\nsuppressed: drop\n"} {
		t.Run(more, func(t *testing.T) {
			dir := rareFolder(t, more)
			cut := mustRelease(t, dir, 2).cut
			if cut.Suppressed+cut.Dropped != 12 || len(cut.Columns[0].Cut) != 2 ||
				len(cut.Columns[1].Cut) < 4 {
				t.Errorf("released is %s", cut.Raw)
			}
			mustNotHold(t, dir, []byte(canary))
			again, out := filepath.Join(t.TempDir(), "again.parquet"),
				filepath.Join(dir, "out.parquet")
			report, err := Apply(t.Context(), mustLoad(t, dir, "output.path", again),
				ApplyOptions{Cut: out})
			must(t, err)
			if report.Suppressed != cut.Suppressed || report.Released != cut.Rows {
				t.Errorf("applied again, %d records are suppressed, %d released",
					report.Suppressed, report.Released)
			}
			if !slices.EqualFunc(readTable(t, out).rows, readTable(t, again).rows, slices.Equal) {
				t.Error("applied again, the cut makes another release")
			}
			mustFind(t, again)
			if d, err := cutfile.Diff(t.Context(), out, again, nil); err != nil ||
				d.Relation != cutfile.Equal {
				t.Errorf("the cuts differ: %+v, %v", d, err)
			}
		})
	}
}

// TestMaxSuppressedRefused allows more suppressed records than there are, and fewer than the
// largest k: then none can be suppressed.
func TestMaxSuppressedRefused(t *testing.T) {
	_, err := runJob(t, rareFolder(t, "max_suppressed: 413\n"), nil)
	mustFail(t, err, fault.Usage)
	few, want := rareFolder(t, "max_suppressed: 9\n"), rareFolder(t, "")
	mustRun(t, few, nil)
	mustRun(t, want, nil)
	if !bytes.Equal(mustRead(t, filepath.Join(few, "out.parquet")),
		mustRead(t, filepath.Join(want, "out.parquet"))) {
		t.Error("fewer than k were suppressed")
	}
}

// TestVerifyCountsSuppressed: verification finds a cut with a wrong number of suppressed records.
func TestVerifyCountsSuppressed(t *testing.T) {
	dir := releasedPeople(t, peopleJob+"max_suppressed: 8%\n")
	is := cutOf(t, dir).Suppressed
	if is == 0 {
		t.Fatal("nothing is suppressed")
	}
	mustFindForgeries(t, dir, []forgery{
		{"nothing", func(*forged) {}, nil},
		{"more", func(f *forged) { f.cut.Suppressed++ },
			[]string{fmt.Sprintf("%d records have marks alone, its cut claims %d", is, is+1)}},
		{"fewer", func(f *forged) { f.cut.Suppressed-- },
			[]string{fmt.Sprintf("%d records have marks alone, its cut claims %d", is, is-1)}},
		{"a column without marks", func(f *forged) {
			f.cut.Columns[1].Suppressed = ""
		}, []string{"a column has no mark"}},
	}...)
}

// TestGroupsCountAgainstMaxSuppressed: if an algorithm ends with groups that are too small, these
// must not have more records than the job may suppress.
func TestGroupsCountAgainstMaxSuppressed(t *testing.T) {
	table := visits(rand.New(rand.NewPCG(5, 6)), 2000)
	for _, algorithm := range []string{"kactus", "iack", "mondrian"} {
		t.Run(algorithm, func(t *testing.T) {
			free := mustRun(t, table.folder(t, withAlgorithm(visitsJob, algorithm), 1000), nil)
			lost := free.Rows - free.Released + int64(free.Suppressed)
			if (lost > 0) != (algorithm != "mondrian") {
				t.Fatalf("%d records are lost", lost)
			}
			dir := table.folder(t, withAlgorithm(
				visitsJob+fmt.Sprintf("max_suppressed: %d\n", max(lost, 1)), algorithm), 1000)
			if report := mustRun(t, dir, nil); report.Released != free.Released ||
				report.Suppressed != free.Suppressed {
				t.Errorf("released are %d of %d rows", report.Released, free.Released)
			}
			if lost > 0 {
				dir = table.folder(t, withAlgorithm(
					visitsJob+fmt.Sprintf("max_suppressed: %d\n", lost-1), algorithm), 1000)
				mustRefuse(t, dir, RunOptions{}, fault.Privacy, "groups that are too small",
					fmt.Sprint(lost-1))
			}
		})
	}
}

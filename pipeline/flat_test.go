package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

const wardJob = `
input: in
output: out.parquet
algorithm: ALGORITHM
class: kind
quasi_identifiers: [{columns: [ward], k: 5}]
columns: {ward: MASK, kind: keep}
`

// wards returns a table of wards in a form.
func wards(form string) *testTable {
	table := &testTable{fields: textFields("ward", "kind")}
	for i := range 60 {
		table.rows = append(table.rows, []string{fmt.Sprintf(form, i%2), fmt.Sprint(i % 2)})
	}
	return table
}

// TestApplyFlat: a cut without a place for tonight's values is applied with a note, or refused.
func TestApplyFlat(t *testing.T) {
	for _, algorithm := range []string{"tdr", "mondrian"} {
		for _, mask := range []string{"suppress",
			"{mask: generalize, unknown: root, taxonomy: {prefix: [1]}}"} {
			t.Run(algorithm+" "+mask, func(t *testing.T) {
				text := strings.NewReplacer("ALGORITHM", algorithm, "MASK", mask).Replace(wardJob)
				dir := wards("%dx").folder(t, text, 100)
				report := mustRun(t, dir, nil)
				const outside, single = "the cut has no place for the values of more than half " +
					"of the rows in ward", "all rows have one label in ward"
				if noted(report.Notices, outside) || noted(report.Notices, single) {
					t.Errorf("the run notes %q", report.Notices)
				}
				apply := func(onBreak search.OnBreak) (*Report, error) {
					j := mustLoad(t, dir, "output.path",
						filepath.Join(t.TempDir(), "applied.parquet"))
					return Apply(t.Context(),
						j, ApplyOptions{Cut: filepath.Join(dir, "out.parquet"), OnBreak: onBreak,
							MaxSuppressed: Quota{Percent: 100}})
				}
				_, err := apply(search.BreakRefuse)
				must(t, err)
				wards("9%dx").parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 60, 100)
				report, err = apply(search.BreakSuppress)
				must(t, err)
				if !noted(report.Notices, outside) ||
					mask == "suppress" && algorithm == "tdr" && !noted(report.Notices, single) {
					t.Errorf("kcut apply notes %q", report.Notices)
				}
				_, err = apply(search.BreakRefuse)
				want := "ward"
				if algorithm == "mondrian" {
					want = "in no region"
				}
				mustFail(t, err, fault.Privacy, want)
			})
		}
	}
}

// TestFlatRun: a run notes columns in which all rows have one label, and nulls that may be the
// reason.
func TestFlatRun(t *testing.T) {
	table := wards("%dx")
	for i := range table.rows {
		table.rows[i][0] = fmt.Sprint(i)
	}
	text := strings.NewReplacer("ALGORITHM", "tdr", "MASK", "suppress").Replace(wardJob)
	report := mustRun(t, table.folder(t, text, 100), nil)
	if !noted(report.Notices, "all rows have one label in ward") {
		t.Errorf("the run notes %q", report.Notices)
	}
	table.fields[0].Type = wholeType
	table.rows[3][0] = null
	text = strings.NewReplacer("ALGORITHM", "tdr", "MASK", "discretize").Replace(wardJob)
	report = mustRun(t, table.folder(t, text, 100), nil)
	if !noted(report.Notices, "column ward: 1 null, fewer than k = 5, may keep it at its "+
		"widest label") {
		t.Errorf("the run notes %q", report.Notices)
	}
}

// TestPlanOfFewNulls: a plan of all rows notes each column with too few nulls for a class, if these
// may keep it at its widest label, and names the ways out. A plan that does not know it is silent.
func TestPlanOfFewNulls(t *testing.T) {
	table := wards("%dx")
	table.fields[0].Type = wholeType
	for i := range table.rows {
		table.rows[i][0] = fmt.Sprint(i)
	}
	const want = "column ward: 4 nulls, fewer than k = 5, may keep it at its widest label: " +
		"max_suppressed lets them go, and algorithm guided cuts in spite of them"
	for _, tt := range []struct {
		algorithm, mask string
		nulls           int
		noted           bool
	}{
		{"tdr", "discretize", 4, true},
		{"mondrian", "discretize", 4, false},
		{"infogain-mondrian", "{mask: generalize, taxonomy: {ranges: [10, 20]}}", 4, true},
		{"tdr", "discretize", 5, false},
		{"tdr", "discretize", 0, false},
		{"tdr", "discretize", 60, false},
		{"tdr", "suppress", 4, false},
		{"guided", "discretize", 4, false},
		{"auto", "discretize", 4, false},
		{"tdr\nmax_suppressed: 50%", "discretize", 4, false},
	} {
		for i := range table.rows {
			if table.rows[i][0] = fmt.Sprint(i); i < tt.nulls {
				table.rows[i][0] = null
			}
		}
		text := strings.NewReplacer("ALGORITHM", tt.algorithm, "MASK", tt.mask).Replace(wardJob)
		dir := table.folder(t, text, 100)
		for _, sample := range []bool{false, true} {
			f, err := planJob(t, dir, PlanOptions{Sample: sample})
			must(t, err)
			times := 0
			for _, note := range f.Notices {
				if strings.Contains(note, "may keep it") {
					times++
				}
			}
			if is := tt.noted && sample; is != slices.Contains(f.Notices, want) ||
				is != (times == 1) || !is && times > 0 {
				t.Errorf("%+v, sample: %t: notes %q", tt, sample, f.Notices)
			}
		}
	}
}

// TestHardlyAnythingLeft: a run notes a release with more than one label in fewer than two masked
// columns.
func TestHardlyAnythingLeft(t *testing.T) {
	for _, tt := range []struct {
		wards, sexes int // numbers of distinct values
		want         bool
		kept         int
	}{{2, 2, false, 2}, {60, 2, true, 1}, {60, 60, true, 0}} {
		table := &testTable{fields: textFields("ward", "sex", "kind")}
		for i := range 60 {
			row := []string{fmt.Sprint("w", i%tt.wards), fmt.Sprint("s", i%tt.sexes),
				fmt.Sprint(i % 2)}
			table.rows = append(table.rows, row)
		}
		text := strings.NewReplacer(
			"ALGORITHM", "tdr", "{ward: MASK", "{ward: suppress, sex: suppress",
			"[ward]", "[ward, sex]",
		).Replace(wardJob)
		report := mustRun(t, table.folder(t, text, 100), nil)
		if got := noted(report.Notices, "hardly anything is left: "); got != tt.want {
			t.Errorf("%d wards, %d sexes: the run notes %q", tt.wards, tt.sexes, report.Notices)
		}
		if *report.ColumnsKept != tt.kept {
			t.Errorf("%d wards, %d sexes: %d columns keep labels",
				tt.wards, tt.sexes, *report.ColumnsKept)
		}
	}
}

// TestNullsAreNoLabelsKept: a column of which only nulls are apart from all other values keeps one
// label.
func TestNullsAreNoLabelsKept(t *testing.T) {
	table := &testTable{fields: textFields("age", "sex", "kind")}
	table.fields[0].Type = wholeType
	for i := range 120 {
		age := []string{"20", null}[i/2%2]
		table.rows = append(table.rows, []string{age, fmt.Sprint("s", i%2), fmt.Sprint(i % 2)})
	}
	text := strings.NewReplacer("ALGORITHM", "mondrian", "{ward: MASK",
		"{age: discretize, sex: suppress", "[ward], k: 5", "[age, sex], k: 30").Replace(wardJob)
	report := mustRun(t, table.folder(t, text, 100), nil)
	for _, want := range []string{"all rows without a null have one label in age",
		"hardly anything is left: 1 masked column of 2 "} {
		if !noted(report.Notices, want) {
			t.Errorf("the run notes %q, want %q", report.Notices, want)
		}
	}
	if *report.ColumnsKept != 1 || noted(report.Notices, "all rows have one label") {
		t.Errorf("%d columns keep labels, notes %q", *report.ColumnsKept, report.Notices)
	}
}

// TestNaNBelowRanges: ranges treat a NaN, which has no order, as a null, in runs and in applied
// cuts.
func TestNaNBelowRanges(t *testing.T) {
	values, want := []string{"NaN", "20.5", "50.5", null}, []string{null, "20.5", "50.5", null}
	for _, algorithm := range []string{"tdr", "{name: mondrian, region_labels: tight}"} {
		for _, unknown := range []string{"", "unknown: root, "} {
			t.Run(algorithm+" "+unknown, func(t *testing.T) {
				table := wards("%d")
				table.fields[0].Type = floatType
				for i := range table.rows {
					table.rows[i][0] = values[i%len(values)]
				}
				text := strings.NewReplacer("class: kind\n", "", "ALGORITHM", algorithm, "MASK",
					"{mask: generalize, "+unknown+"taxonomy: {ranges: [18, 30]}}").Replace(wardJob)
				dir := table.folder(t, text, 100)
				check := func(path string) {
					t.Helper()
					for i, row := range readRows(t, path).rows {
						if row[0] != want[i%len(want)] {
							t.Fatalf("row %d is %q, want %q", i, row[0], want[i%len(want)])
						}
					}
				}
				inAndOutOfCore(t, func(system System, output string) {
					_, err := Run(t.Context(), mustLoad(t, dir, "output.path", output, "order",
						job.OrderInput), RunOptions{System: system})
					must(t, err)
					check(output)
				})
				mustRun(t, dir, nil)
				applied := filepath.Join(dir, "applied.parquet")
				j := mustLoad(t, dir, "output.path", applied, "order", job.OrderInput)
				_, err := Apply(t.Context(), j,
					ApplyOptions{Cut: filepath.Join(dir, "out.parquet"), OnBreak: search.BreakFail})
				must(t, err)
				check(applied)
			})
		}
	}
}

// TestValueNamedLikeInnerNode: a value with the name of an inner node of a given tree is refused,
// with its rows.
func TestValueNamedLikeInnerNode(t *testing.T) {
	for _, unknown := range []string{"", "unknown: root, "} {
		table := wards("%dx")
		for i := range 7 {
			table.rows[i][0] = "x"
		}
		table.rows[8][0] = "elsewhere"
		tree := "{mask: generalize, " + unknown + "taxonomy: {ANY: {x: [0x, 1x]}}}"
		dir := table.folder(t, strings.NewReplacer("ALGORITHM",
			"tdr", "MASK", tree).Replace(wardJob), 100)
		want := "a node above others has the name of 1 value of 7 rows"
		if unknown != "" {
			want = "add 1 unknown value of column ward under the root of its taxonomy (7 rows)"
		}
		_, err := Run(t.Context(), mustLoad(t, dir), RunOptions{})
		mustFail(t, err, fault.Input, want, "rename the node", "replace these values")
	}
}

const uselessJob = `
input: in
output: out.parquet
algorithm: ALGORITHM
class: kind
quasi_identifiers: [{columns: all, k: K}]
max_unique: 100%
columns: {age: discretize, ward: suppress, sex: suppress, kind: keep}
`

// TestUseless: a run notes a release in which no masked column explains anything of the class, if
// one does before masking, and reports how much of that is left.
func TestUseless(t *testing.T) {
	table := func(kind func(i int) int) *testTable {
		table := &testTable{fields: textFields("age", "ward", "sex", "kind")}
		table.fields[0].Type = wholeType
		for i := range 600 {
			table.rows = append(table.rows, []string{fmt.Sprint(20 + i*7%30),
				fmt.Sprint("w", i%2), fmt.Sprint("s", i/2%2), fmt.Sprint(kind(i))})
		}
		return table
	}
	old := func(i int) int { return i * 7 % 30 / 20 } // of those of 40 and above
	chance := func(i int) int { return i / 4 % 2 }
	for _, tt := range []struct {
		kind     func(i int) int
		k        int
		useless  bool
		from, to float64 // utility; 0: it is not known
	}{
		{old, 10, false, 0.9, 1},
		{old, 310, true, 0, 0},
		{chance, 10, false, -1, -1},
	} {
		for _, algorithm := range []string{"tdr", "kactus", "infogain-mondrian", "guided"} {
			text := strings.NewReplacer(
				"ALGORITHM", algorithm, "K}", fmt.Sprint(tt.k, "}"),
			).Replace(uselessJob)
			report := mustRun(t, table(tt.kind).folder(t, text, 100), nil)
			noted := noted(report.Notices, "no masked column tells anything about class kind any "+
				"more, before masking age did")
			if noted != tt.useless || report.Useless != tt.useless {
				t.Errorf("%s, k = %d: the run notes %q, useless: %t", algorithm, tt.k,
					report.Notices, report.Useless)
			}
			got := -1.0
			if report.Utility != nil {
				got = *report.Utility
			}
			if got < tt.from || got > tt.to {
				t.Errorf("%s, k = %d: the utility is %g, want %g to %g", algorithm, tt.k, got,
					tt.from, tt.to)
			}
		}
	}
}

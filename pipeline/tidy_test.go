package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// tailedJob has columns of every mask with few rare values. Its sets and its quota follow.
const tailedJob = `
input: in
output: out.parquet
class: class
columns:
  id:    {mask: keep, identifying: accepted}
  paid:  {mask: discretize, render: %s}
  born:  discretize
  code:  {mask: generalize, taxonomy: {prefix: [3, 1]}}
  city:  {mask: generalize, taxonomy: world, unknown: root}
  job:   suppress
  class: keep
quasi_identifiers:
` + worldTree

// tailed draws rows of common values; some rows have a rare value in one or two columns.
func tailed(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "paid", Type: wholeType, Nullable: true}, {
			Name: "born", Type: dateType, Nullable: true,
		}, {Name: "code", Type: textType, Nullable: true},
		{Name: "city", Type: textType, Nullable: true},
		{Name: "job", Type: textType, Nullable: true}, {Name: "class", Type: textType},
		{Name: "id", Type: wholeType},
	}}
	kinds := 1 + rng.IntN(4) // of common values in a column
	for range rows {
		class := rng.IntN(2)
		pick := func() int { return (class*rng.IntN(2) + rng.IntN(kinds)) % kinds }
		row := []string{
			fmt.Sprint(100 * pick()), fmt.Sprintf("19%d0-01-01", 5+pick()),
			fmt.Sprintf("%d0%d", 1+pick(), pick()),
			[]string{"Bonn", "Lyon", "Nice", "Rome"}[pick()], []string{
				"cook", "nurse", "smith", "clerk",
			}[pick()], fmt.Sprint(class), fmt.Sprint(len(t.rows)),
		}
		for rng.IntN(9) == 0 {
			switch column := rng.IntN(5); column {
			case 0:
				row[0] = fmt.Sprint(rng.IntN(5000) - 1000)
			case 1:
				row[1] = randomDay(rng)
			case rng.IntN(30):
				row[column] = null
			default:
				row[column] = fmt.Sprint(rng.IntN(300))
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// Whichever rows are suppressed from whichever cut, every label has a released row, and the
// release is true. The cut keeps its labels when it is applied to the same table; a comparison of
// both cuts finds them equal.
func TestNoLabelWithoutRow(t *testing.T) {
	suppressed, bounds := 0, 0
	for _, seed := range seeded(t, seedtest.Few(50, 150)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		table := tailed(rng, 60+rng.IntN(600))
		list := searches()
		algorithm := list[max(0, rng.IntN(2*len(list))-len(list))]
		render := renders[max(0, rng.IntN(2*len(renders))-len(renders))]
		text := fmt.Sprintf(tailedJob, render)
		var sets strings.Builder
		all := []string{"paid", "born", "code", "city", "job"}
		for range 1 + rng.IntN(3) {
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			fmt.Fprintf(&sets, "- {k: %d, columns: [%s]}\n",
				2+rng.IntN(9), strings.Join(all[:1+rng.IntN(5)], ", "))
		}
		fmt.Fprintf(&sets, "- {k: 2, columns: [%s]}\n", strings.Join(all, ", "))
		text = withAlgorithm(strings.Replace(text, "quasi_identifiers:\n",
			"quasi_identifiers:\n"+sets.String(), 1), algorithm)
		if !strings.Contains(text, "max_suppressed") &&
			(strings.HasPrefix(algorithm, "td") || rng.IntN(2) == 0) {
			text += fmt.Sprintf("max_suppressed: %d%%\n", 1+rng.IntN(40))
			if rng.IntN(2) == 0 {
				text += "suppressed: drop\n"
			}
		}
		ok := t.Run(fmt.Sprint(searchName(algorithm), " ", seed), func(t *testing.T) {
			dir := table.folder(t, text, 100)
			report, err := runJob(t, dir, nil)
			if err != nil {
				t.Skip(err) // not enough may be taken away, or the whole table does not hold
			}
			a := auditFolder(t, dir)
			a.checkReport(report)
			for i := range a.cut.Columns {
				if render != job.RenderLabel { // it does not show which rows are suppressed
					break
				}
				bounds += a.checkBounds(&a.cut.Columns[i], report.Suppressed > 0)
			}
			if a.cut.Suppressed+a.cut.Dropped > 0 {
				suppressed++
			}
			if strings.Contains(text, "suppressed: drop") && a.cut.Kind == cutfile.KindRegions {
				return // records of no region cannot be dropped
			}
			again, out := filepath.Join(t.TempDir(), "again.parquet"),
				filepath.Join(dir, "out.parquet")
			opt := ApplyOptions{Cut: out, OnBreak: search.BreakSuppress,
				MaxSuppressed: Quota{Percent: 100}}
			if _, err := Apply(t.Context(), mustLoad(t, dir, "output.path", again),
				opt); err != nil {
				t.Log(text, string(a.cut.Raw))
				t.Fatal(err)
			}
			mustFind(t, again)
			for i, column := range readCut(t, again).Columns {
				for _, label := range a.cut.Columns[i].Cut {
					is := func(l cutfile.Label) bool {
						return l.Label == label.Label && l.Null == label.Null
					}
					if !label.Null && !slices.ContainsFunc(column.Cut, is) {
						t.Errorf("column %s: applied, the cut lacks %+v", column.Name, label)
					}
				}
			}
			if t.Failed() {
				t.Log(text, string(a.cut.Raw))
			}
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
	if suppressed < 20 {
		t.Errorf("only %d cuts take records away", suppressed)
	}
	if bounds < 100 {
		t.Errorf("only %d bounds are looked at", bounds)
	}
}

// labelText returns the text of a region's label, which is the mark behind the others.
func (a *audit) labelText(column *cutfile.Column, label uint32) string {
	if int(label) == len(column.Cut) {
		return column.Suppressed
	}
	return column.Cut[label].Label
}

// checkBounds: every bound of a column is the roundest value between the two released values next
// to it, whatever values dropped or fully suppressed rows have there. It returns the number of
// bounds.
func (a *audit) checkBounds(column *cutfile.Column, suppressed bool) (bounds int) {
	a.Helper()
	if column.Mask != job.MaskDiscretize {
		return 0
	}
	source := a.source.column(column.Name)
	values := &formats.Values{Type: a.source.fields[slices.IndexFunc(a.source.fields,
		func(f formats.Field) bool { return f.Name == column.Name })].Type}
	// a region may have the labels of suppressed rows
	all := slices.ContainsFunc(a.cut.Regions, func(r cutfile.Region) bool {
		for i := range a.cut.Columns {
			if c := &a.cut.Columns[i]; a.labelText(c, r[i]) != a.widest(c) {
				return false
			}
		}
		return true
	})
	if all && suppressed {
		return 0 // it is not known which of these rows are suppressed
	}
	for row, of := range a.of {
		tells := all || slices.ContainsFunc(a.cut.Columns, func(c cutfile.Column) bool {
			return a.release.column(c.Name).at(row) != a.widest(&c)
		})
		if text := source.at(of); tells && text != null {
			must(a.TB, values.Parse(text))
		}
	}
	slices.Sort(values.Words)
	rounding, err := formats.NewRounding(values.Type, "")
	must(a.TB, err)
	for _, label := range column.Cut {
		for _, end := range [][]byte{label.Lower, label.Upper} {
			text, closed := cutfile.EndText(end)
			if !closed {
				continue
			}
			bound := &formats.Values{Type: values.Type}
			must(a.TB, bound.Parse(text))
			at, _ := slices.BinarySearch(values.Words, bound.Words[0])
			if at == 0 || at == len(values.Words) {
				a.Errorf("column %s: bound %s is beyond all that is released", column.Name, text)
				continue
			}
			one := func(i int) *formats.Values {
				return &formats.Values{Type: values.Type, Words: values.Words[i : i+1]}
			}
			if roundest, ok := rounding.Between(one(at-1), one(at)); !ok ||
				roundest.Text(0) != text {
				a.Errorf("column %s: bound %s between %s and %s, the roundest is %s",
					column.Name, text, one(at-1).Text(0), one(at).Text(0), roundest.Text(0))
			}
			bounds++
		}
	}
	return bounds
}

// Verification finds a cut with a label without records, unless the job declares the label or the
// cut was applied.
func TestVerifyFindsLabelsWithoutRow(t *testing.T) {
	label := func(column int, text string) func(*forged) {
		return func(f *forged) {
			c := &f.cut.Columns[column]
			c.Cut = append(c.Cut, cutfile.Label{Label: text})
		}
	}
	found := func(column string, labels int) []string {
		return []string{fmt.Sprintf("column %s: no record has %d of the labels of its cut",
			column, labels)}
	}
	mustFindForgeries(t, rareReleased(t, "max_suppressed: 5%\n"), []forgery{
		{"nothing", func(*forged) {}, nil},
		{"a node", label(1, "9*"), found("code", 1)},
		{"two nodes", func(f *forged) { label(1, "8*")(f); label(1, "9*")(f) }, found("code", 2)},
		{"a null", func(f *forged) {
			f.cut.Columns[0].Cut = append(f.cut.Columns[0].Cut, cutfile.Label{Null: true})
		}, found("city", 1)},
		{"a node that is declared", label(0, "Berlin"), nil},
		{"a node of an applied cut", func(f *forged) {
			label(1, "9*")(f)
			f.cut.Applied, f.cut.Suppressed = &cutfile.Applied{Suppressed: f.cut.Suppressed}, 0
		}, nil},
	}...)
	people := releasedPeople(t, peopleJob)
	mustFindForgeries(t, people, []forgery{
		{"a value", label(2, "spy"), found("job", 1)},
		{"a mark", func(f *forged) { f.cut.Columns[0].Suppressed = "Ada" },
			found(cutOf(t, people).Columns[0].Name, 1)},
		{"the mark of values", func(f *forged) {
			f.cut.Columns[2].Suppressed = "Ada"
		}, found("job", 1)},
		{"an interval", func(f *forged) {
			c := &f.cut.Columns[1]
			c.Cut = append(c.Cut, cutfile.Label{
				Label: "[1000,2000)", Interval: true, Lower: []byte("1000"), Upper: []byte("2000"),
			})
		}, found("age", 1)},
	}...)
	mustFindForgeries(t, releasedPeople(t, withAlgorithm(peopleJob, "mondrian")), []forgery{
		{"nothing", func(*forged) {}, nil},
		{"a value of no region", label(2, "spy"), found("job", 1)},
	}...)
}

// rareReleased is a rareFolder with its release.
func rareReleased(t *testing.T, more string) string {
	t.Helper()
	dir := rareFolder(t, more)
	mustRun(t, dir, nil)
	return dir
}

// Bounds between released values keep the least distance of the job and are multiples of its
// step: the cut can be applied.
func TestBoundsOfReleasedValuesFit(t *testing.T) {
	lost := 0
	for _, seed := range seeded(t, seedtest.Few(20, 40)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		table := tailed(rng, 200+rng.IntN(400))
		for row := range table.rows {
			table.rows[row][0] = fmt.Sprint(rng.IntN(60) * (1 + rng.IntN(2)))
		}
		limit := []string{"at_most: 7", "at_most: 20", "round: 5",
			"round: 8, at_most: 9"}[rng.IntN(4)]
		text := strings.NewReplacer("render: %s", limit, "quasi_identifiers:\n",
			"quasi_identifiers:\n- {k: 4, columns: [paid, job, born, code, city]}\n").Replace(
			tailedJob)
		dir := table.folder(t, text+"algorithm: tdr\nmax_suppressed: 25%\n", 100)
		report, err := runJob(t, dir, nil)
		must(t, err)
		if report.Suppressed > 0 {
			lost++
		}
		auditFolder(t, dir)
		again := filepath.Join(t.TempDir(), "again.parquet")
		opt := ApplyOptions{Cut: filepath.Join(dir, "out.parquet")}
		if _, err := Apply(t.Context(), mustLoad(t, dir, "output.path", again), opt); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, limit, err)
		}
	}
	if lost < 10 {
		t.Errorf("%d runs suppress something", lost)
	}
}

// If a column has so many values that its codes are bins, bounds are still between released
// values.
func TestBoundsOfManyReleasedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	table := tailed(rng, 80_000)
	for row := range table.rows {
		table.rows[row][0] = fmt.Sprint(row*31 + rng.IntN(31))
		if rng.IntN(3) == 0 {
			table.rows[row][4] = []string{"cook", "nurse", "smith"}[row/30_000]
		}
	}
	text := strings.NewReplacer("%s", "label", "quasi_identifiers:\n",
		"quasi_identifiers:\n- {k: 20, columns: [paid, job, born, code, city]}\n").Replace(
		tailedJob)
	dir := table.folder(t, text+"algorithm: tdr\nmax_suppressed: 3%\n", 20_000)
	report := mustRun(t, dir, nil)
	a := auditFolder(t, dir)
	bounds := a.checkBounds(&a.cut.Columns[0], a.cut.Suppressed > 0)
	if report.Suppressed == 0 || bounds < 4 {
		t.Errorf("%d rows are suppressed, %d bounds", report.Suppressed, bounds)
	}
}

package cutfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/job"
)

// cutOfColumn is a cut of one column, as JSON.
func cutOfColumn(column string) string {
	return fmt.Sprintf(
		`{"version":1,"algorithm":"tdr","rows":9,"quasi_identifiers":[{"columns":["a"],"k":2,"anonymity":3}],"columns":{"a":%s},"steps":1}`, column)
}

const treeJob = `
input: in
output: out.parquet
quasi_identifiers:
  - {columns: [a], k: 2}
columns:
  a: {mask: generalize, unknown: root, taxonomy: %s}
`

// put writes a file and returns its path.
func put(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiff(t *testing.T) {
	nodes := func(names string) string { return `{"mask":"generalize","cut":[` + names + `]}` }
	values := func(names string) string {
		return `{"mask":"suppress","cut":[` + names + `],"suppressed":"*"}`
	}
	spans := func(ends ...string) string {
		text := ""
		for i := range len(ends) - 1 {
			text += fmt.Sprintf(`,{"label":"interval %s %s"`, strings.Trim(ends[i], `"`),
				strings.Trim(ends[i+1], `"`))
			if ends[i] != "" {
				text += `,"lower":` + ends[i]
			}
			if ends[i+1] != "" {
				text += `,"upper":` + ends[i+1]
			}
			text += "}"
		}
		return `{"mask":"discretize","cut":[` + text[1:] + `]}`
	}
	tree, prefix := "{All: {N: [a, b], M: [c, {d: [e, f]}]}}", "{prefix: [2, 1]}"
	for _, tt := range []struct {
		taxonomy, from, to string
		want               Relation
	}{
		{"", values(`"x","y"`), values(`"x","y"`), Equal},
		{"", values(`"x","y"`), values(`"y"`), Coarser},
		{"", values(`"x"`), values(`"x",null`), Finer},
		{"", values(`"x"`), values(`"y"`), Incomparable},
		{"", values(`"x"`), nodes(`"x"`), Incomparable},
		{"", spans("", "5", "9", ""), spans("", "5", "9", ""), Equal},
		{"", spans("", "5", "9", ""), spans("", "9", ""), Coarser},
		{"", spans("", ""), spans("", "9", ""), Finer},
		{"", spans("", "9", ""), spans("", "10", ""), Incomparable},
		{"", spans("", "-9", "10", ""), spans("", "10", ""), Coarser},
		{"", spans("", "9", ""), spans("0", "9", "20"), Finer},
		{"", spans("", `"2000-01-01"`, `"2000-02-01"`, ""), spans("", `"2000-02-01"`, ""), Coarser},
		{"", spans("", `"-0100-01-01"`, `"-0044-01-01"`, ""), spans("", `"-0044-01-01"`, ""),
			Coarser},
		{"", nodes(`"N","M"`), nodes(`"N","M"`), Equal},
		{"", nodes(`"N","M"`), nodes(`"All"`), Coarser},
		{"", nodes(`"N","M",null`), nodes(`"All"`), Coarser},
		{"", nodes(`"N","M","O"`), nodes(`"N","c","d","O"`), Finer},
		{"", nodes(`"a","b","M","O"`), nodes(`"N","M","p","q"`), Incomparable},
		{"", nodes(`"N","c","d"`), nodes(`"a","b","M"`), Different},
		{"", nodes(`"N","M"`), nodes(`"N","O"`), Different},
		{"", nodes(`"N","M","O"`), nodes(`"M","p","N"`), Different},
		{"", nodes(`"N"`), nodes(`"N","M"`), Different},
		{tree, nodes(`"N","M"`), nodes(`"All"`), Coarser},
		{tree, nodes(`"N","M",null`), nodes(`"All"`), Coarser},
		{tree, nodes(`"N","M"`), nodes(`"N","c","d"`), Finer},
		{tree, nodes(`"N","c","d"`), nodes(`"a","b","M"`), Incomparable},
		{tree, nodes(`"N","M"`), nodes(`"N","M","zz"`), Equal},
		{tree, nodes(`"N","M","zz"`), nodes(`"All"`), Coarser},
		{prefix, nodes(`"1*","2*"`), nodes(`"11*","12*","2*"`), Finer},
		{prefix, nodes(`"11*","12*","2*"`), nodes(`"*"`), Coarser},
		{prefix, nodes(`"1*","2*"`), nodes(`"1*","2*","3*"`), Equal},
		{prefix, nodes(`"11*","12*","2*"`), nodes(`"1*","23*"`), Incomparable},
		// of other lengths
		{"{prefix: [4, 2]}", nodes(`"113*","112*"`), nodes(`"1134*","112*"`), Finer},
	} {
		from, to := put(t, cutOfColumn(tt.from)), put(t, cutOfColumn(tt.to))
		var j *job.Job
		if tt.taxonomy != "" {
			var err error
			if j, err = job.Parse("job.yaml", fmt.Appendf(nil, treeJob, tt.taxonomy),
				nil); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Diff(t.Context(), from, to, j)
		if err != nil || d.Relation != tt.want || d.Columns[0].Relation != tt.want {
			t.Errorf("%s\n%s\ngot %+v, %v, want %s", tt.from, tt.to, d, err, tt.want)
			continue
		}
		back, err := Diff(t.Context(), to, from, j)
		opposite := cmp.Or(map[Relation]Relation{Coarser: Finer, Finer: Coarser}[tt.want], tt.want)
		if err != nil || back.Relation != opposite {
			t.Errorf("%s\n%s\nthe other way round: got %+v, %v, want %s", tt.from, tt.to, back, err,
				opposite)
		}
	}
}

// The order of labels gives the same relations as the taxonomy.
func TestRelationInOrder(t *testing.T) {
	related := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		from, to := randomCuts(r, "n", 4)
		fromWithin, toWithin := true, true
		for _, l := range from {
			fromWithin = fromWithin && slices.ContainsFunc(to, func(u Label) bool {
				return strings.HasPrefix(l.Label, u.Label)
			})
		}
		for _, l := range to {
			toWithin = toWithin && slices.ContainsFunc(from, func(u Label) bool {
				return strings.HasPrefix(l.Label, u.Label)
			})
		}
		got := relationInOrder(from, to)
		if want := relationOf(fromWithin, toWithin); got != Different && got != want {
			t.Fatalf("seed %d: %v to %v: got %s, want %s", seed, from, to, got, want)
		} else if got != Different && got != Equal {
			related++
		}
	}
	if related < 200 {
		t.Errorf("only %d relations are found", related)
	}
}

// randomCuts returns two cuts of a random tree whose nodes are named by their paths.
func randomCuts(r *rand.Rand, node string, depth int) (from, to []Label) {
	one := []Label{{Label: node}}
	children := 2 + r.IntN(2)
	if depth == 0 || r.IntN(4) == 0 {
		return one, one
	}
	for i := range children {
		f, t := randomCuts(r, node+string(rune('a'+i)), depth-1)
		from, to = append(from, f...), append(to, t...)
	}
	if r.IntN(3) == 0 {
		from = one
	}
	if r.IntN(3) == 0 {
		to = one
	}
	return from, to
}

// A column whose labels differ is not equal, even if labels exist together with those within them,
// so that each cut covers the other. The regions are compared as a whole.
func TestDiffOfRegions(t *testing.T) {
	const (
		all   = `{"label":"(,)"}`
		low   = `{"label":"(,5)","upper":5}`
		high  = `{"label":"[5,)","lower":5}`
		lower = `{"label":"(,3)","upper":3}`
		set   = `{"label":"{(,5)|\\N}","upper":5}`
		less  = `{"label":"{(,3)|\\N}","upper":3}`
	)
	for _, tt := range []struct {
		from, to      string
		column, whole Relation
	}{
		{cutOfRegions(low+","+high, 2), cutOfRegions(low+","+high, 2), Equal, Equal},
		{cutOfRegions(all+","+low, 2), cutOfRegions(all, 1), Different, Different},
		{cutOfRegions(all+","+low, 2), cutOfRegions(all+","+lower, 2), Different, Different},
		{cutOfRegions(all, 1), cutOfRegions(low+","+high, 2), Finer, Finer},
		{cutOfRegions(lower+","+low+","+high, 3), cutOfRegions(low+","+high, 2), Different,
			Different},
		{cutOfRegions(set+","+high, 2), cutOfRegions(set+","+high, 2), Equal, Equal},
		{cutOfRegions(set+","+high, 2), cutOfRegions(low+","+high, 2), Finer, Finer},
		{cutOfRegions(set+","+high, 2), cutOfRegions(low+","+high+",null", 3), Finer, Finer},
		{cutOfRegions(less+","+high, 2), cutOfRegions(low+","+high, 2), Incomparable,
			Incomparable},
		{cutOfRegions(less+","+high, 2), cutOfRegions(set+","+high, 2), Coarser, Coarser},
		{cutOfRegions(less+","+high, 2), cutOfRegions(low+","+high+",null", 3), Incomparable,
			Incomparable},
	} {
		d, err := Diff(t.Context(), put(t, tt.from), put(t, tt.to), nil)
		if err != nil || d.Columns[0].Relation != tt.column || d.Relation != tt.whole {
			t.Errorf("%s\n%s\ngot %+v, %v, want %s, as a whole %s", tt.from, tt.to, d, err,
				tt.column, tt.whole)
		}
	}
}

// cutOfRegions returns a cut of one column, as JSON, in which each label is a region.
func cutOfRegions(labels string, n int) string {
	regions := ""
	for i := range n {
		regions += fmt.Sprintf(",[%d]", i)
	}
	return fmt.Sprintf(
		`{"version":1,"kind":"regions","algorithm":"mondrian","rows":9,"quasi_identifiers":[{"columns":["a"],"k":2,"anonymity":3}],`+
			`"columns":{"a":{"mask":"discretize","cut":[%s]}},"regions":[%s],"steps":0}`, labels,
		regions[1:])
}

// TestHasRegions: there may be fewer regions, columns may have another order, and there may be
// marks; another label or another mask makes another region.
func TestHasRegions(t *testing.T) {
	columnOf := func(text string) (c Column) {
		mask, labels, _ := strings.Cut(text, " ")
		if err := json.Unmarshal([]byte("["+labels+"]"), &c.Cut); err != nil {
			t.Fatal(err)
		}
		c.Mask = mask
		return c
	}
	cut := func(a, b string, regions ...Region) *File {
		f := &File{Kind: KindRegions, Columns: Columns{columnOf(a), columnOf(b)}, Regions: regions}
		f.Columns[0].Name, f.Columns[1].Name = "a", "b"
		return f
	}
	const a, b = `suppress "x","y"`, `generalize "N","M",null`
	g := cut(a, b, Region{0, 0}, Region{0, 2}, Region{1, 1})
	turned := cut(`suppress "y","x"`, `generalize null,"M"`, Region{0, 1}, Region{1, 0})
	slices.Reverse(turned.Columns)
	for _, r := range turned.Regions {
		slices.Reverse(r)
	}
	for i, tt := range []struct {
		of   *File
		want bool
	}{
		{g, true},
		{turned, true},
		{cut(a, b, Region{0, 0}, Region{2, 3}), true},
		{cut(a, b, Region{0, 0}, Region{0, 3}), false},
		{cut(a, b, Region{0, 1}), false},
		{cut(`suppress "x","z"`, b, Region{0, 0}), true},
		{cut(`suppress "x","z"`, b, Region{1, 1}), false},
		{cut(`generalize "x","y"`, b, Region{0, 0}), false},
		{&File{Columns: g.Columns}, false},
	} {
		if got := g.HasRegions(tt.of); got != tt.want {
			t.Errorf("case %d: %t", i, got)
		}
	}
}

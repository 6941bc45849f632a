package domain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// columnOf parses the cut of a column, "a" in JSON: its mask and its labels.
func columnOf(t *testing.T, text string) cutfile.Column {
	t.Helper()
	mask, labels, _ := strings.Cut(text, " ")
	c := cutfile.Column{Name: "a", Mask: mask}
	if err := json.Unmarshal([]byte("["+labels+"]"), &c.Cut); err != nil {
		t.Fatal(err)
	}
	return c
}

// specOf returns a job's column "a" with additions to its entry, and the column's taxonomy.
func specOf(t *testing.T, mask, more string) (*job.Column, job.Taxonomy) {
	t.Helper()
	text := fmt.Sprintf("{input: in, output: out, quasi_identifiers: [{columns: [a], k: 2}], "+
		"columns: {a: {mask: %s%s}}}", mask, more)
	j, err := job.Parse("job.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	taxonomies, err := j.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	return j.Column("a"), taxonomies["a"]
}

// spansOf lists the labels of intervals between some ends, which may be open.
func spansOf(ends ...string) string {
	var labels []string
	for i := range len(ends) - 1 {
		label := fmt.Sprintf(`{"label":"%d"`, i)
		if ends[i] != "" {
			label += `,"lower":` + ends[i]
		}
		if ends[i+1] != "" {
			label += `,"upper":` + ends[i+1]
		}
		labels = append(labels, label+"}")
	}
	return "discretize " + strings.Join(labels, ",")
}

func TestRefined(t *testing.T) {
	const (
		tree     = ", taxonomy: {All: {N: [a, b], M: [c, {d: [e, f]}]}}"
		unknown  = tree + ", unknown: root"
		prefixes = ", taxonomy: {prefix: [4, 2]}"
		dates    = ", taxonomy: {date: [month, year]}"
		ranges   = ", taxonomy: {ranges: [0, 18]}"
	)
	whole, day := formats.Type{Kind: formats.Int, Bits: 64}, formats.Type{Kind: formats.Date}
	zoned := formats.Type{Kind: formats.Timestamp, Unit: formats.Milli, Zone: "UTC"}
	for _, tt := range []struct {
		more           string // additions to the column's entry
		t              formats.Type
		earlier, found string
		want           bool
	}{
		{"", whole, `suppress "x","y"`, `suppress "x","y"`, false},
		{"", whole, `suppress "x","y"`, `suppress "y"`, false},
		{"", whole, `suppress "x","y"`, `suppress "z"`, true},
		{"", whole, `suppress "x",null`, `suppress null`, false},
		{"", whole, `suppress "x"`, `suppress "x",null`, true},
		{"", whole, `generalize "x"`, `suppress "x"`, true},
		{"", whole, `generalize "x"`, `suppress `, false},
		{"", whole, `none `, `suppress "x"`, true},
		{"", whole, `none `, `suppress `, false},

		{"", whole, spansOf("", "5", "9", ""), spansOf("", "5", "9", ""), false},
		{"", whole, spansOf("", "5", "9", ""), spansOf("", "9", ""), false},
		{"", whole, spansOf("", "5", "9", ""), spansOf("", ""), false},
		{"", whole, spansOf("", "9", ""), spansOf("", "5", "9", ""), true},
		{"", whole, spansOf("", "9", ""), spansOf("", "10", ""), true},
		{"", whole, spansOf("", ""), spansOf("", "") + ",null", true},
		{"", whole, spansOf("", "9", ""), spansOf("", "9", "") + ",null", false},
		{"", whole, spansOf("", "9", "") + ",null", spansOf("", "9", ""), false},
		{", bounds: [0, 20]", whole, spansOf("0", "9", "20"), spansOf("0", "20"), false},
		{", bounds: [0, 20]", whole, spansOf("0", "9", "20"), spansOf("0", "9", "20"), false},
		{", bounds: [0, 20]", whole, spansOf("", "9", ""), spansOf("0", "9", "20"), false},
		{", bounds: [0, 20]", whole, spansOf("1", "9", "20"), spansOf("0", "9", "20"), true},
		{", bounds: [0, 20]", whole, spansOf("1", "9", "20"), spansOf("0", "20"), false},
		{"", day, spansOf("", `"2000-01-01"`, `"2000-02-01"`, ""), spansOf("", `"2000-02-01"`, ""),
			false},
		{"", day, spansOf("", "5", "9", ""), spansOf("", `"2000-02-01"`, ""), true},
		{"", zoned, spansOf("", `"2000-01-01T00:00:00.5Z"`, ""),
			spansOf("", `"2000-01-01T00:00:00Z"`, `"2000-01-01T00:00:00.5Z"`, ""), true},

		{tree, whole, `generalize "N","M"`, `generalize "N","M"`, false},
		{tree, whole, `generalize "N","c","d"`, `generalize "N","M"`, false},
		{tree, whole, `generalize "N","M",null`, `generalize "All"`, false},
		{tree, whole, `generalize "N","M"`, `generalize "N","c","d"`, true},
		{tree, whole, `generalize "N","c","d"`, `generalize "a","b","M"`, true},
		{tree, whole, `generalize "All"`, `generalize "N","M",null`, true},
		{tree, whole, `generalize "N","M"`, `generalize "N","M",null`, false},
		{tree, whole, `generalize "N","M","zz"`, `generalize "N","M"`, true},
		{unknown, whole, `generalize "N","M","zz"`, `generalize "N","M"`, false},
		{unknown, whole, `generalize "N","M"`, `generalize "N","M","zz"`, false},
		{unknown, whole, `generalize "All"`, `generalize "N","M","zz"`, true},
		{unknown, whole, `generalize "X","Y"`, `generalize "N","M"`, true}, // another tree
		{unknown, whole, `generalize "X","Y"`, `generalize "All"`, false},
		// d was elsewhere, or is new
		{unknown, whole, `generalize "N","c"`, `generalize "N","M"`, true},
		{tree, whole, `suppress "a"`, `generalize "N","M"`, true},

		{prefixes, whole, `generalize "11*","12*"`, `generalize "11*","12*","13*"`, false},
		{prefixes, whole, `generalize "11*","12*"`, `generalize "11*","1234*"`, true},
		{prefixes, whole, `generalize "1134*","1135*"`, `generalize "11*"`, false},
		// of other lengths
		{prefixes, whole, `generalize "113*","112*"`, `generalize "11*"`, false},
		{prefixes, whole, `generalize "113*","112*"`, `generalize "1134*","112*"`, true},
		{prefixes, whole, `generalize "113*","112*"`, `generalize "113","112*","114"`, false},
		{prefixes, whole, `generalize "{1134*|1135*}"`, `generalize "11*"`, false},
		{prefixes, whole, `generalize "1134*"`, `generalize "{1134*|1135*}"`, false},
		{prefixes, whole, `generalize "{1134*|1135*}"`, `generalize "1134*"`, true},
		{prefixes, whole, `generalize "11345"`, `generalize "1134*"`, false},
		{prefixes, whole, `generalize "*"`, `generalize "11*"`, true},
		{prefixes, whole, `generalize "11*"`, `generalize "*"`, false},
		{dates, whole, `generalize "2000-01","2000-02"`, `generalize "2000","2001"`, false},
		{dates, whole, `generalize "2000"`, `generalize "2000-01","2000-02"`, true},
		{dates, whole, `generalize "2000s"`, `generalize "2000"`, true}, // of other levels
		{dates, whole, `generalize "2000-01-02"`, `generalize "2000-01-02T10:00:00"`, true},
		{ranges, whole, `generalize "(,0)","[0,18)"`, `generalize "(,0)","1","17"`, true},
		{ranges, whole, `generalize "(,0)","1","17"`, `generalize "(,0)","[0,18)"`, false},
		// other edges
		{ranges, whole, `generalize "(,0)","[0,20)"`, `generalize "(,0)","[0,18)","[18,)"`, true},
	} {
		earlier, found := columnOf(t, tt.earlier), columnOf(t, tt.found)
		spec, taxonomy := specOf(t, found.Mask, tt.more)
		g := &Cut{File: &cutfile.File{Columns: cutfile.Columns{earlier}}}
		if earlier.Mask == "none" {
			g.Columns[0].Name = "b"
		}
		column := &CutColumn{Column: &found, Spec: spec, Type: tt.t, Taxonomy: taxonomy}
		if got, err := g.Refined(column, spill.NewBudget(1<<20)); err != nil || got != tt.want {
			t.Errorf("%s\n%s after\n%s: refined %t, %v, want %t", tt.more, tt.found, tt.earlier,
				got, err, tt.want)
		}
	}
}

// randomCut returns a cut at or below a node of a tree.
func randomCut(rng *rand.Rand, children map[string][]string, node string, rest int) (cut []string) {
	if len(children[node]) == 0 || rng.IntN(rest) == 0 {
		return []string{node}
	}
	for _, child := range children[node] {
		cut = append(cut, randomCut(rng, children, child, 3)...)
	}
	return cut
}

// TestRefinedByValues: a cut is refined where two values of one earlier label have two labels.
func TestRefinedByValues(t *testing.T) {
	refined := 0
	enginetest.Cases(t, 300, func(rng *rand.Rand) {
		children := make(map[string][]string) // nodes are named by their paths
		var grow func(node string, depth int) string
		grow = func(node string, depth int) string {
			if depth == 0 || depth < 4 && rng.IntN(3) == 0 {
				return node + ": {}"
			}
			var parts []string
			for i := range 2 + rng.IntN(2) {
				child := node + string(rune('a'+i))
				children[node] = append(children[node], child)
				parts = append(parts, grow(child, depth-1))
			}
			return node + ": {" + strings.Join(parts, ", ") + "}"
		}
		text := grow("n", 4)
		spec, taxonomy := specOf(t, job.MaskGeneralize, ", taxonomy: {"+text+"}")
		var leaves []string
		for _, nodes := range children {
			leaves = append(leaves, slices.DeleteFunc(slices.Clone(nodes), func(n string) bool {
				return len(children[n]) > 0
			})...)
		}
		cuts := [2][]string{randomCut(rng, children, "n", 6), randomCut(rng, children, "n", 6)}
		var columns [2]cutfile.Column
		label := make(map[string][2]string)
		for i, cut := range cuts {
			columns[i] = columnOf(t, `generalize "`+strings.Join(cut, `","`)+`"`)
			for _, leaf := range leaves {
				of := label[leaf]
				of[i] = cut[slices.IndexFunc(cut, func(node string) bool {
					return strings.HasPrefix(leaf, node)
				})]
				label[leaf] = of
			}
		}
		became, want := make(map[string]string), false
		for _, of := range label {
			was, ok := became[of[0]]
			want = want || ok && was != of[1]
			became[of[0]] = of[1]
		}
		g := &Cut{File: &cutfile.File{Columns: columns[:1]}}
		found := &CutColumn{Column: &columns[1], Spec: spec, Taxonomy: taxonomy}
		got, err := g.Refined(found, spill.NewBudget(1<<20))
		if err != nil || got != want {
			t.Fatalf("%s: %v after %v: refined %t, %v, want %t", text, cuts[1], cuts[0], got, err,
				want)
		}
		if want {
			refined++
		}
	})
	if refined < 50 {
		t.Errorf("only %d are refined", refined)
	}
}

// TestRefinedByMovedLeaves: a cut with the same labels is refined if other leaves are under them,
// and is not if the tree only has new nodes or leaves.
func TestRefinedByMovedLeaves(t *testing.T) {
	const was = "{All: {N: [a, b], M: [c, {d: [e, f]}]}}"
	for _, tt := range []struct {
		name, is, earlier, found string
		want                     bool
	}{
		{"the same in another order", "{All: {M: [{d: [f, e]}, c], N: [b, a]}}", `"N","M"`,
			`"N","M"`, false},
		{"a leaf moved", "{All: {N: [a], M: [b, c, {d: [e, f]}]}}", `"N","M"`, `"N","M"`, true},
		{"two leaves swapped", "{All: {N: [c, b], M: [a, {d: [e, f]}]}}", `"N","M"`, `"N","M"`,
			true},
		{"a leaf moved, everything released as the root", "{All: {N: [a], M: [b, c, {d: [e, f]}]}}",
			`"N","M"`, `"All"`, false},
		{"a leaf moved below a label", "{All: {N: [a, b], M: [{x: [c, e]}, {d: [f]}]}}", `"N","M"`,
			`"N","M"`, false},
		{"a leaf moved from one label to another", "{All: {N: [a, b], M: [{d: [e]}, c, f]}}",
			`"N","c","d","f"`, `"N","M"`, true},
		{"a finer tree", "{All: {N: [{y: [a, b]}], M: [{z: [c, {d: [e, f]}]}]}}", `"N","M"`,
			`"N","M"`, false},
		{"a leaf that is new", "{All: {N: [a, b, g], M: [c, {d: [e, f]}]}}", `"N","M"`, `"N","M"`,
			false},
		{"a leaf that is no more", "{All: {N: [a], M: [c, {d: [e, f]}]}}", `"N","M"`, `"N","M"`,
			true},
		{"a leaf that has leaves now", "{All: {N: [a, {b: [g, h]}], M: [c, {d: [e, f]}]}}",
			`"N","M"`, `"N","M"`, true},
		{"a node that is a leaf now", "{All: {N: [a, b], M: [c, d]}}", `"N","c","d"`, `"N","c","d"`,
			true},
	} {
		_, then := specOf(t, job.MaskGeneralize, ", taxonomy: "+was)
		spec, now := specOf(t, job.MaskGeneralize, ", taxonomy: "+tt.is)
		found := columnOf(t, "generalize "+tt.found)
		g := &Cut{File: &cutfile.File{Columns: cutfile.Columns{columnOf(t,
			"generalize "+tt.earlier)}}}
		refined := func() bool {
			column := &CutColumn{Column: &found, Spec: spec, Taxonomy: now}
			got, err := g.Refined(column, spill.NewBudget(1<<20))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if refined() {
			t.Errorf("%s: refined by names", tt.name)
		}
		g.Placements = map[string]Placement{"a": PlacementOf(then)}
		if got := refined(); got != tt.want {
			t.Errorf("%s: refined %t, want %t", tt.name, got, tt.want)
		}
	}
}

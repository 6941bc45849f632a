package pipeline

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// releasedRegions returns a release of people in regions whose labels overlap, as a folder,
// a table and its cut.
func releasedRegions(t *testing.T) (dir string, table *testTable, cut *cutfile.File) {
	t.Helper()
	dir, table = releasedPeople(t, withAlgorithm(peopleJob, "mondrian"))
	cut = cutOf(t, dir)
	if len(cut.Regions) < 20 {
		t.Fatalf("%d regions tell too little", len(cut.Regions))
	}
	return dir, table, cut
}

// A release whose labels are all of its cut and whose sets all hold, but whose combinations
// are not its regions, is found out.
func TestVerifyFindsStrangeRegions(t *testing.T) {
	dir, sound, cut := releasedRegions(t)
	metadata := embedded(t, filepath.Join(dir, "out.parquet"))
	for _, tt := range []struct {
		name   string
		tamper func(*testTable, map[string]string)
		want   string // empty: it is sound
	}{
		{"nothing", func(*testTable, map[string]string) {}, ""},
		{"labels swapped", func(table *testTable, _ map[string]string) { swapLabels(t, table, cut) }, "it has labels that are no region of its cut in 2 records"},
		{"a region gone", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Regions = c.Regions[1:] })
		}, "it has labels that are no region of its cut in"},
		{"an empty region more", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Regions = append(c.Regions, strangeRegion(c)) })
		}, "its cut has 1 region without a record"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := &testTable{fields: slices.Clone(sound.fields), rows: cloneRows(sound.rows)}
			m := maps.Clone(metadata)
			tt.tamper(table, m)
			forged := filepath.Join(dir, "forged.parquet")
			table.encode(t, forged, m, 0, len(table.rows), 300)
			if tt.want != "" {
				mustFind(t, forged, tt.want)
			} else if v, err := verify.Release(t.Context(), forged, job.Limits{}, verify.Watch{}); err != nil || !v.OK {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
}

// swapLabels swaps the age of two rows so that neither is in a region.
func swapLabels(t *testing.T, table *testTable, cut *cutfile.File) {
	t.Helper()
	regions := make(map[string]bool)
	columns := make([]int, len(cut.Columns))
	for i := range columns {
		columns[i] = i
	}
	for _, region := range cut.Regions {
		regions[regionKey(columns, func(i int) string { return labelText(&cut.Columns[i], int(region[i])) })] = true
	}
	isRegion := func(row []string) bool {
		return regions[regionKey(columns, func(i int) string { return row[table.index(cut.Columns[i].Name)] })]
	}
	age := table.index("age")
	for i, a := range table.rows {
		for _, b := range table.rows[:i] {
			a[age], b[age] = b[age], a[age]
			if !isRegion(a) && !isRegion(b) {
				return
			}
			a[age], b[age] = b[age], a[age]
		}
	}
	t.Fatal("all labels go together")
}

// strangeRegion returns a combination of labels that is no region.
func strangeRegion(c *cutfile.File) cutfile.Region {
	region := slices.Clone(c.Regions[0])
	for a := range region {
		for label := range c.Columns[a].Cut {
			region[a] = uint32(label)
			if !slices.ContainsFunc(c.Regions, func(r cutfile.Region) bool { return slices.Equal(r, region) }) {
				return region
			}
		}
	}
	return region
}

// A cut whose regions are not of its kind or its columns makes no release.
func TestVerifyRefusesRegions(t *testing.T) {
	dir, _, cut := releasedRegions(t)
	for name, change := range map[string]func(*cutfile.File){
		"no regions":        func(c *cutfile.File) { c.Regions = nil },
		"no kind":           func(c *cutfile.File) { c.Kind = "" },
		"another kind":      func(c *cutfile.File) { c.Kind = "spheres" },
		"a label less":      func(c *cutfile.File) { c.Regions[3] = c.Regions[3][1:] },
		"a label more":      func(c *cutfile.File) { c.Regions[3] = append(c.Regions[3], 0) },
		"an unknown label":  func(c *cutfile.File) { c.Regions[3][0] = uint32(len(c.Columns[0].Cut)) },
		"a label too large": func(c *cutfile.File) { c.Regions[3][0] = 1<<32 - 1 },
	} {
		m := map[string]string{cutfile.Key: string(cut.Raw)}
		edit(t, m, change)
		if got, err := cutfile.Parse([]byte(m[cutfile.Key])); got != nil || fault.ClassOf(err) != fault.Input {
			t.Errorf("%s: got %+v, %v of class %d", name, got, err, fault.ClassOf(err))
		}
	}
	for name, text := range map[string]string{
		"a negative label": strings.Replace(string(cut.Raw), `"regions":[[`, `"regions":[[-`, 1),
		"half a label":     strings.Replace(string(cut.Raw), `"regions":[[`, `"regions":[[0.`, 1),
		"a text":           strings.Replace(string(cut.Raw), `"regions":[[`, `"regions":[["a",`, 1),
	} {
		if got, err := cutfile.Parse([]byte(text)); got != nil || fault.ClassOf(err) != fault.Input {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	mustFindNothing(t, filepath.Join(dir, "out.parquet"))
}

func mustFindNothing(t *testing.T, path string) {
	t.Helper()
	if v, err := verify.Release(t.Context(), path, job.Limits{}, verify.Watch{}); err != nil || !v.OK || len(v.Findings) > 0 {
		t.Errorf("got %+v, %v", v, err)
	}
}

// The mark of suppressed values, "*", is also the root of generated taxonomies.
func TestDescribedPositions(t *testing.T) {
	dir := jobFolder(t, `
input: in
output: out.parquet
quasi_identifiers: [{columns: [zip, job], k: 2}]
columns: {zip: {mask: generalize, taxonomy: {prefix: [1]}}, job: suppress}
algorithm: mondrian
`)
	text := formats.Type{Kind: formats.String}
	table := &testTable{fields: []formats.Field{{Name: "zip", Type: text}, {Name: "job", Type: text}}}
	for _, row := range []string{"11 cook", "12 cook", "11 judge", "31 judge", "41 nurse", "51 clerk"} {
		table.rows = append(table.rows, strings.Fields(row))
	}
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 10)
	mustRun(t, dir, nil)
	a := auditFolder(t, dir)
	if a.cut.Columns[0].Cut[0].Label != "*" {
		t.Errorf("no region with the root: %+v", a.cut)
	}
}

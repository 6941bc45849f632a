package pipeline

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
)

// releasedRegions makes a folder with a release of people in regions whose labels overlap, and
// returns its cut, too.
func releasedRegions(t *testing.T) (dir string, cut *cutfile.File) {
	t.Helper()
	dir = releasedPeople(t, withAlgorithm(peopleJob, "mondrian"))
	cut = cutOf(t, dir)
	if len(cut.Regions) < 20 {
		t.Fatalf("%d regions tell too little", len(cut.Regions))
	}
	return dir, cut
}

// A release whose labels are all of its cut and whose sets all hold, but whose combinations
// are not its regions, is found out.
func TestVerifyFindsStrangeRegions(t *testing.T) {
	dir, cut := releasedRegions(t)
	mustFindForgeries(t, dir, []forgery{
		{"nothing", edits(func(*cutfile.File) {}), nil},
		{
			"labels swapped", func(t *testing.T, table *testTable, _ map[string]string) { swapLabels(t, table, cut) },
			[]string{"it has labels that are no region of its cut in 2 records"},
		},
		{"a region gone", edits(func(c *cutfile.File) { c.Regions = c.Regions[1:] }), []string{"it has labels that are no region of its cut in"}},
		{
			"an empty region more", edits(func(c *cutfile.File) { c.Regions = append(c.Regions, strangeRegion(c)) }),
			[]string{"its cut has 1 region without a record"},
		},
	}...)
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

// The mark of suppressed values, "*", is also the root of generated taxonomies.
func TestDescribedPositions(t *testing.T) {
	dir := jobFolder(t, `
input: in
output: out.parquet
quasi_identifiers: [{columns: [zip, job], k: 2}]
columns: {zip: {mask: generalize, taxonomy: {prefix: [1]}}, job: suppress}
algorithm: mondrian
`)
	table := &testTable{fields: textFields("zip", "job")}
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

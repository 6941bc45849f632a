package pipeline

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// releasedPeople runs a job over people and returns its folder.
func releasedPeople(t *testing.T, text string) string {
	t.Helper()
	dir := peopleFolder(t, text, 2000)
	mustRun(t, dir, nil)
	return dir
}

// outputIs returns the people job with another output.
func outputIs(output string) string {
	return strings.Replace(peopleJob, "output: out.parquet", "output: "+output, 1)
}

// readTable reads a release as a table.
func readTable(tb testing.TB, path string) *testTable {
	tb.Helper()
	g := readGrid(tb, &job.Job{Input: []string{path}}, nil)
	table := &testTable{}
	for _, field := range g.fields {
		table.fields = append(table.fields, formats.Field{
			Name: field.Name, Type: field.Type, Nullable: true,
		})
	}
	for row := range g.rows {
		cells := make([]string, len(g.columns))
		for c := range g.columns {
			cells[c] = g.columns[c].at(row)
		}
		table.rows = append(table.rows, cells)
	}
	return table
}

// set gives a cell another text.
func (t *testTable) set(row int, column, text string) { t.rows[row][t.index(column)] = text }

func (t *testTable) index(column string) int {
	return slices.IndexFunc(t.fields, func(f formats.Field) bool { return f.Name == column })
}

// rename replaces the first field of a name.
func (t *testTable) rename(from, to string) { t.fields[t.index(from)].Name = to }

// forged is a release that a test tampers with.
type forged struct {
	*testTable
	cut      *cutfile.File
	metadata map[string]string // added to the cut, or in its place
}

func readRelease(tb testing.TB, path string) *forged {
	tb.Helper()
	return &forged{readTable(tb, path), readCut(tb, path), make(map[string]string)}
}

// write writes the changed release.
func (f *forged) write(tb testing.TB, path string) {
	tb.Helper()
	f.metadata[cutfile.Key] = cmp.Or(f.metadata[cutfile.Key], textOf(tb, f.cut))
	f.encode(tb, path, f.metadata, 0, len(f.rows), 300)
}

func readCut(tb testing.TB, path string) *cutfile.File {
	tb.Helper()
	cut, err := cutfile.Read(tb.Context(), path)
	must(tb, err)
	return cut
}

// textOf returns a cut in its embedded form.
func textOf(tb testing.TB, cut *cutfile.File) string {
	tb.Helper()
	text, err := text.JSON(cut)
	must(tb, err)
	return string(text)
}

// verified verifies a release.
func verified(tb testing.TB, path string) (*verify.Result, error) {
	tb.Helper()
	return verify.Release(tb.Context(), path, verify.Options{})
}

// mustFind verifies a changed release and demands findings; without wanted findings the release
// must be sound.
func mustFind(t *testing.T, path string, want ...string) {
	t.Helper()
	v, err := verified(t, path)
	if len(want) == 0 {
		if err != nil || !v.OK || len(v.Findings) > 0 {
			t.Errorf("got %+v, %v", v, err)
		}
		return
	}
	mustFail(t, err, fault.Privacy)
	if v == nil || v.OK {
		t.Fatalf("got %+v", v)
	}
	all := strings.Join(v.Findings, "\n")
	for _, text := range want {
		if !strings.Contains(all, text) {
			t.Errorf("found\n%s\nwant %q", all, text)
		}
	}
}

// forgery is a change of a release, and the expected finding if the changed release is not sound.
type forgery struct {
	name   string
	tamper func(*forged)
	want   []string
}

// mustFindForgeries makes forgeries of the release of a folder's job, next to it, and verifies
// them.
func mustFindForgeries(t *testing.T, dir string, forgeries ...forgery) {
	t.Helper()
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			release, path := readRelease(t, filepath.Join(dir, "out.parquet")),
				filepath.Join(dir, "forged.parquet")
			f.tamper(release)
			release.write(t, path)
			mustFind(t, path, f.want...)
		})
	}
}

func TestVerifyFinds(t *testing.T) {
	dir := releasedPeople(t, peopleJob)
	cut := cutOf(t, dir)
	ages, jobs := cut.Columns[1].Cut, cut.Columns[2]
	if len(ages) < 2 || jobs.Name != "job" {
		t.Fatalf("this release tells too little: %+v", cut)
	}
	mustFindForgeries(t, dir, []forgery{
		{"nothing", func(*forged) {}, nil},
		{"k broken", func(f *forged) { loneRow(f.testTable, cut) },
			[]string{"quasi-identifier set 1: anonymity 1 is below k = 5"}},
		{"foreign label", func(f *forged) {
			for row := range f.rows {
				if f.rows[row][f.index("city")] == "Europe" || row < 10 {
					f.set(row, "city", "Atlantis")
				}
			}
		}, []string{"column city, row group 0: 1 dictionary entries that are no labels of " +
			"the cut"}},
		{"foreign null", func(f *forged) { f.set(3, "job", null) },
			[]string{"column job, row group 0: 1 nulls, which the cut does not hold"}},
		{"foreign metadata", func(f *forged) {
			f.metadata["pandas"] = "{}"
		}, []string{"metadata besides kcut.cut"}},
		{"more anonymity claimed", func(f *forged) {
			f.cut.Sets[0].Anonymity++
		}, []string{"quasi-identifier set 1: anonymity"}},
		{"less anonymity claimed", func(f *forged) {
			f.cut.Sets[1].Anonymity--
		}, []string{"quasi-identifier set 2: anonymity"}},
		{
			"a k claimed that is one too large", func(f *forged) {
				f.cut.Sets[0].K = int(f.cut.Sets[0].Anonymity) + 1
			},
			[]string{fmt.Sprintf("anonymity %d is below k = %d",
				cut.Sets[0].Anonymity, cut.Sets[0].Anonymity+1)},
		},
		{
			"an interval's end moved", func(f *forged) {
				f.cut.Columns[1].Cut[0].Upper = json.RawMessage("1")
			},
			[]string{"column age: an interval of its cut has other ends than its label"},
		},
		{"a key more", func(f *forged) {
			f.metadata[cutfile.Key] = strings.Replace(string(cut.Raw), "{", `{"names":["Ada"],`, 1)
		}, []string{"its cut is not of the form that kcut writes"}},
		{"another class", func(f *forged) { f.cut.Class = "wealth" },
			[]string{"the cut speaks of column wealth, which is not there"}},
		{"column gone", func(f *forged) { f.rename("job", "profession") },
			[]string{"the cut speaks of column job, which is not there"}},
		{"row gone", func(f *forged) { f.rows = f.rows[1:] },
			[]string{"it has 1,999 rows, its cut claims 2,000"}},
		{"row twice", func(f *forged) { f.rows = append(f.rows, f.rows[0]) },
			[]string{"it has 2,001 rows"}},
		{"no rows", func(f *forged) { f.rows = nil },
			[]string{"it has 0 rows", "anonymity 0 is below k = 5"}},
	}...)
}

// Verification finds a column of raw values next to the released columns of a masked column,
// under its name, or in place of them.
func TestVerifyFindsRawColumns(t *testing.T) {
	raw := func(name string) func(*forged) {
		return func(f *forged) {
			f.addColumn(name, func(row int) string { return fmt.Sprint("raw ", row) })
		}
	}
	typed := func(name string, of formats.Type) func(*forged) {
		return func(f *forged) { f.fields[f.index(name)].Type = of }
	}
	const other = ": 1 column of another type than its labels have"
	mustFindForgeries(t, releasedPeople(t, peopleJob), []forgery{
		{"nothing", func(*forged) {}, nil},
		{"a name twice", raw("city"), []string{"column city: a name that another column has"}},
	}...)
	table := numberTable(textType, []string{"1", "2", "3", "4", "5", "6"}, 10)
	dir := table.folder(t, strings.Replace(numberJob(""), "{mask: discretize}", "suppress", 1), 60)
	mustRun(t, dir, nil)
	mustFindForgeries(t, dir, forgery{"another type", func(f *forged) {
		for row := range f.rows {
			f.set(row, "x", f.cut.Columns[0].Cut[0].Label)
		}
		typed("x", wholeType)(f)
	}, []string{"column x, row group 0" + other}})
	table = numberTable(wholeType, []string{"1", "2", "3", "4", "5", "6"}, 10)
	dir = table.folder(t, numberJob(", render: bounds"), 60)
	mustRun(t, dir, nil)
	mustFindForgeries(t, dir, []forgery{
		{"nothing", func(*forged) {}, nil},
		{"the name of a masked one", raw("x"),
			[]string{"column x has the name of a masked column that was released under others"}},
		{"another type", typed("x_lower", textType),
			[]string{"column x_lower, row group 0" + other}},
		{"ends of two labels", func(f *forged) {
			for row := range f.rows {
				if f.rows[row][f.index("x_lower")] == null {
					f.set(row, "x_lower", f.rows[len(f.rows)-1][f.index("x_lower")])
				}
			}
		}, []string{"column x: ends that no label of its cut has together"}},
	}...)
}

// loneRow gives a row a combination of labels of the cut that no other row has.
func loneRow(table *testTable, cut *cutfile.File) {
	there := make(map[string]bool)
	columns := []string{"city", "age", "job"}
	for _, row := range table.rows {
		there[table.key(row, columns)] = true
	}
	for _, city := range cut.Columns[0].Cut {
		for _, age := range cut.Columns[1].Cut {
			for _, job := range append(cut.Columns[2].Cut,
				cutfile.Label{Label: cut.Columns[2].Suppressed}) {
				row := slices.Clone(table.rows[0])
				row[table.index("city")], row[table.index("age")], row[table.index("job")] =
					city.Label, age.Label, job.Label
				if !there[table.key(row, columns)] && !city.Null && !age.Null && !job.Null {
					table.rows[0] = row
					return
				}
			}
		}
	}
}

// A release with an empty cut, a cut that lacks parts, or regions of another kind or other
// columns is refused.
func TestVerifyRefusesCuts(t *testing.T) {
	dir := releasedPeople(t, peopleJob)
	table := readTable(t, filepath.Join(dir, "out.parquet"))
	regional, _ := releasedRegions(t)
	forged := filepath.Join(dir, "forged.parquet")
	of := func(dir string, change func(*cutfile.File)) string {
		cut := cutOf(t, dir)
		change(cut)
		return textOf(t, cut)
	}
	regions := func(text string) string {
		return strings.Replace(string(cutOf(t, regional).Raw), `"regions":[[`, `"regions":[[`+text, 1)
	}
	for name, text := range map[string]string{
		"no JSON":        "cut",
		"empty":          "{}",
		"version":        of(dir, func(c *cutfile.File) { c.Version = 9 }),
		"no sets":        of(dir, func(c *cutfile.File) { c.Sets = nil }),
		"no columns":     of(dir, func(c *cutfile.File) { c.Sets, c.Columns = nil, nil }),
		"empty set":      of(dir, func(c *cutfile.File) { c.Sets[0].Columns = nil }),
		"unknown mask":   of(dir, func(c *cutfile.File) { c.Columns[0].Mask = "paint" }),
		"k of 0":         of(dir, func(c *cutfile.File) { c.Sets[0].K = 0 }),
		"unknown column": of(dir, func(c *cutfile.File) { c.Sets[0].Columns[0] = "x" }),
		"null":           "null",
		"column twice": of(dir, func(c *cutfile.File) {
			c.Columns = append(c.Columns, c.Columns[0])
		}),
		"no regions":   of(regional, func(c *cutfile.File) { c.Regions = nil }),
		"no kind":      of(regional, func(c *cutfile.File) { c.Kind = "" }),
		"another kind": of(regional, func(c *cutfile.File) { c.Kind = "spheres" }),
		"a label less": of(regional, func(c *cutfile.File) {
			c.Regions[3] = c.Regions[3][1:]
		}),
		"a label more": of(regional, func(c *cutfile.File) {
			c.Regions[3] = append(c.Regions[3], 0)
		}),
		"an unknown label": of(regional, func(c *cutfile.File) {
			c.Regions[3][0] = uint32(len(c.Columns[0].Cut))
		}),
		"a label too large": of(regional, func(c *cutfile.File) { c.Regions[3][0] = 1<<32 - 1 }),
		"a negative label":  regions("-"),
		"half a label":      regions("0."),
		"a text":            regions(`"a",`),
	} {
		table.encode(t, forged, map[string]string{cutfile.Key: text}, 0, len(table.rows), 2000)
		if v, err := verified(t, forged); v != nil || fault.ClassOf(err) != fault.Input {
			t.Errorf("%s: got %+v, %v of class %d", name, v, err, fault.ClassOf(err))
		}
	}
	table.encode(t, forged, nil, 0, len(table.rows), 2000)
	_, err := verified(t, forged)
	mustFail(t, err, fault.Input, "has no kcut.cut metadata")
}

func TestVerifyTruncated(t *testing.T) {
	dir := releasedPeople(t, peopleJob)
	whole := mustRead(t, filepath.Join(dir, "out.parquet"))
	broken := filepath.Join(dir, "broken.parquet")
	for size := 0; size < len(whole); size += 1 + len(whole)/200 {
		write(t, broken, string(whole[:size]))
		if v, err := verified(t, broken); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%d of %d bytes: got %+v, %v", size, len(whole), v, err)
		}
	}
}

// A flipped bit before the footer is an error or a finding, in any column. Some flipped bits in
// the footer pass: in the name of the algorithm and the number of steps in the cut, in a k within
// the anonymity, and in types and names of kept columns. A release that passes still has every k,
// and only labels of the cut.
func TestVerifyFlipped(t *testing.T) {
	dir := releasedPeople(t, peopleJob)
	whole := mustRead(t, filepath.Join(dir, "out.parquet"))
	j := mustLoad(t, dir)
	broken := filepath.Join(dir, "broken.parquet")
	tail := len(whole) - 8
	footer := tail - int(binary.LittleEndian.Uint32(whole[tail:]))
	passed := 0
	for at := 0; at < len(whole); at += 1 + len(whole)/1000 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		write(t, broken, string(flipped))
		v, err := verified(t, broken)
		switch class := fault.ClassOf(err); {
		case err == nil && v.OK && at < footer:
			t.Errorf("byte %d: nothing found", at)
		case err == nil && v.OK:
			passed++
			for i, set := range j.Sets { // another k passes, within the anonymity
				if v.Sets[i].Anonymity < uint64(set.K) {
					t.Errorf("byte %d: set %d has anonymity %d", at, i+1, v.Sets[i].Anonymity)
				}
			}
		case err == nil, class != fault.Input && class != fault.Privacy:
			t.Errorf("byte %d: got %+v, %v", at, v, err)
		}
	}
	t.Logf("%d flips passed, all in the footer", passed)
}

// writeManifest replaces the manifest of a directory.
func writeManifest(t *testing.T, out string, m *fileset.Manifest) {
	t.Helper()
	text, err := m.Text()
	must(t, err)
	likeManifest(t, out, 0, string(text), func(*testTable, map[string]string) {})
}

// likeManifest replaces the manifest of a directory by a number of rows of its first part, under
// a text, with the change applied.
func likeManifest(
	t *testing.T, out string, rows int, text string, change func(*testTable, map[string]string),
) {
	t.Helper()
	parts, err := fileset.Parts(t.Context(), out)
	must(t, err)
	table, metadata := readTable(t, parts[0]), map[string]string{release.ManifestKey: text}
	class := &table.fields[len(table.fields)-1]
	class.Nullable, class.Declared = false, nil // readers let any column have nulls
	change(table, metadata)
	table.encode(t, filepath.Join(out, fileset.ManifestFile), metadata, 0, rows, 100)
}

// manifestOf returns the text of a directory's manifest.
func manifestOf(t *testing.T, out string) string {
	t.Helper()
	m, err := fileset.ReadManifest(t.Context(), out)
	must(t, err)
	text, err := m.Text()
	must(t, err)
	return string(text)
}

func TestVerifyDirectory(t *testing.T) {
	remove := func(t *testing.T, path string) {
		must(t, os.Remove(path))
	}
	manifest := func(change func(*fileset.Manifest)) func(*testing.T, string, string) {
		return func(t *testing.T, out, _ string) {
			m, err := fileset.ReadManifest(t.Context(), out)
			must(t, err)
			change(m)
			writeManifest(t, out, m)
		}
	}
	for _, tt := range []struct {
		change func(t *testing.T, out, second string)
		want   []string // nil: it is sound
	}{
		{func(*testing.T, string, string) {}, nil},
		{func(t *testing.T, out, _ string) { remove(t, filepath.Join(out, fileset.ManifestFile)) },
			nil},
		{func(t *testing.T, _, second string) {
			remove(t, second)
		}, []string{"rows, its cut claims 2,000"}},
		{func(t *testing.T, out, _ string) { remove(t, filepath.Join(out, "_SUCCESS")) },
			[]string{"has no _SUCCESS"}},
		{manifest(func(m *fileset.Manifest) { m.Parts[0].Name = "part-1.parquet" }),
			[]string{"its manifest lists other parts"}},
		{manifest(func(m *fileset.Manifest) { m.Parts = m.Parts[1:] }),
			[]string{"its manifest lists other parts"}},
		{manifest(func(m *fileset.Manifest) { m.Parts[1].Bytes++ }),
			[]string{"part-00001.parquet: its manifest claims another size"}},
		{manifest(func(m *fileset.Manifest) { m.Parts[1].SHA256 = m.Parts[0].SHA256 }),
			[]string{"part-00001.parquet: its manifest claims other bytes"}},
		{manifest(func(m *fileset.Manifest) { m.Parts[0].Rows++ }),
			[]string{"its manifest has another number of rows than its cut"}},
		{manifest(func(m *fileset.Manifest) { m.Rows-- }),
			[]string{"its manifest has another number of rows than its cut"}},
		{manifest(func(m *fileset.Manifest) { m.Version++ }),
			[]string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) {
			write(t, filepath.Join(out, fileset.ManifestFile), `{"version":1,"rows":2000,"parts":[],"name":"Anna"}`)
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) { // rows of its own
			likeManifest(t, out, 1, manifestOf(t, out), func(*testTable, map[string]string) {})
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) { // a column of its own
			likeManifest(t, out, 0, manifestOf(t, out),
				func(table *testTable, _ map[string]string) { table.fields[0].Name = "Anna" })
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) { // a text of its own
			likeManifest(t, out, 0, manifestOf(t, out),
				func(_ *testTable, metadata map[string]string) { metadata["name"] = "Anna" })
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) { // as it was once
			write(t, filepath.Join(out, "_manifest.json"), manifestOf(t, out))
			remove(t, filepath.Join(out, fileset.ManifestFile))
		}, nil},
		{func(t *testing.T, out, _ string) { // both
			write(t, filepath.Join(out, "_manifest.json"), manifestOf(t, out))
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) {
			write(t, filepath.Join(out, "_manifest.json"), manifestOf(t, out)+" ")
			remove(t, filepath.Join(out, fileset.ManifestFile))
		}, []string{"its manifest is not of the form that kcut writes"}},
		{func(t *testing.T, out, _ string) { write(t, filepath.Join(out, "_SUCCESS"), "Alice") },
			[]string{"has a _SUCCESS that is not empty"}},
		{func(t *testing.T, out, _ string) {
			must(t, os.Mkdir(filepath.Join(out, "a=Alice"), 0o700))
		}, []string{"has a folder without parts"}},
		{func(t *testing.T, _, second string) {
			must(t, os.Rename(second, filepath.Join(filepath.Dir(second), "part-Alice.parquet")))
		}, []string{"has parts that are not numbered one after the other, from " +
			"part-00000.parquet on"}},
		{func(t *testing.T, out, second string) {
			must(t, os.Rename(second, filepath.Join(out, fileset.PartName(7))))
		}, []string{"has parts that are not numbered one after the other, from " +
			"part-00000.parquet on"}},
		{
			func(t *testing.T, out, _ string) {
				write(t, filepath.Join(out, "people.csv"), "name")
			},
			[]string{"holds people.csv, which is no part of a release"},
		},
		{func(t *testing.T, out, second string) {
			f := readRelease(t, second)
			f.cut.Steps++
			f.write(t, second)
		}, []string{"part-00001.parquet: its cut differs from the first part's"}},
		{func(t *testing.T, _, second string) {
			table := readTable(t, second)
			table.encode(t, second, nil, 0, len(table.rows), 100)
		}, []string{"part-00001.parquet: its cut differs from the first part's"}},
	} {
		t.Run(fmt.Sprint(tt.want), func(t *testing.T) {
			dir := releasedPeople(t, outputIs("{path: out/, row_group_rows: 100}"))
			out := filepath.Join(dir, "out")
			tt.change(t, out, filepath.Join(out, fileset.PartName(1)))
			mustFind(t, out, tt.want...)
		})
	}
	_, err := verified(t, t.TempDir())
	mustFail(t, err, fault.Input, "no part files")
}

// Verification does not accept the JSON of a cut alone as a release.
func TestVerifyCutFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.json")
	text, err := json.Marshal(&cutfile.File{Version: cutfile.Version,
		Sets:    []cutfile.Set{{Columns: []string{"a"}, K: 2}},
		Columns: cutfile.Columns{{Name: "a", Mask: job.MaskSuppress}}})
	must(t, err)
	write(t, path, string(text))
	if v, err := verified(t, path); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %+v, %v", v, err)
	}
}

// releasedRegions makes a folder with a release of people in regions with overlapping labels, and
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

// Verification finds a release whose labels are all in its cut, but in combinations that are no
// regions.
func TestVerifyFindsStrangeRegions(t *testing.T) {
	dir, cut := releasedRegions(t)
	mustFindForgeries(t, dir, []forgery{
		{"nothing", func(*forged) {}, nil},
		{"labels that do not go together", func(f *forged) {
			for i, number := range strangeRegion(cut) {
				label := append(cut.Columns[i].Cut, cutfile.Label{Label: "*"})[number]
				if label.Null {
					label.Label = null
				}
				f.set(0, cut.Columns[i].Name, label.Label)
			}
		}, []string{"it has labels that are no region of its cut in 1 record"}},
		{"a region gone", func(f *forged) { f.cut.Regions = f.cut.Regions[1:] },
			[]string{"it has labels that are no region of its cut in"}},
		{
			"an empty region more", func(f *forged) {
				f.cut.Regions = append(f.cut.Regions, strangeRegion(f.cut))
			},
			[]string{"its cut has 1 region without a record"},
		},
	}...)
}

// strangeRegion returns a combination of labels that is no region.
func strangeRegion(c *cutfile.File) cutfile.Region {
	region := slices.Clone(c.Regions[0])
	for a := range region {
		for label := range c.Columns[a].Cut {
			region[a] = uint32(label)
			if !slices.ContainsFunc(c.Regions, func(r cutfile.Region) bool {
				return slices.Equal(r, region)
			}) {
				return region
			}
		}
	}
	return region
}

// The mark of suppressed values, "*", is also the root of generated taxonomies.
func TestDescribedPositions(t *testing.T) {
	const job = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [zip, job], k: 2}]
columns: {zip: {mask: generalize, taxonomy: {prefix: [1]}}, job: suppress}
algorithm: mondrian
`
	table := &testTable{fields: textFields("zip", "job")}
	for _, row := range []string{"11 cook", "12 cook", "11 judge", "31 judge", "41 nurse",
		"51 clerk"} {
		table.rows = append(table.rows, strings.Fields(row))
	}
	if a := mustRelease(t, table.folder(t, job, 10), 0); a.cut.Columns[0].Cut[0].Label != "*" {
		t.Errorf("no region with the root: %+v", a.cut)
	}
}

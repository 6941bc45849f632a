package pipeline

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// releasedPeople runs a job over people and returns its folder, and the release as a table
// that can be written again.
func releasedPeople(t *testing.T, text string) (string, *testTable) {
	t.Helper()
	dir := jobFolder(t, text)
	people(rand.New(rand.NewPCG(1, 2)), 2000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 2000, 500)
	mustRun(t, dir, nil)
	job, err := loadJob(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, readTable(t, job.Output.Path)
}

// outputIs returns the people job with another output.
func outputIs(output string) string {
	return strings.Replace(peopleJob, "output: out.parquet", "output: "+output, 1)
}

// readTable reads a release as a table.
func readTable(tb testing.TB, path string) *testTable {
	tb.Helper()
	g := readGrid(tb, &job.Job{Input: []string{path}})
	table := &testTable{}
	for _, field := range g.fields {
		table.fields = append(table.fields, formats.Field{Name: field.Name, Type: field.Type, Nullable: true})
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

func cloneRows(rows [][]string) [][]string {
	clone := make([][]string, len(rows))
	for i, row := range rows {
		clone[i] = slices.Clone(row)
	}
	return clone
}

// set gives a cell another text.
func (t *testTable) set(row int, column, text string) { t.rows[row][t.index(column)] = text }

func (t *testTable) index(column string) int {
	return slices.IndexFunc(t.fields, func(f formats.Field) bool { return f.Name == column })
}

// rename replaces the first field of a name.
func (t *testTable) rename(from, to string) { t.fields[t.index(from)].Name = to }

// embedded returns the metadata of a release.
func embedded(t *testing.T, path string) map[string]string {
	t.Helper()
	cut, err := cutfile.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{cutfile.Key: string(cut.Raw)}
}

// edit changes the embedded cut.
func edit(t *testing.T, metadata map[string]string, change func(*cutfile.File)) {
	t.Helper()
	cut, err := cutfile.Parse([]byte(metadata[cutfile.Key]))
	if err != nil {
		t.Fatal(err)
	}
	change(cut)
	text, err := cutfile.Marshal(cut)
	if err != nil {
		t.Fatal(err)
	}
	metadata[cutfile.Key] = string(text)
}

// mustFind verifies a release that somebody tampered with.
func mustFind(t *testing.T, path string, want ...string) {
	t.Helper()
	v, err := verify.Release(t.Context(), path, job.Limits{}, verify.Watch{})
	if err == nil || v == nil || v.OK || fault.ClassOf(err) != fault.Privacy {
		t.Fatalf("got %+v, %v", v, err)
	}
	all := strings.Join(v.Findings, "\n")
	for _, text := range want {
		if !strings.Contains(all, text) {
			t.Errorf("found\n%s\nwant %q", all, text)
		}
	}
	if want == nil {
		t.Errorf("found\n%s", all)
	}
}

func TestVerifyFinds(t *testing.T) {
	dir, sound := releasedPeople(t, peopleJob)
	path := filepath.Join(dir, "out.parquet")
	metadata := embedded(t, path)
	cut, _ := cutfile.Read(t.Context(), path)
	ages, jobs := cut.Columns[1].Cut, cut.Columns[2]
	if len(ages) < 2 || jobs.Name != "job" {
		t.Fatalf("this release tells too little: %+v", cut)
	}
	for _, tt := range []struct {
		name   string
		tamper func(*testTable, map[string]string)
		want   []string // nil: it is sound
	}{
		{"nothing", func(*testTable, map[string]string) {}, nil},
		{"k broken", func(table *testTable, _ map[string]string) { loneRow(table, cut) }, []string{"quasi-identifier set 1: anonymity 1 is below k = 5"}},
		{"foreign label", func(table *testTable, _ map[string]string) {
			for row := range table.rows {
				if table.rows[row][table.index("city")] == "Europe" || row < 10 {
					table.set(row, "city", "Atlantis")
				}
			}
		}, []string{"column city, row group 0: 1 dictionary entries that are no labels of the cut"}},
		{"foreign null", func(table *testTable, _ map[string]string) { table.rows[3][table.index("job")] = null }, []string{"column job, row group 0: 1 nulls, which the cut does not hold"}},
		{"foreign metadata", func(_ *testTable, m map[string]string) { m["pandas"] = "{}" }, []string{"metadata besides kcut.cut"}},
		{"more anonymity claimed", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Sets[0].Anonymity++ })
		}, []string{"quasi-identifier set 1: anonymity"}},
		{"less anonymity claimed", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Sets[1].Anonymity-- })
		}, []string{"quasi-identifier set 2: anonymity"}},
		{"a k claimed that is one too large", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Sets[0].K = int(c.Sets[0].Anonymity) + 1 })
		}, []string{fmt.Sprintf("anonymity %d is below k = %d", cut.Sets[0].Anonymity, cut.Sets[0].Anonymity+1)}},
		{"an interval's end moved", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Columns[1].Cut[0].Upper = json.RawMessage("1") })
		}, []string{"column age: an interval of its cut has other ends than its label"}},
		{"a key more", func(_ *testTable, m map[string]string) {
			m[cutfile.Key] = strings.Replace(m[cutfile.Key], "{", `{"names":["Ada"],`, 1)
		}, []string{"its cut is not of the form that kcut writes"}},
		{"another class", func(_ *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Class = "wealth" })
		}, []string{"the cut speaks of column wealth, which is not there"}},
		{"column gone", func(table *testTable, _ map[string]string) { table.rename("job", "profession") }, []string{"the cut speaks of column job, which is not there"}},
		{"row gone", func(table *testTable, _ map[string]string) { table.rows = table.rows[1:] }, []string{"it has 1,999 rows, its cut claims 2,000"}},
		{"row twice", func(table *testTable, _ map[string]string) { table.rows = append(table.rows, table.rows[0]) }, []string{"it has 2,001 rows"}},
		{"no rows", func(table *testTable, _ map[string]string) { table.rows = nil }, []string{"it has 0 rows", "anonymity 0 is below k = 5"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := &testTable{fields: slices.Clone(sound.fields), rows: cloneRows(sound.rows)}
			m := maps.Clone(metadata)
			tt.tamper(table, m)
			forged := filepath.Join(dir, "forged.parquet")
			table.encode(t, forged, m, 0, len(table.rows), 300)
			if tt.want != nil {
				mustFind(t, forged, tt.want...)
			} else if v, err := verify.Release(t.Context(), forged, job.Limits{}, verify.Watch{}); err != nil || !v.OK || len(v.Findings) > 0 {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
}

// loneRow gives a row a combination of labels that no other has, each of them from the cut.
func loneRow(table *testTable, cut *cutfile.File) {
	counts := make(map[string]int)
	key := func(row []string) string {
		return fmt.Sprint(row[table.index("city")], row[table.index("age")], row[table.index("job")])
	}
	for _, row := range table.rows {
		counts[key(row)]++
	}
	for _, city := range cut.Columns[0].Cut {
		for _, age := range cut.Columns[1].Cut {
			for _, job := range append(cut.Columns[2].Cut, cutfile.Label{Label: cut.Columns[2].Suppressed}) {
				row := slices.Clone(table.rows[0])
				row[table.index("city")], row[table.index("age")], row[table.index("job")] = city.Label, age.Label, job.Label
				if counts[key(row)] == 0 && !city.Null && !age.Null && !job.Null {
					table.rows[0] = row
					return
				}
			}
		}
	}
}

// A cut that says nothing, or too little, makes no release.
func TestVerifyRefusesCuts(t *testing.T) {
	dir, table := releasedPeople(t, peopleJob)
	forged := filepath.Join(dir, "forged.parquet")
	sound := embedded(t, filepath.Join(dir, "out.parquet"))[cutfile.Key]
	change := func(change func(*cutfile.File)) string {
		m := map[string]string{cutfile.Key: sound}
		edit(t, m, change)
		return m[cutfile.Key]
	}
	for name, text := range map[string]string{
		"no JSON":        "cut",
		"empty":          "{}",
		"version":        change(func(c *cutfile.File) { c.Version = 9 }),
		"no sets":        change(func(c *cutfile.File) { c.Sets = nil }),
		"no columns":     change(func(c *cutfile.File) { c.Sets, c.Columns = nil, nil }),
		"empty set":      change(func(c *cutfile.File) { c.Sets[0].Columns = nil }),
		"unknown mask":   change(func(c *cutfile.File) { c.Columns[0].Mask = "paint" }),
		"k of 0":         change(func(c *cutfile.File) { c.Sets[0].K = 0 }),
		"unknown column": change(func(c *cutfile.File) { c.Sets[0].Columns[0] = "x" }),
		"null":           "null",
		"column twice":   change(func(c *cutfile.File) { c.Columns = append(c.Columns, c.Columns[0]) }),
	} {
		table.encode(t, forged, map[string]string{cutfile.Key: text}, 0, len(table.rows), 2000)
		v, err := verify.Release(t.Context(), forged, job.Limits{}, verify.Watch{})
		if v != nil || fault.ClassOf(err) != fault.Input {
			t.Errorf("%s: got %+v, %v of class %d", name, v, err, fault.ClassOf(err))
		}
	}
	table.encode(t, forged, nil, 0, len(table.rows), 2000)
	if _, err := verify.Release(t.Context(), forged, job.Limits{}, verify.Watch{}); fault.ClassOf(err) != fault.Input || !strings.Contains(err.Error(), "has no kcut.cut metadata") {
		t.Errorf("no cut: %v", err)
	}
}

func TestVerifyTruncated(t *testing.T) {
	dir, _ := releasedPeople(t, peopleJob)
	whole, err := os.ReadFile(filepath.Join(dir, "out.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.parquet")
	for size := 0; size < len(whole); size += 1 + len(whole)/200 {
		write(t, broken, string(whole[:size]))
		if v, err := verify.Release(context.Background(), broken, job.Limits{}, verify.Watch{}); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%d of %d bytes: got %+v, %v", size, len(whole), v, err)
		}
	}
}

// A flipped bit before the footer is an error or a finding, whatever column it is in. In the
// footer some pass: the algorithm and the number of steps that the cut names, a k that stays
// within the anonymity, types and extreme values of kept columns, and what readers ignore
// (version, name of the schema, lists of encodings, offsets and totals of row groups). What
// passes still has every k, and labels of the cut only.
func TestVerifyFlipped(t *testing.T) {
	dir, _ := releasedPeople(t, peopleJob)
	whole, err := os.ReadFile(filepath.Join(dir, "out.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := loadJob(dir)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.parquet")
	tail := len(whole) - 8
	footer := tail - int(binary.LittleEndian.Uint32(whole[tail:]))
	passed := 0
	for at := 0; at < len(whole); at += 1 + len(whole)/1000 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		write(t, broken, string(flipped))
		v, err := verify.Release(context.Background(), broken, job.Limits{}, verify.Watch{})
		switch class := fault.ClassOf(err); {
		case err == nil && v.OK && at < footer:
			t.Errorf("byte %d: nothing found", at)
		case err == nil && v.OK:
			passed++
			stillAnonymous(t, j, broken)
		case err == nil, class != fault.Input && class != fault.Privacy:
			t.Errorf("byte %d: got %+v, %v", at, v, err)
		}
	}
	t.Logf("%d flips passed, all in the footer", passed)
}

// stillAnonymous counts the sets of a release again.
func stillAnonymous(t *testing.T, job *job.Job, path string) {
	t.Helper()
	cut, err := cutfile.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	a := &audit{TB: t, job: job, cut: cut, source: &grid{rows: int(cut.Rows)}}
	var names []string
	for _, column := range cut.Columns {
		names = append(names, column.Name)
	}
	a.labels = readLabels(t, path, names)
	a.checkSets()
}

func TestVerifyDirectory(t *testing.T) {
	parts := func(t *testing.T) (string, []string) {
		dir, _ := releasedPeople(t, outputIs("{path: out/, row_group_rows: 100}"))
		out := filepath.Join(dir, "out")
		list, err := fileset.Parts(t.Context(), out)
		if err != nil || len(list) < 2 {
			t.Fatalf("parts %v, %v", list, err)
		}
		return out, list
	}
	t.Run("sound", func(t *testing.T) {
		out, _ := parts(t)
		if v, err := verify.Release(t.Context(), out, job.Limits{}, verify.Watch{}); err != nil || !v.OK {
			t.Errorf("got %+v, %v", v, err)
		}
	})
	t.Run("part gone", func(t *testing.T) {
		out, list := parts(t)
		if err := os.Remove(list[1]); err != nil {
			t.Fatal(err)
		}
		mustFind(t, out, "rows, its cut claims 2,000")
	})
	t.Run("not complete", func(t *testing.T) {
		out, _ := parts(t)
		if err := os.Remove(filepath.Join(out, "_SUCCESS")); err != nil {
			t.Fatal(err)
		}
		mustFind(t, out, "has no _SUCCESS")
	})
	for _, tt := range []struct {
		find   string
		change func(*fileset.Manifest)
	}{
		{"its manifest lists other parts", func(m *fileset.Manifest) { m.Parts[0].Name = "part-1.parquet" }},
		{"its manifest lists other parts", func(m *fileset.Manifest) { m.Parts = m.Parts[1:] }},
		{"part-00001.parquet: its manifest claims another size", func(m *fileset.Manifest) { m.Parts[1].Bytes++ }},
		{"part-00001.parquet: its manifest claims other bytes", func(m *fileset.Manifest) { m.Parts[1].SHA256 = m.Parts[0].SHA256 }},
		{"its manifest has another number of rows than its cut", func(m *fileset.Manifest) { m.Parts[0].Rows++ }},
		{"its manifest has another number of rows than its cut", func(m *fileset.Manifest) { m.Rows-- }},
		{"its manifest is not of the form that kcut writes", func(m *fileset.Manifest) { m.Version++ }},
	} {
		t.Run(tt.find, func(t *testing.T) {
			out, _ := parts(t)
			m, err := fileset.ReadManifest(t.Context(), out)
			if err != nil {
				t.Fatal(err)
			}
			tt.change(m)
			text, err := m.Text()
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(out, fileset.ManifestFile), string(text))
			mustFind(t, out, tt.find)
		})
	}
	t.Run("a value in the manifest", func(t *testing.T) {
		out, _ := parts(t)
		write(t, filepath.Join(out, fileset.ManifestFile), `{"version":1,"rows":2000,"parts":[],"name":"Anna"}`)
		mustFind(t, out, "its manifest is not of the form that kcut writes")
	})
	t.Run("no manifest", func(t *testing.T) {
		out, _ := parts(t)
		if err := os.Remove(filepath.Join(out, fileset.ManifestFile)); err != nil {
			t.Fatal(err)
		}
		if v, err := verify.Release(t.Context(), out, job.Limits{}, verify.Watch{}); err != nil || !v.OK {
			t.Errorf("got %+v, %v", v, err)
		}
	})
	t.Run("a foreign file", func(t *testing.T) {
		out, _ := parts(t)
		write(t, filepath.Join(out, "people.csv"), "name")
		mustFind(t, out, "holds people.csv, which is no part of a release")
	})
	t.Run("another cut", func(t *testing.T) {
		out, list := parts(t)
		metadata := embedded(t, out)
		edit(t, metadata, func(c *cutfile.File) { c.Steps++ })
		table := readTable(t, list[1])
		table.encode(t, list[1], metadata, 0, len(table.rows), 100)
		mustFind(t, out, "part-00001.parquet: its cut differs from the first part's")
	})
	t.Run("no cut", func(t *testing.T) {
		out, list := parts(t)
		table := readTable(t, list[1])
		table.encode(t, list[1], nil, 0, len(table.rows), 100)
		mustFind(t, out, "part-00001.parquet: its cut differs from the first part's")
	})
	t.Run("no parts", func(t *testing.T) {
		if _, err := verify.Release(t.Context(), t.TempDir(), job.Limits{}, verify.Watch{}); fault.ClassOf(err) != fault.Input {
			t.Errorf("got %v", err)
		}
	})
}

// A release cannot hide behind the JSON of a cut alone.
func TestVerifyCutFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.json")
	text, err := json.Marshal(&cutfile.File{Version: cutfile.Version, Sets: []cutfile.Set{{Columns: []string{"a"}, K: 2}}, Columns: cutfile.Columns{{Name: "a", Mask: job.MaskSuppress}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(text))
	if v, err := verify.Release(t.Context(), path, job.Limits{}, verify.Watch{}); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %+v, %v", v, err)
	}
}

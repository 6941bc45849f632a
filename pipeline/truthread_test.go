package pipeline

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// readByArrow reads a release like readReleased, but with arrow-go, which shares nothing with
// kcut's reader. Columns of folder names come first, by name.
func readByArrow(tb testing.TB, path string, cut *cutfile.File) *grid {
	tb.Helper()
	g := &grid{TB: tb}
	must(tb, filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".parquet" {
			return err
		}
		columns, err := formatstest.ReadParquet(file, func(name string) bool {
			return slices.ContainsFunc(cut.Columns, func(c cutfile.Column) bool {
				return c.Name == name && c.Render == job.RenderInterval
			})
		})
		if err != nil {
			return err
		}
		inside, _ := filepath.Rel(path, file)
		var folders []formatstest.TextColumn
		for folder := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(inside)), "/") {
			if name, label, ok := strings.Cut(folder, "="); ok {
				folders = append(folders, folderColumn(tb, name, label, len(columns[0].Codes)))
			}
		}
		slices.SortFunc(folders, func(a, b formatstest.TextColumn) int {
			return strings.Compare(a.Name, b.Name)
		})
		columns = slices.Concat(folders, columns)
		g.add(columns)
		return nil
	}))
	return g
}

// folderColumn is the column of a hive partition with a given number of rows.
func folderColumn(tb testing.TB, name, label string, rows int) formatstest.TextColumn {
	tb.Helper()
	unescape := func(text string) string {
		text, err := url.PathUnescape(text)
		must(tb, err)
		return text
	}
	c := formatstest.TextColumn{Field: formats.Field{Name: unescape(name), Type: textType}}
	if label == "__HIVE_DEFAULT_PARTITION__" {
		c.Codes = make([]uint32, rows)
		return c
	}
	c.Texts, c.Codes = []string{unescape(label)}, slices.Repeat([]uint32{1}, rows)
	return c
}

// add adds the rows of a file.
func (g *grid) add(columns []formatstest.TextColumn) {
	if g.columns == nil {
		g.columns = make([]textColumn, len(columns))
		for i := range columns {
			g.fields = append(g.fields, columns[i].Field)
		}
	}
	for i := range columns {
		c := &g.columns[i]
		if columns[i].Name != g.fields[i].Name || columns[i].Type != g.fields[i].Type {
			g.Fatalf("a file has %+v, another one %+v", columns[i].Field, g.fields[i])
		}
		own := []uint32{c.code("", true)}
		for _, text := range columns[i].Texts {
			own = append(own, c.code(text, false))
		}
		for _, code := range columns[i].Codes {
			c.codes = append(c.codes, own[code])
		}
	}
	g.rows += len(columns[0].Codes)
}

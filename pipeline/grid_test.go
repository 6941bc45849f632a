package pipeline

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/job"
)

// grid is a table as the texts of its cells, column by column.
type grid struct {
	fields  []formats.Field
	columns []textColumn
	rows    int
}

// textColumn holds one column: codes[row] is a position in texts, whose first is the null.
type textColumn struct {
	texts []string
	codes []uint32
	known map[string]uint32
}

func (c *textColumn) code(text string, isNull bool) uint32 {
	if c.known == nil {
		c.known, c.texts = make(map[string]uint32), []string{null}
	}
	if isNull {
		return 0
	}
	code, ok := c.known[text]
	if !ok {
		code = uint32(len(c.texts))
		c.known[text], c.texts = code, append(c.texts, text)
	}
	return code
}

// at returns the text of a row, or null.
func (c *textColumn) at(row int) string { return c.texts[c.codes[row]] }

// readGrid reads all flat columns of the files that a job reads.
func readGrid(tb testing.TB, job *job.Job) *grid {
	tb.Helper()
	dataset, err := dataset.Open(context.Background(), job.Input, formats.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer dataset.Close()
	g := &grid{fields: dataset.Schema().Fields}
	g.columns = make([]textColumn, len(g.fields))
	var requests []formats.Request
	for i, field := range g.fields {
		if field.Type.Kind != formats.Nested {
			requests = append(requests, formats.Request{Column: i, Coded: true})
		}
	}
	for _, split := range dataset.Splits() {
		if err := g.read(dataset, split, requests); err != nil {
			tb.Fatal(err)
		}
	}
	return g
}

func (g *grid) read(dataset *dataset.Dataset, split formats.Split, requests []formats.Request) (err error) {
	ctx := context.Background()
	reader, err := dataset.Read(ctx, split, requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		g.rows += batch.Rows
		for i, request := range requests {
			g.columns[request.Column].append(batch.Columns[i])
		}
	}
}

// append adds the rows of a coded column.
func (c *textColumn) append(from *formats.Column) {
	own := make([]uint32, 1, from.Values.Len()+1)
	for i := range from.Values.Len() {
		own = append(own, c.code(from.Values.Text(i), false))
	}
	c.code("", true)
	for _, code := range from.Codes {
		c.codes = append(c.codes, own[code])
	}
}

// column returns a column by its name, or nil.
func (g *grid) column(name string) *textColumn {
	for i := range g.fields {
		if g.fields[i].Name == name {
			return &g.columns[i]
		}
	}
	return nil
}

package sample

import (
	"context"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// batchRows is how many people are made column by column at a time: few enough to
// stay in the processor's cache.
const batchRows = 4096

// writeParquet writes people as Parquet, a block a row group.
func writeParquet(ctx context.Context, file io.Writer, opt Options) error {
	people := newPeople(opt.Seed)
	columns := people.columns()
	var output []writer.Column
	for _, c := range columns {
		output = append(output, writer.Column{Field: c.Field})
	}
	encoders, err := writer.NewPageEncoders(writer.Options{})
	if err != nil {
		return err
	}
	w, err := writer.New(file, output, nil)
	if err != nil {
		return err
	}
	encode := func(first int64, rows int) (*writer.EncodedRowGroup, error) {
		group, err := encoders.NewRowGroup(output)
		if err != nil {
			return nil, err
		}
		batch := newBatch(columns)
		for done := 0; done < rows; done += batchRows {
			n := min(batchRows, rows-done)
			people.fill(batch, columns, first+int64(done), n)
			for i := range batch {
				if err := group.Append(i, &batch[i], 0, n); err != nil {
					return nil, err
				}
			}
		}
		return group.Encode()
	}
	if err := writeBlocks(ctx, opt, encode, w.Write); err != nil {
		return err
	}
	return w.Close()
}

// newBatch returns room for some people by column: codes of a domain, or values of their own.
func newBatch(columns []column) []formats.Column {
	batch := make([]formats.Column, len(columns))
	for i, c := range columns {
		if c.own == nil {
			batch[i] = formats.Column{Values: c.values, Codes: make([]uint32, batchRows)}
			continue
		}
		batch[i] = formats.Column{Values: &formats.Values{Type: c.Type}, Valid: make([]bool, batchRows)}
		for row := range batchRows {
			batch[i].Valid[row] = true
		}
	}
	return batch
}

// fill makes n people.
func (p *people) fill(batch []formats.Column, columns []column, first int64, n int) {
	for i := range batch {
		if c := &batch[i]; c.Codes == nil {
			c.Values.Words, c.Values.Ends, c.Values.Data = c.Values.Words[:0], c.Values.Ends[:0], c.Values.Data[:0]
		}
	}
	var h person
	for row := range n {
		p.make(first+int64(row), &h)
		for i := range batch {
			values := batch[i].Values
			switch {
			case columns[i].own == nil && h.null[i]:
				batch[i].Codes[row] = 0
			case columns[i].own == nil:
				batch[i].Codes[row] = h.value[i] + 1
			case values.Type.InWords():
				values.Words = append(values.Words, formats.IntWord(h.row+1))
			default:
				values.Data = columns[i].own(values.Data, &h)
				values.Ends = append(values.Ends, uint32(len(values.Data)))
			}
		}
	}
}

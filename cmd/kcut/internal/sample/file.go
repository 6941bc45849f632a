package sample

import (
	"context"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// writeCSV writes people as CSV. No value of the sample needs quotes; nulls are empty.
func writeCSV(ctx context.Context, w io.Writer, opt Options) error {
	people := newPeople(opt.Seed)
	var header []byte
	for _, c := range people.Columns {
		header = append(append(header, c.Name...), ',')
	}
	header[len(header)-1] = '\n'
	if _, err := w.Write(header); err != nil {
		return err
	}
	encode := func(first int64, rows int) ([]byte, error) {
		const usualLine = 192 // bytes
		text := make([]byte, 0, rows*usualLine)
		var h person
		for row := range rows {
			people.make(first+int64(row), &h)
			for i, c := range people.Columns {
				switch {
				case c.domain == nil:
					text = people.appendOwn(text, i, &h)
				case !h.null[i]:
					text = append(text, c.Values[h.value[i]]...)
				}
				text = append(text, ',')
			}
			text[len(text)-1] = '\n'
		}
		return text, nil
	}
	return writeBlocks(ctx, opt, encode, func(text []byte) error {
		_, err := w.Write(text)
		return err
	})
}

// batchRows is the number of people that are made column by column at a time: few enough to stay in
// the processor's cache.
const batchRows = 4096

// writeParquet writes people as Parquet, with a block for each row group.
func writeParquet(ctx context.Context, file io.Writer, opt Options) error {
	people := newPeople(opt.Seed)
	var output []writer.Column
	for _, c := range people.Columns {
		output = append(output, writer.Column{Field: c.field})
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
		batch := make([]formats.Column, numColumns)
		for done := 0; done < rows; done += batchRows {
			n := min(batchRows, rows-done)
			people.fill(batch, first+int64(done), n)
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

// fill makes n people by column: codes of a domain, or unique values.
func (p *people) fill(batch []formats.Column, first int64, n int) {
	for i, c := range p.Columns {
		to := &batch[i]
		to.Codes = to.Codes[:0]
		switch {
		case c.domain != nil:
			to.Values = c.domain
		case to.Values == nil:
			to.Values = &formats.Values{Type: c.field.Type}
		default:
			to.Values = to.Values.Emptied()
		}
	}
	var h person
	for row := range n {
		p.make(first+int64(row), &h)
		for i, c := range p.Columns {
			to := &batch[i]
			switch {
			case h.null[i]:
				to.Codes = append(to.Codes, 0)
			case c.domain != nil:
				to.Codes = append(to.Codes, h.value[i]+1)
			default:
				if i == colID {
					to.Values.Words = append(to.Values.Words, formats.IntWord(h.row+1))
				} else {
					to.Values.Data = p.appendOwn(to.Values.Data, i, &h)
					to.Values.Ends = append(to.Values.Ends, uint32(len(to.Values.Data)))
				}
				to.Codes = append(to.Codes, uint32(to.Values.Len()))
			}
		}
	}
}

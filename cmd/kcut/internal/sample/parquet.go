package sample

import (
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// batchRows is how many people are made column by column at a time: few enough to
// stay in the processor's cache.
const batchRows = 4096

// parquetWriter writes people as Parquet, a block a row group.
type parquetWriter struct {
	people   *people
	columns  []column
	output   []writer.Column
	writer   *writer.Writer
	encoders *writer.PageEncoders
}

func newParquet(w io.Writer, p *people) (*parquetWriter, error) {
	s := &parquetWriter{people: p, columns: p.columns()}
	for _, c := range s.columns {
		s.output = append(s.output, writer.Column{Field: c.Field})
	}
	var err error
	if s.encoders, err = writer.NewPageEncoders(writer.Options{}); err != nil {
		return nil, err
	}
	s.writer, err = writer.New(w, s.output, nil)
	return s, err
}

func (s *parquetWriter) encode(first int64, rows int) (block, error) {
	group, err := s.encoders.NewRowGroup(s.output)
	if err != nil {
		return block{}, err
	}
	batch := s.newBatch()
	for done := 0; done < rows; done += batchRows {
		n := min(batchRows, rows-done)
		s.fill(batch, first+int64(done), n)
		for i := range batch {
			if err := group.Append(i, &batch[i], 0, n); err != nil {
				return block{}, err
			}
		}
	}
	encoded, err := group.Encode()
	return block{rows: rows, group: encoded}, err
}

func (s *parquetWriter) write(b block) error { return s.writer.Write(b.group) }

func (s *parquetWriter) close() error { return s.writer.Close() }

// newBatch returns room for some people by column: codes of a domain, or values of their own.
func (s *parquetWriter) newBatch() []formats.Column {
	batch := make([]formats.Column, len(s.columns))
	for i, c := range s.columns {
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
func (s *parquetWriter) fill(batch []formats.Column, first int64, n int) {
	for i := range batch {
		if c := &batch[i]; c.Codes == nil {
			c.Values.Words, c.Values.Ends, c.Values.Data = c.Values.Words[:0], c.Values.Ends[:0], c.Values.Data[:0]
		}
	}
	var h person
	for row := range n {
		s.people.make(first+int64(row), &h)
		for i := range batch {
			values := batch[i].Values
			switch {
			case s.columns[i].own == nil && h.null[i]:
				batch[i].Codes[row] = 0
			case s.columns[i].own == nil:
				batch[i].Codes[row] = h.value[i] + 1
			case values.Type.InWords():
				values.Words = append(values.Words, formats.IntWord(h.row+1))
			default:
				values.Data = s.columns[i].own(values.Data, &h)
				values.Ends = append(values.Ends, uint32(len(values.Data)))
			}
		}
	}
}

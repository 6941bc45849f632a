package sample

import (
	"io"
	"sync"

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
	batches  sync.Pool // of *batch
}

func newParquet(w io.Writer, p *people) (*parquetWriter, error) {
	s := &parquetWriter{people: p, columns: p.columns()}
	for _, c := range s.columns {
		s.output = append(s.output, writer.Column{
			Field: formats.Field{Name: c.name, Type: c.kind, Nullable: c.nullable},
		})
	}
	s.batches.New = func() any { return newBatch(s.columns) }
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
	batch := s.batches.Get().(*batch)
	defer s.batches.Put(batch)
	for done := 0; done < rows; done += batchRows {
		n := min(batchRows, rows-done)
		batch.fill(s.people, s.columns, first+int64(done), n)
		for i := range batch.columns {
			if err := group.Append(i, &batch.columns[i], 0, n); err != nil {
				return block{}, err
			}
		}
	}
	encoded, err := group.Encode()
	return block{rows: rows, group: encoded}, err
}

func (s *parquetWriter) write(b block) error { return s.writer.Write(b.group) }

func (s *parquetWriter) close() error { return s.writer.Close() }

// batch holds some people by column.
type batch struct {
	columns []formats.Column
	valid   []bool // all true
}

func newBatch(columns []column) *batch {
	b := &batch{columns: make([]formats.Column, len(columns)), valid: make([]bool, batchRows)}
	for i := range b.valid {
		b.valid[i] = true
	}
	for i, c := range columns {
		b.columns[i].Values = c.values
		if c.text != nil {
			b.columns[i].Values = &formats.Values{Type: c.kind}
		}
	}
	return b
}

// fill makes n people. Columns of a domain come as codes, the others as plain values.
func (b *batch) fill(p *people, columns []column, first int64, n int) {
	b.clear(columns, n)
	var h person
	for row := range n {
		p.make(first+int64(row), &h)
		for i := range columns {
			c := &columns[i]
			values := b.columns[i].Values
			switch {
			case c.code != nil:
				b.columns[i].Codes[row] = c.code(&h)
			case c.kind.InWords():
				values.Words = append(values.Words, signedWord(h.row+1))
			default:
				values.Data = c.text(values.Data, &h)
				values.Ends = append(values.Ends, uint32(len(values.Data)))
			}
		}
	}
}

func (b *batch) clear(columns []column, n int) {
	for i := range columns {
		c := &b.columns[i]
		if columns[i].code != nil {
			c.Codes = append(c.Codes[:0], make([]uint32, n)...)
			continue
		}
		c.Valid = b.valid[:n]
		c.Values.Words, c.Values.Ends, c.Values.Data = c.Values.Words[:0], c.Values.Ends[:0], c.Values.Data[:0]
	}
}

package sample

import "io"

// csvWriter writes people as CSV. No value of the sample needs quotes; nulls are empty.
type csvWriter struct {
	people  *people
	columns []column
	w       io.Writer
}

func newCSV(w io.Writer, p *people) (*csvWriter, error) {
	s := &csvWriter{people: p, columns: p.columns(), w: w}
	var header []byte
	for _, c := range s.columns {
		header = append(append(header, c.Name...), ',')
	}
	header[len(header)-1] = '\n'
	_, err := w.Write(header)
	return s, err
}

func (s *csvWriter) encode(first int64, rows int) (block, error) {
	const usualLine = 192 // bytes
	text := make([]byte, 0, rows*usualLine)
	var h person
	for row := range rows {
		s.people.make(first+int64(row), &h)
		for i := range s.columns {
			switch c := &s.columns[i]; {
			case c.own != nil:
				text = c.own(text, &h)
			case !h.null[i]:
				text = append(text, c.texts[h.value[i]]...)
			}
			text = append(text, ',')
		}
		text[len(text)-1] = '\n'
	}
	return block{rows: rows, text: text}, nil
}

func (s *csvWriter) write(b block) error {
	_, err := s.w.Write(b.text)
	return err
}

func (s *csvWriter) close() error { return nil }

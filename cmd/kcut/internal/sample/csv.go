package sample

import (
	"context"
	"io"
)

// writeCSV writes people as CSV. No value of the sample needs quotes; nulls are empty.
func writeCSV(ctx context.Context, w io.Writer, opt Options) error {
	people := newPeople(opt.Seed)
	columns := people.columns()
	var header []byte
	for _, c := range columns {
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
			for i := range columns {
				switch c := &columns[i]; {
				case c.own != nil:
					text = c.own(text, &h)
				case !h.null[i]:
					text = append(text, c.texts[h.value[i]]...)
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

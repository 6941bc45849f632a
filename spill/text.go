package spill

import "bytes"

// AppendText appends a text to a row in an encoding that keeps the order of texts and in which no
// text is a prefix of another: a one follows each zero of the text, and two zeros end it.
func AppendText(row, text []byte) []byte {
	for {
		zero := bytes.IndexByte(text, 0)
		if zero < 0 {
			return append(append(row, text...), 0, 0)
		}
		row = append(append(row, text[:zero+1]...), 1)
		text = text[zero+1:]
	}
}

// TextLength returns the number of bytes of the text at the start of a row.
func TextLength(row []byte) int { return bytes.Index(row, []byte{0, 0}) + 2 }

// ParseText appends to a slice the text that AppendText has encoded.
func ParseText(to, text []byte) []byte {
	text = text[:len(text)-2]
	for {
		zero := bytes.IndexByte(text, 0)
		if zero < 0 {
			return append(to, text...)
		}
		to = append(to, text[:zero+1]...)
		text = text[zero+2:]
	}
}

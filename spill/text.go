package spill

import "bytes"

// AppendText appends a text to a row, so that rows are in the order of their texts there and no text begins another: a zero in
// it is followed by a one, and two zeros end it.
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

// TextLength returns how many bytes the text takes that a row begins with.
func TextLength(row []byte) int { return bytes.Index(row, []byte{0, 0}) + 2 }

// ParseText appends a text that AppendText has appended.
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

package spill

import "encoding/binary"

// RowHeadBytes is what a row takes of a chunk beside its bytes, at least.
const RowHeadBytes = 2

// AppendRow appends n rows that are equal to those of a chunk: how many there are, the length of
// the row, and its bytes.
func AppendRow(chunk, row []byte, n int64) []byte {
	chunk = binary.AppendUvarint(chunk, uint64(n))
	chunk = binary.AppendUvarint(chunk, uint64(len(row)))
	return append(chunk, row...)
}

// FirstRow returns the first row of a chunk, how many there are of it, and the bytes behind it, or
// ErrCorrupt.
func FirstRow(chunk []byte) (row []byte, n int64, rest []byte, err error) {
	count, a := binary.Uvarint(chunk)
	length, b := binary.Uvarint(chunk[max(a, 0):])
	if n = int64(count); a <= 0 || b <= 0 || n <= 0 || length > uint64(len(chunk)-a-b) {
		return nil, 0, nil, ErrCorrupt
	}
	from, end := a+b, a+b+int(length)
	return chunk[from:end:end], n, chunk[end:], nil
}

// EachRow calls visit with the rows of a chunk, and how many there are of each.
func EachRow(chunk []byte, visit func(row []byte, n int64) error) error {
	for len(chunk) > 0 {
		row, n, rest, err := FirstRow(chunk)
		if err == nil {
			err = visit(row, n)
		}
		if err != nil {
			return err
		}
		chunk = rest
	}
	return nil
}

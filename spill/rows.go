package spill

import "encoding/binary"

// RowHeadBytes is the smallest number of bytes that a row takes in a chunk in addition to its own.
const RowHeadBytes = 2

// AppendRow appends n equal rows to a chunk: their number, the length of the row, and its bytes.
func AppendRow(chunk, row []byte, n int64) []byte {
	chunk = binary.AppendUvarint(chunk, uint64(n))
	chunk = binary.AppendUvarint(chunk, uint64(len(row)))
	return append(chunk, row...)
}

// FirstRow returns the first row of a chunk, the number of equal rows, and the bytes behind it, or
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

// EachRow calls visit with the rows of a chunk and the number of equal rows for each.
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

package spill

import "encoding/binary"

// AppendRow appends n rows that are equal to those of a chunk: how many there are, the length of
// the row, and its bytes.
func AppendRow(chunk, row []byte, n int64) []byte {
	chunk = binary.AppendUvarint(chunk, uint64(n))
	chunk = binary.AppendUvarint(chunk, uint64(len(row)))
	return append(chunk, row...)
}

// firstRow returns the first row of a chunk, how many there are of it, and the bytes behind it. The
// count is 0 when the chunk does not begin with a row.
func firstRow(chunk []byte) (row []byte, n int64, rest []byte) {
	count, a := binary.Uvarint(chunk)
	if a <= 0 || int64(count) <= 0 {
		return nil, 0, chunk
	}
	length, b := binary.Uvarint(chunk[a:])
	if b <= 0 || length > uint64(len(chunk)-a-b) {
		return nil, 0, chunk
	}
	end := a + b + int(length)
	return chunk[a+b : end : end], int64(count), chunk[end:]
}

// EachRow calls visit with the rows of a chunk, and how many there are of each.
func EachRow(chunk []byte, visit func(row []byte, n int64) error) error {
	for len(chunk) > 0 {
		row, n, rest := firstRow(chunk)
		if n == 0 {
			return ErrCorrupt
		}
		if err := visit(row, n); err != nil {
			return err
		}
		chunk = rest
	}
	return nil
}

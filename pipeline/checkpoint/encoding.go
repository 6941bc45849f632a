package checkpoint

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
)

// ErrNone is returned if there is no file, or if the reader cannot use the file.
var ErrNone = errors.New("no whole checkpoint of this job, input and version")

// sumBytes is the size of the hash at the end.
const sumBytes = 8

// heldBytes is the number of new bytes after which Encode calls hold.
const heldBytes = 64 << 10

// Encode returns a head, the blocks that fill adds, each behind its length, and a hash of
// everything before. Encode calls hold with the number of new bytes while the result grows; hold
// may be nil.
func Encode(
	head string, hold func(bytes int64) error, fill func(add func(block []byte) error) error,
) ([]byte, error) {
	encoded, held := []byte(head), 0
	err := fill(func(block []byte) error {
		encoded = append(binary.AppendUvarint(encoded, uint64(len(block))), block...)
		n := len(encoded) - held
		if hold == nil || n < heldBytes {
			return nil
		}
		held += n
		return hold(int64(n))
	})
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(encoded, xxhash.Sum64(encoded)), nil
}

// Decode calls take with the blocks that Encode got together with the same head. The blocks share
// the memory of encoded. Decode returns ErrNone if encoded is damaged or has another head. Else it
// returns the first error of take.
func Decode(encoded []byte, head string, take func(block []byte) error) error {
	n := len(encoded) - sumBytes
	if n < len(head) || string(encoded[:len(head)]) != head ||
		binary.LittleEndian.Uint64(encoded[n:]) != xxhash.Sum64(encoded[:n]) {
		return ErrNone
	}
	for rest := encoded[len(head):n]; len(rest) > 0; {
		length, used := binary.Uvarint(rest)
		if used <= 0 || length > uint64(len(rest)-used) {
			return ErrNone
		}
		end := used + int(length)
		if err := take(rest[used:end:end]); err != nil {
			return err
		}
		rest = rest[end:]
	}
	return nil
}

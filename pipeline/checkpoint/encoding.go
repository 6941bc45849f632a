package checkpoint

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
)

// ErrNone is returned when there is no file, or nothing that the reader may go on from.
var ErrNone = errors.New("no whole checkpoint of this job, input and version")

// sumBytes is what a hash of all that comes before takes at the end.
const sumBytes = 8

// heldBytes are taken before hold is called.
const heldBytes = 64 << 10

// Encode returns a head, the blocks that fill adds, each behind its length, and a hash of all that. Hold is called with the bytes
// that are taken while blocks become more; it may be nil.
func Encode(head string, hold func(bytes int64) error, fill func(add func(block []byte) error) error) ([]byte, error) {
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

// Decode calls take with the blocks that Encode was given for the same head. They are part of what is decoded. It returns ErrNone
// when that is damaged or has another head, and otherwise the first error of take.
func Decode(encoded []byte, head string, take func(block []byte) error) error {
	n := len(encoded) - sumBytes
	if n < len(head) || string(encoded[:len(head)]) != head || binary.LittleEndian.Uint64(encoded[n:]) != xxhash.Sum64(encoded[:n]) {
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

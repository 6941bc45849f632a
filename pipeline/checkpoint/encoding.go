package checkpoint

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/cespare/xxhash/v2"
)

// ErrNone is returned when there is no file, or nothing that the reader may go on from.
var ErrNone = errors.New("no whole checkpoint of this job, input and version")

// sumBytes is what a hash of all that comes before takes at the end.
const sumBytes = 8

// Encode returns a head, what is filled in, and a hash of both. Hold is told how many bytes more
// are taken while they are written; nil: nobody asks.
func Encode(head string, hold func(bytes int64) error, fill func(*Writer)) ([]byte, error) {
	w := &Writer{bytes: []byte(head), hold: hold}
	fill(w)
	if w.err != nil {
		return nil, w.err
	}
	return binary.LittleEndian.AppendUint64(w.bytes, xxhash.Sum64(w.bytes)), nil
}

// Decode reads what Encode has returned for the same head. It returns ErrNone when that is damaged
// or has another head, and otherwise what take returns.
func Decode(encoded []byte, head string, take func(*Reader) error) error {
	n := len(encoded) - sumBytes
	if n < len(head) || string(encoded[:len(head)]) != head || binary.LittleEndian.Uint64(encoded[n:]) != xxhash.Sum64(encoded[:n]) {
		return ErrNone
	}
	r := &Reader{rest: encoded[len(head):n]}
	err := take(r)
	if r.err != nil {
		return r.err
	}
	return err
}

// Writer writes values. After an error, which Encode returns, it does nothing.
type Writer struct {
	bytes []byte
	hold  func(bytes int64) error
	held  int // of the bytes
	err   error
}

// heldBytes are taken before anybody is told.
const heldBytes = 64 << 10

// grown tells whoever asks what has been written.
func (w *Writer) grown() {
	if n := len(w.bytes) - w.held; w.hold != nil && w.err == nil && n >= heldBytes {
		w.held += n
		w.err = w.hold(int64(n))
	}
}

// Err returns the first error. Long lists ask for it.
func (w *Writer) Err() error { return w.err }

// Fail makes Encode return an error, unless there was one.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Uint writes a number: an unsigned varint (encoding/binary).
func (w *Writer) Uint(v uint64) {
	if w.err == nil {
		w.bytes = binary.AppendUvarint(w.bytes, v)
		w.grown()
	}
}

// Bool writes a yes or no: 1 or 0.
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint(1)
	} else {
		w.Uint(0)
	}
}

// Bytes writes some bytes behind their number.
func (w *Writer) Bytes(v []byte) {
	w.Uint(uint64(len(v)))
	if w.err == nil {
		w.bytes = append(w.bytes, v...)
		w.grown()
	}
}

// String writes a text.
func (w *Writer) String(v string) { w.Bytes([]byte(v)) }

// List writes the elements of a list behind their number.
func List[T any](w *Writer, v []T, write func(T)) {
	w.Uint(uint64(len(v)))
	for _, element := range v {
		write(element)
	}
}

// Numbers writes a list of whole numbers that are not negative.
func Numbers[T uint32 | uint64 | int | int32](w *Writer, v []T) {
	List(w, v, func(n T) { w.Uint(uint64(n)) })
}

// Reader reads values in the order in which they were written. After an error, which Decode
// returns, all values are zero.
type Reader struct {
	rest []byte
	err  error
}

// Err returns the first error. Loops that the numbers bound ask for it.
func (r *Reader) Err() error { return r.err }

// Fail ends the reading: there is not what was to be read.
func (r *Reader) Fail() {
	r.rest = nil
	if r.err == nil {
		r.err = ErrNone
	}
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// Int reads a number that an int holds.
func (r *Reader) Int() int {
	v := r.Uint()
	if v > math.MaxInt {
		r.Fail()
		return 0
	}
	return int(v)
}

// Bool reads a yes or no.
func (r *Reader) Bool() bool { return r.Uint() != 0 }

// Bytes reads some bytes, which are part of what is decoded.
func (r *Reader) Bytes() []byte {
	n := r.Int()
	if n > len(r.rest) {
		r.Fail()
		return nil
	}
	v := r.rest[:n:n]
	r.rest = r.rest[n:]
	return v
}

// String reads a text.
func (r *Reader) String() string { return string(r.Bytes()) }

// ReadList reads what List wrote.
func ReadList[T any](r *Reader, read func() T) (v []T) {
	for n := r.Int(); n > 0 && r.err == nil; n-- {
		v = append(v, read())
	}
	return v
}

// ReadNumbers reads what Numbers wrote.
func ReadNumbers[T uint32 | uint64 | int | int32](r *Reader) []T {
	return ReadList(r, func() T { return T(r.Uint()) })
}

package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
)

// ErrNone is returned when there is no file, or no state that the reader may go on from.
var ErrNone = errors.New("no whole checkpoint of this job, input and version")

// Key says what a state is of: only who would do the very same may read it.
type Key [sha256.Size]byte

// magic begins a state file; it ends with the version of the form.
const magic = "kcut state 1\n"

// blockBytes is about how much is hashed and written at a time.
const blockBytes = 256 << 10

const blockHead = 4 + 8

// Save writes a state in one step. The context can stop it.
func (f *Folder) Save(ctx context.Context, name string, key Key, fill func(*Writer)) error {
	err := f.write(name, func(to io.Writer) error { return Write(ctx, to, magic+string(key[:]), fill) })
	if err != nil {
		return fmt.Errorf("save checkpoint %s in %s: %w", name, f.path, err)
	}
	return nil
}

// Write writes a head and then the blocks of what is filled in. The context can stop it.
func Write(ctx context.Context, to io.Writer, head string, fill func(*Writer)) error {
	w := &Writer{ctx: ctx, to: to, block: make([]byte, blockHead, blockHead+blockBytes+1024)}
	w.write([]byte(head))
	fill(w)
	return w.end()
}

// Load reads a state. It returns ErrNone when there is none of that name and key, or it is
// damaged, and otherwise what take returns.
func (f *Folder) Load(name string, key Key, take func(*Reader) error) error {
	err := f.read(name, func(file io.ReaderAt, size int64) error {
		return Read(io.NewSectionReader(file, 0, size), magic+string(key[:]), take)
	})
	if err != nil {
		return fmt.Errorf("load checkpoint %s from %s: %w", name, f.path, err)
	}
	return nil
}

// Read reads what Write has written with the same head. It returns ErrNone when that is damaged or
// has another head, and otherwise what take returns.
func Read(from io.Reader, head string, take func(*Reader) error) error {
	r, begin := &Reader{from: from}, make([]byte, len(head))
	if _, err := io.ReadFull(r.from, begin); err != nil || string(begin) != head {
		return ErrNone
	}
	err := take(r)
	if r.err != nil {
		return r.err
	}
	return err
}

// Writer writes the values of a state. After an error, which Save returns, it does nothing.
type Writer struct {
	ctx    context.Context
	to     io.Writer
	block  []byte // with room for its head
	number uint64
	err    error
}

// Err returns the first error. Long lists ask for it.
func (w *Writer) Err() error { return w.err }

// Fail makes Save return an error, unless there was one.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

// room ends the block if it is full.
func (w *Writer) room() {
	if len(w.block) >= blockHead+blockBytes {
		w.flush()
	}
}

func (w *Writer) flush() {
	w.Fail(w.ctx.Err())
	bytes := w.block[blockHead:]
	binary.LittleEndian.PutUint32(w.block, uint32(len(bytes)))
	binary.LittleEndian.PutUint64(w.block[4:], blockSum(w.number, bytes))
	w.write(w.block)
	w.number++
	w.block = w.block[:blockHead]
}

func (w *Writer) end() error {
	w.flush()
	return w.err
}

// blockSum hashes a block and its number, so that blocks cannot stand for each other.
func blockSum(number uint64, bytes []byte) uint64 {
	hash := xxhash.New()
	hash.Write(binary.LittleEndian.AppendUint64(nil, number))
	hash.Write(bytes)
	return hash.Sum64()
}

// Uint writes a number.
func (w *Writer) Uint(v uint64) {
	w.block = binary.AppendUvarint(w.block, v)
	w.room()
}

// Bool writes a yes or no.
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint(1)
	} else {
		w.Uint(0)
	}
}

// Float writes the bits of a number.
func (w *Writer) Float(v float64) { w.Uint(math.Float64bits(v)) }

// Bytes writes some bytes.
func (w *Writer) Bytes(v []byte) {
	w.Uint(uint64(len(v)))
	for len(v) > 0 {
		n := min(len(v), blockBytes)
		w.block = append(w.block, v[:n]...)
		v = v[n:]
		w.room()
	}
}

// String writes a text.
func (w *Writer) String(v string) { w.Bytes([]byte(v)) }

// Strings writes texts.
func (w *Writer) Strings(v []string) {
	w.Uint(uint64(len(v)))
	for _, text := range v {
		w.String(text)
	}
}

// Numbers writes a list of whole numbers that are not negative.
func Numbers[T uint32 | uint64 | int | int32](w *Writer, v []T) {
	w.Uint(uint64(len(v)))
	for _, n := range v {
		w.Uint(uint64(n))
	}
}

// Floats writes a list of numbers.
func (w *Writer) Floats(v []float64) {
	w.Uint(uint64(len(v)))
	for _, n := range v {
		w.Float(n)
	}
}

// Reader reads the values of a state in the order in which they were written. After an error,
// which Load returns, all values are zero.
type Reader struct {
	from   io.Reader
	block  []byte
	at     int
	number uint64
	err    error
}

// Err returns the first error. Loops that a state's numbers bound ask for it.
func (r *Reader) Err() error { return r.err }

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.block, r.at = nil, 0
}

// next reads a block. Anything but a whole one, there must be another, is a damaged state.
func (r *Reader) next() {
	var head [blockHead]byte
	if r.err != nil {
		return
	}
	if _, err := io.ReadFull(r.from, head[:]); err != nil {
		r.damaged(err)
		return
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > 2*blockBytes {
		r.damaged(nil)
		return
	}
	if cap(r.block) < int(n) {
		r.block = make([]byte, n, 2*blockBytes)
	}
	r.block, r.at = r.block[:n], 0
	if _, err := io.ReadFull(r.from, r.block); err != nil {
		r.damaged(err)
		return
	}
	if binary.LittleEndian.Uint64(head[4:]) != blockSum(r.number, r.block) {
		r.damaged(nil)
	}
	r.number++
}

// damaged fails with ErrNone when the file ends too early or is not what was written, with
// the disk's error otherwise.
func (r *Reader) damaged(err error) {
	if err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("block %d is damaged: %w", r.number, ErrNone)
	}
	r.fail(err)
}

// Uint reads a number.
func (r *Reader) Uint() (v uint64) {
	for shift := 0; ; shift += 7 {
		if r.at == len(r.block) {
			r.next()
		}
		if r.err != nil {
			return 0
		}
		b := r.block[r.at]
		r.at++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 || shift > 56 {
			return v
		}
	}
}

// Int reads a number that an int holds.
func (r *Reader) Int() int { return int(r.Uint()) }

// Bool reads a yes or no.
func (r *Reader) Bool() bool { return r.Uint() != 0 }

// Float reads the bits of a number.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Uint()) }

// Bytes reads some bytes and appends them to a slice.
func (r *Reader) Bytes(to []byte) []byte {
	for n := r.Int(); n > 0 && r.err == nil; {
		if r.at == len(r.block) {
			r.next()
			continue
		}
		part := min(n, len(r.block)-r.at)
		to = append(to, r.block[r.at:r.at+part]...)
		r.at += part
		n -= part
	}
	return to
}

// String reads a text.
func (r *Reader) String() string { return string(r.Bytes(nil)) }

// Strings reads texts.
func (r *Reader) Strings() (v []string) {
	for n := r.Int(); n > 0 && r.err == nil; n-- {
		v = append(v, r.String())
	}
	return v
}

// ReadNumbers reads a list that Numbers wrote.
func ReadNumbers[T uint32 | uint64 | int | int32](r *Reader) (v []T) {
	for n := r.Int(); n > 0 && r.err == nil; n-- {
		v = append(v, T(r.Uint()))
	}
	return v
}

// Floats reads a list of numbers.
func (r *Reader) Floats() (v []float64) {
	for n := r.Int(); n > 0 && r.err == nil; n-- {
		v = append(v, r.Float())
	}
	return v
}

package parquetfile

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

func free(int64) error { return nil }

func TestDeltas(t *testing.T) {
	r := formatstest.Rand(t)
	for shift := range 64 {
		values := make([]int64, r.IntN(1000))
		for i := range values {
			values[i] = int64(r.Uint64()) >> shift
		}
		encoded, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, values)
		must(t, err)
		c := cells{data: append(encoded, "rest"...), hold: free}
		got, err := c.readDeltas(0, len(values))
		if err != nil || !slices.Equal(got, values) || string(c.data) != "rest" {
			t.Fatalf("seed %d: shift %d: other values, or %d bytes left: %v", formatstest.Seed, shift, len(c.data), err)
		}
	}
}

func TestDeltasDamaged(t *testing.T) {
	number := func(n uint64) []byte { return append(binary.AppendUvarint([]byte{128, 1, 4}, n), 0) }
	for name, data := range map[string][]byte{
		"nothing":             {},
		"no miniblocks":       {128, 1, 0, 5, 0},
		"odd miniblocks":      {128, 1, 3, 5, 0},
		"endless miniblocks":  append(binary.AppendUvarint([]byte{128, 1}, 1<<59), 5, 0),
		"block of 32":         {32, 1, 5, 0, 0, 0},
		"too many values":     number(math.MaxInt32),
		"far too many values": number(math.MaxUint64),
		"more than entries":   {128, 1, 4, 101, 0, 0, 0, 0, 0, 0},
		"block cut":           {128, 1, 4, 5, 0, 2, 1},
		"width of 65":         {128, 1, 4, 5, 0, 2, 65, 0, 0, 0},
		"miniblock cut":       {128, 1, 4, 5, 0, 2, 64, 0, 0, 0, 1, 2},
	} {
		c := cells{data: data, hold: free}
		if _, err := c.readDeltas(0, 100); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

// What decoded numbers take is agreed to before it is taken.
func TestDeltasAreHeld(t *testing.T) {
	encoded, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, make([]int64, 1000))
	must(t, err)
	errMuch := errors.New("too much")
	c := cells{data: encoded, hold: func(bytes int64) error {
		if bytes != 8000 {
			t.Errorf("%d bytes for 1000 numbers", bytes)
		}
		return errMuch
	}}
	if got, err := c.readDeltas(0, 1000); !errors.Is(err, errMuch) || got != nil {
		t.Errorf("%d numbers, %v", len(got), err)
	}
}

// Prefixes that make a page out of all proportion are refused before it is made.
func TestPrefixesAreAddedUp(t *testing.T) {
	const values, size = 300, 1 << 20
	lists := [2][]int64{make([]int64, values), make([]int64, values)} // prefixes, lengths
	lists[1][0] = size
	for i := 1; i < values; i++ {
		lists[0][i] = size
	}
	var data []byte
	for _, list := range lists {
		encoded, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, list)
		must(t, err)
		data = append(data, encoded...)
	}
	held := int64(0)
	c := cells{physical: format.ByteArray, hold: func(bytes int64) error { held = bytes; return nil }}
	if err := c.reset(append(data, make([]byte, size)...), format.DeltaByteArray, values); !errors.Is(err, formats.ErrUnsupported) || held > size {
		t.Errorf("%v, %d bytes held", err, held)
	}
}

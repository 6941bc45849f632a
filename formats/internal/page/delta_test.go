package page

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/schema"
)

// leafOf returns a leaf of required values of a type.
func leafOf(physical format.Type) *schema.Leaf {
	return &schema.Leaf{SchemaElement: &format.SchemaElement{Type: thrift.New(physical)}}
}

func TestDeltas(t *testing.T) {
	random := formatstest.Rand(t)
	for shift := range 64 {
		values := make([]int64, random.IntN(1000))
		for i := range values {
			values[i] = int64(random.Uint64()) >> shift
		}
		encoded, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		var r Reader
		got, rest, err := r.readDeltas(0, append(encoded, "rest"...), len(values))
		if err != nil || !slices.Equal(got, values) || string(rest) != "rest" {
			t.Fatalf("seed %d: shift %d: other values, or %d bytes left: %v", formatstest.Seed,
				shift, len(rest), err)
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
		if _, _, err := new(Reader).readDeltas(0, data, 100); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

// The memory of decoded numbers is requested before it is allocated.
func TestDeltasAreHeld(t *testing.T) {
	encoded, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, make([]int64, 1000))
	if err != nil {
		t.Fatal(err)
	}
	errMuch := errors.New("too much")
	r := Reader{Hold: func(bytes int64) error {
		if bytes != 8000 {
			t.Errorf("%d bytes for 1000 numbers", bytes)
		}
		return errMuch
	}}
	if got, _, err := r.readDeltas(0, encoded, 1000); !errors.Is(err, errMuch) || got != nil {
		t.Errorf("%d numbers, %v", len(got), err)
	}
}

// Prefixes that make a page disproportionately large are refused before it is allocated.
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
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, encoded...)
	}
	held := int64(0)
	r := Reader{Leaf: leafOf(format.ByteArray), Hold: func(bytes int64) error {
		held = bytes
		return nil
	}}
	if err := r.beginValues(append(data, make([]byte, size)...), format.DeltaByteArray,
		values); !errors.Is(err, formats.ErrUnsupported) || held > size {
		t.Errorf("%v, %d bytes held", err, held)
	}
}

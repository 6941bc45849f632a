package writer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/schema"
)

// TestRowGroupReuse: rows that a row group encoded before have no effect.
func TestRowGroupReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for _, tc := range typeCases {
		first := randomTable(r, tc.typ, tc.make, 3000, 3000, 0.2)
		second := randomTable(r, tc.typ, tc.make, 1000, 50, 0.2)
		columns := []Column{second.output(false)}
		var files [2][]byte
		for i, before := range []bool{false, true} {
			g := newGroup(t, Options{}, columns...)
			if before {
				encodeRows(t, g, first.plainColumn(0, 3000))
			}
			must(t, g.Append(0, second.codedColumn(r, 0, 1000), 0, 1000))
			files[i] = writeFile(t, columns, nil, g)
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: a used row group encodes other bytes than a new one", tc.name)
		}
	}
}

// TestEqualLabels gives several codes one label: the dictionary has it once.
func TestEqualLabels(t *testing.T) {
	column := Column{
		Field:  formats.Field{Name: "x", Type: formats.Type{Kind: formats.String}},
		Masked: true,
	}
	several := oneColumn(t, Options{}, column,
		&formats.Column{Values: labelsOf("*", "*", "Sales", "*"), Codes: []uint32{4, 2, 3, 1}})
	one := oneColumn(t, Options{}, column,
		&formats.Column{Values: labelsOf("*", "Sales"), Codes: []uint32{1, 1, 2, 1}})
	if !bytes.Equal(several, one) {
		t.Error("equal labels under different codes give other bytes")
	}
}

func TestStatistics(t *testing.T) {
	float, text := formats.Type{Kind: formats.Float, Bits: 64}, formats.Type{Kind: formats.String}
	negative := math.Copysign(0, -1)
	words := func(f ...float64) (w []uint64) {
		for _, x := range f {
			w = append(w, ordered(x))
		}
		return w
	}
	long := bytes.Repeat([]byte("x"), 65)
	for _, tc := range []struct {
		name   string
		typ    formats.Type
		words  []uint64
		bytes  [][]byte
		lo, hi string
		none   bool
	}{
		{
			name:  "floats",
			typ:   float,
			words: words(2, -1, 1),
			lo:    le64(math.Float64bits(-1)),
			hi:    le64(math.Float64bits(2)),
		},
		{name: "NaN", typ: float, words: words(2, math.NaN(), 1), none: true},
		{
			name:  "negative NaN",
			typ:   float,
			words: words(2, math.Copysign(math.NaN(), -1), 1),
			none:  true,
		},
		{
			name:  "infinities",
			typ:   float,
			words: words(math.Inf(1), math.Inf(-1)),
			lo:    le64(math.Float64bits(math.Inf(-1))),
			hi:    le64(math.Float64bits(math.Inf(1))),
		},
		{
			name:  "zeros",
			typ:   float,
			words: words(0, 0),
			lo:    le64(math.Float64bits(negative)),
			hi:    le64(0),
		},
		{
			name:  "negative zeros",
			typ:   float,
			words: words(negative, negative),
			lo:    le64(math.Float64bits(negative)),
			hi:    le64(0),
		},
		{
			name:  "int32",
			typ:   formats.Type{Kind: formats.Int, Bits: 32},
			words: []uint64{signed(-5), signed(3)},
			lo:    le32(math.MaxUint32 - 4),
			hi:    le32(3),
		},
		{
			name:  "uint32",
			typ:   formats.Type{Kind: formats.Uint, Bits: 32},
			words: []uint64{math.MaxUint32, 3},
			lo:    le32(3),
			hi:    le32(math.MaxUint32),
		},
		{
			name:  "texts",
			typ:   text,
			bytes: [][]byte{[]byte("b"), []byte("ab"), []byte("é")},
			lo:    "ab",
			hi:    "é",
		},
		{name: "empty text", typ: text, bytes: [][]byte{[]byte("b"), {}}, lo: "", hi: "b"},
		{name: "long text", typ: text, bytes: [][]byte{[]byte("b"), long}, none: true},
		{
			name:  "long text in the middle",
			typ:   text,
			bytes: [][]byte{[]byte("b"), long, []byte("y")},
			lo:    "b",
			hi:    "y",
		},
		{
			name:  "int96",
			typ:   formats.Type{Kind: formats.Timestamp, Wide: true},
			bytes: [][]byte{make([]byte, 12)},
			none:  true,
		},
	} {
		v := &formats.Values{Type: tc.typ, Words: tc.words}
		for _, b := range tc.bytes {
			v.AppendBytes(b)
		}
		lo, hi, nulls := statisticsOf(t, v, tc.typ)
		if nulls != 2 {
			t.Errorf("%s: %d nulls, want 2", tc.name, nulls)
		}
		if tc.none && (lo != nil || hi != nil) {
			t.Errorf("%s: bounds %q and %q, want none", tc.name, lo, hi)
		}
		if !tc.none && (lo == nil || hi == nil || string(lo) != tc.lo || string(hi) != tc.hi) {
			t.Errorf("%s: bounds %q and %q, want %q and %q", tc.name, lo, hi, tc.lo, tc.hi)
		}
	}
}

// statisticsOf writes the values and two nulls, and reads the footer.
func statisticsOf(t *testing.T, v *formats.Values, typ formats.Type) (lo, hi []byte, nulls int64) {
	t.Helper()
	field := formats.Field{Name: "x", Type: typ, Nullable: true}
	if typ.Kind == formats.Timestamp {
		field.Declared = schema.Elements(int96Elements())
	}
	codes := []uint32{0, 0}
	for i := range v.Len() {
		codes = append(codes, uint32(i+1))
	}
	b := oneColumn(t, Options{}, Column{Field: field}, &formats.Column{Values: v, Codes: codes})
	f, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	s := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
	return s.MinValue, s.MaxValue, s.NullCount
}

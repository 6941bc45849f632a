package writer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

func TestWriteDeclared(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, tc := range declaredCases {
		t.Run(tc.name, func(t *testing.T) {
			x := randomTable(r, tc.typ, tc.make, 1000, 40, 0.1)
			x.elements = tc.elements
			checkRoundTrip(t, r, x, "seed 11")
		})
	}
}

// TestWriteRoundTrip writes every type in every shape and size, and reads it by two independent
// libraries.
func TestWriteRoundTrip(t *testing.T) {
	const seed = 7
	sizes := []int{0, 1, 2, 7, 8, 9, 63, 64, 65, 700}
	for _, tc := range typeCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(len(tc.name))))
			for _, rows := range sizes {
				for _, nulls := range []float64{0, 0.3, 1} {
					for _, pool := range []int{1, 30, 1000} {
						x := randomTable(r, tc.typ, tc.make, rows, pool, nulls)
						checkRoundTrip(t, r, x,
							fmt.Sprintf("seed %d, %d rows, %v nulls, pool %d", seed, rows, nulls,
								pool))
					}
				}
			}
		})
	}
}

// checkRoundTrip writes x plain and coded; both have equal bytes and the content of x.
func checkRoundTrip(t *testing.T, r *rand.Rand, x table, name string) {
	t.Helper()
	plain := encodeColumn(t, r, x, x.output(false), Options{}, false)
	formatstest.Keep(t, fmt.Sprintf("%s, %s", t.Name()[strings.Index(t.Name(), "/")+1:], name),
		plain)
	coded := encodeColumn(t, r, x, x.output(false), Options{}, true)
	if !bytes.Equal(plain, coded) {
		t.Errorf("%s: plain and coded input give different bytes", name)
	}
	checkRows(t, name, plain, x.plain())
}

// checkRows checks that two other libraries read these rows.
func checkRows(t *testing.T, name string, b []byte, want []any) {
	t.Helper()
	if got := readParquetGo(t, b); !slices.Equal(got, want) {
		t.Fatalf("%s: parquet-go reads something else", name)
	}
	if got := readArrow(t, b); !slices.Equal(got, want) {
		t.Fatalf("%s: arrow reads something else", name)
	}
}

func TestWriteManyPages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func(r *rand.Rand) sample {
		b := randomBytes(r, 30+r.IntN(10))
		return sample{bytes: b, plain: string(b)}
	}
	for name, x := range map[string]table{
		"dictionary": randomTable(r, formats.Type{Kind: formats.String}, sampleText,
			100_000, 50, 0.1),
		"dictionary of 60,000": randomTable(r, formats.Type{Kind: formats.Int, Bits: 32},
			sampleInt32(32), 150_000, 60_000, 0),
		"too many entries": randomTable(r, formats.Type{Kind: formats.Int, Bits: 64},
			sampleInt64(1), 180_000, 70_000, 0.01),
		"too many bytes": randomTable(r, formats.Type{Kind: formats.Binary}, text, 120_000,
			40_000, 0.2),
		"booleans": randomTable(r, formats.Type{Kind: formats.Boolean},
			typeCases[0].make, 100_001, 10, 0.5),
		"more than half entries": randomTable(r, formats.Type{Kind: formats.UUID}, sampleFixed(16),
			40_000, 60_000, 0),
	} {
		t.Run(name, func(t *testing.T) {
			encoded := encodeColumn(t, r, x, x.output(false), Options{}, false)
			formatstest.Keep(t, name, encoded)
			checkRows(t, name, encoded, x.plain())
		})
	}
}

// TestWriteNullType keeps a column that has no type and no value.
func TestWriteNullType(t *testing.T) {
	column := Column{Field: formats.Field{
		Name:     "x",
		Type:     formats.Type{Kind: formats.Null},
		Nullable: true,
	}}
	v := &formats.Values{Type: column.Field.Type}
	b := oneColumn(t, Options{}, column, &formats.Column{Values: v, Codes: make([]uint32, 5)})
	formatstest.Keep(t, "null type", b)
	checkRows(t, "null type", b, make([]any, 5))
}

func TestWriteCodecs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := randomTable(r, formats.Type{Kind: formats.String}, sampleText, 5000, 100, 0.1)
	for _, codec := range []string{"", "zstd", "snappy", "gzip", "none"} {
		b := encodeColumn(t, r, x, x.output(true), Options{Compression: codec}, true)
		formatstest.Keep(t, "codec "+codec, b)
		if got, want := readArrow(t, b), readParquetGo(t, b); len(got) != 5000 ||
			!slices.Equal(got, want) {
			t.Errorf("codec %q: the two readers disagree", codec)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	text := Column{Field: formats.Field{Name: "x", Type: formats.Type{Kind: formats.String}}}
	words := labelsOf("a")
	number := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}, Words: []uint64{1}}
	for name, c := range map[string]*formats.Column{
		"null":               {Values: words, Codes: []uint32{0}},
		"code without value": {Values: words, Codes: []uint32{2}},
		"no values":          {Codes: []uint32{1}},
		"other type":         {Values: number, Codes: []uint32{1}},
	} {
		g := newGroup(t, Options{}, text)
		if err := g.Append(0, c, 0, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewRowGroup([]Column{text}, Options{Compression: "lzo"}); err == nil {
		t.Error("unknown codec: no error")
	}
	if _, err := NewRowGroup(nil, Options{}); err == nil {
		t.Error("no columns: no error")
	}
}

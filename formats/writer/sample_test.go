package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/schema"
)

// sample is one value in the two forms that a test compares: as Values hold it, and as PLAIN bytes
// without a length.
type sample struct {
	word  uint64
	bytes []byte
	plain string
}

func le32(v uint32) string { return string(binary.LittleEndian.AppendUint32(nil, v)) }

func le64(v uint64) string { return string(binary.LittleEndian.AppendUint64(nil, v)) }

// signed returns the word of an integer.
func signed(v int64) uint64 { return uint64(v) + 1<<63 }

// ordered returns the word of a float.
func ordered(f float64) uint64 {
	b := math.Float64bits(f)
	if b&(1<<63) != 0 {
		return b ^ math.MaxUint64
	}
	return b + 1<<63
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sampleInt32(bits int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		v := int64(r.Uint64()) >> (64 - bits)
		return sample{word: signed(v), plain: le32(uint32(v))}
	}
}

// sampleTime returns times of day in milliseconds.
func sampleTime(r *rand.Rand) sample {
	v := r.IntN(86_400_000)
	return sample{word: signed(int64(v)), plain: le32(uint32(v))}
}

func sampleInt64(scale int64) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		v := int64(r.Uint64()) >> (r.IntN(40) + 12)
		return sample{word: signed(v), plain: le64(uint64(v * scale))}
	}
}

func sampleFixed(size int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		b := randomBytes(r, size)
		return sample{bytes: b, plain: string(b)}
	}
}

func sampleText(r *rand.Rand) sample {
	b := []byte(fmt.Sprintf("label %d", r.IntN(5000)))[:r.IntN(9)]
	return sample{bytes: b, plain: string(b)}
}

// sampleWide returns decimals of size bytes.
func sampleWide(size int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		b := randomBytes(r, size)
		b[0] = byte(int8(b[1]) >> 7) // within the digits that the type allows
		flipped := bytes.Clone(b)
		flipped[0] ^= 0x80
		return sample{bytes: flipped, plain: string(b)}
	}
}

func sampleInt96(r *rand.Rand) sample {
	day, nanos := r.Uint32(), r.Uint64()>>20
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, day^1<<31), nanos)
	return sample{bytes: b, plain: le64(nanos) + le32(day)}
}

func sampleFloat16(r *rand.Rand) sample {
	half := uint16(r.Uint32())
	magnitude := float64(half & 0x3ff)
	switch exponent := int(half >> 10 & 0x1f); exponent {
	case 0:
		magnitude = math.Ldexp(magnitude, -24)
	case 31:
		magnitude = math.Inf(1)
		half &= 0xfc00
	default:
		magnitude = math.Ldexp(magnitude+1024, exponent-25)
	}
	if half>>15 == 1 {
		magnitude = math.Copysign(magnitude, -1)
	}
	return sample{word: ordered(magnitude), plain: string([]byte{byte(half), byte(half >> 8)})}
}

var typeCases = []struct {
	name string
	typ  formats.Type
	make func(*rand.Rand) sample
}{
	{"boolean", formats.Type{Kind: formats.Boolean}, func(r *rand.Rand) sample {
		v := r.IntN(2)
		return sample{word: uint64(v), plain: string([]byte{byte(v)})}
	}},
	{"int8", formats.Type{Kind: formats.Int, Bits: 8}, sampleInt32(8)},
	{"int16", formats.Type{Kind: formats.Int, Bits: 16}, sampleInt32(16)},
	{"int32", formats.Type{Kind: formats.Int, Bits: 32}, sampleInt32(32)},
	{"int64", formats.Type{Kind: formats.Int, Bits: 64}, sampleInt64(1)},
	{"uint8", formats.Type{Kind: formats.Uint, Bits: 8}, func(r *rand.Rand) sample {
		v := uint64(r.IntN(256))
		return sample{word: v, plain: le32(uint32(v))}
	}},
	{"uint32", formats.Type{Kind: formats.Uint, Bits: 32}, func(r *rand.Rand) sample {
		v := r.Uint32()
		return sample{word: uint64(v), plain: le32(v)}
	}},
	{"uint64", formats.Type{Kind: formats.Uint, Bits: 64}, func(r *rand.Rand) sample {
		v := r.Uint64()
		return sample{word: v, plain: le64(v)}
	}},
	{"float16", formats.Type{Kind: formats.Float, Bits: 16}, sampleFloat16},
	{"float32", formats.Type{Kind: formats.Float, Bits: 32}, func(r *rand.Rand) sample {
		v := float32(r.NormFloat64())
		return sample{word: ordered(float64(v)), plain: le32(math.Float32bits(v))}
	}},
	{"float64", formats.Type{Kind: formats.Float, Bits: 64}, func(r *rand.Rand) sample {
		v := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), r.NormFloat64(),
			-r.ExpFloat64()}[r.IntN(6)]
		return sample{word: ordered(v), plain: le64(math.Float64bits(v))}
	}},
	{"decimal9", formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, sampleInt32(29)},
	{"decimal18", formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 4}, sampleInt64(1)},
	{"decimal38", formats.Type{Kind: formats.Decimal, Precision: 38, Scale: 4, Wide: true},
		sampleWide(16)},
	{"decimal76", formats.Type{Kind: formats.Decimal, Precision: 76, Scale: 4, Wide: true},
		sampleWide(32)},
	{"date", formats.Type{Kind: formats.Date}, sampleInt32(20)},
	{"time ms", formats.Type{Kind: formats.Time, Unit: formats.Milli}, sampleTime},
	{"time us", formats.Type{Kind: formats.Time, Unit: formats.Micro}, func(r *rand.Rand) sample {
		v := r.Int64N(86_400_000_000)
		return sample{word: signed(v), plain: le64(uint64(v))}
	}},
	{"timestamp s", formats.Type{Kind: formats.Timestamp, Unit: formats.Second}, sampleInt64(1000)},
	{"timestamp ms", formats.Type{Kind: formats.Timestamp, Unit: formats.Milli, Zone: "UTC"},
		sampleInt64(1)},
	{"timestamp us", formats.Type{
		Kind: formats.Timestamp,
		Unit: formats.Micro,
		Zone: "Europe/Berlin",
	}, sampleInt64(1)},
	{"timestamp ns", formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, sampleInt64(1)},
	{"string", formats.Type{Kind: formats.String}, sampleText},
	{"binary", formats.Type{Kind: formats.Binary}, func(r *rand.Rand) sample {
		b := randomBytes(r, r.IntN(100))
		return sample{bytes: b, plain: string(b)}
	}},
	{"fixed", formats.Type{Kind: formats.Binary, Size: 5}, sampleFixed(5)},
	{"uuid", formats.Type{Kind: formats.UUID}, sampleFixed(16)},
}

// int96Elements returns the declaration of an INT96 timestamp in sources.
func int96Elements() []format.SchemaElement {
	return []format.SchemaElement{primitive(format.Int96, 0)}
}

// primitive returns the element of a physical type, of size bytes if it is fixed.
func primitive(t format.Type, size int32) format.SchemaElement {
	e := format.SchemaElement{Type: thrift.New(t)}
	if size > 0 {
		e.TypeLength = thrift.New(size)
	}
	return e
}

// decimalIn returns the declaration in sources of a decimal with an unusual physical type.
func decimalIn(e format.SchemaElement, precision, scale int32) []format.SchemaElement {
	e.Precision, e.Scale = thrift.New(precision), thrift.New(scale)
	e.LogicalType.Value, e.ConvertedType = &format.DecimalType{Precision: precision, Scale: scale},
		thrift.New(deprecated.Decimal)
	return []format.SchemaElement{e}
}

// declaredCases are types that only a source's own declaration makes.
var declaredCases = []struct {
	name     string
	typ      formats.Type
	elements []format.SchemaElement
	make     func(*rand.Rand) sample
}{
	{"int96", formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true},
		int96Elements(), sampleInt96},
	{"decimal in 5 bytes", formats.Type{Kind: formats.Decimal, Precision: 11, Scale: 2},
		decimalIn(primitive(format.FixedLenByteArray, 5), 11, 2), func(r *rand.Rand) sample {
			v := int64(r.Uint64()) >> 27
			return sample{
				word:  signed(v),
				plain: string(binary.BigEndian.AppendUint64(nil, uint64(v))[3:]),
			}
		}},
	{"decimal in bytes", formats.Type{Kind: formats.Decimal, Precision: 5, Scale: 2},
		decimalIn(primitive(format.ByteArray, 0), 5, 2), func(r *rand.Rand) sample {
			v := int8(r.Uint32())
			return sample{word: signed(int64(v)), plain: string([]byte{byte(v)})}
		}},
	{"wide decimal in 17 bytes", formats.Type{Kind: formats.Decimal, Precision: 38, Wide: true},
		decimalIn(primitive(format.FixedLenByteArray, 17), 38, 0), func(r *rand.Rand) sample {
			s := sampleWide(16)(r)
			s.plain = string([]byte{byte(int8(s.plain[0]) >> 7)}) + s.plain
			return s
		}},
	{"int64 without annotation", formats.Type{Kind: formats.Int, Bits: 64},
		[]format.SchemaElement{primitive(format.Int64, 0)}, sampleInt64(1)},
}

// table is one random column: per row a sample, or nil for null.
type table struct {
	typ      formats.Type
	rows     []*sample
	elements []format.SchemaElement
}

// randomTable returns rows drawn from a pool of samples; nulls is the share of nulls.
func randomTable(r *rand.Rand, typ formats.Type, generate func(*rand.Rand) sample, rows, pool int,
	nulls float64) table {
	samples := make([]sample, pool)
	for i := range samples {
		samples[i] = generate(r)
	}
	t := table{typ: typ, rows: make([]*sample, rows)}
	for i := range t.rows {
		if r.Float64() >= nulls {
			t.rows[i] = &samples[r.IntN(pool)]
		}
	}
	return t
}

func addSample(v *formats.Values, s *sample) {
	if v.Type.InWords() {
		v.Words = append(v.Words, s.word)
	} else {
		v.AppendBytes(s.bytes)
	}
}

// plainColumn returns rows from to to−1, each with its own value.
func (t table) plainColumn(from, to int) *formats.Column {
	c := &formats.Column{Values: &formats.Values{Type: t.typ}}
	for _, s := range t.rows[from:to] {
		code := 0
		if s != nil {
			addSample(c.Values, s)
			code = c.Values.Len()
		}
		c.Codes = append(c.Codes, uint32(code))
	}
	return c
}

// codedColumn returns rows from to to−1 as codes of shuffled values, some of which no row uses.
func (t table) codedColumn(r *rand.Rand, from, to int) *formats.Column {
	c := &formats.Column{Values: &formats.Values{Type: t.typ}}
	var pool []*sample
	for _, s := range t.rows {
		if s != nil && !slices.Contains(pool, s) && len(pool) < 300 {
			pool = append(pool, s)
		}
	}
	r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	codes := map[*sample]uint32{}
	for _, s := range t.rows[from:to] {
		if s != nil && !slices.Contains(pool, s) {
			pool = append(pool, s)
		}
	}
	for i, s := range pool {
		addSample(c.Values, s)
		codes[s] = uint32(i + 1)
	}
	for _, s := range t.rows[from:to] {
		c.Codes = append(c.Codes, codes[s])
	}
	return c
}

func (t table) nullable() bool { return slices.Contains(t.rows, nil) }

func (t table) output(masked bool) Column {
	return Column{Field: formats.Field{
		Name:     "x",
		Type:     t.typ,
		Nullable: t.nullable(),
		Declared: schema.Elements(t.elements),
	}, Masked: masked}
}

// newGroup returns an empty row group.
func newGroup(t testing.TB, opt Options, columns ...Column) *RowGroup {
	t.Helper()
	g, err := NewRowGroup(columns, opt)
	must(t, err)
	return g
}

// encodeRows encodes one batch's columns as a row group.
func encodeRows(t testing.TB, g *RowGroup, columns ...*formats.Column) *EncodedRowGroup {
	t.Helper()
	for i, c := range columns {
		must(t, g.Append(i, c, 0, len(c.Codes)))
	}
	e, err := g.Encode()
	must(t, err)
	return e
}

// oneColumn returns a file of a column of batches.
func oneColumn(t testing.TB, opt Options, column Column, batches ...*formats.Column) []byte {
	t.Helper()
	g := newGroup(t, opt, column)
	for _, b := range batches {
		must(t, g.Append(0, b, 0, len(b.Codes)))
	}
	return writeFile(t, []Column{column}, nil, g)
}

// plain returns the expected result of other readers.
func (t table) plain() (rows []any) {
	for _, s := range t.rows {
		if s == nil {
			rows = append(rows, nil)
		} else {
			rows = append(rows, s.plain)
		}
	}
	return rows
}

// encodeColumn encodes a table of one column, divided into batches at random.
func encodeColumn(t *testing.T, r *rand.Rand, x table, o Column, opt Options, coded bool) []byte {
	t.Helper()
	g := newGroup(t, opt, o)
	for from := 0; from < len(x.rows); {
		to := from + 1 + r.IntN(len(x.rows)-from)
		column := x.plainColumn(from, to)
		if coded {
			column = x.codedColumn(r, from, to)
		}
		middle := r.IntN(to - from + 1)
		for _, span := range [][2]int{{0, middle}, {middle, to - from}} {
			must(t, g.Append(0, column, span[0], span[1]))
		}
		from = to
	}
	return writeFile(t, []Column{o}, nil, g)
}

// writeFile encodes row groups and returns the bytes of a file of them.
func writeFile(t testing.TB, columns []Column, metadata map[string]string,
	groups ...*RowGroup) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, columns, metadata)
	must(t, err)
	for _, g := range groups {
		e, err := g.Encode()
		must(t, err)
		must(t, w.Write(e))
	}
	must(t, w.Close())
	return b.Bytes()
}

// must ends the test if there is an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

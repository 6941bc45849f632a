package writer

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
)

// labelsOf returns texts as labels.
func labelsOf(texts ...string) *formats.Values {
	v := &formats.Values{Type: formats.Type{Kind: formats.String}}
	for _, text := range texts {
		v.AppendBytes([]byte(text))
	}
	return v
}

func labelGroup(t *testing.T, nullable bool) (*RowGroup, []Column) {
	t.Helper()
	columns := []Column{{Field: formats.Field{
		Name:     "x",
		Type:     formats.Type{Kind: formats.String},
		Nullable: nullable,
	}, Masked: true}}
	g := newGroup(t, Options{}, columns...)
	return g, columns
}

// TestAppendLabels: codes that are appended as labels, some at a time, give the bytes of a column.
func TestAppendLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	labels := labelsOf("a", "b", "c", "b", "d")
	one, columns := labelGroup(t, true)
	other, _ := labelGroup(t, true)
	for _, rows := range []int{1, 10, 20_000, 50_000, 3} {
		codes := make([]uint32, rows)
		for i := range codes {
			codes[i] = uint32(r.IntN(labels.Len() + 1))
		}
		must(t, one.AppendLabels(0, labels, codes[:rows/3]))
		must(t, one.AppendLabels(0, labels, codes[rows/3:]))
		must(t, other.Append(0, &formats.Column{Values: labels, Codes: codes}, 0, rows))
	}
	if !bytes.Equal(writeFile(t, columns, nil, one), writeFile(t, columns, nil, other)) {
		t.Error("labels give other bytes")
	}
}

// TestAppendLabelsRefuses uses codes without a value, and a null where none is allowed.
func TestAppendLabelsRefuses(t *testing.T) {
	labels := labelsOf("a", "b")
	for _, tc := range []struct {
		name  string
		codes []uint32
		want  error
	}{
		{"no such label", []uint32{1, 3}, errCode},
		{"no such label, far off", []uint32{math.MaxUint32}, errCode},
		{"null", []uint32{1, 0}, errRequired},
		{"labels", []uint32{1, 2, 1}, nil},
	} {
		g, _ := labelGroup(t, false)
		if err := g.AppendLabels(0, labels, tc.codes); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// TestLabelsArePages: memory holds a row group of labels as compressed pages.
func TestLabelsArePages(t *testing.T) {
	g, _ := labelGroup(t, true)
	codes := make([]uint32, 40*pageRows)
	must(t, g.Append(0, &formats.Column{Values: labelsOf("a"), Codes: codes}, 0, len(codes)))
	if held := g.HeldBy(0); held > int64(len(codes))/8 {
		t.Errorf("%d bytes are held of %d rows of one label", held, len(codes))
	}
}

// Large values of a dictionary, which many rows have, become pages one after the other: their bytes
// are never all in memory.
func TestLargeValuesBecomePages(t *testing.T) {
	g := newGroup(t, Options{}, Column{Field: formats.Field{
		Name: "x",
		Type: formats.Type{Kind: formats.String},
	}})
	large := string(make([]byte, maxDictionaryBytes/2))
	codes := make([]uint32, 400)
	for row := range codes {
		codes[row] = 1
	}
	codes[200] = 2 // the dictionary is left after many rows
	codes[300] = 3
	must(t, g.Append(0, &formats.Column{
		Values: labelsOf(large, large+"b", large+"c"),
		Codes:  codes,
	}, 0, len(codes)))
	if most := cap(g.chunks[0][0].plain); most > 8*stepBytes {
		t.Errorf("%d bytes of values were there at one time", most)
	}
}

// A complete column holds only its pages, and a row group of such columns has the same bytes.
func TestCompleteColumns(t *testing.T) {
	names := labelsOf("a", "b", "c")
	numbers := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}}
	for i := range pageRows {
		numbers.Words = append(numbers.Words, formats.IntWord(int64(i)))
	}
	rows, encoded := 2*pageRows+77, [][]byte(nil)
	codes := func(n int) []uint32 {
		codes := make([]uint32, rows)
		for i := range codes {
			codes[i] = uint32(i*7%n) + 1
		}
		return codes
	}
	for _, completes := range []bool{false, true} {
		g := newGroup(t, Options{}, Column{Field: formats.Field{
			Name:     "l",
			Type:     names.Type,
			Nullable: true,
		}, Masked: true},
			Column{Field: formats.Field{Name: "n", Type: numbers.Type}},
			Column{Field: formats.Field{Name: "few", Type: names.Type}})
		for column, of := range []*formats.Column{{Values: names, Codes: codes(3)},
			{Values: numbers, Codes: codes(pageRows)}, {Values: names, Codes: codes(2)}} {
			must(t, g.Append(column, of, 0, rows))
			if !completes {
				continue
			}
			before := g.HeldBy(column)
			must(t, g.Complete(column))
			if held := g.HeldBy(column); column > 0 && held >= before ||
				column != 1 && held > int64(rows)/2 {
				t.Errorf("column %d holds %d bytes, before it was complete %d", column, held,
					before)
			}
		}
		e, err := g.Encode()
		must(t, err)
		encoded = append(encoded, slices.Concat(e.out...))
	}
	if !bytes.Equal(encoded[0], encoded[1]) {
		t.Error("complete columns have other bytes")
	}
}

package masking

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// The bytes of values sort like the values, no value begins with another one, and nothing is lost.
func TestValueBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := []formats.Kind{formats.Int, formats.Uint, formats.Boolean, formats.String}
	for _, kind := range kinds {
		f := &keptField{typ: formats.Type{Kind: kind, Bits: 64}}
		if kind == formats.Int {
			f.base = formats.IntWord(0)
		}
		draw := func() uint64 {
			w := rng.Uint64() >> rng.IntN(64)
			return []uint64{w, f.base + w, f.base - w, 0, math.MaxUint64}[rng.IntN(5)]
		}
		for range 5000 {
			a, b := draw(), draw()
			text := [2][]byte{textOf(rng), textOf(rng)}
			of := func(word uint64, text []byte) []byte {
				if f.typ.InWords() {
					return appendWord(nil, word, f.base)
				}
				return spill.AppendText([]byte{textTag}, text)
			}
			x, y := of(a, text[0]), of(b, text[1])
			want := cmp.Compare(a, b)
			if !f.typ.InWords() {
				want = bytes.Compare(text[0], text[1])
			}
			if bytes.Compare(x, y) != want || want != 0 && bytes.HasPrefix(y, x) ||
				x[0] == nullTag {
				t.Fatalf("%v: %x and %x (%x, %x) are %x and %x", f.typ, a, b, text[0], text[1], x,
					y)
			}
			if n := f.length(append(x[:len(x):len(x)], y...)); n != len(x) {
				t.Fatalf("%x has a length of %d", x, n)
			}
			if f.typ.InWords() && parseWord(x, f.base) != a ||
				!f.typ.InWords() && !bytes.Equal(spill.ParseText(nil, x[1:]), text[0]) {
				t.Fatalf("%x came back another one", x)
			}
		}
	}
}

// textOf draws a short text of few bytes, zeros among them.
func textOf(rng *rand.Rand) (text []byte) {
	for range rng.IntN(6) {
		text = append(text, []byte{0, 1, 2, 255}[rng.IntN(4)])
	}
	return text
}

// Rows of a nested column can be read back from their bytes.
func TestNestedRowBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &keptField{typ: formats.Type{Kind: formats.Nested},
		levels: []writer.Levels{{Repetition: 1, Definition: 2}, {}}}
	for range 200 {
		rows := 1 + rng.IntN(20)
		list := formats.Leaf{Values: &formats.Values{Type: formats.Type{Kind: formats.Binary}}}
		flat := formats.Leaf{Entries: rows,
			Values: &formats.Values{Type: formats.Type{Kind: formats.Binary}}}
		for range rows {
			for entry := range 1 + rng.IntN(4) {
				defined := byte(rng.IntN(3))
				list.Entries++
				list.Repetition, list.Definition = append(list.Repetition, byte(min(entry, 1))),
					append(list.Definition, defined)
				if defined == 2 {
					list.Values.AppendBytes(textOf(rng))
				}
			}
			flat.Values.AppendBytes(textOf(rng))
		}
		var k keptCells
		column := &formats.Column{Leaves: []formats.Leaf{list, flat}}
		if err := f.learn(&k, column, rows); err != nil {
			t.Fatal(err)
		}
		var back keptRows
		back.begin(f)
		for row := range rows {
			b := f.appendCell(nil, &k, row)
			if f.length(b) != len(b) {
				t.Fatalf("%x has a length of %d", b, f.length(b))
			}
			back.add(f, b, 1)
		}
		if !reflect.DeepEqual(back.Leaves, []formats.Leaf{list, flat}) {
			t.Fatalf("%+v came back as %+v", []formats.Leaf{list, flat}, back.Leaves)
		}
		list.Entries--
		column = &formats.Column{Leaves: []formats.Leaf{list, flat}}
		if err := f.learn(&k, column, rows); err == nil {
			t.Error("a leaf whose levels are too many was taken")
		}
	}
}

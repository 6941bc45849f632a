package risk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// A dictionary has the sorted, distinct values of its column, whichever scanner reads them. Columns
// with many or long values have none, nor, in a small budget, the columns with the largest
// dictionaries.
func TestDictionaries(t *testing.T) {
	for _, tt := range []struct {
		values, length int
		memory         int64
		many, few      bool // whether the column of many values, and one of 70, has a dictionary
	}{
		{300, 6, 1 << 30, true, true},
		{mostValues - 1, 6, 1 << 30, true, true},
		{mostValues, 6, 1 << 30, true, true},
		{mostValues + 1, 6, 1 << 30, false, true},
		{300, longestValue, 1 << 30, true, true},
		{300, longestValue + 1, 1 << 30, false, true},
		{3000, 6, 4 << 20, false, true},
		{300, 6, 1 << 20, false, true},
		{300, 6, 64 << 10, false, false},
	} {
		for scanners := 1; scanners < 4; scanners += 2 {
			rng := rand.New(rand.NewPCG(1, 2))
			budget := spill.NewBudget(tt.memory)
			d := newDictionaries(2, budget)
			want := [2][]string{textsOf(tt.values, tt.length), textsOf(70, 2)}
			all := make([][2]Hashes, scanners)
			learn := func(scanner, column int, list *formats.Values) {
				h := &all[scanner][column]
				d.learn(column, list, h.learned(list))
				h.Learn(list)
			}
			for i := range 30 {
				texts := want[i%2]
				list := &formats.Values{Type: formats.Type{Kind: formats.String}}
				for _, at := range rng.Perm(len(texts))[:max(1, len(texts)*(i/2)/14)] {
					list.AppendBytes([]byte(texts[at]))
					if rng.IntN(2000) == 0 { // it grows
						learn(i%scanners, i%2, list)
					}
				}
				learn(i%scanners, i%2, list)
			}
			values, drawn := d.take()
			d.close()
			if budget.Used() != drawn || drawn > budget.Grant(&spill.KeptValues) {
				t.Errorf("%+v: %d bytes are drawn, %d returned", tt, budget.Used(), drawn)
			}
			for i, has := range []bool{tt.many, tt.few} {
				if (values[i] != nil) != has {
					t.Errorf("%+v: the column of %d values has a dictionary: %v", tt, len(want[i]),
						!has)
				}
				if values[i] != nil && !slices.Equal(textsIn(values[i]), want[i]) {
					t.Errorf("%+v: of %d values there are others: %d", tt, len(want[i]),
						values[i].Len())
				}
			}
		}
	}
}

// textsOf returns sorted texts of a length.
func textsOf(n, length int) (texts []string) {
	for i := range n {
		text := fmt.Sprintf("%0*d", min(length, 6), i)
		texts = append(texts, text+strings.Repeat("x", length-len(text)))
	}
	return texts
}

func textsIn(values *formats.Values) (texts []string) {
	for i := range values.Len() {
		texts = append(texts, string(values.Bytes(i)))
	}
	return texts
}

// Numbers are sorted, too.
func TestDictionaryOfNumbers(t *testing.T) {
	d := newDictionaries(1, spill.NewBudget(1<<30))
	want := make(map[uint64]bool)
	list := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}}
	for i := range 1000 {
		word := formats.IntWord(int64(i*i%331 - 100))
		want[word] = true
		list.Words = append(list.Words, word)
	}
	d.learn(0, list, 0)
	values, _ := d.take()
	if got := values[0].Words; !slices.IsSorted(got) || len(got) != len(want) {
		t.Errorf("%d values, want %d", len(got), len(want))
	}
}

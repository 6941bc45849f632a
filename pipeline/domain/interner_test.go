package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/spill"
)

// randomList returns values of a type, many of them equal: words far from each other or close
// together, texts, or floats.
func randomList(rng *rand.Rand, t formats.Type) *formats.Values {
	v := &formats.Values{Type: t}
	reach := uint64(1) << (1 + rng.IntN(40))
	for range rng.IntN(3 * numberedValues) {
		x := rng.Uint64N(reach)
		switch {
		case !t.InWords():
			v.AppendBytes([]byte{byte('a' + x%7), byte('a' + x/7%9)})
		case t.Kind == formats.Float:
			v.Words = append(v.Words, formats.FloatWord(
				math.Float64bits([...]float64{0, math.Copysign(0, -1), math.NaN(), -math.NaN(), 3,
					float64(x)}[x%6])))
		default:
			v.Words = append(v.Words, formats.IntWord(int64(x)))
		}
	}
	return v
}

func TestInternerNumbersAsAMap(t *testing.T) {
	rng := formatstest.Rand(t)
	for _, kind := range []formats.Type{{Kind: formats.Date}, {Kind: formats.Float, Bits: 64},
		{Kind: formats.String}} {
		for round := range 20 {
			nanIsNull := round%2 == 0
			in := NewInterner(formats.Field{Name: "c", Type: kind}, nanIsNull,
				spill.NewBudget(1<<30))
			known := make(map[string]uint32)
			for range 4 {
				list := randomList(rng, kind)
				codes, domain, err := in.Encode(list, 0, nil)
				if err != nil || domain != in.Len() {
					t.Fatalf("%s: domain %d of %d: %v", kind, domain, in.Len(), err)
				}
				for i, code := range codes {
					text := TextOf(list, i)
					want, ok := known[text]
					switch {
					case nanIsNull && text == "NaN":
						want = nullCode
					case !ok:
						want = uint32(len(known) + 1)
						known[text] = want
					}
					if code != want {
						t.Fatalf("%s: %s has the number %d, want %d", kind, text, code, want)
					}
				}
			}
			if in.Len() != len(known)+1 {
				t.Fatalf("%s: %d numbers of %d values", kind, in.Len(), len(known))
			}
		}
	}
}

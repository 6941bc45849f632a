package taxonomy

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kcut/kcut/internal/seedtest"
)

// TestSpellingsJoin: texts have one leaf exactly if they are the same in lower case with one blank
// between words. It is that text, unless a single one of them occurs, or a level is asked for.
func TestSpellingsJoin(t *testing.T) {
	seed := seedtest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	generator, err := Spellings([]string{"case"})
	if err != nil {
		t.Fatal(err)
	}
	letters := []rune("aAbBéÉıIiİſsSσΣςẞß \t\u00a0\u2003*\ufffd")
	joined := 0
	for range 300 {
		level, of := rng.IntN(2), make(map[string][]string)
		var texts []string
		for range 1 + rng.IntN(60) {
			var text strings.Builder
			for range rng.IntN(4) {
				text.WriteRune(letters[rng.IntN(len(letters))])
			}
			if text.String() != "*" {
				texts = append(texts, text.String())
			}
		}
		slices.Sort(texts)
		texts = slices.Compact(texts)
		for _, text := range texts {
			of[naiveForm(text)] = append(of[naiveForm(text)], text)
		}
		var want []string
		for form, spellings := range of {
			switch {
			case form == "" || form == "*":
				want = append(want, spellings...)
			case len(spellings) > 1 || level > 0:
				want = append(want, form)
				joined += len(spellings) - 1
			default:
				want = append(want, spellings[0])
			}
		}
		g := NewGrower(generator, Pruning{Level: level})
		for _, text := range texts {
			if err := g.Add(text, nil); err != nil {
				t.Fatal(err)
			}
		}
		tree, _, err := g.Finish()
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, texts, err)
		}
		got := slices.Clone(tree.Leaves())
		if slices.Sort(want); len(want) > 0 && !slices.Equal(got, want) {
			t.Fatalf("seed %d: leaves of %q are %q, want %q", seed, texts, got, want)
		}
		finder, places := NewFinder(tree, generator), make(map[string]map[uint32]bool)
		for _, text := range texts {
			code, ok, _ := finder.Find(text)
			if form := naiveForm(text); !ok {
				t.Fatalf("seed %d: %q is not found", seed, text)
			} else if form != "" && form != "*" {
				if places[form] == nil {
					places[form] = make(map[uint32]bool)
				}
				places[form][code] = true
			}
		}
		for form, codes := range places {
			if len(codes) > 1 {
				t.Fatalf("seed %d: %q has %d leaves", seed, form, len(codes))
			}
		}
	}
	if joined < 300 {
		t.Errorf("%d texts were joined", joined)
	}
}

// naiveForm writes a text letter by letter.
func naiveForm(text string) string {
	var form []rune
	for _, r := range text {
		if !unicode.IsSpace(r) {
			form = append(form, unicode.ToLower(r))
		} else if len(form) > 0 && form[len(form)-1] != ' ' {
			form = append(form, ' ')
		}
	}
	if n := len(form); n > 0 && form[n-1] == ' ' {
		form = form[:n-1]
	}
	return string(form)
}

// TestWordsAreForms: every known word is above itself, and its form does not change.
func TestWordsAreForms(t *testing.T) {
	generator, err := Spellings(SpellingLevels)
	if err != nil {
		t.Fatal(err)
	}
	for word := range maps.Values(sameWords) {
		if _, isNode, _ := place(generator, word, nil); !isNode {
			t.Errorf("%q is no node", word)
		}
	}
	for r := range rune(unicode.MaxRune) {
		if low := unicode.ToLower(r); unicode.ToLower(low) != low {
			t.Errorf("the lower case of %q has another one", low)
		}
	}
}

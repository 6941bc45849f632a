package taxonomy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// SpellingLevels are the levels of spellings, finest first.
var SpellingLevels = []string{"case", "word"}

// spellings generates a taxonomy of texts some of which are spellings of one value. Above a text
// stands the known word for the same thing, as female above F, or else the text in lower case
// without superfluous blanks, depending on the levels, and at the top a star. Several spellings are
// released as that, and no finer; a single one is released itself.
type spellings struct {
	textual
	cases, words bool
}

// Spellings returns the generator of the given levels of spellings, in any order.
func Spellings(levels []string) (Generator, error) {
	for _, level := range levels {
		if !slices.Contains(SpellingLevels, level) {
			return nil, fmt.Errorf("generate spelling taxonomy: unknown level %q", level)
		}
	}
	return &spellings{
		cases: slices.Contains(levels, "case"), words: slices.Contains(levels, "word"),
	}, nil
}

func (s *spellings) root() string { return "*" }

// path leaves blanks and blanks around a star below the root: no node has their form as its name.
func (s *spellings) path(text string, to []step) (path []step, ok bool) {
	form := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if word := wordOf(form); s.words && word != "" {
		return append(to, step{stem: word}), true
	}
	if s.cases && form != "" && form != s.root() {
		to = append(to, step{stem: form})
	}
	return to, true
}

// below returns the node itself as a text: the form of a value is one of its spellings.
func (s *spellings) below(node string) (text string, values int) {
	if path, _ := s.path(node, nil); len(path) > 0 && path[0].named(node) {
		values = 1
	}
	return node, values
}

// scattered is true: Yes and yes are apart.
func (s *spellings) scattered() bool { return true }

func (s *spellings) arrange(siblings []*branch) { arrangeByName(siblings) }

func (s *spellings) joins() bool { return true }

// sameWords are the known words, each with others for the same thing. A letter is one of them: a
// job asks for words only in columns of such values.
var sameWords = func() map[string]string {
	same := make(map[string]string)
	for word, others := range map[string]string{
		"female": "f fem femail femal femake woman women girl",
		"male":   "m masc maile mal malr msle man men boy",
		"yes":    "y true",
		"no":     "n false",
	} {
		for _, other := range append(strings.Fields(others), word) {
			same[other] = word
		}
	}
	return same
}()

// wordOf returns the known word for the same thing as a text in lower case, or "". Signs and the
// prefix cis say nothing else: female (cis), cis-female.
func wordOf(form string) string {
	words := strings.FieldsFunc(form, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(word string) bool {
		return word == "cis" || word == "cisgender"
	})
	if len(words) != 1 {
		return ""
	}
	return sameWords[words[0]]
}

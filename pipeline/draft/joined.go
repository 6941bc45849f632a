package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// mostAlike is the largest number of texts that are compared.
const mostAlike = 1000

// spelledByRare is the least ratio of the rows with another spelling of a value to those of rare
// values: generalized, a rare value costs the groups with it their values, suppressed only itself.
const spelledByRare = 20

// sameWords are words for one thing each, both of which a column has whose values are such words.
var sameWords = [][]string{{"female", "male"}, {"yes", "no"}}

// withSpellings counts the values of a released column apart from their spellings, and joins the
// spellings of suppressed texts if that keeps more of them.
func (r *Role) withSpellings(p *Profile) (apart string, joined bool) {
	few := len(p.texts.few)
	if r.Mask == job.MaskDrop || few > mostAlike || p.texts.longest > mostMatched {
		return "", false
	}
	suppressed := r.Mask == job.MaskSuppress && r.Detail == "" && p.typ.Kind == formats.String
	levels, but := engine.SpellingLevels[:1], "upper case and blanks"
	values := p.texts.spelled(levels)
	if words := p.texts.spelled(engine.SpellingLevels); suppressed && p.hasWords(words) {
		levels, but, values = engine.SpellingLevels, "upper case, blanks and other words", words
	}
	if len(values) == 0 || int64(len(values)) >= p.Field.Distinct {
		return "", false
	}
	apart = fmt.Sprintf("; apart from %s there are %s", but, text.Count(len(values), "value"))
	rare, others := int64(0), int64(0)
	for _, v := range values {
		if others += v.rows - v.most; v.rows <= fewRows {
			rare += v.rows
		}
	}
	if !suppressed || len(values) > fewCodes || rare*spelledByRare > others {
		return apart, false
	}
	r.Mask, r.Reason = job.MaskGeneralize, distinctValues(p)
	r.Detail = "taxonomy: {spelling: [" + strings.Join(levels, ", ") + "]}"
	return apart, true
}

// spelledValue counts the rows of a value, and of the most frequent of its spellings.
type spelledValue struct{ rows, most int64 }

// spelled returns the values of few texts apart from their spellings, by their common form.
func (t *textProfile) spelled(levels []string) map[string]spelledValue {
	generator, err := engine.Spellings(levels)
	if err != nil {
		panic(err) // its own levels
	}
	values := make(map[string]spelledValue)
	for text, rows := range t.few {
		path := engine.Ancestry(generator, text)
		form := path[min(1, len(path)-1)]
		v := values[form]
		values[form] = spelledValue{v.rows + rows, max(v.most, rows)}
	}
	return values
}

// hasWords reports whether most rows have one of two words that go together, and some have each.
func (p *Profile) hasWords(values map[string]spelledValue) bool {
	return slices.ContainsFunc(sameWords, func(words []string) bool {
		one, other := values[words[0]].rows, values[words[1]].rows
		return one > 0 && other > 0 && float64(one+other) >= most*float64(p.Field.Rows)
	})
}

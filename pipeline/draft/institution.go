package draft

import (
	"regexp"
	"strings"
)

// institutions are words for places and organisations in which people meet, in small letters.
var institutions = regexp.MustCompile(`\b(` + strings.Join(strings.Fields("church(es)? mosque "+
	"synagogue temple parish cent(er|re)s? school kindergarten university college academy "+
	"institute hospital clinic infirmary nursing.home care.home shelter club gym restaurant hotel "+
	"hostel ministry department agency prison jail barracks company inc ltd llc corp gmbh "+
	"factory plant logistics warehouse insurance bank theat(er|re) airport mall"), "|") + `)\b`)

const (
	// fewestInstitutions is the least number of different texts with such a word of a column of
	// places and organisations, and institutionShare their least share.
	fewestInstitutions = 5
	institutionShare   = 0.25
)

// namesInstitutions reports whether a column names places and organisations, by its texts.
func (p *Profile) namesInstitutions() bool {
	n := p.textsLike(institutions)
	return n >= fewestInstitutions && float64(n) >= institutionShare*float64(len(p.texts.few))
}

// textsLike returns the number of different texts, if they are few, that have a form in small
// letters.
func (p *Profile) textsLike(form *regexp.Regexp) (n int) {
	for text := range p.texts.few {
		if form.MatchString(strings.ToLower(text)) {
			n++
		}
	}
	return n
}

// partsOfBody are words for these, in small letters.
var partsOfBody = regexp.MustCompile(`\b(` + strings.Join(strings.Fields("left right lobes? "+
	"lingula lungs? breasts? colon rectum liver kidneys? brain skin scalp neck trunk torso chest "+
	"abdomen arms? legs? hands? foot feet knees? hips? shoulders? elbows? wrists? ankles? thighs? "+
	"(upper|lower).extremit(y|ies)"), "|") + `)\b`)

// postures are words for how a body lies, in small letters.
var postures = regexp.MustCompile(`\b(supine|prone|lithotomy|trendelenburg|decubitus)\b`)

// isOfBody reports whether most texts of a column that is called like a place name parts of the
// body, as those of tumors, or some of one that is called a position say how it lies.
func (p *Profile) isOfBody() bool {
	called, position := words{alone: []string{"location", "site", "region"}},
		words{alone: []string{"position"}}
	return called.has(p.words) && 2*p.textsLike(partsOfBody) > len(p.texts.few) ||
		position.has(p.words) && p.textsLike(postures) > 0
}

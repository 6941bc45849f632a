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
	n := 0
	for text := range p.texts.few {
		if institutions.MatchString(strings.ToLower(text)) {
			n++
		}
	}
	return n >= fewestInstitutions && float64(n) >= institutionShare*float64(len(p.texts.few))
}

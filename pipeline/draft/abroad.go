package draft

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// abroad has words of column names and of values in other languages behind the English word that
// takes their place: all rules know English ones. A line that begins with a blank continues the one
// before. A word with - is the beginning of words, one with = counts only as a whole name or value,
// as it means something else in English or in another language. Several words are joined.
//
//go:embed abroad.txt
var abroad string

// ofAbroad have the English word of each word of another language: in any name, as a whole name,
// and by its beginning.
var ofAbroad, wholeAbroad, beginsAbroad = func() (in, whole, begins map[string]string) {
	in, whole, begins = map[string]string{}, map[string]string{}, map[string]string{}
	english := ""
	for _, word := range strings.Fields(plain(abroad)) {
		next, isEnglish := strings.CutSuffix(word, ":")
		begin, isBegin := strings.CutSuffix(word, "-")
		alone, isWhole := strings.CutPrefix(word, "=")
		switch {
		case isEnglish:
			english = next
		case isBegin:
			begins[begin] = english
		case isWhole:
			whole[alone] = english
		default:
			in[word] = english
		}
	}
	return in, whole, begins
}()

// particles are words between others in such names, as in fecha de nacimiento.
var particles = strings.Fields("de del da do di du des der van la el los las le les")

const (
	// fewestOfStem is the least number of bytes of a beginning of words.
	fewestOfStem = 4
	// mostJoined is the largest number of words that mean one together.
	mostJoined = 4
)

// inEnglish replaces words of other languages, one or some together, by English ones.
func inEnglish(name []string) []string {
	if word, found := wholeAbroad[strings.Join(withoutYears(name), "")]; found {
		return []string{word}
	}
	var rest, english []string
	for _, word := range name {
		if !slices.Contains(particles, word) {
			rest = append(rest, apart(word)...)
		}
	}
	isAbroad := false
	for n := 0; len(rest) > 0; rest = rest[n:] {
		word := ""
		for n = min(len(rest), mostJoined); n > 1 && word == ""; {
			if word = ofAbroad[strings.Join(rest[:n], "")]; word == "" {
				n--
			}
		}
		if n == 1 {
			word = wordAbroad(rest[0])
		}
		isAbroad = isAbroad || word != ""
		english = append(english, cmp.Or(word, rest[0]))
	}
	if !isAbroad {
		return name
	}
	return english
}

// withoutYears returns a name without its unit in another language, as in Età in anni.
func withoutYears(name []string) []string {
	n := len(name) - 1
	if n < 1 || ofAbroad[name[n]] != "years" {
		return name
	}
	if n > 1 && slices.Contains([]string{"in", "en", "em"}, name[n-1]) {
		n--
	}
	return name[:n]
}

// wordAbroad returns the English word for a word of another language, or "".
func wordAbroad(word string) string {
	if english, found := ofAbroad[word]; found {
		return english
	}
	for n := fewestOfStem; n <= len(word); n++ {
		if english, found := beginsAbroad[word[:n]]; found {
			return english
		}
	}
	return ""
}

// valueInEnglish returns the English word for a whole value in another language, or "".
func valueInEnglish(text string) string {
	letters := plain(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text))
	return cmp.Or(wholeAbroad[letters], ofAbroad[letters])
}

// unspaced are scripts that are written without blanks between words, or with few.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Hangul, unicode.Thai}

// apart splits a word of such a script in front of known words and behind them, as 患者年龄, which
// is the age of a patient.
func apart(word string) []string {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unspaced...) }) {
		return []string{word}
	}
	var text strings.Builder
	for n := 0; word != ""; word = word[n:] {
		for n = len(word); n > 0 && ofAbroad[word[:n]] == ""; {
			n--
		}
		if n > 0 {
			text.WriteString(" " + word[:n] + " ")
		} else {
			_, n = utf8.DecodeRuneInString(word)
			text.WriteString(word[:n])
		}
	}
	return strings.Fields(text.String())
}

// plain returns a text in small letters without accents.
func plain(text string) string {
	bare := strings.Map(func(r rune) rune {
		if '\u0300' <= r && r <= '\u036f' {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return plainLetters.Replace(norm.NFC.String(bare))
}

// plainLetters replaces letters that accents do not make of others.
var plainLetters = strings.NewReplacer("ß", "ss", "ı", "i", "ł", "l", "ø", "o", "æ", "ae",
	"œ", "oe", "đ", "d", "ð", "d", "þ", "th")

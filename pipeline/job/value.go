package job

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

// isZero reports whether a value of a job is the zero value: nothing was given.
func isZero(p any) bool {
	v := reflect.ValueOf(p).Elem()
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// isNil reports whether a value of a job is none: a program has taken out what was given.
func isNil(p any) bool {
	v := reflect.ValueOf(p).Elem()
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// parse reads a single value into its place in a job. It reports whether it is of the place's type.
func (f *field) parse(n *yaml.Node, p any) bool {
	var err error
	switch p := p.(type) {
	case *string:
		*p = n.Text
	case *Taxonomy:
		*p = Taxonomy{Name: n.Text}
	case *int:
		*p, err = strconv.Atoi(n.Text)
	case **int:
		*p = new(int)
		**p, err = strconv.Atoi(n.Text)
	case **float64:
		*p = new(float64)
		**p, err = strconv.ParseFloat(n.Text, 64)
	case *float64:
		*p, err = strconv.ParseFloat(n.Text, 64)
	case *bool:
		if *p = n.Text == "true"; !*p && n.Text != "false" {
			return false
		}
	case *int64:
		*p, err = parseSize(n.Text)
	case *Quota:
		err = p.UnmarshalText([]byte(n.Text))
	case **Share:
		*p = new(Share)
		err = (*p).UnmarshalText([]byte(n.Text))
	case *byte:
		if len(n.Text) != 1 {
			return false
		}
		*p = n.Text[0]
	}
	return err == nil && !(n.Quoted && f.plain())
}

// texts returns the single values at a place in a job as text.
func (f *field) texts(p any) []string {
	switch p := p.(type) {
	case *string:
		return []string{*p}
	case *[]string:
		return *p
	case *int:
		return []string{strconv.Itoa(*p)}
	case **int:
		return []string{strconv.Itoa(**p)}
	case **float64:
		return []string{strconv.FormatFloat(**p, 'f', -1, 64)}
	case *float64:
		return []string{strconv.FormatFloat(*p, 'f', -1, 64)}
	case *bool:
		return []string{strconv.FormatBool(*p)}
	case *int64:
		return []string{strconv.FormatInt(*p, 10)}
	case *Quota:
		return []string{p.String()}
	case **Share:
		return []string{(*p).String()}
	case *byte:
		return []string{string(rune(*p))}
	}
	return nil
}

// wrong says what is wrong with a single value, and what to do about it.
func (f *field) wrong(text string) (message, hint string) {
	switch f.kind {
	case kindInteger, kindFraction, kindNumber, kindShares:
		if v, _ := strconv.ParseFloat(text, 64); !f.within(v) {
			return f.not(text)
		}
		return "", ""
	case kindSize:
		if bytes, _ := strconv.ParseInt(text, 10, 64); bytes < minMemory {
			return fmt.Sprintf("of %d bytes is less than 1MiB", bytes), "is a unit missing, as in 1GiB?"
		}
		return "", ""
	case kindQuota:
		if new(Quota).UnmarshalText([]byte(text)) != nil {
			return f.not(text)
		}
		return "", ""
	case kindShare:
		if new(Share).UnmarshalText([]byte(text)) != nil {
			return f.not(text)
		}
		return "", ""
	case kindCharacter:
		if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
			return f.not(strconv.Quote(text))
		}
		if len(f.enum) == 0 && !strings.Contains("\t !#$%&'()*,/:;<=>?@[\\]^_`{|}~", text) {
			return f.not(strconv.Quote(text))
		}
		return "", ""
	}
	switch {
	case len(f.enum) > 0 && !slices.Contains(f.enum, text):
		return f.not(strconv.Quote(text), DidYouMean(text, f.enum))
	case f.pattern != "" && !regexp.MustCompile(f.pattern).MatchString(text):
		return f.not(strconv.Quote(text))
	case text == "" && !f.empty:
		return "is empty", ""
	case strings.ContainsRune(text, 0):
		return "holds a zero character", ""
	case f.isPath():
		where, err := storage.Resolve(text)
		if err != nil {
			return "is " + err.Error(), ""
		}
		if f.local && storage.IsRemote(where) {
			return "must be a path of this machine, not a URL of an object store", ""
		}
	case f.pattern == typePattern:
		column := Column{Type: text}
		if _, ok := column.DeclaredType(); !ok {
			return "must be of 1 to 38 digits, no more of them after the point", ""
		}
		return column.wrongForm(), "as in date(MM/DD/YYYY) or timestamp(DD.MM.YYYY hh:mm:ss)"
	}
	return "", ""
}

// within reports whether a number is between the ends of the field.
func (f *field) within(v float64) bool {
	low, high := v >= float64(f.min), v <= math.MaxFloat64 && (f.max == 0 || v <= float64(f.max))
	if strings.Contains(f.open, "min") {
		low = v > float64(f.min)
	}
	if strings.Contains(f.open, "max") {
		high = v < float64(f.max)
	}
	return low && high
}

// not says that a field cannot have a value, as it is shown.
func (f *field) not(shown string, hints ...string) (message, hint string) {
	if f.kind == kindCharacter && len(f.enum) == 0 {
		hints = append(hints, `a tab is "\t" in double quotes`)
	}
	return "must be " + f.wants() + ", not " + shown, strings.Join(hints, "")
}

// wants describes the single values that a field can have.
func (f *field) wants() string {
	switch {
	case len(f.enum) > 0 && f.kind == kindCharacter:
		return `one of "` + strings.Join(f.enum, `", "`) + `"`
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf("an integer from %d to %d", f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf("an integer of at least %d", f.min)
	case f.kind == kindNumber && f.max == 0:
		return fmt.Sprintf("a number above %d", f.min)
	case f.kind == kindNumber && f.open == "":
		return fmt.Sprintf("a number from %d to %d", f.min, f.max)
	case f.open == "max":
		return fmt.Sprintf("a number of at least %d and below %d", f.min, f.max)
	case f.open != "":
		return fmt.Sprintf("a number above %d and below %d", f.min, f.max)
	case f.kind == kindText && f.pattern != "":
		_, values, _ := strings.Cut(f.plainDoc(), ": ")
		return values
	}
	return kinds[f.kind].one
}

// describe names a node for messages: its shape, or its value.
func (f *field) describe(n *yaml.Node) string {
	switch {
	case n.Null():
		return "nothing"
	case n.Kind == yaml.Scalar && f.number():
		return shown(n)
	case n.Kind == yaml.Scalar:
		return strconv.Quote(n.Text)
	}
	what, size := "map", len(n.Entries)
	if n.Kind == yaml.List {
		what, size = "list", len(n.Items)
	}
	switch {
	case size == 0:
		return "an empty " + what
	case n.Kind == yaml.Map:
		return "a map"
	case size == 1:
		return "a list of one"
	}
	return fmt.Sprintf("a list of %d", size)
}

// shown shows a number as it is and everything else in quotes.
func shown(n *yaml.Node) string {
	if _, err := strconv.ParseFloat(n.Text, 64); err == nil && !n.Quoted {
		return n.Text
	}
	return strconv.Quote(n.Text)
}

// recordItem records where an item of a list comes from: the list's source.
func (r *reader) recordItem(list string, i int, n *yaml.Node) string {
	path := itemPath(list, i)
	r.origins.places[path] = place{name: r.origins.places[list].name, line: n.Line, column: n.Column}
	return path
}

// read reads the node of a slot into its place in the job.
func (r *reader) read(s slot, n *yaml.Node) {
	switch p := s.value.(type) {
	case *[]string:
		*p = r.texts(s, n)
	case *Bounds:
		*p = r.bounds(s, n)
	case *Taxonomy:
		if *p = (Taxonomy{Name: n.Text}); n.Kind != yaml.Scalar {
			*p = r.inline(s.path, n)
		} else if n.Text == "" {
			r.add(s.path, "", "taxonomy is empty")
		}
	case *map[string]Taxonomy:
		r.readTaxonomies(s, n)
	default:
		if s.kind == kindShares && n.Kind == yaml.Map && len(n.Entries) > 0 {
			r.Sensitive[s.i].Confidences = r.shares(s, n)
			return
		}
		if n.Kind != yaml.Scalar || n.Null() || !s.parse(n, p) {
			message, hint := s.not(s.describe(n))
			if unquoted := (yaml.Node{Kind: yaml.Scalar, Text: n.Text}); n.Quoted && s.number() && s.parse(&unquoted, p) {
				hint = "write it without quotes"
			}
			r.add(s.path, hint, "%s %s", s.title(), message)
			return
		}
		if text, ok := p.(*string); ok && s.kind == kindPath {
			*text = r.path(*text)
		}
		r.check(s)
	}
}

// shares reads a map from values to shares.
func (r *reader) shares(s slot, n *yaml.Node) (shares []Confidence) {
	for _, e := range n.Entries {
		share := Confidence{Value: e.Key.Text}
		at := s.path + "." + quotedKey(share.Value)
		if r.record(at, e.Value); e.Value.Kind != yaml.Scalar || !s.parse(e.Value, &share.Most) || !s.within(share.Most) {
			message, _ := s.not(s.describe(e.Value))
			r.add(at, "", "%s %s", s.title(), message)
			continue
		}
		shares = append(shares, share)
	}
	return shares
}

// path returns a path of the job file as it can be opened.
func (r *reader) path(path string) string { return inFolder(filepath.Dir(r.File), path) }

// texts reads a list of texts. One path is a list, too.
func (r *reader) texts(s slot, n *yaml.Node) []string {
	items := n.Items
	if s.kind == kindColumns && n.Kind == yaml.Scalar && n.Text == "all" {
		return []string{AllColumns}
	}
	if s.kind == kindHeader && n.Kind == yaml.Scalar && !n.Quoted && (n.Text == "false" || n.Text == "true") {
		return []string{"\x00" + n.Text}
	}
	if s.kind == kindPaths && n.Kind == yaml.Scalar {
		items = []*yaml.Node{n}
	}
	if len(items) == 0 {
		r.add(s.path, "", "%s must be a %s, not %s", s.key(), kinds[s.kind].words, s.describe(n))
	}
	texts := make([]string, len(items))
	for i, item := range items {
		at := r.recordItem(s.path, i, item)
		if item.Kind != yaml.Scalar || item.Null() {
			message, _ := s.not(s.describe(item))
			r.add(at, "", "%s %s", s.title(), message)
			continue
		}
		if texts[i] = item.Text; s.kind == kindPaths {
			texts[i] = r.path(item.Text)
		}
		r.text(s.field, at, &texts[i])
	}
	return texts
}

// bounds reads a pair of bounds.
func (r *reader) bounds(s slot, n *yaml.Node) (b Bounds) {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		r.add(s.path, hint, "bounds must be a list of two values, not %s", s.describe(n))
		return b
	}
	for i, end := range []*string{&b.Lower, &b.Upper} {
		item := n.Items[i]
		switch {
		case item.Null():
		case item.Kind == yaml.Scalar && item.Text != "":
			*end = item.Text
		default:
			r.add(r.recordItem(s.path, i, item), hint, "a bound must be a number, a date or null, not %s", s.describe(item))
			return b
		}
	}
	if b == (Bounds{}) {
		r.add(s.path, "leave bounds out for two open ends", "bounds without a value")
	}
	return b
}

// sizePattern matches sizes: bytes, or a number with a unit.
const sizePattern = `^[0-9]+(\.[0-9]+)? ?([kKMGT]i?)?B?$`

// sizeUnits are the units of sizes, in bytes.
var sizeUnits = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

// minMemory catches sizes whose unit was forgotten.
const minMemory = 1 << 20

// parseSize returns a size in bytes.
func parseSize(text string) (int64, error) {
	if !regexp.MustCompile(sizePattern).MatchString(text) {
		return 0, errors.New("not a size")
	}
	number := text[:strings.LastIndexAny(text, "0123456789")+1]
	unit := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text[len(number):])), "b")
	v, err := strconv.ParseFloat(number, 64)
	if v *= sizeUnits[unit]; err == nil && v >= 1<<62 {
		return 0, errors.New("too large")
	}
	return int64(v), err
}

// sizeText returns the shortest text of a size, in units that divide it.
func sizeText(bytes int64) string {
	text := strconv.FormatInt(bytes, 10)
	for _, unit := range []string{"Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T"} {
		size := int64(sizeUnits[strings.ToLower(unit)])
		if short := fmt.Sprintf("%d%sB", bytes/size, unit); bytes%size == 0 && len(short) < len(text) {
			text = short
		}
	}
	return text
}

// stepPattern matches what bounds are rounded to: a number above zero, or a unit of time.
const stepPattern = `^([0-9]*[1-9][0-9]*(\.[0-9]+)?|[0-9]+\.[0-9]*[1-9][0-9]*|year|month|day|hour|minute|second)$`

// limitPattern matches levels and widths.
const limitPattern = `^([0-9]*[1-9][0-9]*(\.[0-9]+)?|[0-9]+\.[0-9]*[1-9][0-9]*)[dhms]?$`

// levelPattern matches levels.
const levelPattern = `^[1-9][0-9]{0,3}$`

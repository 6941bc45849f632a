package jobfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// checkMap checks the keys and values of a map, and takes out what is wrong.
func (l *loader) checkMap(prefix string, m *yaml.Node) {
	fields := fieldsUnder(prefix)
	for _, f := range fields {
		if f.required && m.Get(f.key()) == nil {
			l.missing(f, m)
		}
	}
	good := m.Entries[:0:0]
	for _, e := range m.Entries {
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key() == e.Key.Text })
		switch {
		case i < 0:
			l.unknown(e.Key, fields)
		case l.checkField(fields[i], e.Value):
			good = append(good, e)
		case prefix == "":
			l.broken[e.Key.Text] = true
		}
	}
	m.Entries = good
}

func (l *loader) missing(f *field, m *yaml.Node) {
	hint := f.key() + ": " + f.doc
	if len(f.enum) > 0 {
		hint = f.key() + " is " + f.wants()
	}
	l.add(m, strings.ReplaceAll(hint, "`", ""), "missing key %q", f.key())
}

func (l *loader) unknown(key *yaml.Node, fields []*field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key()
	}
	hint := didYouMean(key.Text, names)
	if hint == "" {
		hint = "the keys here are " + strings.Join(names, ", ")
	}
	l.add(key, hint, "unknown key %q", key.Text)
}

// checkField reports whether a value is one that the field can have. Of fields with fields
// of their own it takes out the wrong ones only.
func (l *loader) checkField(f *field, n *yaml.Node) bool {
	if n.Null() {
		l.add(n, "give it a value, or leave it out", "%s has no value", f.key())
		return false
	}
	switch f.kind {
	case kindMap:
		return l.checkMapField(f, n)
	case kindList:
		return l.checkList(f, n)
	case kindNamed:
		return l.checkNamed(f, n)
	case kindTaxonomy:
		return l.checkTaxonomy(n)
	case kindTaxonomies:
		return l.checkTaxonomies(n)
	case kindPaths, kindTexts:
		return l.checkScalars(f, n)
	case kindBounds:
		return l.checkBounds(n)
	}
	return l.checkScalar(f, n)
}

func (l *loader) checkMapField(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.Map {
		l.add(n, "", "%s must be a map, not %s", f.key(), describeNode(n))
		return false
	}
	l.checkMap(f.prefix(), n)
	return true
}

// checkList checks a list of maps. Items of another shape become empty maps, so that
// positions in the list stay what they are.
func (l *loader) checkList(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.List || len(n.Items) == 0 {
		l.add(n, "as in: - {columns: [age, sex], k: 50}", "%s must be a list of sets, not %s", f.key(), describeNode(n))
		return false
	}
	for i, item := range n.Items {
		if item.Kind == yaml.Map {
			l.checkMap(f.prefix(), item)
			continue
		}
		l.add(item, "as in: - {columns: [age, sex], k: 50}", "a set must be a map, not %s", describeNode(item))
		n.Items[i] = emptyMapLike(item)
	}
	return true
}

// checkNamed checks a map of maps, like checkList.
func (l *loader) checkNamed(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.Map || len(n.Entries) == 0 {
		l.add(n, "as in: age: discretize", "%s must be a map from names of columns to masks, not %s", f.key(), describeNode(n))
		return false
	}
	for i := range n.Entries {
		e := &n.Entries[i]
		switch {
		case e.Key.Text == "":
			l.add(e.Key, "", "a column needs a name")
		case e.Value.Kind == yaml.Map:
			l.checkMap(f.prefix(), e.Value)
			continue
		case e.Value.Null():
			l.add(e.Key, "as in: age: discretize", "column %q has no mask", e.Key.Text)
		default:
			l.add(e.Value, "as in: age: discretize", "column %q must have a mask or a map, not %s", e.Key.Text, describeNode(e.Value))
		}
		e.Value = emptyMapLike(e.Value)
	}
	return true
}

func emptyMapLike(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.Map, Line: n.Line, Column: n.Column}
}

// describeNode names the shape of a node, for messages.
func describeNode(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.Map && len(n.Entries) == 0:
		return "an empty map"
	case n.Kind == yaml.Map:
		return "a map"
	case n.Kind == yaml.List && len(n.Items) == 0:
		return "an empty list"
	case n.Kind == yaml.List && len(n.Items) == 1:
		return "a list of one"
	case n.Kind == yaml.List:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case n.Null():
		return "nothing"
	}
	return strconv.Quote(n.Text)
}

// checkScalars checks a list of texts and takes the wrong ones out.
func (l *loader) checkScalars(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.List || len(n.Items) == 0 {
		l.add(n, "", "%s must be a %s, not %s", f.key(), referenceKinds[f.kind], describeNode(n))
		return false
	}
	good := n.Items[:0:0]
	for _, item := range n.Items {
		if l.checkScalar(f, item) {
			good = append(good, item)
		}
	}
	whole := len(good) == len(n.Items)
	n.Items = good
	return whole
}

func (l *loader) checkScalar(f *field, n *yaml.Node) bool {
	message, hint := scalarProblem(f, n)
	if message == "" {
		return true
	}
	l.add(n, hint, "%s %s", f.key(), message)
	return slices.Contains(f.later, n.Text) // a known value still tells other rules what is meant
}

// scalarProblem says what is wrong with a single value, and what to do about it.
func scalarProblem(f *field, n *yaml.Node) (message, hint string) {
	switch {
	case n.Kind != yaml.Scalar || n.Null():
		return "must be " + f.wants() + ", not " + describeNode(n), ""
	case slices.Contains(f.later, n.Text):
		return fmt.Sprintf("%s is not available in this version", n.Text), "available are " + strings.Join(f.enum, " and ")
	case len(f.enum) > 0 && !slices.Contains(f.enum, n.Text):
		return "must be " + f.wants() + ", not " + describeNode(n), didYouMean(n.Text, f.enum)
	case f.kind == kindInteger:
		return f.integerProblem(n), ""
	case f.kind == kindSize:
		return sizeProblem(n.Text)
	case f.kind == kindCharacter:
		return characterProblem(n.Text)
	case f.pattern != "" && !regexp.MustCompile(f.pattern).MatchString(n.Text):
		return "must be " + f.wants() + ", not " + describeNode(n), ""
	case f.pattern == typePattern && columnType(n.Text) == nil:
		return "must be of 1 to 38 digits, no more of them after the point", ""
	case n.Text == "":
		return "is empty", ""
	case strings.ContainsRune(n.Text, 0):
		return "holds a zero character", ""
	}
	return "", ""
}

// wants describes the single values that a field can have.
func (f *field) wants() string {
	switch {
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf("an integer from %d to %d", f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf("an integer of at least %d", f.min)
	case f.kind == kindSize:
		return "a size such as 1GiB"
	case f.kind == kindPath, f.kind == kindPaths:
		return "a path"
	case f.kind == kindTexts:
		return "a name"
	case f.pattern != "":
		return strings.ReplaceAll(strings.TrimPrefix(f.doc[strings.IndexByte(f.doc, ':')+1:], " "), "`", "")
	}
	return "a text"
}

func (f *field) integerProblem(n *yaml.Node) string {
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil || n.Quoted || v < f.min || f.max > 0 && v > f.max {
		return "must be " + f.wants() + ", not " + describeScalar(n)
	}
	return ""
}

// checkBounds checks a pair of bounds.
func (l *loader) checkBounds(n *yaml.Node) bool {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		l.add(n, hint, "bounds must be a list of two values, not %s", describeNode(n))
		return false
	}
	open := 0
	for _, item := range n.Items {
		if item.Null() {
			open++
		} else if item.Kind != yaml.Scalar || item.Text == "" {
			l.add(item, hint, "a bound must be a number, a date or null, not %s", describeNode(item))
			return false
		}
	}
	if open == 2 {
		l.add(n, "leave bounds out for two open ends", "bounds without a value")
	}
	return open < 2
}

// sizeUnits are the units of sizes, in bytes.
var sizeUnits = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

var sizeRegexp = regexp.MustCompile(sizePattern)

// minMemory catches sizes whose unit was forgotten.
const minMemory = 1 << 20

// parseSize returns a size in bytes.
func parseSize(text string) (int64, bool) {
	if !sizeRegexp.MatchString(text) {
		return 0, false
	}
	number := text[:strings.LastIndexAny(text, "0123456789")+1]
	unit := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text[len(number):])), "b")
	v, err := strconv.ParseFloat(number, 64)
	v *= sizeUnits[unit]
	return int64(v), err == nil && v < 1<<62
}

func sizeProblem(text string) (message, hint string) {
	size, ok := parseSize(text)
	switch {
	case !ok:
		return fmt.Sprintf("must be a size such as 1GiB, 512MiB or 2GB, not %q", text), ""
	case size < minMemory:
		return fmt.Sprintf("of %d bytes is less than 1MiB", size), "is a unit missing, as in 1GiB?"
	}
	return "", ""
}

func characterProblem(text string) (message, hint string) {
	const separators = "\t !#$%&'()*,/:;<=>?@[\\]^_`{|}~"
	if len(text) == 1 && strings.Contains(separators, text) {
		return "", ""
	}
	return fmt.Sprintf("must be one character such as \",\", \";\" or \"\\t\", not %q", text), "a tab is \"\\t\" in double quotes"
}

// describeScalar shows a number as it is and everything else in quotes.
func describeScalar(n *yaml.Node) string {
	if _, err := strconv.ParseFloat(n.Text, 64); err == nil && !n.Quoted {
		return n.Text
	}
	return strconv.Quote(n.Text)
}

package jobfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

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
	if message != "" {
		l.add(n, hint, "%s %s", f.title(), message)
	}
	return message == ""
}

// scalarProblem says what is wrong with a single value, and what to do about it.
func scalarProblem(f *field, n *yaml.Node) (message, hint string) {
	switch {
	case n.Kind != yaml.Scalar || n.Null():
		return "must be " + f.wants() + ", not " + describeNode(n), ""
	case len(f.enum) > 0 && !slices.Contains(f.enum, n.Text):
		return "must be " + f.wants() + ", not " + describeNode(n), didYouMean(n.Text, f.enum)
	case f.kind == kindInteger:
		return f.integerProblem(n), ""
	case f.kind == kindFraction:
		return f.fractionProblem(n), ""
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
	case f.kind == kindPath, f.kind == kindPaths:
		return f.pathProblem(n.Text)
	}
	return "", ""
}

// pathProblem says what is wrong with a URL in a path's place.
func (f *field) pathProblem(text string) (message, hint string) {
	where, err := storage.Resolve(text)
	switch {
	case err != nil:
		return "is " + err.Error(), ""
	case f.local && storage.IsRemote(where):
		return "must be a path of this machine, not a URL of an object store", ""
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
	case f.kind == kindFraction:
		return "a number from 0 to 1"
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

func (f *field) fractionProblem(n *yaml.Node) string {
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || n.Quoted || !(v >= 0 && v <= 1) {
		return "must be " + f.wants() + ", not " + describeScalar(n)
	}
	return ""
}

func characterProblem(text string) (message, hint string) {
	const separators = "\t !#$%&'()*,/:;<=>?@[\\]^_`{|}~"
	if len(text) == 1 && strings.Contains(separators, text) {
		return "", ""
	}
	return fmt.Sprintf("must be one character such as \",\", \";\" or \"\\t\", not %q", text), "a tab is \"\\t\" in double quotes"
}

package job

import (
	"fmt"
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
	if t, ok := p.(taxonomies); ok {
		return t.TaxonomyFile == "" && t.Taxonomies == nil
	}
	v := reflect.ValueOf(p).Elem()
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// clearValue gives a value of a job the zero value.
func clearValue(p any) {
	if t, ok := p.(taxonomies); ok {
		t.TaxonomyFile, t.Taxonomies = "", nil
		return
	}
	reflect.ValueOf(p).Elem().SetZero()
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
	case *int64:
		*p, err = parseSize(n.Text)
	case *byte:
		if len(n.Text) != 1 {
			return false
		}
		*p = n.Text[0]
	}
	return err == nil && !(n.Quoted && f.number())
}

// wrong says what is wrong with a single value that is no text, and what to do about it.
func (f *field) wrong(p any) (message, hint string) {
	switch p := p.(type) {
	case *int:
		return f.outside(float64(*p))
	case **int:
		return f.outside(float64(**p))
	case **float64:
		return f.outside(**p)
	case *int64:
		if *p < minMemory {
			return fmt.Sprintf("of %d bytes is less than 1MiB", *p), "is a unit missing, as in 1GiB?"
		}
	case *byte:
		if !strings.ContainsRune("\t !#$%&'()*,/:;<=>?@[\\]^_`{|}~", rune(*p)) {
			return f.not(strconv.Quote(string(rune(*p))))
		}
	}
	return "", ""
}

// wrongText is wrong of texts.
func (f *field) wrongText(text string) (message, hint string) {
	switch {
	case len(f.enum) > 0 && !slices.Contains(f.enum, text):
		return f.not(strconv.Quote(text), didYouMean(text, f.enum))
	case f.pattern != "" && !regexp.MustCompile(f.pattern).MatchString(text):
		return f.not(strconv.Quote(text))
	case text == "":
		return "is empty", ""
	case strings.ContainsRune(text, 0):
		return "holds a zero character", ""
	case f.kind == kindPath, f.kind == kindPaths:
		return f.wrongPath(text)
	}
	if f.pattern == typePattern {
		if _, ok := (&Column{Type: text}).DeclaredType(); !ok {
			return "must be of 1 to 38 digits, no more of them after the point", ""
		}
	}
	return "", ""
}

// wrongPath says what is wrong with a URL in a path's place.
func (f *field) wrongPath(text string) (message, hint string) {
	where, err := storage.Resolve(text)
	switch {
	case err != nil:
		return "is " + err.Error(), ""
	case f.local && storage.IsRemote(where):
		return "must be a path of this machine, not a URL of an object store", ""
	}
	return "", ""
}

// outside says that a number is outside of the field's limits, if it is.
func (f *field) outside(v float64) (message, hint string) {
	if v >= float64(f.min) && (f.max == 0 || v <= float64(f.max)) {
		return "", ""
	}
	return f.not(strconv.FormatFloat(v, 'f', -1, 64))
}

// not says that a field cannot have a value, as it is shown.
func (f *field) not(shown string, hints ...string) (message, hint string) {
	if f.kind == kindCharacter {
		hints = append(hints, `a tab is "\t" in double quotes`)
	}
	return "must be " + f.wants() + ", not " + shown, strings.Join(hints, "")
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

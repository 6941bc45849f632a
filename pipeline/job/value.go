package job

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/text"
)

// kinds has, for every kind of values, its name in the reference, the name of one value in
// messages, and the allowed texts and JSON.
var kinds = map[string]struct{ words, one, pattern, example, schema string }{
	"string":       {"text", "a text", "", "", nameSchema},
	"[]string":     {"list of names", "a name", "", "", namesSchema},
	"values":       {"list of values", "a value", "", "", `{"type":"array","items":{"type":["string","number","boolean"]},"minItems":1,"uniqueItems":true}`},
	"columns":      {"list of names, or `all`", "a name", "", "", `{"anyOf":[{"const":"all"},` + namesSchema + `]}`},
	"header":       {"list of names, or `false`", "a name", "", "", `{"anyOf":[{"type":"boolean"},` + namesSchema + `]}`},
	"path":         {"path", "a path", "", "", pathSchema},
	"paths":        {"path or list of paths", "a path", "", "", `{"anyOf":[` + pathSchema + `,{"type":"array","items":` + pathSchema + `,"minItems":1}]}`},
	"int":          {"integer", "an integer", "", "", ""},
	"float64":      {"number", "a number", "", "", ""},
	"job.Shares":   {"number, or map by value", "a number", "", "", ""},
	"bool":         {"`true` or `false`", "true or false", "", "", `{"type":"boolean"}`},
	"int64":        {"size", "a size such as 1GiB, 512MiB or 2GB", sizePattern, "1GiB", `{"type":["string","integer"],"pattern":%s,"minimum":1048576}`},
	"job.Quota":    {"number or share", "a number of records, or a share of them as 0.5%", quotaPattern, "0.5%", `{"type":["string","integer"],"pattern":%s,"minimum":0}`},
	"job.Share":    {"share", "a share from 0% to 100%, as 1%", sharePattern, "35%", `{"type":"string","pattern":%s}`},
	"uint8":        {"character", `one character such as ",", ";" or "\t"`, signPattern, "", `{"type":"string","pattern":%s}`},
	"step":         {"number or unit", "a number above zero, or one of year, month, day, hour, minute, second", stepPattern, "5", `{"anyOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":%s}]}`},
	"limit":        {"level or width", "a number above zero, of dates and times with a unit, as 30d, 12h, 5m or 1s", limitPattern, "2", `{"type":["number","string"],"pattern":%s,"exclusiveMinimum":0}`},
	"type":         {"text", typeWords, typePattern, "decimal(10,2)", `{"type":"string","pattern":%s}`},
	"time":         {"text", "a time as 90s, 10m or 2h", timePattern, "10m", `{"type":"string","pattern":%s}`},
	"job.Bounds":   {"`[lower, upper]`", "", "", "", `{"type":"array","items":{"type":["string","number","null"]},"minItems":2,"maxItems":2}`},
	"job.Taxonomy": {"name, tree or generator", "", "", "", `{"anyOf":[` + nameSchema + `,` + inlineSchema + `]}`},
	"taxonomies":   {"path or map", "a path, or a map from names to taxonomies", "", "", `{"anyOf":[` + pathSchema + `,{"type":"object","additionalProperties":` + taxonomySchema + `,"minProperties":1}]}`},
}

// Patterns for the texts of some kinds.
const (
	stepPattern  = `^([0-9]*[1-9][0-9]*(\.[0-9]+)?|[0-9]+\.[0-9]*[1-9][0-9]*|year|month|day|hour|minute|second)$`
	limitPattern = `^([0-9]*[1-9][0-9]*(\.[0-9]+)?|[0-9]+\.[0-9]*[1-9][0-9]*)[dhms]?$`
	levelPattern = `^[1-9][0-9]{0,3}$`                          // a limit that is a level
	signPattern  = "^[\t !#$%&'()*,/:;<=>?@\\[\\\\\\]^_`{|}~]$" // a character that separates fields
	timePattern  = `^[1-9][0-9]*[smh]$`
	sizePattern  = `^[0-9]+(\.[0-9]+)? ?([kKMGT]i?)?B?$` // bytes, or a number with a unit
)

// setText sets a value to that of a text.
func setText(v reflect.Value, text string) (err error) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	var whole int64
	var number float64
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		whole, err = strconv.ParseInt(text, 10, strconv.IntSize)
		v.SetInt(whole)
	case reflect.Int64:
		whole, err = parseSize(text)
		v.SetInt(whole)
	case reflect.Float64:
		number, err = strconv.ParseFloat(text, 64)
		v.SetFloat(number)
	case reflect.Bool:
		if v.SetBool(text == "true"); text != "true" && text != "false" {
			err = errors.New("neither true nor false")
		}
	case reflect.Uint8:
		if len(text) != 1 {
			return errors.New("not one character")
		}
		v.SetUint(uint64(text[0]))
	}
	return err
}

// target returns a new value for a pointer, and other values unchanged.
func target(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	v.Set(reflect.New(v.Type().Elem()))
	return v.Elem()
}

// textOf returns the text of a value, as setText reads it.
func textOf(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case fmt.Stringer:
		return value.String()
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case byte:
		return string(rune(value))
	}
	return fmt.Sprint(v.Interface())
}

// set sets a value to that of a single node, or returns a message with the problem and a hint.
func (f *field) set(v reflect.Value, n *yaml.Node) (message, hint string) {
	err, pattern := setText(v, n.Text), kinds[f.kind].pattern
	number, _ := strconv.ParseFloat(n.Text, 64)
	switch {
	case n.Kind == yaml.Scalar && n.Quoted && f.number() && err == nil:
		return f.mismatch(n, "write it without quotes")
	case n.Kind != yaml.Scalar, n.Null(), n.Quoted && f.plain(), err != nil,
		f.number() && !f.within(number),
		f.enum == nil && pattern != "" && !regexp.MustCompile(pattern).MatchString(n.Text):
		return f.mismatch(n)
	case f.enum != nil && !slices.Contains(f.enum, n.Text):
		return f.mismatch(n, text.DidYouMean(n.Text, f.enum))
	case v.Kind() == reflect.Int64 && v.Int() < minMemory:
		return fmt.Sprintf("of %d bytes is less than 1MiB", v.Int()),
			"is a unit missing, as in 1GiB?"
	case v.Kind() == reflect.String:
		return f.wrongText(n.Text)
	}
	return "", ""
}

// wrongText describes a problem with a text that has the right form.
func (f *field) wrongText(text string) (message, hint string) {
	switch {
	case text == "" && !f.is("empty"):
		return "is empty", ""
	case strings.ContainsRune(text, 0):
		return "holds a zero character", ""
	case f.isPath():
		where, err := storage.Resolve(text)
		if err != nil {
			return "is " + err.Error(), ""
		}
		if f.is("local") && storage.IsRemote(where) {
			return "must be a path of this machine, not a URL of an object store", ""
		}
	case f.kind == "type":
		column := Column{Type: text}
		if _, ok := column.DeclaredType(); !ok {
			return "must be of 1 to 38 digits, no more of them after the point", ""
		}
		return column.wrongForm(), "as in date(MM/DD/YYYY) or timestamp(DD.MM.YYYY hh:mm:ss)"
	}
	return "", ""
}

// ends returns the texts of the ends of the field's range; empty: there is none.
func (f *field) ends() (low, high string, lowOpen, highOpen bool) {
	interval := f.tag.Get("range")
	low, high, _ = strings.Cut(strings.Trim(interval, "[]()"), ",")
	return low, high, interval[0] == '(', interval[len(interval)-1] == ')'
}

// within reports whether a number is in the field's range.
func (f *field) within(v float64) bool {
	low, high, lowOpen, highOpen := f.ends()
	least, _ := strconv.ParseFloat(low, 64)
	most, err := strconv.ParseFloat(high, 64)
	if err != nil {
		most, highOpen = math.MaxFloat64, false
	}
	return (v > least || !lowOpen && v == least) && (v < most || !highOpen && v == most)
}

// mismatch returns the message that a field cannot have a value.
func (f *field) mismatch(n *yaml.Node, hints ...string) (message, hint string) {
	if f.kind == "uint8" && len(f.enum) == 0 {
		hints = append(hints, `a tab is "\t" in double quotes`)
	}
	return "must be " + f.wants() + ", not " + f.describe(n), strings.Join(hints, "")
}

// wants describes the single values that a field can have.
func (f *field) wants() string {
	one := kinds[f.kind].one
	switch {
	case len(f.enum) > 0 && f.kind == "uint8":
		return `one of "` + strings.Join(f.enum, `", "`) + `"`
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case !f.number():
		return one
	}
	low, high, lowOpen, highOpen := f.ends()
	switch {
	case high == "" && lowOpen:
		return one + " above " + low
	case high == "":
		return one + " of at least " + low
	case lowOpen:
		return one + " above " + low + " and below " + high
	case highOpen:
		return one + " of at least " + low + " and below " + high
	}
	return one + " from " + low + " to " + high
}

// sizeUnits are the units of sizes, in bytes.
var sizeUnits = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30,
	"ti": 1 << 40,
}

// minMemory is the smallest size: smaller ones most likely lack a unit.
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
		if short := fmt.Sprintf("%d%sB", bytes/size, unit); bytes%size == 0 &&
			len(short) < len(text) {
			text = short
		}
	}
	return text
}

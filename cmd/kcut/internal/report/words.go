package report

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

const (
	mostChildren = 12  // largest number of listed children of a step
	mostRunes    = 160 // largest length of a label
)

// percent formats a share with one digit after the point, computed in whole numbers.
func percent(part uint64, whole int64) string {
	if whole == 0 {
		return "0.0 %"
	}
	tenths := (part*1000 + uint64(whole)/2) / uint64(whole)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// ends divides the label of an interval of dates behind its comma: a narrow column breaks it there,
// and not at the hyphen of a date. An interval with an open end is one part, other labels are nil.
// The interval may be in a set with the null.
func ends(label string) []string {
	before, after, _ := strings.Cut(label, ",")
	lower, upper := strings.TrimPrefix(before, "{"), strings.TrimSuffix(after, `|\N}`)
	switch {
	case !strings.HasPrefix(lower, "[") && lower != "(":
	case !strings.HasSuffix(upper, ")") && !strings.HasSuffix(upper, "]"):
	case !strings.Contains(lower[1:]+upper, "-") || strings.Contains(upper, ","):
	case lower == "(" || upper == ")":
		return []string{label}
	default:
		return []string{before + ",", after}
	}
	return nil
}

// span formats the sizes of a bucket. Its end is limited to the largest size.
func span(from, to, largest uint64) string {
	if to = min(to-1, largest); from == to {
		return grouped(from)
	}
	return grouped(from) + " – " + grouped(to)
}

// grouped formats a whole number of any type.
func grouped(n any) string {
	if v := reflect.ValueOf(n); v.CanUint() {
		return text.Grouped(int64(v.Uint()))
	} else {
		return text.Grouped(v.Int())
	}
}

// counted formats a number of things.
func counted(number, what string) string {
	switch {
	case number == "1":
		return "1 " + what
	case strings.HasSuffix(what, "ss"):
		return number + " " + what + "es"
	}
	return number + " " + what + "s"
}

// numberText formats a number with four significant digits, like the script of the page.
func numberText(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil || rounded == 0 {
		return "0"
	}
	if math.Abs(rounded) >= 1e-6 {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(rounded, 'e', -1, 64), "e-0", "e-", 1)
}

// Score formats a share in percent, and its standard deviation if there is one.
func Score(s kcut.Score) string {
	if s.Deviation == nil {
		return fmt.Sprintf("%.2f", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*s.Mean, 100**s.Deviation)
}

// traceText formats a label of a step.
func traceText(l kcut.TraceLabel) string {
	if l.Null {
		return "null"
	}
	return shortened(l.Text)
}

// shortened formats a label, or the beginning of a label that is too long to read.
func shortened(label any) string {
	var whole string
	switch l := label.(type) {
	case string:
		whole = l
	case kcut.TraceLabel:
		return traceText(l)
	}
	if len(whole) <= mostRunes {
		return whole
	}
	if runes := []rune(whole); len(runes) > mostRunes {
		return string(runes[:mostRunes]) + "… of " + counted(grouped(len(runes)), "character")
	}
	return whole
}

func childrenText(children []kcut.TraceLabel) string {
	var texts []string
	for _, c := range children[:min(len(children), mostChildren)] {
		texts = append(texts, traceText(c))
	}
	if len(children) > mostChildren {
		texts = append(texts, "… of "+grouped(len(children)))
	}
	return strings.Join(texts, " | ")
}

// anonymityText lists the anonymity of every set.
func anonymityText(of []uint64) string {
	var texts []string
	for _, n := range of {
		texts = append(texts, grouped(n))
	}
	return strings.Join(texts, " · ")
}

// visible replaces characters that do not print by their numbers.
func visible(label string) string { return text.Escaped(label) }

package pipeline

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// covers reports whether released texts are true of a value.
func (a *audit) covers(column *cutfile.Column, value string, texts []string) bool {
	released := texts[0]
	if plain, ok := map[string]string{"-0": "0", "NaN:fff8000000000001": "NaN"}[value]; ok {
		// one value to a search
		value = plain
	}
	if column.Suppressed != "" && released == column.Suppressed &&
		(column.Mask == job.MaskSuppress || a.marked()) {
		return true
	}
	switch column.Mask {
	case job.MaskSuppress:
		return released == value || a.cut.Kind == cutfile.KindRegions &&
			slices.Contains(parseSet(released), value)
	case job.MaskGeneralize:
		path := a.path(column.Name, value)
		above := func(node string) bool { return slices.Contains(path, node) }
		return above(released) || a.cut.Kind == cutfile.KindRegions &&
			slices.ContainsFunc(parseSet(released), above)
	}
	if strings.HasPrefix(value, "NaN") {
		value = null // no interval can hold it
	}
	switch column.Render {
	case job.RenderBounds:
		return value == null || within(value,
			interval{lower: texts[0], upper: texts[1], closed: a.closed(column, texts[1])})
	case job.RenderInterval:
		if texts[2] == null {
			return (value == null || column.Suppressed != "" && a.marked()) && texts[0] == null &&
				texts[1] == null
		}
		i := interval{lower: texts[0], upper: texts[1], closed: texts[2] == "both"}
		return slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool {
			label, _ := parseInterval(l.Label)
			return !l.Null && sameEnd(i.lower, label.lower) && sameEnd(i.upper, label.upper) &&
				i.closed == label.closed &&
				(value != null && within(value, i) || value == null && l.Label == a.full(column))
		})
	}
	if set := parseSet(released); a.cut.Kind == cutfile.KindRegions && len(set) == 2 {
		if value == null {
			return set[1] == null
		}
		released = set[0]
	}
	if value == null {
		if a.cut.Kind == cutfile.KindRegions {
			return released == null || released == a.full(column)
		}
		return released == null && len(column.Cut) > 1 ||
			len(column.Cut) == 1 && released == column.Cut[0].Label
	}
	parsed, ok := parseInterval(released)
	return ok && within(value, parsed)
}

// sameEnd reports whether a released end, or null, is that of a label.
func sameEnd(is, end string) bool {
	return is == null && end == "" || is != null && end != "" && order(is, end) == 0
}

// closed reports whether an upper bound is the declared one, which belongs to its interval.
func (a *audit) closed(column *cutfile.Column, upper string) bool {
	return a.spec(column.Name).Bounds.Upper != "" &&
		slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool {
			text, _ := cutfile.EndText(l.Upper)
			return text == upper && strings.HasSuffix(l.Label, "]")
		})
}

// path returns the possible labels of a value of a generalized column: its own name and the names
// of its ancestors.
func (a *audit) path(name, value string) []string {
	t := a.taxonomy(name)
	if t.Generated() {
		return generatedPath(value, &t)
	}
	if value == null {
		return []string{null, t.Tree.Name}
	}
	if path := pathTo(t.Tree, value); path != nil {
		return path
	}
	if a.spec(name).Unknown == job.UnknownRoot {
		return []string{value, t.Tree.Name}
	}
	return nil
}

// generatedPath is path for a generated taxonomy.
func generatedPath(value string, g *job.Taxonomy) []string {
	if len(g.Ranges) > 0 {
		if strings.HasPrefix(value, "NaN") {
			value = null // no range can hold it
		}
		return append(rangesWith(value, g.Ranges), value, "(,)")
	}
	path := []string{value, "*"}
	if value == null {
		return path
	}
	for _, n := range g.Prefix {
		if r := []rune(value); n < len(r) {
			path = append(path, string(r[:n])+"*")
		}
	}
	if g.Spelling != nil {
		form := strings.Join(strings.Fields(strings.ToLower(value)), " ")
		word := map[string]string{"f": "female", "woman": "female", "n": "no"}[form]
		path = append(path, cmp.Or(word, form, value))
	}
	for _, unit := range g.Date {
		path = append(path, map[string]string{
			"day": value[:10], "month": value[:7],
			"quarter": fmt.Sprintf("%s-Q%d", value[:4], (monthOf(value)+2)/3),
			"year":    value[:4], "decade": value[:3] + "0s", "century": value[:2] + "XX",
		}[unit])
	}
	return path
}

func monthOf(date string) int {
	n, _ := strconv.Atoi(date[5:7])
	return n
}

// rangesWith returns the ranges between edges that hold a number.
func rangesWith(value string, edges []string) []string {
	if value == null {
		return nil
	}
	ends := append(append([]string{""}, edges...), "")
	var found []string
	for i := range len(ends) - 1 {
		opening := "["
		if i == 0 {
			opening = "("
		}
		if within(value, interval{lower: ends[i], upper: ends[i+1]}) {
			found = append(found, opening+ends[i]+","+ends[i+1]+")")
		}
	}
	return found
}

// taxonomy returns the tree of a generalized column in its file, or a generator.
func (a *audit) taxonomy(name string) job.Taxonomy {
	spec := a.spec(name).Taxonomy
	if spec.Name == "" {
		return spec
	}
	if a.job.TaxonomyFile == "" {
		return a.job.Taxonomies[spec.Name]
	}
	if a.trees == nil {
		var err error
		if a.trees, err = taxonomy.ReadAll(a.job.TaxonomyFile); err != nil {
			a.Fatal(err)
		}
	}
	return job.Taxonomy{Tree: a.trees[spec.Name]}
}

// pathTo returns the names from a node up to the root; nil if no node has the name.
func pathTo(n *taxonomy.Node, name string) []string {
	if n.Name == name {
		return []string{n.Name}
	}
	for i := range n.Children {
		if path := pathTo(&n.Children[i], name); path != nil {
			return append(path, n.Name)
		}
	}
	return nil
}

// interval is an interval label; an empty or null end is open.
type interval struct {
	lower, upper string
	closed       bool // the upper end belongs to it
}

// parseInterval parses a range, or an integer that stands for the interval of it alone.
func parseInterval(label string) (interval, bool) {
	if n, ok := new(big.Int).SetString(label, 10); ok {
		return interval{lower: label, upper: n.Add(n, big.NewInt(1)).String()}, true
	}
	if len(label) < 3 || !strings.ContainsRune("[(", rune(label[0])) ||
		!strings.ContainsRune(")]", rune(label[len(label)-1])) {
		return interval{}, false
	}
	lower, upper, ok := strings.Cut(label[1:len(label)-1], ",")
	return interval{lower, upper, label[len(label)-1] == ']'},
		ok && (lower == "") == (label[0] == '(')
}

func within(value string, i interval) bool {
	if i.lower != "" && i.lower != null && order(value, i.lower) < 0 {
		return false
	}
	if i.upper == "" || i.upper == null {
		return true
	}
	c := order(value, i.upper)
	return c < 0 || c == 0 && i.closed
}

// order compares numbers exactly, and dates and times of equal length bytewise. A day is its
// midnight.
func order(a, b string) int {
	if i, err := strconv.ParseInt(a, 10, 64); err == nil {
		if j, err := strconv.ParseInt(b, 10, 64); err == nil {
			return cmp.Compare(i, j)
		}
	}
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	if ok && ok2 {
		return x.Cmp(y)
	}
	f, err := strconv.ParseFloat(a, 64)
	g, err2 := strconv.ParseFloat(b, 64)
	if err == nil && err2 == nil {
		return big.NewFloat(f).Cmp(big.NewFloat(g))
	}
	return strings.Compare(withoutMidnight(a), withoutMidnight(b))
}

func withoutMidnight(moment string) string {
	day, _ := strings.CutSuffix(strings.TrimSuffix(moment, "Z"), "T00:00:00")
	return day
}

// parseSet returns the values of a label such as {a|b}: a backslash precedes a character of the
// syntax, and \N is the null.
func parseSet(label string) (values []string) {
	body, ok := strings.CutPrefix(label, "{")
	if !ok || !strings.HasSuffix(body, "}") {
		return nil
	}
	value := ""
	for at := 0; at < len(body); at++ {
		switch c := body[at]; {
		case c == '|', c == '}' && at == len(body)-1:
			values, value = append(values, value), ""
		case c == '\\' && body[at+1] == 'N':
			value = null
			at++
		case c == '\\':
			value += body[at+1 : at+2]
			at++
		default:
			value += body[at : at+1]
		}
	}
	return values
}

// full returns the label of all numbers of a discretized column.
func (a *audit) full(column *cutfile.Column) string {
	bounds := a.spec(column.Name).Bounds
	label := "(," + bounds.Upper
	if bounds.Lower != "" {
		label = "[" + bounds.Lower + "," + bounds.Upper
	}
	if bounds.Upper != "" {
		label += "]"
	} else {
		label += ")"
	}
	plain := strings.NewReplacer("T00:00:00Z", "", "T00:00:00", "").Replace(label)
	if bounds.Lower == bounds.Upper && bounds.Lower != "" {
		plain = bounds.Lower
	}
	isPlain := func(l cutfile.Label) bool { return !l.Null && l.Label == plain }
	if slices.ContainsFunc(column.Cut, isPlain) || column.Suppressed == plain {
		return plain
	}
	return label
}

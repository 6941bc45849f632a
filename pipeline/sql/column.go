package sql

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// column is a masked column. Its labels have the numbers of the recoding of the cut.
type column struct {
	*Dialect
	*domain.CutColumn
	x     string // the column as an expression of its type
	mark  int    // label number of all other values of a suppressed column
	texts []string
}

// decide returns the decision about the label of a value of a column, given its labels in codes.
func decide(d *Dialect, cut *domain.CutColumn, labels []engine.Label) (n node, err error) {
	if cut.Type.Kind != formats.Null {
		if _, err := d.typeOf(cut.Type); err != nil {
			return n, err
		}
	}
	whole, err := cut.IsWhole()
	if err != nil {
		return n, err
	}
	texts, _ := cut.Texts()
	c := &column{
		Dialect: d, CutColumn: cut, x: d.name(cut.Name), texts: texts,
		mark: slices.IndexFunc(labels, func(l engine.Label) bool {
			return domain.IsMark(l, cut.Mask)
		}),
	}
	null := slices.IndexFunc(labels, func(l engine.Label) bool { return l.Null })
	switch {
	case null >= 0:
	case cut.Is(engine.Suppress):
		null = c.mark
	case whole:
		null = 0
	default:
		null = noLabel // there was none
	}
	isNull := c.x + " IS NULL"
	if c.Type.Kind == formats.Float && domain.NaNIsNull(c.Spec, c.Taxonomy) {
		is, err := c.isNaN(c.Type, c.x)
		if err != nil {
			return n, err
		}
		isNull += " OR " + is
	}
	var rest node
	switch {
	case c.Type.Kind == formats.Null:
		rest = labeled(noLabel)
	case c.Is(engine.Discretize):
		rest, err = c.intervals()
	case c.Is(engine.Suppress):
		rest, err = c.values()
	case whole:
		return labeled(0), nil // for every value
	default:
		rest, err = c.nodes()
	}
	n.on(isNull, labeled(null))
	return n.otherwise(rest), err
}

// intervals decides about an ordered column.
func (c *column) intervals() (n node, err error) {
	var starts []string
	var labels []int
	for i := range c.Cut {
		label := &c.Cut[i]
		if label.Null {
			continue
		}
		lower, closed := cutfile.EndText(label.Lower)
		upper, bounded := cutfile.EndText(label.Upper)
		if len(labels) > 0 {
			start, err := c.literal(c.Type, lower)
			if err != nil {
				return n, err
			}
			starts = append(starts, start)
		} else if lower = cmp.Or(c.Spec.Bounds.Lower, lower); closed || lower != "" {
			least, err := c.literal(c.Type, lower)
			if err != nil {
				return n, err
			}
			n.on(c.x+" < "+least, labeled(noLabel))
		}
		labels = append(labels, len(labels))
		if last := len(labels) == len(c.texts); last && (bounded || c.Spec.Bounds.Upper != "") {
			most, err := c.literal(c.Type, cmp.Or(c.Spec.Bounds.Upper, upper))
			if err != nil {
				return n, err
			}
			n.on(c.x+" > "+most, labeled(noLabel))
		}
	}
	return n.otherwise(between(c.x, starts, labels)), nil
}

// ownText reports whether casting a value of the column's type gives the text of kcut.
func (c *column) ownText() bool {
	kind := c.Type.Kind
	return kind == formats.String || kind == formats.Int || kind == formats.Uint
}

// asText writes the text of a value.
func (c *column) asText() string {
	if c.Type.Kind == formats.String {
		return c.x
	}
	return fmt.Sprintf("CAST(%s AS %s)", c.x, c.types["string"])
}

// named adds branches for values that are labels themselves.
func (c *column) named(n *node, texts []string) error {
	if c.ownText() && len(texts) > 1 {
		is, err := c.isValue(c.Type, c.x, texts)
		n.on(is, node{own: c.asText()})
		return err
	}
	for _, text := range texts {
		is, err := c.isValue(c.Type, c.x, []string{text})
		if err != nil {
			return err
		}
		n.on(is, labeled(slices.Index(c.texts, text)))
	}
	return nil
}

// values decides about a column whose values are disclosed or suppressed.
func (c *column) values() (n node, err error) {
	if err := c.named(&n, c.texts); err != nil {
		return n, err
	}
	return n.otherwise(labeled(c.mark)), nil
}

// nodes decides about a generalized column.
func (c *column) nodes() (n node, err error) {
	switch {
	case c.Taxonomy.Tree != nil:
		err = c.given(&n)
	case len(c.Taxonomy.Prefix) > 0:
		err = c.prefixes(&n)
	case len(c.Taxonomy.Date) > 0:
		return c.periods()
	case len(c.Taxonomy.Ranges) > 0:
		return c.ranges()
	case len(c.Taxonomy.Spelling) > 0:
		err = errors.New("engines differ in what is upper case or a blank")
	default:
		err = errors.New("dates in the form month/day/year are texts, whose order is not theirs")
	}
	return n.otherwise(labeled(noLabel)), err
}

// given decides by the leaves of a tree.
func (c *column) given(n *node) error {
	tree, err := engine.NewTree(job.TreeOf(c.Taxonomy.Tree))
	if err != nil {
		return err
	}
	var own []string
	for i, text := range c.texts {
		at, ok := tree.Node(text)
		if !ok || tree.IsLeaf(at) { // the tree does not have it: it was unknown
			own = append(own, text)
			continue
		}
		lo, hi := tree.Range(at)
		is, err := c.isValue(c.Type, c.x, tree.Leaves()[lo:hi])
		if err != nil {
			return err
		}
		n.on(is, labeled(i))
	}
	return c.named(n, own)
}

// prefixes decides by the first characters of a text.
func (c *column) prefixes(n *node) error {
	if !c.ownText() {
		return fmt.Errorf("prefixes are of texts and integers, not of %s", c.Type)
	}
	text, texts := c.asText(), formats.Type{Kind: formats.String}
	stems := make(map[int][]string) // by length
	var own []string
	for _, label := range c.texts {
		if stem, starred := strings.CutSuffix(label, "*"); starred &&
			slices.Contains(c.Taxonomy.Prefix, utf8.RuneCountInString(stem)) {
			stems[utf8.RuneCountInString(stem)] = append(stems[utf8.RuneCountInString(stem)], stem)
		} else {
			own = append(own, label)
		}
	}
	for _, length := range slices.Sorted(slices.Values(c.Taxonomy.Prefix)) {
		stem := fmt.Sprintf("SUBSTR(%s, 1, %d)", text, length)
		is, err := c.isValue(texts, stem, stems[length])
		if err != nil {
			return err
		}
		if is != "" {
			n.on(fmt.Sprintf("LENGTH(%s) > %d AND %s", text, length, is),
				node{own: fmt.Sprintf("CONCAT(%s, '*')", stem)})
		}
	}
	return c.named(n, own)
}

// piece is a part of an ordered column with one label.
type piece struct {
	from, to *formats.Values // to is beyond it; nil: there is no end
	label    int
}

// pieces decides by parts of the column's order; there are no values between them.
func (c *column) pieces(n *node, all []piece) (node, error) {
	slices.SortFunc(all, func(a, b piece) int {
		switch {
		case a.from == nil:
			return -1
		case b.from == nil:
			return 1
		}
		return domain.CompareValues(a.from, 0, b.from, 0)
	})
	var starts []string
	labels := []int{noLabel}
	begin := func(at *formats.Values, label int) error {
		start, err := c.literal(c.Type, at.Text(0))
		starts, labels = append(starts, start), append(labels, label)
		return err
	}
	for i, p := range all {
		switch {
		case p.from == nil:
			labels[0] = p.label
		case i > 0 && all[i-1].to != nil && domain.CompareValues(all[i-1].to, 0, p.from, 0) == 0:
			labels[len(labels)-1] = p.label
		default:
			if err := begin(p.from, p.label); err != nil {
				return *n, err
			}
		}
		if p.to != nil {
			if err := begin(p.to, noLabel); err != nil {
				return *n, err
			}
		}
	}
	return n.otherwise(between(c.x, starts, labels)), nil
}

// periods decides by dates.
func (c *column) periods() (n node, err error) {
	if c.Type.Kind != formats.Date && c.Type.Kind != formats.Timestamp {
		return n, fmt.Errorf("dates are generalized of dates and timestamps, not of %s", c.Type)
	}
	return c.ordered(periodOf)
}

// ranges decides by the intervals between numbers.
func (c *column) ranges() (n node, err error) {
	if !c.Type.Ordered() || c.Type.Kind == formats.Date || c.Type.Kind == formats.Time ||
		c.Type.Kind == formats.Timestamp {
		return n, fmt.Errorf("ranges are of numbers, not of %s", c.Type)
	}
	return c.ordered(c.rangeOf)
}

// ordered decides by labels that are parts of the column's order, and by those that are values.
func (c *column) ordered(part func(label string) (from, to string, ok bool)) (n node, err error) {
	var own []string
	var all []piece
	for i, label := range c.texts {
		from, to, ok := part(label)
		if !ok {
			own = append(own, label)
			continue
		}
		p := piece{label: i}
		if p.from, err = c.value(from); err == nil {
			p.to, err = c.value(to)
		}
		if err != nil {
			return n, err
		}
		all = append(all, p)
	}
	if err := c.named(&n, own); err != nil {
		return n, err
	}
	return c.pieces(&n, all)
}

// value parses a text as a value of the column's type; an empty one is nil.
func (c *column) value(text string) (*formats.Values, error) {
	if text == "" {
		return nil, nil
	}
	v := &formats.Values{Type: c.Type}
	return v, v.Parse(text)
}

// periodOf returns the first day of the period with a name, and the first day after it.
func periodOf(name string) (from, to string, ok bool) {
	for _, form := range []struct {
		suffix, rest, layout string
		years, months, days  int
	}{
		{"", "", "2006-01-02", 0, 0, 1}, {"", "", "2006-01", 0, 1, 0}, {"", "", "2006", 1, 0, 0},
		{"0s", "0", "2006", 10, 0, 0}, {"XX", "00", "2006", 100, 0, 0},
		{"-Q1", "-01", "2006-01", 0, 3, 0}, {"-Q2", "-04", "2006-01", 0, 3, 0},
		{"-Q3", "-07", "2006-01", 0, 3, 0}, {"-Q4", "-10", "2006-01", 0, 3, 0},
	} {
		stem, is := strings.CutSuffix(name, form.suffix)
		if from, err := time.Parse(form.layout, stem+form.rest); is && err == nil {
			return from.Format(time.DateOnly),
				from.AddDate(form.years, form.months, form.days).Format(time.DateOnly), true
		}
	}
	return "", "", false
}

// rangeOf returns the ends of a range; an open one is empty.
func (c *column) rangeOf(name string) (from, to string, ok bool) {
	edges, opening := append(append([]string{""}, c.Taxonomy.Ranges...), ""), "("
	for i, from := range edges[:len(edges)-1] {
		if to := edges[i+1]; name == opening+from+","+to+")" {
			return from, to, true
		}
		opening = "["
	}
	return "", "", false
}

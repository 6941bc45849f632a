package taxonomy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Generator makes taxonomies from the texts of a column's values: the nodes above a text do not
// depend on other texts. A given tree is a generator, too (see Given).
type Generator interface {
	// root returns the name of the top.
	root() string
	// path appends the nodes between the root and a text, the topmost first. A text that is
	// not of the generator's kind has none.
	path(text string, to []step) (path []step, ok bool)
	// below returns a text below the node with a name, and the number of such texts that it knows;
	// 1 for any number. For a node without texts below it, it returns the node itself and 0.
	below(node string) (text string, values int)
	// scattered reports whether texts in bytewise order may leave a node and come back to it.
	scattered() bool
	// arrange sorts siblings, if their order is not bytewise by name.
	arrange(siblings []*branch)
	// joins reports whether texts below a node are spellings of one value.
	joins() bool
	// unmapped returns the error when a number of all texts have no path.
	unmapped(texts, all int) error
}

// Errors for texts that have no place in a generated taxonomy.
var (
	ErrUnmapped = errors.New("they have no place in the taxonomy")
	ErrRoot     = errors.New("they have the name of its root")
)

// place appends the nodes between the root and a text, the topmost first. If the text is the name
// of a node, that node is the last one.
func place(g Generator, text string, to []step) (path []step, isNode, ok bool) {
	path, ok = g.path(text, to)
	if !ok { // unless it is the name of a node
		below, values := g.below(text)
		if values == 0 {
			return to, false, false
		}
		if path, ok = g.path(below, to); !ok {
			path, ok = append(to, step{stem: text}), true
		}
	}
	if at := slices.IndexFunc(path, func(s step) bool { return s.named(text) }); at >= 0 {
		return path[:at+1], true, true
	}
	return path, false, ok
}

// step is a node on a path. Its name consists of two parts. The first is often a part of the text.
type step struct{ stem, suffix string }

func (s step) name() string { return s.stem + s.suffix }

// named reports whether the step's name is the text.
func (s step) named(text string) bool {
	return len(text) == len(s.stem)+len(s.suffix) && strings.HasPrefix(text, s.stem) &&
		strings.HasSuffix(text, s.suffix)
}

// textual has the methods of generators whose nodes stand in the bytewise order of names, which is
// also that of the texts below them: nothing is scattered and nothing has to be arranged.
type textual struct{}

func (textual) scattered() bool { return false }

func (textual) arrange([]*branch) {}

func (textual) joins() bool { return false }

// unmapped is never called, since these generators take every text.
func (textual) unmapped(_, _ int) error { return nil }

// flat generates a taxonomy in which every value stands directly below the root.
type flat struct {
	textual
	name string
}

// Flat returns the generator of a root with the given name and every value below it.
func Flat(root string) Generator { return &flat{name: root} }

func (f *flat) root() string { return f.name }

func (f *flat) path(_ string, to []step) (path []step, ok bool) { return to, true }

// below returns the node: all nodes except the root are leaves.
func (f *flat) below(node string) (text string, values int) { return node, 0 }

// given is a tree that does not depend on the values that occur.
type given struct {
	textual
	tree *Tree
}

// Given returns a tree as a generator. It grows no nodes.
func Given(tree *Tree) Generator { return &given{tree: tree} }

func (g *given) root() string { return g.tree.Name(0) }

func (g *given) path(text string, to []step) (path []step, ok bool) {
	_, ok = g.tree.Code(text)
	if n, _ := g.tree.Node(text); ok {
		for n = g.tree.Parent(n); n > 0; n = g.tree.Parent(n) {
			path = append(path, step{stem: g.tree.Name(n)})
		}
	}
	slices.Reverse(path)
	return append(to, path...), ok
}

func (g *given) below(node string) (text string, values int) {
	n, ok := g.tree.Node(node)
	if !ok || g.tree.IsLeaf(n) {
		return node, 0
	}
	return g.tree.leaves[g.tree.lo[n]], g.tree.Values(n)
}

// prefixes generates a taxonomy of codes such as zip or ICD: above a value stand its first n
// characters and a star, for every length n that is shorter than the value, and at the top only a
// star.
type prefixes struct {
	textual
	lengths []int // ascending
}

// Prefixes returns the generator of prefixes of the given lengths in characters.
func Prefixes(lengths []int) (Generator, error) {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	if len(lengths) > 0 && lengths[0] < 1 {
		return nil, fmt.Errorf("generate prefix taxonomy: length %d is not positive", lengths[0])
	}
	return &prefixes{lengths: lengths}, nil
}

func (p *prefixes) root() string { return "*" }

func (p *prefixes) path(text string, to []step) (path []step, ok bool) {
	next, characters := 0, 0
	for at := range text {
		if next == len(p.lengths) {
			break
		}
		if characters == p.lengths[next] {
			to = append(to, step{text[:at], "*"})
			next++
		}
		characters++
	}
	return to, true
}

// below returns the node itself as a text: its star stands where a text goes on.
func (p *prefixes) below(node string) (text string, values int) {
	if stem, starred := strings.CutSuffix(node, "*"); starred &&
		slices.Contains(p.lengths, utf8.RuneCountInString(stem)) {
		values = 1
	}
	return node, values
}

// DateLevels are the levels of dates, finest first.
var DateLevels = []string{"day", "month", "quarter", "year", "decade", "century"}

// period is a level of dates.
type period struct {
	stem   int           // number of characters of a date with a four-digit year that name a period
	needs  int           // number of characters of such a date that determine the period
	starts []periodStart // of the periods with the same stem
}

// periodStart is the end of a period's name, and the text that completes the characters before it
// to the period's first date.
type periodStart struct{ suffix, date string }

// periods are the levels of DateLevels, in their order.
var periods = []period{
	{10, 10, []periodStart{{"", "T00:00:00"}}},
	{7, 7, []periodStart{{"", "-01"}}},
	{4, 7, []periodStart{{"-Q1", "-01-01"}, {"-Q2", "-04-01"}, {"-Q3", "-07-01"},
		{"-Q4", "-10-01"}}},
	{4, 4, []periodStart{{"", "-01-01"}}},
	{3, 4, []periodStart{{"0s", "0-01-01"}}},
	{2, 4, []periodStart{{"XX", "00-01-01"}}},
}

// of returns the period of the date at the start of a text. The date's year has more digits beyond
// four.
func (p *period) of(text string, more int) step {
	start := 0
	if len(p.starts) > 1 {
		month := (text[5+more]-'0')*10 + text[6+more] - '0'
		start = int(month-1) / 3
	}
	return step{text[:p.stem+more], p.starts[start].suffix}
}

// dates generates a taxonomy of dates or timestamps in ISO form. Above a date stand its
// "1990-05-03" (of a timestamp), "1990-05", "1990-Q2", "1990", "1990s" and "19XX", depending on the
// levels, and at the top a star. A month or a year without a day stands below the nodes that
// contain it, or is itself a node.
type dates struct {
	levels []period // coarsest first
}

// Dates returns the generator of the given levels of dates, in any order.
func Dates(levels []string) (Generator, error) {
	d := &dates{}
	for _, level := range levels {
		if !slices.Contains(DateLevels, level) {
			return nil, fmt.Errorf("generate date taxonomy: unknown level %q", level)
		}
	}
	for i, level := range slices.Backward(DateLevels) {
		if slices.Contains(levels, level) {
			d.levels = append(d.levels, periods[i])
		}
	}
	return d, nil
}

func (d *dates) root() string { return "*" }

// scattered is true: the years 10180 to 10189 come between 1018 and 1019, and texts that are no
// dates may come anywhere.
func (d *dates) scattered() bool { return true }

func (d *dates) arrange(siblings []*branch) { arrangeByName(siblings) }

func arrangeByName(siblings []*branch) {
	slices.SortFunc(siblings, func(a, b *branch) int { return cmp.Compare(a.name(), b.name()) })
}

func (d *dates) joins() bool { return false }

func (d *dates) path(text string, to []step) (path []step, ok bool) {
	more, known, ok := parseISO(text)
	if !ok {
		return to, false
	}
	for _, level := range d.levels {
		if level.needs <= known {
			to = append(to, level.of(text, more))
		}
	}
	return to, true
}

func (d *dates) unmapped(texts, all int) error {
	return fmt.Errorf("generate date taxonomy: %d of %d values are no dates", texts, all)
}

// dayForm is the form of a date with a four-digit year.
const dayForm = "2006-01-02"

// parseISO parses the date at the start of a text: alone, or followed by a time; or a month, or a
// year. It returns the number of digits of the year beyond four, and the number of characters of
// dayForm that the text has.
func parseISO(text string) (more, known int, ok bool) {
	digits := strings.IndexFunc(text+"-", func(c rune) bool { return c < '0' || c > '9' })
	if more = digits - 4; more < 0 || more > 0 && text[0] == '0' || more > 8 {
		return 0, 0, false
	}
	short := text[more:] // a four-digit year with the same leap days, except for multiples of 100
	if more > 0 {
		year, _ := strconv.ParseInt(text[:digits], 10, 64)
		short = fmt.Sprintf("%04d", year%400+2000) + text[digits:]
	}
	switch known = min(len(short), len(dayForm)); {
	case len(short) > len(dayForm) && short[known] != 'T' && short[known] != ' ':
		return 0, 0, false
	case known != 4 && known != 7 && known != len(dayForm):
		return 0, 0, false
	}
	_, err := time.Parse(dayForm[:known], short[:known])
	return more, known, err == nil
}

// below returns the first date of a period.
func (d *dates) below(node string) (text string, values int) {
	for _, level := range d.levels {
		for _, start := range level.starts {
			stem, ok := strings.CutSuffix(node, start.suffix)
			text := stem + start.date
			if more, known, is := parseISO(text); ok && is && known == len(dayForm) &&
				level.of(text, more).named(node) {
				return text, 1
			}
		}
	}
	return node, 0
}

// monthFirst generates a taxonomy of dates in the form of the United States, such as 5/3/1990 or
// 05/03/1990 10:00. Above them stand the nodes of dates in ISO form. The order of texts differs
// from the order of dates.
type monthFirst struct{ dates }

// MonthFirst returns the generator of the given levels of dates in the form month/day/year.
func MonthFirst(levels []string) (Generator, error) {
	d, err := Dates(levels)
	if err != nil {
		return nil, err
	}
	return &monthFirst{*d.(*dates)}, nil
}

func (m *monthFirst) path(text string, to []step) (path []step, ok bool) {
	date, ok := parseMonthFirst(text)
	if !ok {
		return to, false
	}
	iso := date.Format(time.DateOnly)
	for _, level := range m.levels {
		to = append(to, level.of(iso, 0))
	}
	return to, true
}

// parseMonthFirst parses the date at the start of a text: alone, or followed by a time.
func parseMonthFirst(text string) (date time.Time, ok bool) {
	text, _, _ = strings.Cut(text, " ")
	const form = "1/2/2006"
	date, err := time.Parse(form, text)
	return date, err == nil
}

// below returns the first date of a period.
func (m *monthFirst) below(node string) (text string, values int) {
	text, values = m.dates.below(node)
	if values > 0 {
		year, month, day := text[:4], text[5:7], text[8:10]
		text = month + "/" + day + "/" + year
	}
	return text, values
}

// decimal is a number with an exact comparison.
type decimal struct {
	text string
	// the nearest float, which decides all but close comparisons; infinite for larger numbers
	near float64
}

// maxExponentDigits is the largest number of digits of an exponent.
const maxExponentDigits = 3

// parseDecimal parses an optional sign, digits with an optional point among or around them, and an
// optional exponent. It is called with every value of a column, so that it looks at each character
// once before it parses a number.
func parseDecimal(text string) (d decimal, ok bool) {
	switch text { // in the spelling of floats
	case "Infinity":
		return decimal{text, math.Inf(1)}, true
	case "-Infinity":
		return decimal{text, math.Inf(-1)}, true
	}
	power := -1 // number of digits of the exponent; −1: before it
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if power >= 0 {
				power++
			}
		case c == 'e' || c == 'E':
			power = 0
		case c != '+' && c != '-' && c != '.':
			return decimal{}, false
		}
	}
	near, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || power > maxExponentDigits {
		return decimal{}, false
	}
	return decimal{text, near}, true
}

// compare orders numbers by value.
func (d *decimal) compare(other *decimal) int {
	if d.near != other.near || d.text == other.text {
		return cmp.Compare(d.near, other.near)
	}
	x, isNumber := new(big.Rat).SetString(d.text)
	y, isOther := new(big.Rat).SetString(other.text)
	switch {
	case !isNumber: // of two numbers that are infinite as floats, this one is infinite
		return cmp.Compare(d.near, 0)
	case !isOther:
		return cmp.Compare(0, d.near)
	}
	return x.Cmp(y)
}

// ranges generates a taxonomy of numbers: the intervals between bounds, open at both ends of the
// number line, with the values in numeric order below them. Intervals without a value are left out.
// All comparisons are exact.
type ranges struct {
	edges []decimal
	names []string // names of the intervals in order; none without bounds
}

// Ranges returns the generator of the intervals between the bounds, which must ascend.
func Ranges(bounds []string) (Generator, error) {
	r, opening := &ranges{}, "("
	for i, text := range bounds {
		edge, ok := parseDecimal(text)
		if !ok {
			return nil, fmt.Errorf("generate range taxonomy: bound %d is no number", i+1)
		}
		if i > 0 && edge.compare(&r.edges[i-1]) <= 0 {
			return nil, fmt.Errorf("generate range taxonomy: bound %d is not above the one before",
				i+1)
		}
		r.edges, r.names = append(r.edges, edge), append(r.names, opening+","+text+")")
		opening = "[" + text
	}
	if len(bounds) > 0 {
		r.names = append(r.names, opening+",)")
	}
	return r, nil
}

func (r *ranges) root() string { return "(,)" }

func (r *ranges) path(text string, to []step) (path []step, ok bool) {
	n, ok := parseDecimal(text)
	if !ok || len(r.names) == 0 {
		return to, ok
	}
	interval := sort.Search(len(r.edges), func(e int) bool { return n.compare(&r.edges[e]) < 0 })
	return append(to, step{stem: r.names[interval]}), true
}

// scattered is true: 5 is between 49 and 51.
func (r *ranges) scattered() bool { return true }

// arrange sorts intervals in ascending order, and numbers by value, equal ones by their text.
func (r *ranges) arrange(siblings []*branch) {
	type place struct {
		branch   *branch
		interval int // of an interval
		number   decimal
	}
	places := make([]place, len(siblings))
	for i, b := range siblings {
		places[i].branch = b
		var ok bool
		if places[i].number, ok = parseDecimal(b.stem); !ok {
			places[i].interval = slices.Index(r.names, b.stem)
		}
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(x.interval-y.interval, x.number.compare(&y.number),
			cmp.Compare(x.branch.stem, y.branch.stem))
	})
	for i := range places {
		siblings[i] = places[i].branch
	}
}

func (r *ranges) joins() bool { return false }

func (r *ranges) unmapped(texts, all int) error {
	return fmt.Errorf("generate range taxonomy: %d of %d values are no numbers", texts, all)
}

// below returns the node itself: intervals stand directly below the top.
func (r *ranges) below(node string) (text string, values int) {
	if slices.Contains(r.names, node) {
		values = 1
	}
	return node, values
}

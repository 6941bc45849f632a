package cutfile

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/internal/text"
)

// end is an end of an interval with its order: a number, which may be infinite, or a date, a time
// or both.
type end struct {
	kind     string
	infinite int      // -1, 0 or 1
	number   *big.Rat // nil if there is none, or it is infinite
	year     int64
	rest     string // of a date or time: its digits have fixed places
}

// The kinds of ends: all ends of a column have the same.
const (
	endNumber    = "number"
	endDate      = "date"
	endTime      = "time"
	endTimestamp = "timestamp"
)

var (
	numberText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?$`)
	dayText    = regexp.MustCompile(
		`^(-?[0-9]{4,})(-[0-9]{2}-[0-9]{2})(T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z?)?$`)
	clockText = regexp.MustCompile(`^[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?$`)
)

// parseEnd parses an end in the form of kcut: a JSON number, or a text for what JSON numbers cannot
// represent.
func parseEnd(raw json.RawMessage) (e end, ok bool) {
	said, _ := EndText(raw)
	if raw[0] != '"' {
		if !numberText.MatchString(said) {
			return e, false
		}
		e.kind = endNumber
		e.number, ok = new(big.Rat).SetString(said)
		return e, ok
	}
	if again, err := text.JSON(said); err != nil || string(again) != string(raw) {
		return e, false
	}
	switch day := dayText.FindStringSubmatch(said); {
	case said == "Infinity" || said == "-Infinity":
		e.kind, e.infinite = endNumber, 1
		if said[0] == '-' {
			e.infinite = -1
		}
		return e, true
	case clockText.MatchString(said):
		return end{kind: endTime, rest: said}, true
	case day != nil:
		year, err := strconv.ParseInt(day[1], 10, 64)
		e = end{kind: endDate, year: year, rest: day[2] + strings.TrimSuffix(day[3], "Z")}
		if day[3] != "" {
			e.kind = endTimestamp
		}
		return e, err == nil
	}
	return e, false
}

// compare orders ends of a kind.
func (e *end) compare(o *end) int {
	if e.number != nil && o.number != nil {
		return e.number.Cmp(o.number)
	}
	return cmp.Or(cmp.Compare(e.infinite, o.infinite), cmp.Compare(e.year, o.year),
		strings.Compare(e.rest, o.rest))
}

// endOf parses an end of an interval, nil when it is open. An end that kcut would not write is only
// a text.
func endOf(raw json.RawMessage) *end {
	text, closed := EndText(raw)
	if !closed {
		return nil
	}
	e, ok := parseEnd(raw)
	if !ok {
		return &end{rest: text}
	}
	return &e
}

// interval is an interval of a cut; an end is nil when it is open.
type interval struct {
	lower, upper *end
	closed       bool // the upper end belongs to it
	null         bool // its label has the null, too
}

// parseInterval parses an interval whose label agrees with its ends.
func parseInterval(l Label) (i interval, ok bool) {
	ok = true
	for _, at := range []struct {
		raw json.RawMessage
		to  **end
	}{{l.Lower, &i.lower}, {l.Upper, &i.upper}} {
		if len(at.raw) == 0 {
			continue
		}
		e, good := parseEnd(at.raw)
		ok, *at.to = ok && good, &e
	}
	ends := l.Ends()
	i.closed, i.null = ends.Closed(), ends.HasNull()
	return i, ok && (l.Label == ends.Range() || l.Label == ends.Plain())
}

// isEmpty reports whether no value can be in the interval.
func (i *interval) isEmpty() bool {
	if i.lower == nil || i.upper == nil {
		return false
	}
	order := i.lower.compare(i.upper)
	return order > 0 || order == 0 && !i.closed
}

// compareOpen orders two ends on one side; nil is beyond all others.
func compareOpen(a, b *end, side int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return side
	case b == nil:
		return -side
	}
	return a.compare(b)
}

// checkIntervals checks the intervals of a column: without regions they are adjacent, and only the
// last one contains its upper end; with regions they may overlap.
func (f *flaws) checkIntervals(c *Column) {
	var all []interval
	for _, l := range withoutNull(c.Cut) {
		i, ok := parseInterval(l)
		if !ok {
			f.find("column %s: an interval of its cut has other ends than its label", c.Name)
			return
		}
		all = append(all, i)
	}
	var kinds []string
	for _, i := range all {
		for _, e := range []*end{i.lower, i.upper} {
			if e != nil && !slices.Contains(kinds, e.kind) {
				kinds = append(kinds, e.kind)
			}
		}
	}
	switch {
	case len(kinds) > 1:
		f.find("column %s: the intervals of its cut have ends of several types", c.Name)
	case slices.ContainsFunc(all, func(i interval) bool {
		return i.null && (!f.hasRegions() || c.Render != "" || i.lower == nil && i.upper == nil)
	}):
		f.find("column %s: an interval of its cut names the null, as none of this kind does",
			c.Name)
	case slices.ContainsFunc(all, func(i interval) bool { return i.isEmpty() }):
		f.find("column %s: an interval of its cut is empty", c.Name)
	case f.hasRegions():
		f.checkOverlaps(c, all)
	default:
		f.checkJoints(c, all)
	}
}

// checkJoints checks that each interval begins where the one before it ends.
func (f *flaws) checkJoints(c *Column, all []interval) {
	for at := 1; at < len(all); at++ {
		before, i := &all[at-1], &all[at]
		if before.closed || before.upper == nil || i.lower == nil ||
			before.upper.compare(i.lower) != 0 {
			f.find("column %s: the intervals of its cut have gaps, overlap or are out of order",
				c.Name)
			return
		}
	}
}

// checkOverlaps checks that intervals are in the order of their lower ends, the wider ones first,
// those with the null before the same without it, and that an upper end belongs to an interval only
// where no other one reaches beyond it.
func (f *flaws) checkOverlaps(c *Column, all []interval) {
	if !ascend(all, func(a, b interval) int {
		return cmp.Or(compareOpen(a.lower, b.lower, -1), -compareOpen(a.upper, b.upper, 1),
			asNumber(b.closed)-asNumber(a.closed), asNumber(b.null)-asNumber(a.null))
	}) {
		f.find("column %s: the intervals of its cut are out of order", c.Name)
	}
	last := slices.IndexFunc(all, func(i interval) bool { return i.closed })
	if last >= 0 && slices.ContainsFunc(all, func(i interval) bool {
		return compareOpen(i.upper, all[last].upper, 1) > 0
	}) {
		f.find("column %s: an interval of its cut is closed, and others reach beyond it", c.Name)
	}
}

func asNumber(is bool) int {
	if is {
		return 1
	}
	return 0
}

// isFullInterval reports whether a label is the union of the intervals of a cut without regions.
func isFullInterval(label string, cut []Label) bool {
	all := withoutNull(cut)
	if len(all) == 0 {
		return false
	}
	full := all[len(all)-1].Ends()
	full.Lower = all[0].Ends().Lower
	return label == full.Range() || label == full.Plain()
}

package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine/taxonomy"
)

// Mask is the way in which an attribute is masked (TDR, section 2.1).
type Mask uint8

// The ways of masking.
const (
	Generalize Mask = iota // categorical, with a taxonomy tree
	Discretize             // ordered: intervals grown during the search
	Suppress               // categorical, without a tree: values are disclosed one by one
)

// Attribute is one masked column as an engine sees it: a domain of Len codes, 0 ≤ code < Len, in
// the order that decides ties.
//
//	Generalize: the leaves of Tree in preorder, whether they occur or not
//	Discretize: the distinct values, ascending (or the quantile bins that represent them)
//	Suppress:   the distinct values, by their text, bytewise, or in the order that the job gives
//	            them; if HasRest, then a code for the rest
//
// When HasNull, the last code is the null, whatever the mask. Without it there is no null, or the
// rest contains it.
//
// The rest represents all values, including the null, that are not listed because each has fewer
// records than the largest K of the sets with the attribute. A label with such a value would point
// to a person whom the sets protect. The rest is never disclosed, has no text of its own, and
// counts as suppressed however many records it has.
type Attribute struct {
	Name string
	Mask Mask
	// text of every code except the rest and the null; Discretize: text of the value, or of the
	// smallest value of the bin
	Texts []string
	// Suppress: the codes in the bytewise order of their texts; nil: they are in this order
	Bytewise []uint32
	HasRest  bool // Suppress only
	HasNull  bool

	Tree *taxonomy.Tree // Generalize

	// Discretize only. Positions places every code except the null on the number line, for the
	// certainty penalty; Lower and Upper are the ends of the line (declared bounds, else the
	// extremes of the data). LowerText and UpperText are the texts of the declared bounds, empty
	// without bounds.
	Positions            []float64
	Lower, Upper         float64
	LowerText, UpperText string
	// smallest distance of two values of the column's type, such as 1 for integers; 0: any
	Spacing  float64
	EndsOnly bool // the release has the ends of intervals, but no labels that could name the null
	// smallest width of intervals, in the units of Positions; 0: any width. Top-down only
	MinWidth float64
	// by code: the published start of an interval that starts at the code; nil: the code's own
	// value
	Bounds []Bound
}

// Bound is a published end of intervals: it is above all values of smaller codes, and not above any
// value of its own code.
type Bound struct {
	Text     string
	Position float64
}

// Len returns the number of codes, including those of the rest and of the null.
func (a *Attribute) Len() int {
	n := len(a.Texts)
	if a.HasRest {
		n++
	}
	if a.HasNull {
		n++
	}
	return n
}

// NullCode returns the code of the null. Without HasNull it is the code of the rest, if there is
// one.
func (a *Attribute) NullCode() uint32 {
	if a.HasRest && a.HasNull {
		return uint32(len(a.Texts) + 1)
	}
	return uint32(len(a.Texts))
}

// IsRest reports whether a code represents the rest.
func (a *Attribute) IsRest(code int) bool { return a.HasRest && code == len(a.Texts) }

// Label returns the text of a code, or the null. The text of the rest is Suppressed.
func (a *Attribute) Label(code int) Label {
	switch {
	case code < len(a.Texts):
		return Label{Text: a.Texts[code]}
	case a.IsRest(code):
		return Label{Text: Suppressed}
	}
	return Label{Null: true}
}

// SetTexts sets the texts of a suppressed attribute, each of which is there once.
func (a *Attribute) SetTexts(texts []string) {
	a.Texts, a.Bytewise = texts, nil
	if slices.IsSorted(texts) {
		return
	}
	a.Bytewise = make([]uint32, len(texts))
	for code := range texts {
		a.Bytewise[code] = uint32(code)
	}
	slices.SortFunc(a.Bytewise, func(x, y uint32) int { return cmp.Compare(texts[x], texts[y]) })
}

// Find returns the code with a text of a suppressed attribute, and whether there is one.
func (a *Attribute) Find(text string) (code uint32, known bool) {
	if a.Bytewise == nil {
		at, known := slices.BinarySearch(a.Texts, text)
		return uint32(at), known
	}
	at, known := slices.BinarySearchFunc(a.Bytewise, text, func(code uint32, text string) int {
		return cmp.Compare(a.Texts[code], text)
	})
	if !known {
		return 0, false
	}
	return a.Bytewise[at], true
}

// Interval returns the interval of the codes lo ≤ code < hi, without the null. It reaches from the
// bound of lo, or the declared lower bound, to the bound of hi, or the declared upper bound. Only
// the declared upper bound belongs to it.
func (a *Attribute) Interval(lo, hi int) Interval {
	i := Interval{Lower: a.LowerText, Upper: a.UpperText, Lo: lo, Hi: min(hi, len(a.Texts))}
	if lo > 0 {
		i.Lower = a.Bound(lo)
	}
	if hi < len(a.Texts) {
		i.Upper = a.Bound(hi)
	}
	i.Label = rangeText(i.Lower, i.Upper, hi >= len(a.Texts) && i.Upper != "")
	return i
}

// Bound returns the text of a code's bound.
func (a *Attribute) Bound(code int) string {
	if a.Bounds == nil {
		return a.Texts[code]
	}
	return a.Bounds[code].Text
}

// Splits reports whether the interval of the codes lo ≤ code < hi may be split at a code: both
// parts must be wide enough. A part with an open end is wide enough.
func (a *Attribute) Splits(lo, at, hi int) bool {
	if a.MinWidth == 0 {
		return true
	}
	lower, upper, bound := math.Inf(-1), math.Inf(1), a.position(at)
	switch {
	case lo > 0:
		lower = a.position(lo)
	case a.LowerText != "":
		lower = a.Lower
	}
	switch {
	case hi < len(a.Texts):
		upper = a.position(hi)
	case a.UpperText != "":
		upper = a.Upper
	}
	return bound-lower >= a.MinWidth && upper-bound >= a.MinWidth
}

// Ends returns the ends of the interval of the codes lo ≤ code < hi on the number line. An open end
// lies where the data ends.
func (a *Attribute) Ends(lo, hi int) (lower, upper float64) {
	lower, upper = a.Lower, a.Upper
	if lo > 0 {
		lower = a.position(lo)
	}
	if hi < len(a.Texts) {
		upper = a.position(hi)
	}
	return lower, upper
}

// position returns the position of a code's bound on the number line.
func (a *Attribute) position(code int) float64 {
	if a.Bounds == nil {
		return a.Positions[code]
	}
	return a.Bounds[code].Position
}

// widestRange is the longest distance on the number line whose sums of squares are finite.
const widestRange = 1e150

// Even returns the attribute with a distance of one between neighbouring codes if distances on the
// number line mean nothing: its ends are infinitely far apart, or too far for sums of squares, or
// are at one position with several values, as integers beyond 2^53 are. Otherwise it returns the
// attribute itself.
func (a *Attribute) Even() *Attribute {
	whole := a.Upper - a.Lower
	if a.Mask != Discretize || len(a.Texts) < 2 || whole > 0 && whole <= widestRange {
		return a
	}
	even := *a
	even.Spacing = 0
	even.Positions, even.Bounds = make([]float64, len(a.Texts)), slices.Clone(a.Bounds)
	for code := range even.Positions {
		even.Positions[code] = float64(code)
		if even.Bounds != nil {
			even.Bounds[code].Position = float64(code)
		}
	}
	even.Lower, even.Upper = 0, float64(len(a.Texts)-1)
	return &even
}

// Widest returns the text of the label that is true for every value: the root, the full interval,
// or Suppressed.
func (a *Attribute) Widest() string {
	switch a.Mask {
	case Generalize:
		return a.Tree.Name(0)
	case Discretize:
		return a.Interval(0, len(a.Texts)).Label
	}
	return Suppressed
}

var escaper = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `{`, `\{`, `}`, `\}`)

// NodesIn returns the nodes that a label of a generalized attribute names: one or, in a region,
// several. The null is NullNode.
func (a *Attribute) NodesIn(label Label) (nodes []uint32) {
	if n, own := a.Tree.Node(label.Text); own && !label.Null {
		return []uint32{uint32(n)}
	}
	for _, member := range NodesOf(label) {
		if n, known := a.Tree.Node(member.Text); member.Null {
			nodes = append(nodes, NullNode)
		} else if known {
			nodes = append(nodes, uint32(n))
		}
	}
	return nodes
}

// NodeLabel returns the label of some nodes of a generalized attribute in a region: the node, or
// several as those of SetLabel. A single node that reads like several is written as a set of one.
func NodeLabel(nodes []Label) Label {
	if len(nodes) == 1 && len(Members(nodes[0])) == 1 {
		return nodes[0]
	}
	return SetLabel(nodes)
}

// NodesOf returns the nodes that the label of a generalized attribute in a region contains. It
// undoes NodeLabel.
func NodesOf(label Label) (nodes []Label) {
	if nodes = Members(label); len(nodes) == 1 && len(Members(nodes[0])) == 1 {
		return []Label{label}
	}
	return nodes
}

// nullMark is the null in the label of a set.
const nullMark = `\N`

// SetLabel returns the label of some values of a suppressed attribute in a region: the value, or
// several as {a|b}. A set escapes \, |, { and } by \ and writes the null as \N. A single value that
// starts with { is written as a set of one.
func SetLabel(values []Label) Label {
	if len(values) == 1 && (values[0].Null || !strings.HasPrefix(values[0].Text, "{")) {
		return values[0]
	}
	var text strings.Builder
	for i, v := range values {
		text.WriteByte("{|"[min(i, 1)])
		if v.Null {
			text.WriteString(nullMark)
		} else {
			text.WriteString(escaper.Replace(v.Text))
		}
	}
	text.WriteByte('}')
	return Label{Text: text.String()}
}

// Members returns the values that the label of a suppressed attribute in a region contains: one, or
// those of a set. It undoes SetLabel.
func Members(label Label) (values []Label) {
	set, _ := strings.CutPrefix(label.Text, "{")
	set, isSet := strings.CutSuffix(set, "}")
	if !isSet || label.Null || len(set) == len(label.Text)-1 {
		return []Label{label}
	}
	var value strings.Builder
	null := false
	for i := 0; i <= len(set); i++ {
		switch {
		case i == len(set) || set[i] == '|':
			values = append(values, Label{Text: value.String(), Null: null})
			value.Reset()
			null = false
		case strings.HasPrefix(set[i:], nullMark):
			null = true
			i++
		case set[i] == '\\' && i+1 < len(set):
			i++
			value.WriteByte(set[i])
		default:
			value.WriteByte(set[i])
		}
	}
	return values
}

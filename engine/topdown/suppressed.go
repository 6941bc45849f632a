package topdown

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// suppressed is a column whose values are disclosed one by one (TDR, section 3.1.2). A node is a
// code of the attribute.
type suppressed struct {
	profile
	code        []uint32 // code of the search, by code of the attribute
	domain      int
	parts       []part   // by code: its records when disclosed
	frequencies []uint64 // classes of the records that are suppressed
	scratch     []uint64 // by class
	rest        part     // the suppressed records
	// codes that may be disclosed at the start, ascending; none when that can gain nothing
	open      []int
	closed    engine.Why // why some value may never be disclosed
	value     []int32    // by code: its number in the view
	disclosed []bool     // by code

	// Codes of one kind have the same classes, and so the same gain. Most of many values are rare,
	// and then there are few kinds. A disclosure changes the gain of every open code, which stays
	// cheap because it is computed once for each kind.
	kind   []int               // by code
	gains  []kindGain          // by kind
	ofKind partition.Histogram // by kind: the classes of one of its codes
	state  int                 // number of disclosures
	drifts drift
}

// kindGain is the gain of a kind after a number of disclosures, with the figures that bound its
// rise since then.
type kindGain struct {
	state int
	gain  float64
	size  uint64  // number of suppressed records then
	risen float64 // the sum of the drift until then

	records uint64 // number of records of one code
	left    int    // number of codes of the kind that are not disclosed
}

func newSuppressed(p profile) *suppressed {
	n, classes := p.attribute.Len(), p.histogram.Classes
	c := &suppressed{
		profile: p, closed: engine.WhyRecords, code: make([]uint32, n), parts: make([]part, n),
		value: make([]int32, n), disclosed: make([]bool, n), frequencies: make([]uint64, classes),
		scratch: make([]uint64, classes), kind: make([]int, n),
	}
	for code := range n {
		clear(c.scratch)
		c.parts[code].size = c.count(c.scratch, code, code+1)
		c.parts[code].impurity = c.impurity(c.scratch, c.parts[code].size, 0)
		c.count(c.frequencies, code, code+1)
		c.rest.size += c.parts[code].size
	}
	if c.beneficial(c.frequencies) {
		for code, p := range c.parts {
			switch {
			case p.size == 0 || !c.standAlone(code, code+1, p.size) || c.attribute.IsRest(code):
			case !c.populated(code, code+1, p.size):
				c.closed = engine.WhyPopulation
			default:
				c.open = append(c.open, code)
			}
		}
	}
	c.number()
	c.drifts = newDrift(classes)
	c.renew(len(c.gains))
	return c
}

// number numbers the open codes and assigns their kinds; all other codes share the last number.
func (c *suppressed) number() {
	partition.Fill(c.code, uint32(len(c.open)))
	kinds := make(map[string]int)
	c.ofKind.Start = []int{0}
	var key []byte
	h := c.histogram
	for i, code := range c.open {
		c.code[code] = uint32(i)
		key = key[:0]
		for i := h.Start[code]; i < h.Start[code+1]; i++ {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(h.Class[i])), h.Count[i])
		}
		kind, ok := kinds[string(key)]
		if !ok {
			kind = len(kinds)
			kinds[string(key)] = kind
			c.gains = append(c.gains, kindGain{state: -1, records: c.parts[code].size})
			c.ofKind.Class = append(c.ofKind.Class, h.Class[h.Start[code]:h.Start[code+1]]...)
			c.ofKind.Count = append(c.ofKind.Count, h.Count[h.Start[code]:h.Start[code+1]]...)
			c.ofKind.Start = append(c.ofKind.Start, len(c.ofKind.Count))
		}
		c.gains[kind].left++
		c.kind[code] = kind
	}
	c.domain = len(c.open) + 1
}

func (c *suppressed) codes() engine.CodeMerge {
	return engine.CodeMerge{Codes: c.code, Domain: c.domain}
}

// start makes every open code a candidate. The last code is a value that is dead already, so that
// its records count as suppressed.
func (c *suppressed) start(s *search) {
	v := &s.view.Columns[c.index]
	v.Suppressed = true
	c.rest.impurity = c.impurity(c.frequencies, c.rest.size, 1)
	for i, code := range c.open {
		c.value[code] = s.add(candidate{column: c.index, node: code, order: code}, 2)
		v.Value[i], v.Child[i] = c.value[code], uint32(i)
	}
	last := c.domain - 1
	v.Value[last], v.Child[last] = s.add(candidate{column: c.index}, 2), uint32(last)
	s.view.Kill(v.Value[last])
}

func (c *suppressed) gain(code int) float64 {
	known := &c.gains[c.kind[code]]
	if known.state != c.state {
		left := part{size: c.rest.size - c.parts[code].size}
		left.impurity = c.impurity(c.without(code), left.size, 1)
		known.state, known.gain = c.state, c.gainOf(c.rest, c.parts[code], left)
		known.size, known.risen = c.rest.size, c.along(c.kind[code], c.drifts.rise)
		c.drifts.spent++
	}
	return known.gain
}

// along returns the sum of byClass over the records of one code of a kind.
func (c *suppressed) along(kind int, byClass []float64) (sum float64) {
	h := &c.ofKind
	for i := h.Start[kind]; i < h.Start[kind+1]; i++ {
		sum += float64(h.Count[i]) * byClass[h.Class[i]]
	}
	return sum
}

// atMost returns an upper bound of the gain of a kind until the drift's horizon, times unit.
func (c *suppressed) atMost(kind int) float64 {
	known := &c.gains[kind]
	n := float64(known.records)
	if known.state < 0 {
		return math.Inf(1)
	}
	size, classes := float64(known.size), float64(c.classes)
	if c.classes == 0 {
		return n + size*rounding
	}
	wrong := size*rounding*(classes+8) + n*rounding*float64(bits.Len64(known.size))*classes
	return known.gain*size + (c.along(kind, c.drifts.horizon) - known.risen) + wrong
}

// unit returns the factor that makes gains of different states comparable.
func (c *suppressed) unit() float64 {
	if c.classes == 0 {
		return 1
	}
	return float64(c.rest.size)
}

// known returns the number of disclosures before the gain was computed that the bound of a kind
// uses.
func (c *suppressed) known(kind int) int { return c.gains[kind].state }

func (c *suppressed) bounds() *suppressed { return c }

// renew renews the horizons of the drift. The caller then renews the bounds of groups groups.
func (c *suppressed) renew(groups int) {
	clear(c.drifts.most)
	h := &c.ofKind
	for kind := range c.gains {
		if c.gains[kind].left == 0 {
			continue
		}
		for i := h.Start[kind]; i < h.Start[kind+1]; i++ {
			c.drifts.most[h.Class[i]] = max(c.drifts.most[h.Class[i]], h.Count[i])
		}
	}
	c.drifts.renew(groups, c.frequencies)
}

// without returns the classes of the suppressed records without those of a code. They are valid
// until the next call.
func (c *suppressed) without(code int) []uint64 {
	copy(c.scratch, c.frequencies)
	h := c.histogram
	for i := h.Start[code]; i < h.Start[code+1]; i++ {
		c.scratch[h.Class[i]] -= h.Count[i]
	}
	return c.scratch
}

func (c *suppressed) refine(s *search, code int) partition.Refinement {
	c.disclosed[code] = true
	c.gains[c.kind[code]].left--
	c.state++
	s.view.Columns[c.index].Value[c.code[code]] = tips.None
	left, size := c.without(code), c.rest.size-c.parts[code].size
	c.drifts.advance(c.rest.size, size, c.frequencies, left)
	copy(c.frequencies, left)
	c.rest.size = size
	c.rest.impurity = c.impurity(c.frequencies, c.rest.size, 1)
	c.reconsider(s)
	return c.refinement(s, code)
}

func (c *suppressed) refinement(_ *search, code int) partition.Refinement {
	return partition.Refinement{
		Value:    c.value[code],
		Column:   c.index,
		Children: 2,
		First:    c.code[code],
		Child:    []uint32{1},
	}
}

func (c *suppressed) undo(code int, is bool) { c.disclosed[code] = !is }

// reconsider notes that the gains of all open candidates changed because fewer records are
// suppressed, or kills the candidates.
func (c *suppressed) reconsider(s *search) {
	s.regained[c.index] = true
	if c.beneficial(c.frequencies) {
		return
	}
	s.rescored[c.index] = true
	for _, code := range c.open {
		if !c.disclosed[code] {
			s.view.Kill(c.value[code])
			s.stale = append(s.stale, c.value[code])
		}
	}
	c.open = nil
}

func (c *suppressed) labels(code int) (value engine.Label, children []engine.Label) {
	value = c.attribute.Label(code)
	return value, []engine.Label{value}
}

func (c *suppressed) cut() engine.ColumnCut {
	var codes []int
	for code, disclosed := range c.disclosed {
		if disclosed {
			codes = append(codes, code)
		}
	}
	return engine.CutSuppressed(c.attribute, codes)
}

// stops gives disclosed values no reason but WhyFinest. For the suppressed label it returns the
// reason why the last value that could have been disclosed was not.
func (c *suppressed) stops(s *search) (stops []engine.Stop) {
	rest, undone := engine.Stop{Why: c.closed}, false
	for code, disclosed := range c.disclosed {
		switch {
		case disclosed:
			stops = append(stops, engine.Stop{Why: engine.WhyFinest})
		case int(c.code[code]) == c.domain-1:
		case s.view.Columns[c.index].Value[c.code[code]] == tips.None:
			undone = true
		case rest.Why != engine.WhySteps:
			rest = s.stop(c.value[code])
		}
	}
	switch {
	case undone:
		rest = s.undone()
	case c.rest.size == 0:
		rest = engine.Stop{Why: engine.WhyEmpty}
	case !c.beneficial(c.frequencies):
		rest = engine.Stop{Why: engine.WhyClass}
	}
	return append(stops, rest)
}

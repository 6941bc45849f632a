package engine

import (
	"slices"

	"github.com/kcut/kcut/partition"
)

// Suppressed is the label of the values that a suppressed attribute does not disclose.
const Suppressed = "*"

// Cut is the Recoding of global recoding: the label of an attribute depends only on its own code.
type Cut struct {
	Columns
	Reached []uint64 // A(QID) of every set of the reduced requirement
	// by attribute and label: the reason why it was not refined further; nil when unknown
	Stops [][]Stop

	Suppression *RecordSuppression // nil: every record is released with the labels of the cut
}

// Stop is the reason why a label of a cut was not refined further.
type Stop struct {
	Why Why
	// WhySet, WhyProtection, WhyRisk: the set of the reduced requirement that a refinement would
	// break
	Set int
}

// Why is a kind of reason.
type Why uint8

// The reasons.
const (
	WhyFinest  Why = iota // the search knows no finer labels
	WhyEmpty              // no record has the label
	WhyClass              // its records have one class: a refinement gains nothing
	WhyRecords            // a part of the label has fewer records than the k of a set
	WhySet                // a class of a set would have fewer than k records
	WhySteps              // the steps were used up
	// too many records would be in classes of fewer than k: more than may be suppressed
	WhyOutliers
	WhyProtection // a class of a set would break a protection of sensitive values
	WhyRisk       // a set would have too many classes: the average risk would be too high
	WhyPopulation // a class would break a limit on the people of a population
)

// ColumnCut is the cut of one attribute, or the labels of one that Regions have.
type ColumnCut struct {
	// Labels are the released values in domain order: the nodes of the cut, also those that no
	// record has; the intervals; the disclosed values and, always after them, Suppressed. The null
	// comes after all values.
	Labels []Label
	Code   []uint32 // label number of every code; nil in Regions

	Intervals []Interval // Discretize: parallel to Labels, without the null
}

// Columns are the cuts of all attributes.
type Columns []ColumnCut

// Labels returns the released values of an attribute.
func (c Columns) Labels(attribute int) []Label { return c[attribute].Labels }

// Intervals returns the intervals of a discretized attribute, or nil for others.
func (c Columns) Intervals(attribute int) []Interval { return c[attribute].Intervals }

// Codes returns the label number of every code of an attribute, or nil when records are suppressed
// or dropped.
func (c *Cut) Codes(attribute int) []uint32 {
	if c.Suppression != nil {
		return nil
	}
	return c.Columns[attribute].Code
}

// Anonymity returns the A(QID) that the cut reached.
func (c *Cut) Anonymity(Requirement) []uint64 { return c.Reached }

// Lost returns the number of records that are suppressed and of those that are dropped.
func (c *Cut) Lost() (suppressed, dropped uint64) {
	switch s := c.Suppression; {
	case s == nil:
		return 0, 0
	case s.Drop:
		return 0, s.Records
	default:
		return s.Records, 0
	}
}

// ByClass returns false: labels do not depend on the class.
func (c *Cut) ByClass() bool { return false }

// Cells returns 0: a cut divides no cell.
func (c *Cut) Cells() int { return 0 }

// Divided writes for each row that it is in no divided cell.
func (c *Cut) Divided(_ Rows, cells []int32) {
	for i := range cells {
		cells[i] = Undivided
	}
}

// Unsearched returns the cut: it covers records outside the search, too.
func (c *Cut) Unsearched() Recoding { return c }

// Bytes returns the approximate memory of the suppression: the rest of a cut grows only with the
// domains.
func (c *Cut) Bytes() int64 {
	if c.Suppression != nil {
		return c.Suppression.Held
	}
	return 0
}

// Recode writes the label numbers of rows.
func (c *Cut) Recode(rows Rows, labels [][]uint32) {
	for a := range c.Columns {
		code := c.Columns[a].Code
		to := labels[a][:rows.N]
		for i, v := range rows.Codes[a][:rows.N] {
			to[i] = code[v]
		}
	}
	if c.Suppression == nil {
		return
	}
	regions := make([]int32, rows.N) // the locator is faster than a memo of its answers
	c.Suppression.Locator.Locate(rows.N, rows.Codes, regions)
	for i, where := range regions {
		switch {
		case where != ByMark:
		case c.Suppression.Drop:
			labels[0][i] = DroppedLabel
		default:
			for a, mark := range c.Suppression.Marks {
				labels[a][i] = mark
			}
		}
	}
}

// CutTree returns the cut of an attribute through the given nodes of its tree, in preorder. If the
// root is split, the null gets its own label.
func CutTree(a *Attribute, nodes []int) ColumnCut {
	c := ColumnCut{Code: make([]uint32, a.Len())}
	for i, n := range nodes {
		c.Labels = append(c.Labels, Label{Text: a.Tree.Name(n)})
		lo, hi := a.Tree.Range(n)
		partition.Fill(c.Code[lo:hi], uint32(i))
	}
	if a.HasNull && nodes[0] != 0 {
		c.addNull()
	}
	return c
}

// CutIntervals returns the cut of an attribute into intervals that start at the given codes, the
// first of which is 0. If there are several, the null gets its own label.
func CutIntervals(a *Attribute, starts []int) ColumnCut {
	c := ColumnCut{Code: make([]uint32, a.Len())}
	for i, lo := range starts {
		hi := len(a.Texts)
		if i+1 < len(starts) {
			hi = starts[i+1]
		}
		interval := a.Interval(lo, hi)
		c.Intervals = append(c.Intervals, interval)
		c.Labels = append(c.Labels, Label{Text: interval.Label})
		partition.Fill(c.Code[lo:hi], uint32(i))
	}
	if a.HasNull && len(starts) > 1 {
		c.addNull()
	}
	return c
}

// CutSuppressed returns the cut of an attribute that discloses the given codes, which ascend.
func CutSuppressed(a *Attribute, disclosed []int) ColumnCut {
	c := ColumnCut{Code: make([]uint32, a.Len())}
	partition.Fill(c.Code, uint32(len(disclosed)))
	for i, code := range disclosed {
		c.Labels = append(c.Labels, a.Label(code))
		c.Code[code] = uint32(i)
	}
	c.Labels = append(c.Labels, Label{Text: Suppressed})
	return c
}

// addNull gives the last code, which is the null's, its own label.
func (c *ColumnCut) addNull() {
	c.Code[len(c.Code)-1] = uint32(len(c.Labels))
	c.Labels = append(c.Labels, Label{Null: true})
}

// RecordSuppression takes some records out of a cut: they are released with a mark in every column,
// or dropped.
type RecordSuppression struct {
	Drop    bool
	Marks   []uint32 // label number of the mark, by attribute; nil when records are dropped
	Locator Locator  // maps codes to ByCut or ByMark
	Records uint64   // number of records that are suppressed or dropped
	Held    int64    // bytes of the Locator

	// Remaining is the number of records that are not suppressed, by attribute and label number;
	// nil for an attribute that is in no set.
	Remaining [][]uint64

	// the A(QID) after Cut.Tidy, where suppressed records may then be in a class with others; nil:
	// unchanged
	Reached []uint64
}

// The answers of the Locator of a RecordSuppression.
const (
	ByCut  int32 = 0
	ByMark int32 = 1
)

// AddMark returns the label number of a mark of suppressed records. It adds the mark before the
// null unless there is a label with that text.
func (c *ColumnCut) AddMark(text string) uint32 {
	at := len(c.Labels)
	for i, label := range c.Labels {
		switch {
		case label.Null:
			at = i
		case label.Text == text:
			return uint32(i)
		}
	}
	for code, label := range c.Code {
		if int(label) >= at {
			c.Code[code] = label + 1
		}
	}
	c.Labels = slices.Insert(c.Labels, at, Label{Text: text, Mark: true})
	if c.Intervals != nil {
		c.Intervals = slices.Insert(c.Intervals, at, Interval{})
	}
	return uint32(at)
}

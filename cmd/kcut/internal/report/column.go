package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut"
)

// Limits of the number of listed labels: of a column, of one of very many columns, of all of these
// together.
const (
	mostLabels      = 200
	fewestLabels    = 8
	mostLabelsOfAll = 4000
	openLabels      = 12 // number of labels of a column that are not folded
)

// column is a masked column and its labels.
type column struct {
	kcut.CutColumn
	Sets   []int   // the sets that contain the column
	Labels []label // in the cut's order
	Folded []label // the rest of a long list
	Of     int     // number of all labels
	More   int     // number of labels that are not listed
	Most   uint64  // largest number of records with one label
	Widest float64 // share of the records that have the most frequent label
	// the common reason why no label is finer; empty: there is none, or it is unknown
	Reason string
	Whys   []string // the different reasons of labels, which these name by letters; nil: none

	Loss    string    // share of its information that is lost; empty: unknown
	Spreads []*spread // spread of the rows, before masking and after it; nil: unknown
}

// label is one released label. The labels of a column that is released as numbers have no counts.
type label struct {
	Label   string
	Special bool   // it is no text of the data: the null or the mark of suppressed values
	Records uint64 // number of records that have it
	// size of the smallest class that has it, in the set where it is closest to k; 0: there is none
	Size uint64
	Set  int  // that set, from 0 on
	Near bool // a step that divides the class would break k
	Why  string
	Mark string // the letter of the reason; empty: all labels have the same
}

// column lays out a masked column, with at most listed labels.
func (p *page) column(i, listed int) column {
	c := column{CutColumn: p.Cut.Columns[i]}
	for set := range p.Cut.Sets {
		if contains(p.Cut.Sets[set], c.Name) {
			c.Sets = append(c.Sets, set)
		}
	}
	for _, of := range c.Cut {
		l := label{Label: of.Label, Special: of.Null}
		if of.Null {
			l.Label = "null"
		}
		c.Labels = append(c.Labels, l)
	}
	if c.Suppressed != "" {
		c.Labels = append(c.Labels, label{Label: c.Suppressed, Special: true})
	}
	for at, groups := range p.Release.Labels[i] {
		p.count(&c.Labels[at], groups, c.Sets)
		c.Most = max(c.Most, groups.Records)
	}
	if p.Release.Rows > 0 {
		c.Widest = float64(c.Most) / float64(p.Release.Rows)
	}
	c.explain(p.Run)
	bars := mostBars
	if len(p.Cut.Columns) > manyTables {
		bars = fewestBars
	}
	c.spread(p.Run, p.Release.Rows, bars)
	c.Of = len(c.Labels)
	if c.More = max(c.Of-listed, 0); c.More > 0 {
		c.Labels = c.Labels[:listed]
	}
	if len(c.Labels) > openLabels+3 {
		c.Labels, c.Folded = c.Labels[:openLabels], c.Labels[openLabels:]
	}
	return c
}

// count sets the number of records of a label, and the class that is closest to k.
func (p *page) count(l *label, groups kcut.LabelGroups, sets []int) {
	l.Records = groups.Records
	for _, set := range sets {
		size, k := groups.Smallest[set], uint64(p.Cut.Sets[set].K)
		if size == 0 {
			continue
		}
		if l.Size == 0 || size*uint64(p.Cut.Sets[l.Set].K) < l.Size*k {
			l.Size, l.Set = size, set
		}
		l.Near = l.Near || size < 2*k
	}
}

// Became describes the form in which the column is released.
func (c *column) Became() string {
	kind, n := "label", len(c.Cut)
	switch {
	case c.IsRanges():
		kind = "range"
	case c.IsValues():
		kind = "value"
	}
	switch {
	case c.Render == "interval":
		return "structs of " + counted(grouped(n), "range")
	case c.Render != "":
		return "numbers: the " + c.Render + " of " + counted(grouped(n), "range")
	case n == 1 && c.Suppressed == "":
		return "one label for all: " + shortened(c.Cut[0].Label)
	case n == 0:
		return "nothing but " + c.Suppressed
	case c.Suppressed != "":
		return counted(grouped(n), kind) + " and " + c.Suppressed
	}
	return counted(grouped(n), kind)
}

// row is a label with its column, for the layout.
type row struct {
	Column *column
	Rows   int64 // number of the release's rows
	label
}

// Row combines a label with its column.
func (p *page) Row(c column, l label) row { return row{&c, p.Release.Rows, l} }

// whyWords are descriptions of the reasons why a label is not finer.
var whyWords = map[string]string{
	"finest": "nothing finer is there or allowed", "empty": "no record has it",
	"class":   "its records have one class",
	"records": "a part would have fewer than k records", "steps": "the steps were used up",
	"population": "a class would break a limit on the people of the population",
	"suppressed": "more records than may be would have to be suppressed", "few": "its records " +
		"would be in classes of fewer than k",
}

// CommonReason returns why no label of any column is finer, where the algorithm has no reasons of
// single labels; empty: unknown, or it has.
func (p *page) CommonReason() string {
	switch {
	case p.Cut.Applied != nil:
		return "the cut is that of an earlier release"
	case p.Regions:
		return "its regions were divided as long as every part kept its k"
	case p.Up:
		return "the steps stopped as soon as every set had its k"
	}
	return ""
}

// explain describes the reasons why labels are not finer, if the report has them.
func (c *column) explain(run *kcut.Report) {
	if run == nil {
		return
	}
	at := slices.IndexFunc(run.Stopped, func(s kcut.StoppedColumn) bool {
		return s.Column == c.Name && len(s.Why) == len(c.Labels)
	})
	if at < 0 || len(c.Labels) == 0 {
		return
	}
	for i, why := range run.Stopped[at].Why {
		if set, ok := strings.CutPrefix(why, "sensitive "); ok {
			c.Labels[i].Why = "a class of set " + set + " would break the requirements " +
				"on sensitive values"
		} else if set, ok := strings.CutPrefix(why, "risk "); ok {
			c.Labels[i].Why = "the average risk of set " + set + " would be too high"
		} else {
			c.Labels[i].Why = cmp.Or(whyWords[why], why+" would fall below its k")
		}
	}
	for i := range c.Labels {
		l := &c.Labels[i]
		at := slices.Index(c.Whys, l.Why)
		if at < 0 {
			at, c.Whys = len(c.Whys), append(c.Whys, l.Why)
		}
		l.Mark = Letter(at)
	}
	if len(c.Whys) == 1 {
		c.Reason, c.Whys = c.Whys[0], nil
	}
}

// Letter returns the name of one of several reasons.
func Letter(i int) string { return string(rune('a' + i%26)) }

// Reasons counts the reasons why labels are not finer.
func (c *column) Reasons() string {
	if c.Reason != "" {
		return c.Reason
	}
	var words []string
	counts := make(map[string]int)
	for _, l := range append(slices.Clip(c.Labels), c.Folded...) {
		if l.Why != "" && counts[l.Why] == 0 {
			words = append(words, l.Why)
		}
		counts[l.Why]++
	}
	if len(words) == 1 {
		return words[0]
	}
	for i, w := range words {
		words[i] = fmt.Sprintf("%s: %s", counted(grouped(counts[w]), "label"), w)
	}
	return strings.Join(words, "; ")
}

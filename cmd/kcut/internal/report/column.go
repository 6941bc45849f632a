package report

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// mostLabels is how many labels of a column are listed.
const mostLabels = 200

// columnView is a masked column and its labels.
type columnView struct {
	Name   string
	Mask   string
	Render string // what it is released as instead of labels; then there are no counts
	Sets   []int  // numbers of the sets with the column
	Labels []labelView
	More   string // labels that are not listed
	Why    bool   // labels tell why they are no finer
}

// labelView is one released label.
type labelView struct {
	Label    string
	Special  bool // it is no text of the data: the null or the mark of suppressed values
	Records  string
	Share    string
	Bar      string
	Smallest []smallestView
	Why      string
}

// smallestView is the smallest equivalence class with a label in one set.
type smallestView struct {
	Size string
	Near bool // it is below twice k: a step that divides it would break k
}

func columnViews(in *kcut.Inspection, run *kcut.Report) (views []columnView) {
	for i := range in.Cut.Columns {
		c := &in.Cut.Columns[i]
		v := columnView{Name: c.Name, Mask: c.Mask, Render: c.Render}
		for set := range in.Cut.Sets {
			if slices.Contains(in.Cut.Sets[set].Columns, c.Name) {
				v.Sets = append(v.Sets, set+1)
			}
		}
		v.Labels = labelViews(in, i, v.Sets)
		v.Why = explain(v.Labels, c.Name, run)
		if more := len(v.Labels) - mostLabels; more > 0 {
			v.Labels, v.More = v.Labels[:mostLabels], text.Grouped(int64(more))
		}
		views = append(views, v)
	}
	return views
}

// labelViews are the labels of a column, in the cut's order. Of one that is released as
// numbers nothing was counted.
func labelViews(in *kcut.Inspection, column int, sets []int) (views []labelView) {
	c, counts := &in.Cut.Columns[column], in.Labels[column]
	for _, label := range c.Cut {
		v := labelView{Label: label.Label, Special: label.Null}
		if label.Null {
			v.Label = "null"
		}
		views = append(views, v)
	}
	if c.Suppressed != "" {
		views = append(views, labelView{Label: c.Suppressed, Special: true})
	}
	most := uint64(0)
	for _, of := range counts {
		most = max(most, of.Records)
	}
	for i, of := range counts {
		v := &views[i]
		v.Records, v.Share, v.Bar = text.Grouped(int64(of.Records)), percent(of.Records, uint64(in.Rows)), barWidth(of.Records, most)
		for _, set := range sets {
			v.Smallest = append(v.Smallest, smallest(of.Smallest[set-1], uint64(in.Cut.Sets[set-1].K)))
		}
	}
	return views
}

// whyWords say in words why a label is no finer.
var whyWords = map[string]string{
	"finest": "nothing finer is there or allowed", "empty": "no record has it", "class": "its records have one class",
	"records": "a part would have fewer than k records", "steps": "the steps were used up",
}

// explain puts in words why labels are no finer, when the report tells it.
func explain(labels []labelView, column string, run *kcut.Report) bool {
	if run == nil {
		return false
	}
	for _, c := range run.Stopped {
		if c.Column != column || len(c.Why) != len(labels) {
			continue
		}
		for i, why := range c.Why {
			labels[i].Why = cmp.Or(whyWords[why], why+" would fall below its k")
		}
		return true
	}
	return false
}

func smallest(size, k uint64) smallestView {
	if size == 0 {
		return smallestView{Size: "–"}
	}
	return smallestView{text.Grouped(int64(size)), size < 2*k}
}

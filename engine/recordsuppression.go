package engine

import "slices"

// RecordSuppression is the Recoding of a cut from which some records are taken away: they are
// released with marks alone.
type RecordSuppression struct {
	*Cut // with a mark among the labels of every column

	Marks   []uint32 // label number of the mark, by attribute
	Locator Locator  // tells ByCut or ByMark from codes
	Records uint64   // that are suppressed
	Held    int64    // bytes that the Locator takes

	// Remaining has the records that are not suppressed, by attribute and label number; nil of an
	// attribute that is in no set.
	Remaining [][]uint64
}

// What the Locator of a RecordSuppression tells.
const (
	ByCut  int32 = 0
	ByMark int32 = 1
)

// Codes returns nil: labels depend on all codes.
func (r *RecordSuppression) Codes(int) []uint32 { return nil }

// Lost returns the number of suppressed records.
func (r *RecordSuppression) Lost() (suppressed, dropped uint64) { return r.Records, 0 }

// Left returns how many records of a label are not suppressed, if its attribute is in a set. A
// new label without any must not be told: too few records had it.
func (r *RecordSuppression) Left(attribute, label int) (records uint64, known bool) {
	if r.Remaining[attribute] == nil {
		return 0, false
	}
	return r.Remaining[attribute][label], true
}

// Unsearched returns the record suppression.
func (r *RecordSuppression) Unsearched() Recoding { return r }

// Bytes returns about how much memory the record suppression takes.
func (r *RecordSuppression) Bytes() int64 { return r.Held }

// Recode writes the label numbers of rows.
func (r *RecordSuppression) Recode(rows Rows, labels [][]uint32) {
	r.Cut.Recode(rows, labels)
	for i, where := range rows.Memo.Locate(r.Locator, rows.N, rows.Codes) {
		if where == ByMark {
			for a, mark := range r.Marks {
				labels[a][i] = mark
			}
		}
	}
}

// AddMark returns the label number of the mark of suppressed records, which is added before
// the null unless there is a label of that text.
func (c *ColumnCut) AddMark() uint32 {
	at := len(c.Labels)
	for i, label := range c.Labels {
		switch {
		case label.Null:
			at = i
		case label.Text == Suppressed:
			return uint32(i)
		}
	}
	for code, label := range c.Code {
		if int(label) >= at {
			c.Code[code] = label + 1
		}
	}
	c.Labels = slices.Insert(c.Labels, at, Label{Text: Suppressed, Mark: true})
	if c.Intervals != nil {
		c.Intervals = slices.Insert(c.Intervals, at, Interval{})
	}
	return uint32(at)
}

package engine

import "slices"

// Redaction is the Recoding of a cut from which some records are taken away: they are
// released with marks alone.
type Redaction struct {
	*Cut // with a mark among the labels of every column

	Marks   []uint32 // label number of the mark, by attribute
	Locator Locator  // tells ByCut or Redacted from codes
	Records uint64   // that are redacted
	Held    int64    // bytes that the Locator takes

	// Remaining has the records that are not redacted, by attribute and label number; nil of an
	// attribute that is in no set.
	Remaining [][]uint64
}

// What the Locator of a Redaction tells.
const (
	ByCut    int32 = 0
	Redacted int32 = 1
)

// Codes returns nil: labels depend on all codes.
func (r *Redaction) Codes(int) []uint32 { return nil }

// Lost returns the number of redacted records.
func (r *Redaction) Lost() (suppressed, dropped uint64) { return r.Records, 0 }

// Left returns how many records of a label are not redacted, if its attribute is in a set.
func (r *Redaction) Left(attribute, label int) (records uint64, known bool) {
	if r.Remaining[attribute] == nil {
		return 0, false
	}
	return r.Remaining[attribute][label], true
}

// Unsearched returns the redaction.
func (r *Redaction) Unsearched() Recoding { return r }

// Bytes returns about how much memory the redaction takes.
func (r *Redaction) Bytes() int64 { return r.Held }

// Recode writes the label numbers of rows.
func (r *Redaction) Recode(rows Rows, labels [][]uint32) {
	r.Cut.Recode(rows, labels)
	for i, where := range rows.Memo.Locate(r.Locator, rows.N, rows.Codes) {
		if where == Redacted {
			for a, mark := range r.Marks {
				labels[a][i] = mark
			}
		}
	}
}

// AddMark returns the label number of the mark of redacted records, which is added before
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

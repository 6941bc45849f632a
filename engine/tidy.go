package engine

import "slices"

// Sizes returns the number of records with every label of an attribute, without those that are
// suppressed or dropped.
func (c *Cut) Sizes(t *Table, attribute int) []uint64 {
	if c.Suppression != nil {
		return c.Suppression.Remaining[attribute]
	}
	sizes := make([]uint64, len(c.Labels(attribute)))
	for code, records := range t.Histograms[attribute].Sizes() {
		sizes[c.Columns[attribute].Code[code]] += records
	}
	return sizes
}

// Tidy returns the cut without the labels that no released record has, unless stays keeps them:
// such a label would disclose something about records that are suppressed or dropped. Intervals
// must leave no gap: one that goes is joined with the one below, the first with the one above. If
// one interval is left, it is the full interval, which is also the mark of suppressed records.
func (c *Cut) Tidy(t *Table, stays func(attribute int, label Label) bool) *Cut {
	tidy := &Cut{Reached: c.Reached}
	s := c.Suppression
	if s != nil {
		own := *s
		own.Marks, own.Remaining, tidy.Suppression = nil, nil, &own
		if s.Reached != nil {
			tidy.Reached = s.Reached
		}
	}
	for a := range c.Columns {
		column, sizes := &c.Columns[a], c.Sizes(t, a)
		keep := make([]bool, len(column.Labels))
		for label, is := range column.Labels {
			isMark := s != nil && !s.Drop && label == int(s.Marks[a])
			keep[label] = sizes == nil || sizes[label] > 0 || isMark || stays(a, is)
		}
		r := column.tidy(&t.Attributes[a], keep)
		tidy.Columns = append(tidy.Columns, r.ColumnCut)
		if c.Stops != nil {
			tidy.Stops = append(tidy.Stops, r.stops(column, c.Stops[a]))
		}
		if s == nil {
			continue
		}
		tidy.Suppression.Remaining = append(tidy.Suppression.Remaining, r.sum(sizes))
		if !s.Drop {
			tidy.Suppression.Marks = append(tidy.Suppression.Marks, r.numbers[s.Marks[a]])
		}
	}
	return tidy
}

// tidied is the cut of an attribute after labels were removed.
type tidied struct {
	ColumnCut
	numbers []uint32 // by old label: the new label of its records
	kept    []bool   // by old label: it stays
}

// tidy returns the cut with the labels that are kept.
func (c *ColumnCut) tidy(a *Attribute, keep []bool) tidied {
	intervals := 0 // intervals come first
	for c.Intervals != nil && intervals < len(c.Labels) && !c.Labels[intervals].Null &&
		!c.Labels[intervals].Mark {
		intervals++
	}
	if intervals > 0 && !slices.Contains(keep[:intervals], true) {
		keep[0] = true // the full interval discloses nothing
	}
	r, starts := tidied{numbers: make([]uint32, len(c.Labels)), kept: keep}, []int(nil)
	for label, is := range c.Labels {
		if keep[label] = keep[label] && !(is.Mark && len(starts) == 1 &&
			is.Text == a.Widest()); !keep[label] {
			if label < intervals {
				r.numbers[label] = uint32(max(0, len(starts)-1))
			}
			continue
		}
		r.numbers[label] = uint32(len(r.Labels))
		r.Labels = append(r.Labels, is)
		if label < intervals {
			starts = append(starts, slices.Index(c.Code, uint32(label)))
		}
	}
	for i := range starts {
		lo, hi := starts[i], len(a.Texts)
		if i == 0 {
			lo = 0
		}
		if i+1 < len(starts) {
			hi = starts[i+1]
		}
		interval := a.Interval(lo, hi)
		r.Labels[i].Text, r.Intervals = interval.Label, append(r.Intervals, interval)
	}
	if marked := len(starts); intervals > 0 && marked < len(r.Labels) && r.Labels[marked].Mark {
		r.Intervals = append(r.Intervals, Interval{})
	}
	if a.Mask == Suppress { // a value that is no longer disclosed is suppressed
		for label, kept := range keep {
			if !kept {
				r.numbers[label] = r.numbers[len(c.Labels)-1]
			}
		}
	}
	r.Code = make([]uint32, len(c.Code))
	for code, label := range c.Code {
		r.Code[code] = r.numbers[label]
	}
	return r
}

// sum returns the records of the labels that are left, given those of the old labels; nil when they
// are not known.
func (r *tidied) sum(sizes []uint64) (left []uint64) {
	if sizes == nil {
		return nil
	}
	left = make([]uint64, len(r.Labels))
	for label, records := range sizes {
		left[r.numbers[label]] += records
	}
	return left
}

// stops returns the reasons of the labels that are left, given those of the old labels. Marks have
// no reason.
func (r *tidied) stops(c *ColumnCut, were []Stop) (stops []Stop) {
	i := 0
	for label, is := range c.Labels {
		if is.Mark {
			continue
		}
		if r.kept[label] && i < len(were) {
			stops = append(stops, were[i])
		}
		i++
	}
	return stops
}

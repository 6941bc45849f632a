package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/family"
)

// setRow is a line of the list of quasi-identifier sets: a set, or that with the smallest class of
// a family of several.
type setRow struct {
	*page
	Set     int      // position of the set
	Columns string   // of the set or the family
	Family  []setRow // the sets of the family
}

// SetRows lists the sets, each family in one row.
func (p *page) SetRows() (rows []setRow) {
	var listed []family.Set
	for _, set := range p.Cut.Sets {
		listed = append(listed, family.Set{Columns: set.Columns, K: set.K})
	}
	for _, f := range family.Of(listed) {
		var own []setRow
		for i := f.From; i < f.To; i++ {
			columns := strings.Join(p.Cut.Sets[i].Columns, ", ")
			own = append(own, setRow{page: p, Set: i, Columns: columns})
		}
		row := slices.MinFunc(own, func(a, b setRow) int {
			return cmp.Compare(p.Release.Sets[a.Set].Anonymity, p.Release.Sets[b.Set].Anonymity)
		})
		if len(own) > 1 {
			row.Columns, row.Family = strings.Join(f.Words(nil), ", "), own
		}
		rows = append(rows, row)
	}
	return rows
}

// Number returns the number of the set, or the numbers of the family's sets.
func (r setRow) Number() string {
	if n := len(r.Family); n > 0 {
		return grouped(r.Family[0].Set+1) + " to " + grouped(r.Family[n-1].Set+1)
	}
	return grouped(r.Set + 1)
}

// Heading returns the heading of the set alone.
func (r setRow) Heading() string {
	own := strings.Join(r.Cut.Sets[r.Set].Columns, ", ")
	if len(r.Family) > 0 {
		own += " (of " + r.Number() + ", the one with the smallest group)"
	}
	return "Set " + grouped(r.Set+1) + ": " + own
}

// Others returns the sets of the family without the one of the row.
func (r setRow) Others() []setRow {
	return slices.DeleteFunc(slices.Clone(r.Family), func(o setRow) bool { return o.Set == r.Set })
}

// Claimed returns the set in the cut.
func (r setRow) Claimed() kcut.CutSet { return r.Cut.Sets[r.Set] }

// Counted returns the set as it was counted.
func (r setRow) Counted() kcut.CutSet { return r.Release.Sets[r.Set] }

// Sizes returns the classes of the set.
func (r setRow) Sizes() kcut.GroupSizes { return r.Release.Sizes[r.Set] }

// homogeneous is a line of what groups of one value show of a column, in a set or in the worst one
// of a family.
type homogeneous struct {
	kcut.Homogeneity
	Number string // of the set, and of its family
	Groups uint64 // of the set
	Rows   int64
}

// HomogeneousOf lists the columns of which groups may have one value, for rows of sets.
func (p *page) HomogeneousOf(rows []setRow) (list []homogeneous) {
	for _, row := range rows {
		members := row.Family
		if len(members) == 0 {
			members = []setRow{row}
		}
		at := len(list)
		for _, h := range p.Release.Homogeneous {
			isOwn := func(r setRow) bool { return r.Set+1 == h.Set }
			if !slices.ContainsFunc(members, isOwn) {
				continue
			}
			line := homogeneous{Homogeneity: h, Number: grouped(h.Set), Rows: p.Release.Rows,
				Groups: p.Release.Sizes[h.Set-1].Classes}
			if len(members) > 1 {
				line.Number += ", the worst of " + row.Number()
			}
			same := func(o homogeneous) bool { return o.Column == h.Column }
			switch known := slices.IndexFunc(list[at:], same); {
			case known < 0:
				list = append(list, line)
			case list[at+known].Records < h.Records:
				list[at+known] = line
			}
		}
	}
	return list
}

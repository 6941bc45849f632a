package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// determined returns the masked columns that kept ones determine.
func (c *Count) determined(determinations []risk.Determination) (all []risk.Determined) {
	for _, t := range determinations {
		if !slices.Contains(c.request.Masked, t.Of) {
			continue
		}
		d := risk.Determined{Kept: c.name(t.By[0]), Masked: c.name(t.Of), Share: lacking(t.Share)}
		if len(t.By) > 1 {
			d.With = c.name(t.By[1])
		}
		all = append(all, d)
	}
	return all
}

// members returns the kept columns that masked ones determine, in any sets.
func (c *Count) members(determinations []risk.Determination) (all []risk.Member) {
	for _, t := range determinations {
		if !slices.Contains(c.request.Kept, t.Of) {
			continue
		}
		m := risk.Member{Column: c.name(t.Of), Share: lacking(t.Share)}
		for _, at := range t.By {
			m.By = append(m.By, c.name(at))
		}
		all = append(all, m)
	}
	return all
}

// Members returns the determined kept columns that a recount counts together with the labels of a
// set: without the class and accepted ones, once for every set.
func (g *Guard) Members(determined []risk.Member, cut *cutfile.File) (members []risk.Member) {
	for _, m := range determined {
		field := g.Dataset.Schema().Index(m.Column)
		if field == g.Class || g.isAccepted(field) {
			continue
		}
		for i := range cut.Sets {
			m.Set, m.K = i+1, cut.Sets[i].K
			known := func(o risk.Member) bool { return o.Column == m.Column && o.Set == m.Set }
			if m.Within(cut.Sets[i].Columns) && !slices.ContainsFunc(members, known) {
				members = append(members, m)
			}
		}
	}
	return members
}

// Groups returns the groups of columns whose entities of the input are counted: all labels, then
// the members.
func (g *Guard) Groups(members []risk.Member, cut *cutfile.File) []masking.Group {
	groups, sets := []masking.Group{{Kept: -1, K: cut.SmallestK()}}, g.GroupsOfSets(cut)
	for _, m := range members {
		groups = append(groups, masking.Group{Kept: g.Dataset.Schema().Index(m.Column), K: m.K,
			Masked: sets[m.Set-1].Masked})
	}
	return groups
}

// GroupsOfSets returns the columns of every set of a cut.
func (g *Guard) GroupsOfSets(cut *cutfile.File) (groups []masking.Group) {
	masked := g.Names(g.Masked...)
	for _, set := range cut.Sets {
		group := masking.Group{Kept: -1, K: int(set.K)}
		for _, name := range set.Columns {
			group.Masked = append(group.Masked, slices.Index(masked, name))
		}
		groups = append(groups, group)
	}
	return groups
}

// WithMembers returns the members that were counted, followed by the other determined columns.
func WithMembers(determined, members []risk.Member) []risk.Member {
	return append(members, slices.DeleteFunc(slices.Clone(determined), func(t risk.Member) bool {
		return slices.ContainsFunc(members, func(m risk.Member) bool {
			return m.Column == t.Column
		})
	})...)
}

// follows says that a kept column is determined.
func follows(m *risk.Member) string {
	by := "that of masked column " + m.By[0]
	if len(m.By) > 1 {
		by = "those of masked columns " + strings.Join(m.By, " and ")
	}
	return fmt.Sprintf("column %s is kept, and its value follows from %s%s", m.Column, by,
		ofShare(m.Share))
}

// CheckMembers notes the number of rows in small classes with kept columns that masked ones of a
// set determine, and refuses members with more such rows than may be alone.
func (g *Guard) CheckMembers(members []risk.Member) error {
	most := float64(*g.Job.MaxUnique)
	for _, m := range members {
		if m.Set == 0 {
			continue
		}
		note := fmt.Sprintf("%s: with it %s of the %s are in classes of fewer than %d on "+
			"quasi-identifier set %d", follows(&m), text.Percent(m.Below), g.who(), m.K, m.Set)
		if !verify.IsAbove(m.Below, most) {
			g.Noted(note)
			continue
		}
		name := g.Specs[g.Dataset.Schema().Index(m.Column)].Name
		return &fault.Error{
			Class: fault.Privacy,
			Hint: fmt.Sprintf("mask %s, and add it to the set, or drop it, or accept it, as in "+
				"%s: {keep: {identifying: accepted}}",
				m.Column, job.Quoted(name)),
			Err: g.Job.Located(name, "mask",
				fmt.Errorf("%s, more than %s", note, text.Percent(most))),
		}
	}
	return nil
}

func (c *Count) name(at int) string { return c.Names(c.fields[at])[0] }

// lacking returns the share of rows that have nulls, or 0.
func lacking(share float64) float64 {
	if share == 1 {
		return 0
	}
	return share
}

// NoteDetermined notes masked columns that kept ones determine, and determined kept ones that no
// set is counted with.
func (g *Guard) NoteDetermined(report *risk.Report) {
	g.noteDetermined(report)
	for _, m := range report.Members {
		if field := g.Dataset.Schema().Index(m.Column); field == g.Class || g.isAccepted(field) {
			g.Noted(follows(&m))
		}
	}
}

// noteDetermined notes masked columns that kept ones determine.
func (g *Guard) noteDetermined(report *risk.Report) {
	for _, d := range report.Determines {
		what, whose := fmt.Sprintf("column %s is kept", d.Kept), "its"
		if d.With != "" {
			what, whose = fmt.Sprintf("columns %s and %s are kept", d.Kept, d.With), "their"
		}
		g.Noted(fmt.Sprintf("%s, and %s values determine those of masked column %s%s", what, whose,
			d.Masked, ofShare(d.Share)))
	}
}

func ofShare(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf(" in %s of the rows", text.Percent(share))
}

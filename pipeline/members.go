package pipeline

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

// determined returns the masked columns that kept ones tell.
func (e *exposing) determined(told []risk.Determination) (all []risk.Determined) {
	for _, t := range told {
		if !slices.Contains(e.request.Masked, t.Of) {
			continue
		}
		d := risk.Determined{Kept: e.name(t.By[0]), Masked: e.name(t.Of), Share: lacking(t.Share)}
		if len(t.By) > 1 {
			d.With = e.name(t.By[1])
		}
		all = append(all, d)
	}
	return all
}

// members returns the kept columns that masked ones tell, whichever sets have these.
func (e *exposing) members(told []risk.Determination) (all []risk.Member) {
	for _, t := range told {
		if !slices.Contains(e.request.Kept, t.Of) {
			continue
		}
		m := risk.Member{Column: e.name(t.Of), Share: lacking(t.Share)}
		for _, at := range t.By {
			m.Told = append(m.Told, e.name(at))
		}
		all = append(all, m)
	}
	return all
}

// asMembers returns of kept columns that are told those that a recount takes together with the labels
// of a set: neither the class nor accepted, once for every set.
func (b *Bound) asMembers(told []risk.Member, cut *cutfile.File) (members []verify.Member) {
	for _, t := range told {
		field := b.Dataset.Schema().Index(t.Column)
		if field == b.class || b.isAccepted(field) {
			continue
		}
		for i := range cut.Sets {
			m := verify.Member{Set: i, Column: t.Column}
			if t.Within(cut.Sets[i].Columns) && !slices.Contains(members, m) {
				members = append(members, m)
			}
		}
	}
	return members
}

// asGroups returns them as what is counted of the entities of the input: of all labels, then of members.
func (b *Bound) asGroups(members []verify.Member, cut *cutfile.File) []masking.Group {
	groups := []masking.Group{{Kept: -1, K: cut.SmallestK()}}
	for _, m := range members {
		g := masking.Group{Kept: b.Dataset.Schema().Index(m.Column), K: cut.Sets[m.Set].K}
		for _, name := range cut.Sets[m.Set].Columns {
			g.Masked = append(g.Masked, slices.Index(b.names(b.masked), name))
		}
		groups = append(groups, g)
	}
	return groups
}

// membersWith returns members of which the entities were counted.
func membersWith(members []verify.Member, cut *cutfile.File, figures []*risk.Figures) (all []risk.Member) {
	for i, m := range members {
		all = append(all, risk.Member{Column: m.Column, Set: m.Set + 1, K: cut.Sets[m.Set].K, Below: figures[i].Below})
	}
	return all
}

// membersOf returns the members that were counted, with what tells them, and the other columns that are told.
func (b *Bound) membersOf(told, members []risk.Member, cut *cutfile.File) (all []risk.Member) {
	for _, m := range members {
		at := slices.IndexFunc(told, func(t risk.Member) bool { return t.Column == m.Column && t.Within(cut.Sets[m.Set-1].Columns) })
		if at >= 0 {
			m.Told, m.Share = told[at].Told, told[at].Share
		}
		all = append(all, m)
	}
	for _, t := range told {
		if !slices.ContainsFunc(members, func(m risk.Member) bool { return m.Column == t.Column }) {
			all = append(all, t)
		}
	}
	return all
}

// follows says that a kept column is told.
func follows(m *risk.Member) string {
	by := "that of masked column " + m.Told[0]
	if len(m.Told) > 1 {
		by = "those of masked columns " + strings.Join(m.Told, " and ")
	}
	return fmt.Sprintf("column %s is kept, and its value follows from %s%s", m.Column, by, ofShare(m.Share))
}

// checkMembers notes how many rows are in small classes with kept columns that masked ones of a set
// tell, and refuses those that leave more there than may be alone.
func (b *Bound) checkMembers(members []risk.Member, res *resources) error {
	most := float64(*b.Job.MaxUnique)
	for _, m := range members {
		if m.Set == 0 {
			continue
		}
		note := fmt.Sprintf("%s: with it %s of the %s are in classes of fewer than %d on quasi-identifier set %d", follows(&m), text.Percent(m.Below), b.who(), m.K, m.Set)
		if m.Below <= most {
			res.events.Noted(note)
			continue
		}
		name := b.specs[b.Dataset.Schema().Index(m.Column)].Name
		return &fault.Error{
			Class: fault.Privacy,
			Hint: fmt.Sprintf("mask %s, and add it to the set, or drop it, or accept it, as in %s: {keep: {identifying: accepted}}",
				m.Column, job.Quoted(name)),
			Err: b.Job.Located(name, "mask", fmt.Errorf("%s, more than %s", note, text.Percent(most))),
		}
	}
	return nil
}

func (e *exposing) name(at int) string { return e.names([]int{e.fields[at]})[0] }

// lacking returns a share of rows that lacks some, else 0.
func lacking(share float64) float64 {
	if share == 1 {
		return 0
	}
	return share
}

// noteTold tells of masked columns that kept ones tell, and of kept ones that are told and that no set
// is counted with.
func (b *Bound) noteTold(report *risk.Report, res *resources) {
	noteDetermined(report, res)
	for _, m := range report.Members {
		if field := b.Dataset.Schema().Index(m.Column); field == b.class || b.isAccepted(field) {
			res.events.Noted(follows(&m))
		}
	}
}

// noteDetermined tells of masked columns that kept ones tell.
func noteDetermined(report *risk.Report, res *resources) {
	for _, d := range report.Determines {
		what, whose := fmt.Sprintf("column %s is kept", d.Kept), "its"
		if d.With != "" {
			what, whose = fmt.Sprintf("columns %s and %s are kept", d.Kept, d.With), "their"
		}
		res.events.Noted(fmt.Sprintf("%s, and %s values tell those of masked column %s%s", what, whose, d.Masked, ofShare(d.Share)))
	}
}

func ofShare(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf(" in %s of the rows", text.Percent(share))
}

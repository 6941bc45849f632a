package verify

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// asked is what a job asks of a release that may have been made by another job.
type asked struct {
	job       *job.Job
	sets      []askedSet
	added     []cutfile.Set       // sets that the cut lacks
	sensitive []int               // by sensitive column of the job: its position among the values
	values    []cutfile.Sensitive // those of which the cut claims nothing, or something else
	unmasked  []string            // columns of the release that the job does not release so
}

// askedSet is a set of the job, and its position among the sets that are counted.
type askedSet struct {
	job.Set
	at int
}

// newAsked compares a job with the columns of a release, which must have those of the job's sets,
// and its sensitive ones.
func newAsked(ctx context.Context, path string, cut *cutfile.File, j *job.Job) (*asked, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := release.Open(ctx, parts[0])
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	a := &asked{job: j}
	kept := slices.DeleteFunc(file.Columns(), func(name string) bool {
		return slices.ContainsFunc(cut.Columns, func(c cutfile.Column) bool {
			return slices.Contains(c.Released(), name)
		})
	})
	for _, name := range kept {
		if !a.allows(name, slices.Contains(cut.Pseudonyms, name)) {
			a.unmasked = append(a.unmasked, name)
		}
	}
	lacking := a.addSets(cut, kept)
	for i := range j.Sensitive {
		s := &j.Sensitive[i]
		if !slices.Contains(kept, s.Column) || slices.Contains(cut.Pseudonyms, s.Column) {
			lacking = s.Column
			break
		}
		at, err := claimed(s, cut)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			at, a.values = len(cut.Sensitive)+len(a.values), append(a.values, *s)
		}
		a.sensitive = append(a.sensitive, at)
	}
	if lacking != "" {
		return nil, fault.Errorf(fault.Usage, "name the job that made the release, or run this one",
			"hold %s to the job: the release does not have column %s as the job asks for it", path,
			lacking)
	}
	return a, nil
}

// allows reports whether the job releases a column unchanged, or as pseudonyms.
func (a *asked) allows(column string, pseudonyms bool) bool {
	spec := a.job.Column(column)
	if spec == nil {
		return a.job.Unlisted == job.MaskKeep
	}
	return spec.Mask == job.MaskKeep || pseudonyms && spec.Keeps()
}

// addSets adds the sets of the job that no other one implies. It returns a column that the release
// lacks, if there is one. It leaves out a set with a kept column, which is a finding of its own.
func (a *asked) addSets(cut *cutfile.File, kept []string) (lacking string) {
	var all engine.Requirement
	var sets []job.Set
	for _, set := range a.job.EverySet() {
		of, masked := engine.Set{K: engine.KAnonymity(set.K)}, true
		for _, name := range set.Columns {
			at := cut.Columns.Position(name)
			if masked = masked && at >= 0; at < 0 && !slices.Contains(kept, name) {
				return name
			}
			of.Columns = append(of.Columns, at)
		}
		if masked {
			all.Sets, sets = append(all.Sets, of), append(sets, set)
		}
	}
	_, implied := all.Reduce()
	for i, set := range sets {
		if slices.Contains(implied, i) {
			continue
		}
		counted := cutfile.Set{Columns: set.Columns}
		at := slices.IndexFunc(slices.Concat(cut.Sets, a.added), func(s cutfile.Set) bool {
			return s.Within(&counted) && counted.Within(&s)
		})
		if at < 0 {
			at, a.added = len(cut.Sets)+len(a.added), append(a.added, counted)
		}
		a.sets = append(a.sets, askedSet{set, at})
	}
	return ""
}

// claimed returns the position among a cut's sensitive columns of one that has the same limits as
// the job's, or −1.
func claimed(s *job.Sensitive, cut *cutfile.File) (int, error) {
	want, err := text.JSON(s)
	if err != nil {
		return 0, err
	}
	for i := range cut.Sensitive {
		if is, err := text.JSON(&cut.Sensitive[i]); err != nil || bytes.Equal(is, want) {
			return i, err
		}
	}
	return -1, nil
}

// checkAsked compares all counts with the job.
func (v *verifier) checkAsked(r *Result) {
	a := v.asked
	for _, name := range a.unmasked {
		v.find("column %s is not masked, and the job does not release it so", name)
	}
	for _, set := range a.sets {
		counted := cutfile.Set{Columns: set.Columns, K: set.K, Anonymity: v.anonymity[set.at]}
		r.Asked = append(r.Asked, counted)
		what := "the job's quasi-identifier set " + strings.Join(set.Columns, ", ")
		switch {
		case counted.Anonymity < uint64(set.K):
			v.find("%s: anonymity %d is below k = %d", what, counted.Anonymity, set.K)
		case a.job.Entity != "" && !v.claimsEntities(&counted):
			r.uncounted("%s: its k counts entities, and the release does not have those of its "+
				"rows", what)
		}
		most := float64(a.job.MaxRisk.Average)
		if risk := float64(v.classes[set.at]) / float64(max(1, v.rows)); IsRisky(risk, most) {
			v.find("%s: the average risk of a row is %s, max_risk.average is %s", what,
				text.Percent(risk), a.job.MaxRisk.Average)
		}
		for _, column := range a.sensitive {
			if set.at < len(v.cut.Sets) && column < len(v.cut.Sensitive) {
				continue // the cut claims the same
			}
			m := &v.measures[set.at*len(v.values)+column]
			v.checkMeasures(m, what, "the job asks for")
			if key := m.unseen(); key != "" && column >= len(v.cut.Sensitive) {
				r.uncounted("column %s: no row has a value that %s names", m.of.Column, key)
			}
		}
	}
	union := v.union
	if a.job.Entity != "" {
		if union = nil; v.cut.Entity {
			union = v.cut.Union
		}
		if union == nil {
			r.uncounted("max_unique: it counts entities, and the release does not have those of " +
				"its rows")
		}
	}
	if most := a.job.MaxUnique; union != nil && IsAbove(union.Unique, float64(*most)) {
		v.find("%s are alone on the labels of all masked columns together, max_unique is %s",
			text.Percent(union.Unique), *most)
	}
}

// claimsEntities reports whether by the cut every class of a set has as many entities as k.
func (v *verifier) claimsEntities(set *cutfile.Set) bool {
	return v.cut.Entity && slices.ContainsFunc(v.cut.Sets, func(s cutfile.Set) bool {
		return set.Within(&s) && s.Anonymity >= uint64(set.K)
	})
}

package guard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// RiskRequest returns the classes of the release to count in addition to its sets, nil if they are
// known: nobody is alone if some set has all masked columns, and only the class is kept.
func (g *Guard) RiskRequest(cut *cutfile.File) *verify.RiskRequest {
	kept := g.Kept()
	if len(kept) == 0 && cut.HidesAll() && g.Job.Population.Size == 0 {
		return nil
	}
	ask := &verify.RiskRequest{Population: int64(g.Job.Population.Size)}
	for _, field := range kept {
		if g.isAccepted(field) {
			ask.Accepted = append(ask.Accepted, g.Names(field)...)
		}
	}
	return ask
}

// Judge notes the class sizes of the rows of a release, and refuses one in which more rows are
// alone than the job allows. It returns the counts of the input and, unless after is nil, of the
// release.
func (g *Guard) Judge(report, after *risk.Report, union *risk.Union,
	cut *cutfile.File) (*risk.Report, error) {
	if after != nil {
		report = g.released(report, after)
		if err := g.CheckMembers(report.Members); err != nil {
			return report, err
		}
	}
	g.noteUnion(report, union, cut.SmallestK())
	return report, g.CheckUnion(union)
}

// noteUnion notes the class sizes of the rows on all labels, and the two sets with which somebody
// who knows both finds most rows.
func (g *Guard) noteUnion(report *risk.Report, union *risk.Union, k int) {
	note := fmt.Sprintf("%s of the %s are alone on the labels of all masked columns together, %s "+
		"are in classes of fewer than %d",
		text.Percent(union.Unique), g.who(), text.Percent(union.BelowK), k)
	if union.Part > 0 {
		note += fmt.Sprintf(" (counted in %s of the classes, give or take %s)",
			text.Percent(union.Part), text.Percent(union.Error))
	}
	if r := report; r != nil && r.Both != nil && r.Both != r.Labels {
		note += fmt.Sprintf("; with kept columns %s and %s", text.Percent(r.Both.Unique),
			text.Percent(r.Both.Below))
	}
	g.Noted(note)
	if report == nil {
		return
	}
	for _, pair := range report.Pairs {
		if pair.Below > MostUnique {
			note := fmt.Sprintf("who knows quasi-identifier sets %d and %d finds %s of the rows "+
				"in classes of fewer than %d",
				pair.Sets[0], pair.Sets[1], text.Percent(pair.Below), pair.K)
			if pair.Unique > 0 {
				note += ", and " + text.Percent(pair.Unique) + " alone"
			}
			g.Noted(note)
		}
	}
}

// CheckUnion refuses a release in which more rows are alone on all labels than the job allows.
func (g *Guard) CheckUnion(union *risk.Union) error {
	most := *g.Job.MaxUnique
	if !verify.IsAbove(union.Unique, float64(most)) {
		return nil
	}
	const way = "add the set {columns: all, k: 2}, which leaves nobody alone; with " +
		"max_suppressed: 1% it costs less"
	enough := job.Share(math.Ceil(100*union.Unique) / 100)
	return fault.Errorf(fault.Privacy,
		fmt.Sprintf("%s. max_unique: %s accepts it: it is your word that nobody knows more than "+
			"one set", way, enough),
		"publish release: %s of the %s are alone on the labels of all masked columns together, "+
			"max_unique is %s", text.Percent(union.Unique), g.who(), most)
}

// CheckAverageRisk refuses a release with a higher average risk, by set, than the job allows.
func (g *Guard) CheckAverageRisk(risks []float64) error {
	most := g.Job.MaxRisk.Average
	for i, risk := range risks {
		if !verify.IsRisky(risk, float64(most)) {
			continue
		}
		way := fmt.Sprintf("k: %.0f keeps to it", math.Ceil(1/float64(most)))
		switch name := g.Job.Algorithm.Name; {
		case g.Job.MaxSuppressed != job.Quota{}:
			way += "; so do algorithm tdr and tds without max_suppressed"
		case name != job.AlgorithmTDR && name != job.AlgorithmTDS:
			way += "; so do algorithm tdr and tds, which search for it"
		default: // the cut is an earlier one
			way += "; so does a run that searches anew"
		}
		return fault.Errorf(fault.Privacy, way,
			"publish release: the average risk of a row on quasi-identifier set %d is %s, "+
				"max_risk.average is %s", i+1, text.Percent(risk), most)
	}
	return nil
}

// hidesKept reports whether a release shows less of its kept columns than the input: not the
// persons of its rows; nor are nested columns counted there.
func (g *Guard) hidesKept() bool {
	kept := g.Kept()
	return g.Entity >= 0 || len(g.Flat(kept)) < len(kept)
}

// released combines the counts of the input with those of the written release, labels and kept
// columns together, and notes them.
func (g *Guard) released(report, after *risk.Report) *risk.Report {
	if report.Kept == nil || !g.hidesKept() {
		report.Kept = after.Kept
	}
	report.K, report.Labels, report.Both, report.Pairs = after.K, after.Labels, after.Both,
		after.Pairs
	report.Members = WithMembers(report.Members, after.Members)
	if kept := g.Kept(); report.Kept != nil && report.Kept.Unique > MostUnique && g.accepts(kept) {
		what := ""
		if at := slices.Index(kept, g.Class); at >= 0 {
			kept, what = slices.Delete(kept, at, at+1), "the class and "
		}
		if what += "kept column"; len(kept) > 1 {
			what += "s"
		}
		g.Noted(fmt.Sprintf("%s %s %s: accepted", g.Found(report.Kept), what,
			strings.Join(g.Names(kept...), ", ")))
	}
	if report.Kept != nil {
		g.Noted(fmt.Sprintf("%s of the %s are unique on kept columns, %s are in classes of fewer "+
			"than %d",
			text.Percent(report.Kept.Unique), g.who(), text.Percent(report.Kept.Below), report.K))
	}
	if report.Raw != nil && report.Labels != nil {
		before, after := report.Raw.Prosecutor, report.Labels.Prosecutor
		g.Noted(fmt.Sprintf("risk of a row, for who knows the quasi-identifiers of all sets: %s "+
			"on average and %s at most before masking, %s and %s after",
			text.Percent(before.Average), text.Percent(before.Highest), text.Percent(after.Average),
			text.Percent(after.Highest)))
		if p := report.Raw.Population; p != nil {
			g.Noted(fmt.Sprintf("of a population of %s an estimated %s are unique on the "+
				"quasi-identifiers of all sets before masking, and %s after",
				text.Grouped(p.Size), p, report.Labels.Population))
		}
	}
	return report
}

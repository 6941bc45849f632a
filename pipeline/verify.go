package pipeline

import (
	"context"
	"slices"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/population"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
)

// verifyRelease recounts the release without the code that wrote it. It compares the share of
// rows that are alone on all labels, and the average risk, with the job's limits, and writes that
// share and the other limit into the cut.
func verifyRelease(
	ctx context.Context, b *binding.Bound, found *search.Found, records *runRecords, res *runState,
) error {
	g, cut := guard.New(b, res.Run), found.Cut
	ask := g.RiskRequest(cut)
	var members []risk.Member
	if res.report.Risk != nil {
		members = g.Members(res.report.Risk.Members, cut)
	}
	if ask != nil {
		if ask.Kept = keptFigures(res.report, cut); b.Entity < 0 {
			ask.Members = members
		}
	}
	var people verify.Population
	var counted *population.Count
	if b.Population != nil {
		var err error
		counted, err = population.NewCount(b.Population, b.Job.EverySet(), cut, res.Run)
		if err != nil {
			return err
		}
		defer counted.Close()
		people = counted
	}
	recount, after, err := verify.Unpublished(ctx, records.target.Path(), res.Threads, res.Budget,
		res.Events, ask, people)
	if err != nil {
		return err
	}
	res.report.Homogeneous = recount.Homogeneous
	if counted != nil {
		counted.Note()
	}
	union := &risk.Union{}
	if ask == nil {
		after = nil
	} else if union = after.Labels.Union(); b.Entity >= 0 {
		// the release does not have the entities of its rows
		people, err := found.CountPeople(ctx, b, members, res.Run)
		if err != nil {
			return err
		}
		if after.Members = members; !cut.HidesAll() {
			union = people
		}
	}
	if err := judgeRisk(g, after, union, cut, res); err != nil {
		return err
	}
	if cut.MaxAverageRisk = float64(b.Job.MaxRisk.Average); cut.MaxAverageRisk > 0 {
		res.report.AverageRisk = recount.AverageRisk
		if err := g.CheckAverageRisk(recount.AverageRisk); err != nil {
			return err
		}
	}
	stamped, err := text.JSON(cut)
	if err != nil {
		return err
	}
	return records.target.Restamp(map[string]string{cutfile.Key: string(cut.Raw)},
		map[string]string{cutfile.Key: string(stamped)})
}

// judgeRisk reports the disclosure risk of a release and refuses it if more rows are alone on all
// labels than the job allows. The argument after has all figures that were counted besides the
// union; nil: none were. The cut gets the union.
func judgeRisk(
	g *guard.Guard, after *risk.Report, union *risk.Union, cut *cutfile.File, res *runState,
) (err error) {
	res.report.Union, cut.Union = union, union
	res.report.Risk, err = g.Judge(res.report.Risk, after, union, cut)
	return err
}

// keptFigures returns the figures of the release's kept columns for the smallest k of the cut, if
// the figures of the input are the same and known; otherwise nil. Without a k in the job, the
// smallest k of the cut is the class size that was reached. Values with the same replacement make
// larger classes than in the input.
func keptFigures(report *Report, cut *cutfile.File) *risk.Figures {
	if report.Risk == nil || report.Released != report.Rows ||
		report.Risk.K != cut.SmallestK() || len(cut.Replacements) > 0 {
		return nil
	}
	return report.Risk.Kept
}

// verifyCounts counts the union in a table of counts that has all masked columns, with the result
// that a run of the rows has for its release. It notes if no table has all these columns. It
// returns the text of the cut with the union.
func verifyCounts(
	ctx context.Context, b *binding.Bound, found *search.Found, res *runState,
) ([]byte, error) {
	whole, err := tableOfMasked(b)
	if err != nil {
		return nil, err
	}
	if whole == nil && !found.Cut.HidesAll() {
		res.Noted("how many rows are alone on the labels of all masked columns together is not " +
			"known: no table of counts has all of these; kcut check counts it in an extract of " +
			"the masked one")
		return found.Cut.Raw, nil
	}
	union, err := found.CountPeople(ctx, whole, nil, res.Run)
	if err != nil {
		return nil, err
	}
	if err := judgeRisk(guard.New(b, res.Run), nil, union, found.Cut, res); err != nil {
		return nil, err
	}
	return text.JSON(found.Cut)
}

// tableOfMasked binds the job to a table of counts that has all masked columns; nil: no table has
// them. The caller must not close the result.
func tableOfMasked(b *binding.Bound) (*binding.Bound, error) {
	for _, table := range b.Dataset.Tables() {
		lacks := func(name string) bool { return table.Schema().Index(name) < 0 }
		if !slices.ContainsFunc(b.Names(b.Masked...), lacks) {
			return binding.Of(table, b.Job, b.Taxonomies)
		}
	}
	return nil, nil
}

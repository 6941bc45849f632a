package pipeline

import (
	"context"

	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// find counts the input and searches the counts.
func (run *jobRun) find(
	ctx context.Context, s *search.Search, res *runState,
) (found *search.Found, err error) {
	var counts *count.Counts
	var dictionaries guard.Dictionaries
	err = res.stage(ctx, resources.StageCompress, func() error {
		g := guard.New(s.Bound, res.Run).NewCount()
		g.KeepDictionaries()
		defer g.Close()
		if err := s.CheckPeople(ctx); err != nil {
			return err
		}
		if counts, err = s.Count(ctx, run.opt.System.tuning(), g); err != nil {
			return err
		}
		dictionaries, err = checkCount(ctx, g, res)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = res.stage(ctx, resources.StageSearch, func() error {
		found, err = s.Find(ctx, counts, search.Options{
			Tuning: run.opt.System.tuning(), Held: s.Taxonomies.Bytes + dictionaries.Bytes,
			Trace: run.opt.Trace, KeepTrace: run.opt.Checkpoint > 0,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	found.Dictionaries = dictionaries
	return found, nil
}

// resume returns the result of an earlier run's search, or nil if there is none. The earlier
// run's counts of kept columns are lost: resume counts them again.
func (run *jobRun) resume(
	ctx context.Context, s *search.Search, records *runRecords,
) (*search.Found, error) {
	found := records.keptCut(s.Bound)
	if found == nil {
		return nil, nil
	}
	g := guard.New(s.Bound, records.res.Run).NewCount()
	g.KeepDictionaries()
	defer g.Close()
	if err := g.Scan(ctx, s.Dataset); err != nil {
		return nil, err
	}
	dictionaries, err := checkCount(ctx, g, records.res)
	found.Dictionaries = dictionaries
	return found, err
}

// checkCount reports the counts of kept columns, and refuses a job whose kept columns allow no
// search. It returns the dictionaries of kept columns.
func checkCount(ctx context.Context, g *guard.Count, res *runState) (guard.Dictionaries, error) {
	dictionaries := g.Dictionaries()
	if res.report.Risk = g.Report(); res.report.Risk != nil {
		g.NoteDetermined(res.report.Risk)
	}
	return dictionaries, g.Check(ctx, res.report.Risk)
}

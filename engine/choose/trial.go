package choose

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// trial is judging a candidate by a fold.
type trial struct {
	*fold
	*Candidate
	space  partition.Space
	missed []bool // by test record: the tree gets its class wrong
}

// run lets the candidate search the training part, and judges its result.
func (t *trial) run(ctx context.Context) (s score, err error) {
	recoding, err := t.search(ctx)
	if err != nil {
		return s, err
	}
	judged := judge.Trial{Fold: t.Fold, Space: t.space}
	if t.Objective != Queries {
		judged.Learners, judged.Examine = []classify.Learner{classify.Tree{}}, t.examine
	}
	release := &judge.Release{Recoding: recoding, Attributes: t.Attributes, K: 1}
	costs, err := judged.Judge(ctx, release)
	if err != nil {
		return s, err
	}
	s = score{
		tested: uint64(len(t.missed)), plain: t.plain, trained: float64(t.Searched.Rows),
		queries: costs.Queries.Mean, removal: t.removal,
	}
	s.penalty = costs.Penalty * s.trained
	for a := range t.Attributes {
		if len(recoding.Labels(a)) > 1 {
			s.telling = 1
		}
	}
	for _, wrong := range t.missed {
		if wrong {
			s.wrong++
		}
	}
	return s, nil
}

// searcher returns the searcher for the candidate.
func (t *trial) searcher() *Searcher {
	if t.own {
		return &t.Searcher
	}
	return t.judged()
}

// search finds the candidate's recoding of the training part.
func (t *trial) search(ctx context.Context) (engine.Recoding, error) {
	table, options := *t.Searched, t.options
	requirement := t.of(t.requirement)
	by := t.searcher().Engine
	if err := judge.Group(ctx, by, &table, requirement, t.space, t.Training, nil); err != nil {
		return nil, err
	}
	options.Space = t.space
	recoding, err := judge.Search(ctx, by, &table, requirement, options)
	if err != nil || !t.Limited || t.Suppresses {
		return recoding, err
	}
	suppressed, dropped := recoding.Lost()
	if most := t.requirement.MaxSuppressed; suppressed+dropped > most {
		return nil, fault.Errorf(fault.Privacy, "", "%d of %d records are left in groups that "+
			"are too small, %d may be", suppressed+dropped, table.Rows, most)
	}
	return recoding, nil
}

// examine notes for every test record whether a tree gets its class wrong.
func (t *trial) examine(
	tree classify.Classifier, _ partition.Space, test func(judge.Examiner) error,
) error {
	logs := make([]float64, max(1, t.Classes))
	return test(func(tuple []uint32, class uint32, records uint64) {
		wrong := classify.Classify(tree, tuple, logs) != class
		for range records {
			t.missed = append(t.missed, wrong)
		}
	})
}

package choose

import (
	"context"
	"math"
	"slices"

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
	losses []uint32 // by test record: of its class, in parts of lossUnit
	wrong  uint64   // test records whose class is got wrong
}

// run lets the candidate search the training part, and judges its result.
func (t *trial) run(ctx context.Context) (s score, err error) {
	recoding, err := t.search(ctx)
	if err != nil {
		return s, err
	}
	judged := judge.Trial{Fold: t.Fold, Space: t.space}
	if t.Objective != Queries {
		judged.Learners, judged.Examine = []classify.Learner{classify.Boosted{Brief: true}},
			t.examine
	}
	release := &judge.Release{Recoding: recoding, Attributes: t.Attributes, K: 1}
	costs, err := judged.Judge(ctx, release)
	if err != nil {
		return s, err
	}
	s = score{
		tested:  uint64(len(t.losses)),
		wrong:   t.wrong,
		plain:   t.plain,
		trained: float64(t.Searched.Rows),
		queries: costs.Queries.Mean, removal: t.removal,
	}
	s.penalty = costs.Penalty * s.trained
	for a := range t.Attributes {
		if len(recoding.Labels(a)) > 1 {
			s.telling = 1
		}
	}
	for _, loss := range t.losses {
		s.loss += uint64(loss)
	}
	return s, nil
}

// search finds the candidate's recoding of the training part.
func (t *trial) search(ctx context.Context) (engine.Recoding, error) {
	table, options := *t.Searched, t.options
	requirement := t.of(t.requirement)
	by := t.judged().Engine
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

// examine notes the loss of each test record, and counts those whose class is got wrong.
func (t *trial) examine(
	c classify.Classifier, _ partition.Space, test func(judge.Examiner) error,
) error {
	logs := make([]float64, max(1, t.Classes))
	return test(func(tuple []uint32, class uint32, records uint64) {
		if classify.Classify(c, tuple, logs) != class {
			t.wrong += records
		}
		loss := lossOf(logs, class)
		for range records {
			t.losses = append(t.losses, loss)
		}
	})
}

const (
	lossUnit = 1 << 16 // a bit of loss
	mostLoss = 20      // bits
)

// lossOf returns the logarithmic loss of a record of a class, in parts of lossUnit, from the
// logarithms of how likely the classes are.
func lossOf(logs []float64, class uint32) uint32 {
	most, sum := slices.Max(logs), 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	bits := (most - logs[class] + math.Log(sum)) / math.Ln2
	return uint32(math.Round(min(bits, mostLoss) * lossUnit))
}

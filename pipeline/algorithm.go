package pipeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/pipeline/job"
)

// Algorithm is one line of the list of algorithms.
type Algorithm struct {
	Name  string `json:"name"`
	Needs string `json:"needs,omitempty"` // besides the quasi-identifiers
	Use   string `json:"use"`             // when to use it
}

// Algorithms lists the algorithms that a job can name.
func Algorithms() []Algorithm {
	return []Algorithm{
		{job.AlgorithmTDR, "", "the default: one cut for all records, several sets, any size"},
		{job.AlgorithmTDS, "", "as tdr, taking specializations that cost nothing first"},
		{job.AlgorithmBottomUp, "a class", "a cut that starts from the data: few columns, small k"},
		{job.AlgorithmKACTUS, "a class", "no taxonomies at hand: suppresses along a decision tree"},
		{job.AlgorithmIACk, "a class", "one pass, when some records may lose all quasi-identifiers"},
		{job.AlgorithmIACc, "a class", "as iack, when the data must not change by more than a limit"},
		{job.AlgorithmMondrian, "", "the finest groups, for statistics and queries"},
		{job.AlgorithmInfoGainMondrian, "a class", "the most accurate classifiers, when labels may overlap"},
	}
}

// united are the algorithms that treat several sets as one, their union with the largest k.
var united = []string{
	job.AlgorithmKACTUS, job.AlgorithmIACc, job.AlgorithmMondrian, job.AlgorithmInfoGainMondrian,
}

// noteUnion tells that several sets are treated as one.
func (b *Bound) noteUnion(res *resources) {
	if len(b.requirement.Sets) < 2 || !slices.Contains(united, b.Job.Algorithm.Name) {
		return
	}
	all := b.requirement.United()
	text := fmt.Sprintf("algorithm %s: the quasi-identifier sets are treated as one set of %d columns", b.Job.Algorithm.Name, len(all.Columns))
	if all.K > 1 {
		text += fmt.Sprintf(" with k = %d", all.K)
	}
	res.events.Noted(text)
}

// newEngine returns the engine of an algorithm with its options.
func newEngine(a job.Algorithm) engine.Engine {
	switch a.Name {
	case job.AlgorithmBottomUp:
		e := bottomup.Engine{Bins: a.Bins}
		if a.Loss == job.LossWeighted {
			e.Loss = bottomup.Size
		}
		return e
	case job.AlgorithmKACTUS:
		e := kactus.Engine{Seed: uint64(a.Seed), MinObjects: a.MinObjects, Prune: a.Prune == job.PrunePessimistic}
		if a.Leftover == job.LeftoverRecruit {
			e.Leftover = kactus.Recruit
		}
		return e
	case job.AlgorithmIACk:
		e := iac.Engine{Bins: a.Bins}
		if a.Small == job.SmallTopUp {
			e.Small = iac.TopUp
		}
		return e
	case job.AlgorithmIACc:
		delta, epsilon := cmp.Or(a.MaxDivergence, new(float64)), cmp.Or(a.MaxInformationChange, new(float64)) // left out where a cut is applied
		return iac.Engine{Capped: true, Bins: a.Bins, Delta: *delta, Epsilon: *epsilon}
	case job.AlgorithmMondrian:
		return mondrian.Engine{
			Relaxed: a.Partitioning == job.PartitioningRelaxed,
			Ordered: a.Categories == job.CategoriesOrdered,
			Seed:    uint64(a.Seed),
		}
	case job.AlgorithmInfoGainMondrian:
		return mondrian.Engine{InfoGain: true}
	}
	return topdown.Engine{}
}

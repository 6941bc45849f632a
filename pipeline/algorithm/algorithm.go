// Package algorithm maps the algorithm that a job names to its engine. It has the only list of
// algorithms, with their properties.
//
// Contract: the engine and its options depend only on the job. The engine of algorithm auto has
// others judged (engine/choose), and Choice is its verdict in a run's report.
//
// Limits: a job may be invalid for its algorithm. Package job checks that.
package algorithm

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/pipeline/job"
)

// Info is one entry of the list of algorithms.
type Info struct {
	Name  string `json:"name"`
	Needs string `json:"needs,omitempty"` // in addition to the quasi-identifiers
	Use   string `json:"use"`             // when to use it
}

// algorithm is an algorithm with the properties that a run needs.
type algorithm struct {
	Info
	takesAway bool // its search may take records away; others end with groups that are too small
	unites    bool // it treats several sets as one, their union with the largest k
	engine    func(j *job.Job) engine.Engine
}

// algorithms are in the order of the list.
var algorithms = []algorithm{
	{Info{job.AlgorithmTDR, "", "the default: one cut for all records, several sets, any size"},
		true, false, topDown},
	{Info{job.AlgorithmTDS, "", "as tdr, taking specializations that cost nothing first"}, true,
		false, topDown},
	{Info{job.AlgorithmBottomUp, "a class",
		"a cut that starts from the data: few columns, small k"}, false, false, bottomUp},
	{Info{job.AlgorithmKACTUS, "a class",
		"no taxonomies at hand: suppresses along a decision tree"}, false, true, kactusTree},
	{Info{job.AlgorithmIACk, "a class",
		"one pass, when some records may lose all quasi-identifiers"}, false, false, iack},
	{Info{job.AlgorithmIACc, "a class", "as iack, when the data must not change by more than a " +
		"limit"}, false, true, iacc},
	{Info{job.AlgorithmMondrian, "", "the finest groups, for statistics and queries"}, false, true,
		plainMondrian},
	{Info{job.AlgorithmInfoGainMondrian, "a class", "the most accurate classifiers, when labels " +
		"may overlap"}, false, true, infoGainMondrian},
	{Info{job.AlgorithmGuided, "a class", "as infogain-mondrian, led by a model of the class and " +
		"pruned"}, false, true, guided},
	{Info{job.AlgorithmAuto, "",
		"judges tdr, kactus, the Mondrians and guided, and takes the best"}, true, false, nil},
}

// List lists the algorithms that a job can name.
func List() (all []Info) {
	for i := range algorithms {
		all = append(all, algorithms[i].Info)
	}
	return all
}

// of returns the algorithm with a name. A cut that is applied may name one that is not in the list:
// it has no properties, and needs none.
func of(name string) *algorithm {
	at := slices.IndexFunc(algorithms, func(a algorithm) bool { return a.Name == name })
	if at < 0 {
		return &algorithm{engine: topDown}
	}
	return &algorithms[at]
}

// TakesAway reports whether an algorithm's search may take records away.
func TakesAway(name string) bool { return of(name).takesAway }

// Unites reports whether an algorithm treats several quasi-identifier sets as one.
func Unites(name string) bool { return of(name).unites }

// Engine returns the engine of a job's algorithm, with the algorithm's own options.
func Engine(j *job.Job) engine.Engine {
	if j.Algorithm.Name == job.AlgorithmAuto {
		return newChoice(j)
	}
	return of(j.Algorithm.Name).engine(j)
}

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// Options returns the job's options for any search, for its attributes.
func Options(j *job.Job, attributes []engine.Attribute) engine.Options {
	o := engine.Options{Score: scores[j.Score], Balance: j.Balance, MaxSteps: -1}
	if j.MaxSteps != nil {
		o.MaxSteps = *j.MaxSteps
	}
	for a := range attributes {
		name, weight := attributes[a].Name, 0.0
		if spec := j.Column(name); spec != nil {
			weight = spec.Weight
		}
		if at := slices.Index(j.Algorithm.First, name); at >= 0 {
			if weight = firstWeight; attributes[a].Mask == engine.Discretize {
				weight = firstNumberWeight
			}
			weight *= 1 + earlier*float64(len(j.Algorithm.First)-1-at)
		}
		if weight > 0 {
			if o.Weights == nil {
				o.Weights = slices.Repeat([]float64{1}, len(attributes))
			}
			o.Weights[a] = weight
		}
	}
	return o
}

// earlier is the part by which the weight of a column that is cut first exceeds that of the next
// one, so that of equal widths the first one is cut. A rare race has to be cut before the halves of
// another column are too small for it.
const earlier = 1e-3

// firstNumberWeight is the weight of numbers that are cut first: down to a quarter of their range,
// after texts. With more weight they take the groups of all other columns.
const firstNumberWeight = 4

// firstWeight is the weight of columns that are cut first: up to ten values of one are wider than
// the whole of another column.
const firstWeight = 10

func topDown(*job.Job) engine.Engine { return topdown.Engine{} }

func bottomUp(j *job.Job) engine.Engine {
	a := &j.Algorithm
	return bottomup.Engine{Weighted: a.Loss == job.LossWeighted, Bins: a.Bins}
}

func kactusTree(j *job.Job) engine.Engine {
	a := &j.Algorithm
	return kactus.Engine{
		Seed:       uint64(a.Seed),
		MinObjects: a.MinObjects,
		Prune:      a.Prune == job.PrunePessimistic,
		Recruit:    a.Leftover == job.LeftoverRecruit,
	}
}

func iack(j *job.Job) engine.Engine {
	a := &j.Algorithm
	return iac.Engine{TopUp: a.Small == job.SmallTopUp, Bins: a.Bins}
}

func iacc(j *job.Job) engine.Engine {
	a := &j.Algorithm
	// A cut that is applied has no limits.
	delta, epsilon := cmp.Or(a.MaxDivergence, new(float64)),
		cmp.Or(a.MaxInformationChange, new(float64))
	return iac.Engine{Capped: true, Bins: a.Bins, Delta: *delta, Epsilon: *epsilon}
}

func plainMondrian(j *job.Job) engine.Engine {
	a := &j.Algorithm
	return mondrian.Engine{
		Relaxed:  a.Partitioning == job.PartitioningRelaxed,
		Ordered:  a.Categories == job.CategoriesOrdered,
		Tightest: a.Cuts == job.CutsTightest,
		Tight:    a.RegionLabels == job.RegionLabelsTight,
		Apart:    a.Sets == job.SetsApart,
		Seed:     uint64(a.Seed),
	}
}

func infoGainMondrian(j *job.Job) engine.Engine {
	a := &j.Algorithm
	return mondrian.Engine{
		InfoGain: true,
		Balanced: j.Objective == job.ObjectiveBalanced,
		Tight:    a.RegionLabels == job.RegionLabelsTight,
		Apart:    a.Sets == job.SetsApart,
	}
}

func guided(*job.Job) engine.Engine { return mondrian.Engine{InfoGain: true, Guided: true} }

package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// weights returns the weights of attributes; nil: a job has none.
func weights(j *job.Job, attributes []engine.Attribute) (all []float64) {
	for a := range attributes {
		if spec := j.Column(attributes[a].Name); spec != nil && spec.Weight > 0 {
			if all == nil {
				all = slices.Repeat([]float64{1}, len(attributes))
			}
			all[a] = spec.Weight
		}
	}
	return all
}

// maxSteps is a job's limit in the engine's form.
func maxSteps(job *job.Job) int {
	if job.MaxSteps == nil {
		return -1
	}
	return *job.MaxSteps
}

// Found is what a search has found, or an earlier run.
type Found struct {
	Cut   []byte       // as it is embedded in the release
	trace bytes.Buffer // as it was written, if it is kept for a run that goes on from here

	// Of labels that depend on more than their own column: the recoding, and the counts in whose
	// codes it is. Else nil: the cut says all.
	recoding engine.Recoding
	counts   *count.Counts
}

// search finds the recoding and writes down what is released. A search that outgrows the
// memory is started again with counts in the store.
func search(ctx context.Context, b *Bound, counts *count.Counts, res *resources, opt *RunOptions) (*Found, error) {
	f := &Found{}
	trace := &tracer{attributes: counts.Table.Attributes, out: opt.Trace}
	if opt.Trace != nil && opt.Checkpoint > 0 {
		trace.out = io.MultiWriter(opt.Trace, &f.trace)
	}
	asked := *b
	recoding, err := searchOnce(ctx, b, counts, res, trace)
	for {
		beyond := errors.Is(err, spill.ErrBudget) && res.scratch.opened() == nil
		if !beyond && !b.next(err) {
			break
		}
		b.Job, b.requirement = asked.Job, asked.requirement
		res.budget.Return(res.budget.Used() - b.held())
		debug.FreeOSMemory()
		if beyond {
			if _, err := res.scratch.open("the leaf partitions"); err != nil {
				return nil, err
			}
		}
		tuning := opt.System.tuning()
		tuning.Spill = tuning.Spill || res.scratch.opened() != nil
		if counts, err = countInput(ctx, b, res, tuning, nil); err != nil {
			return nil, err
		}
		recoding, err = searchOnce(ctx, b, counts, res, trace)
	}
	if err != nil {
		return nil, err
	}
	if f.Cut, err = describe(b, recoding, res); err != nil {
		return nil, err
	}
	if !masking.Columnwise(recoding, len(b.masked)) {
		f.recoding, f.counts = recoding, counts
	}
	return f, nil
}

// searchOnce searches the counts, and reports what it finds.
func searchOnce(ctx context.Context, b *Bound, counts *count.Counts, res *resources, trace *tracer) (engine.Recoding, error) {
	table, report := counts.Table, res.report
	report.Steps, report.Live, report.Sets, report.Masked = 0, nil, nil, nil
	leaves := b.plan().Leaves
	share := res.budget.Grant(&spill.Search) // all that nobody else has drawn
	for _, grouping := range table.Groupings {
		share += grouping.Bytes()
	}
	recoding, err := b.searcher().Search(ctx, table, b.requirement, engine.Options{
		Score:    scores[b.Job.Score],
		Weights:  weights(b.Job, table.Attributes),
		Balance:  b.Job.Balance,
		MaxSteps: maxSteps(b.Job),
		Space:    partition.Space{Budget: res.budget, Store: res.scratch.opened(), Share: share, Threads: res.threads},
		OnStep: func(s engine.Step) {
			report.Steps = s.Number
			trace.step(s)
			if leaves {
				report.Live = append(report.Live, s.Live)
			}
			res.events.Advanced(StageSearch, Progress{Done: int64(s.Number), Live: int64(s.Live)})
		},
	})
	b.adopt(res)
	if err := errors.Join(err, trace.err); err != nil {
		return nil, err
	}
	recoding = b.tidy(table, recoding)
	if err := b.setBounds(ctx, counts, recoding, res); err != nil {
		return nil, err
	}
	if cut, ok := recoding.(*engine.Cut); ok {
		report.Stopped = stopped(cut, table.Attributes, b.maskedSpecs())
	}
	if err := drawRecoding(recoding, len(b.masked), res); err != nil {
		return nil, err
	}
	suppressed, dropped := recoding.Lost()
	if err := b.checkLost(table, suppressed+dropped); err != nil {
		return nil, err
	}
	if err := b.checkReached(table, recoding); err != nil {
		return nil, err
	}
	report.Suppressed, report.Released = suppressed, report.Rows-int64(dropped)
	if b.given == nil { // else the domains are the labels of that
		report.Information = new(1 - labels.Penalty(table, recoding))
		report.Masked = maskedColumns(table, recoding, b.requirement.Sets)
	}
	report.reused(b, recoding, res)
	if err := b.checkFlat(counts, recoding, res); err != nil {
		return nil, err
	}
	report.Sets = setsOf(b, recoding)
	return recoding, nil
}

// setsOf returns the quasi-identifier sets with the anonymity that they have.
func setsOf(b *Bound, recoding engine.Recoding) (sets []cutfile.Set) {
	anonymity := recoding.Anonymity(b.requirement)
	for i, set := range b.requirement.Sets {
		s := cutfile.Set{K: int(set.K), Anonymity: anonymity[i]}
		if s.K == 0 { // not asked for: what was reached is what holds
			s.K = int(s.Anonymity)
		}
		for _, a := range set.Columns {
			s.Columns = append(s.Columns, b.specs[b.masked[a]].Name)
		}
		sets = append(sets, s)
	}
	return sets
}

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
		{job.AlgorithmGuided, "a class", "as infogain-mondrian, led by a model of the class and pruned"},
		{job.AlgorithmAuto, "", "judges tdr, kactus, the Mondrians and guided, and takes the best"},
	}
}

// united are the algorithms that treat several sets as one, their union with the largest k.
var united = []string{
	job.AlgorithmKACTUS, job.AlgorithmIACc, job.AlgorithmMondrian, job.AlgorithmInfoGainMondrian, job.AlgorithmGuided,
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

// noteSuppressible tells how many records may be taken away.
func (b *Bound) noteSuppressible(res *resources) {
	switch most, able := b.requirement.MaxSuppressed, b.requirement.Suppressible(); {
	case most == 0, b.Job.Algorithm.Name == job.AlgorithmAuto: // it is not known yet
	case able == 0:
		res.events.Noted(fmt.Sprintf("max_suppressed of %s is too small for any to be suppressed: those that are must be as many as the largest k", text.Count(most, "record")))
	default:
		res.events.Noted(fmt.Sprintf("%s may be taken away so that all others meet the quasi-identifier sets", text.Count(most, "record")))
	}
}

// newEngine returns the engine of a job's algorithm with its options.
func newEngine(j *job.Job) engine.Engine {
	a := &j.Algorithm
	switch a.Name {
	case job.AlgorithmAuto:
		return newChoice(j)
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
	case job.AlgorithmGuided:
		return mondrian.Engine{InfoGain: true, Guided: true}
	}
	return topdown.Engine{}
}

// tracer writes one JSON object a line for every performed specialization.
type tracer struct {
	attributes []engine.Attribute
	out        io.Writer // nil: nothing is written
	written    int       // steps; a search that starts again repeats them
	err        error     // the first one; later steps are not written
}

// TraceStep is a performed step as a trace has it.
type TraceStep struct {
	Step      int          `json:"step"`
	Column    string       `json:"column"`
	Value     TraceLabel   `json:"value"`
	Children  []TraceLabel `json:"children"`
	InfoGain  float64      `json:"info_gain"`
	AnonyLoss float64      `json:"anony_loss"`
	Score     float64      `json:"score"`
	Anonymity []uint64     `json:"anonymity"`
}

// TraceLabel is a label: as JSON its text, or null.
type TraceLabel engine.Label

// MarshalJSON writes a string or null.
func (l TraceLabel) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return cutfile.Marshal(l.Text)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *TraceLabel) UnmarshalJSON(data []byte) error {
	*l = TraceLabel{Null: string(data) == "null"}
	return json.Unmarshal(data, &l.Text)
}

// ReadTrace reads the steps of a trace.
func ReadTrace(r io.Reader) ([]TraceStep, error) {
	steps := []TraceStep{}
	for in := json.NewDecoder(r); ; {
		var step TraceStep
		err := in.Decode(&step)
		switch {
		case errors.Is(err, io.EOF):
			return steps, nil
		case err != nil:
			return nil, fault.Errorf(fault.Input, "name a file that kcut run --trace has written",
				"read trace: step %d is not as a trace has it", len(steps)+1)
		}
		steps = append(steps, step)
	}
}

func (t *tracer) step(s engine.Step) {
	if t.out == nil || t.err != nil || s.Number <= t.written {
		return
	}
	t.written = s.Number
	line := TraceStep{
		Step: s.Number, Column: t.attributes[s.Attribute].Name, Value: TraceLabel(s.Value),
		InfoGain: s.InfoGain, AnonyLoss: s.AnonyLoss, Score: s.Score, Anonymity: s.Anonymity,
	}
	for _, child := range s.Children {
		line.Children = append(line.Children, TraceLabel(child))
	}
	json, err := cutfile.Marshal(line)
	if err == nil {
		_, err = io.WriteString(t.out, text.Escaped(string(json))+"\n")
	}
	if err != nil {
		t.err = fmt.Errorf("write trace: %w", err)
	}
}

package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

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
	options := algorithm.Options(b.Job, table.Attributes)
	options.Space = partition.Space{Budget: res.budget, Store: res.scratch.opened(), Share: share, Threads: res.threads}
	options.OnStep = func(s engine.Step) {
		report.Steps = s.Number
		trace.step(s)
		if leaves {
			report.Live = append(report.Live, s.Live)
		}
		res.events.Advanced(StageSearch, Progress{Done: int64(s.Number), Live: int64(s.Live)})
	}
	recoding, err := b.searcher().Search(ctx, table, b.requirement, options)
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

// noteUnion tells that several sets are treated as one.
func (b *Bound) noteUnion(res *resources) {
	if len(b.requirement.Sets) < 2 || !algorithm.Unites(b.Job) {
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

// searcher returns the engine that searches. What algorithm auto chooses is kept: a search that starts again
// need not judge again.
func (b *Bound) searcher() engine.Engine {
	e, ok := b.engine.(choose.Engine)
	if !ok {
		return b.engine
	}
	e.Known, e.OnVerdict = b.verdict, func(v *choose.Verdict) { b.verdict = v }
	return e
}

// adopt makes a job that was bound one of the algorithm that was chosen for it, and tells that. What the engine has
// counted stays what it is.
func (b *Bound) adopt(res *resources) {
	e, ok := b.engine.(choose.Engine)
	if !ok || b.verdict == nil || b.verdict.Chosen < 0 {
		return
	}
	c := algorithm.ChoiceOf(b.Job, e, b.verdict)
	res.report.Auto = c
	res.events.Noted(c.String())
	b.Job = algorithm.Chosen(b.Job, c.Algorithm)
	if !c.Suppresses {
		b.requirement.MaxSuppressed, b.requirement.Drop = 0, false
	}
	b.noteUnion(res)
	b.noteSuppressible(res)
}

// next reports whether a search is to be tried with another algorithm, since the one that was chosen has failed.
func (b *Bound) next(err error) bool {
	return b.verdict != nil && fault.ClassOf(err) == fault.Privacy && b.verdict.Reject(err)
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

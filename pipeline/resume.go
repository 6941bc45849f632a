package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/state"
	"github.com/kcut/kcut/spill"
)

// The states that a run keeps for the next one.
const (
	cutState   = "cut"   // what the search has found
	partsState = "parts" // the files that are masked
)

// openStates returns where states are kept: in the work folder, or where the job spills to.
// A run that starts afresh removes what is there.
func (l *ledger) openStates() (*checkpoint.Folder, error) {
	states := l.work
	if l.job.Limits.SpillDir != "" {
		path, err := output.Absolute(l.job.Output.Path)
		if err != nil {
			return nil, fmt.Errorf("find output %s: %w", l.job.Output.Path, err)
		}
		name := fmt.Sprintf("kcut-work-%.8x", sha256.Sum256([]byte(path)))
		states = checkpoint.In(l.files(), filepath.Join(l.job.Limits.SpillDir, name))
	}
	if l.opt.Resume {
		return states, nil
	}
	return states, states.Sweep(recordFile, pendingFile)
}

// stateKey says what states are of: the same job and input, whose files nobody has touched,
// and the same kcut, since another one may number values or take steps otherwise.
func (l *ledger) stateKey(b *Bound) checkpoint.Key {
	hash := sha256.New()
	fmt.Fprintln(hash, l.res.report.Digests.Job, l.res.report.Digests.Input, l.opt.Trace != nil)
	for i, file := range b.inputs {
		fmt.Fprintf(hash, "%q %s\n", l.res.report.Inputs[i], file)
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(hash, build.Main, build.Settings)
	}
	return checkpoint.Key(hash.Sum(nil))
}

// due reports whether the options' time has passed since the last state. Within a stage, what
// took less is done again.
func (l *ledger) due() bool {
	return l.opt.Checkpoint > 0 && l.opt.System.since(l.kept) >= l.opt.Checkpoint
}

// tried notes when a state could not be saved: it is missing later, and that is all.
func (l *ledger) tried(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		l.res.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
	l.kept = l.opt.System.now()
}

// startAfresh tells why an earlier run's state is of no use.
func (l *ledger) startAfresh(why error) { l.res.events.Noted(fmt.Sprintf("starting afresh: %v", why)) }

// restore takes over what an earlier run has reported of the stages that are not repeated.
func (l *ledger) restore(was *Report) {
	for _, text := range was.Notices {
		l.res.events.Noted(text)
	}
	l.res.report.Nulls, l.res.report.Tuples = was.Nulls, was.Tuples
	l.res.report.Steps, l.res.report.Live, l.res.report.Sets = was.Steps, was.Live, was.Sets
	l.res.report.Suppressed, l.res.report.Released = was.Suppressed, was.Released
	l.res.report.Stopped, l.res.report.Applied = was.Stopped, was.Applied
}

// worthwhile reports whether another try may come further than one that failed, or did not.
func worthwhile(failure error) bool {
	switch fault.ClassOf(failure) {
	case fault.Cancelled, fault.Transient, fault.Resources:
		return true
	}
	return false
}

// keepCut saves what the search has found, once the options' time has passed since the run began.
func (l *ledger) keepCut(ctx context.Context, b *Bound, f *Found) {
	if l.opt.Checkpoint <= 0 || l.opt.System.since(l.began) < l.opt.Checkpoint || f.recoding != nil && !state.IsSavable(f.recoding) {
		return
	}
	report, err := json.Marshal(l.res.report)
	if err == nil {
		err = l.states.Save(ctx, cutState, l.stateKey(b), func(w *checkpoint.Writer) {
			w.Bytes(report)
			f.save(w)
		})
	}
	l.tried(ctx, err)
}

// resume loads what an earlier run has found, or returns nil. Whatever is wrong with it, the run
// starts afresh then.
func (l *ledger) resume(b *Bound) *Found {
	l.began = l.opt.System.now()
	l.kept = l.began
	if !l.opt.Resume {
		return nil
	}
	names, err := l.states.Names()
	if err != nil {
		l.startAfresh(err)
	}
	if !slices.Contains(names, cutState) {
		return nil
	}
	budget := l.res.budget.Part(l.res.budget.Limit())
	var was Report
	var found *Found
	err = l.states.Load(cutState, l.stateKey(b), func(in *checkpoint.Reader) (err error) {
		if text := in.Bytes(nil); json.Unmarshal(text, &was) != nil {
			return checkpoint.ErrNone
		}
		found, err = loadFound(in, b, budget)
		return err
	})
	if err == nil && l.opt.Trace != nil {
		_, err = l.opt.Trace.Write(found.trace.Bytes())
	}
	if err != nil {
		l.startAfresh(errors.Join(err, l.states.Remove(cutState)))
		budget.Return(budget.Used())
		return nil
	}
	l.restore(&was)
	l.res.events.Noted("going on from what an earlier run has found")
	return found
}

// save writes what was found.
func (f *Found) save(w *checkpoint.Writer) {
	w.Bytes(f.Cut)
	w.Bytes(f.trace.Bytes())
	w.Bool(f.recoding != nil)
	if f.recoding != nil {
		saveDomains(w, f.counts)
		state.SaveRegions(w, f.recoding)
	}
}

// loadFound reads what save has written. What it holds is drawn from a budget.
func loadFound(from *checkpoint.Reader, b *Bound, budget *spill.Budget) (*Found, error) {
	f := &Found{Cut: from.Bytes(nil)}
	f.trace.Write(from.Bytes(nil))
	if !from.Bool() || from.Err() != nil {
		return f, from.Err()
	}
	var err error
	if f.counts, err = loadDomains(from, b, budget); err != nil {
		return nil, err
	}
	f.recoding, err = state.LoadRegions(from, f.counts.Table, b.engine, budget)
	return f, err
}

// saveDomains writes what masking needs of counts: attributes, coders and classes.
func saveDomains(w *checkpoint.Writer, c *count.Counts) {
	for a := range c.Table.Attributes {
		state.SaveAttribute(w, &c.Table.Attributes[a])
		domain.Save(w, c.Columns[a].Coder)
	}
	w.Uint(uint64(c.Table.Classes))
	state.SaveLabels(w, c.Table.ClassNames)
	domain.SaveClass(w, &c.Class)
}

// loadDomains reads what saveDomains has written. What it holds is drawn from a budget.
func loadDomains(from *checkpoint.Reader, b *Bound, budget *spill.Budget) (*count.Counts, error) {
	c := &count.Counts{Table: &engine.Table{Rows: uint64(b.Dataset.Rows())}}
	fields := b.Dataset.Schema().Fields
	for _, field := range b.masked {
		column, err := loadColumn(from, b, fields[field], budget)
		if err != nil {
			return nil, err
		}
		c.Table.Attributes, c.Columns = append(c.Table.Attributes, column.Attribute), append(c.Columns, column)
	}
	c.Table.Classes, c.Table.ClassNames = from.Int(), state.LoadLabels(from)
	var err error
	c.Class, err = domain.LoadClass(from, fields[max(b.class, 0)], budget)
	return c, err
}

func loadColumn(from *checkpoint.Reader, b *Bound, field formats.Field, budget *spill.Budget) (*count.Bound, error) {
	spec := b.Job.Column(field.Name)
	attribute, err := state.LoadAttribute(from)
	if err == nil && attribute.Tree != nil {
		err = domain.HoldFrequent(spec.Name, budget)(int64(attribute.Tree.Len()) * treeNodeBytes)
	}
	if err != nil {
		return nil, err
	}
	coder, err := domain.Load(from, domain.Column{Field: field, Spec: spec, Taxonomy: b.Taxonomies.of[spec.Name], Attribute: attribute, Budget: budget})
	return &count.Bound{Domain: domain.Domain{Attribute: attribute}, Coder: coder}, err
}

// treeNodeBytes is about what a node of a taxonomy takes.
const treeNodeBytes = 300

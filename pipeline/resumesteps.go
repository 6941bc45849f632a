package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/figure"
)

// trail is what a search has performed so far.
type trail struct {
	coarse     bool // of the table: its candidates have other numbers then
	candidates []int32
	live       []uint64
}

// take notes one more step, and saves the trail if a state is due.
func (r *run) take(ctx context.Context, p *trail, s engine.Step) {
	p.candidates, p.live = append(p.candidates, s.Candidate), append(p.live, s.Live)
	if !r.due() {
		return
	}
	r.tried(ctx, r.states.Save(ctx, stepsState, r.stateKey(), func(w *checkpoint.Writer) {
		w.Bool(p.coarse)
		checkpoint.Numbers(w, p.candidates)
		checkpoint.Numbers(w, p.live)
		w.Bytes(r.trace.Bytes())
	}))
}

// resumeSteps loads the trail of an earlier run's search, and writes its trace again.
func (r *run) resumeSteps() error {
	if !r.opt.Resume || !r.isTopDown() {
		return nil
	}
	var p trail
	var trace []byte
	// Without a state, or with one that is of no use, the search starts at the root.
	err := r.states.Load(stepsState, r.stateKey(), func(in *checkpoint.Reader) error {
		p = trail{in.Bool(), checkpoint.ReadNumbers[int32](in), checkpoint.ReadNumbers[uint64](in)}
		trace = in.Bytes(nil)
		return in.Err()
	})
	if err != nil || p.coarse != r.problem.table.Coarse {
		return nil
	}
	r.repeated = p
	r.events.Noted("going on behind what an earlier run has performed: " + figure.Count(len(p.candidates), "step"))
	if to := r.traceTo(); to != nil {
		if _, err := to.Write(trace); err != nil {
			return fmt.Errorf("write trace: %w", err)
		}
	}
	return nil
}

// start returns the trail that a search of the table begins with.
func (r *run) start(table *engine.Table) trail {
	if r.repeated.coarse != table.Coarse {
		return trail{coarse: table.Coarse}
	}
	return trail{table.Coarse, slices.Clone(r.repeated.candidates), slices.Clone(r.repeated.live)}
}

func (r *run) isTopDown() bool {
	_, is := r.engine.(topdown.Engine)
	return is
}

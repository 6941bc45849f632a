package pipeline

import (
	"os"
	"path/filepath"

	"github.com/kcut/kcut/spill"
)

// openStore opens the store for what does not fit the memory, unless it is open, and says so.
func (r *run) openStore(what string) (*spill.Store, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.store != nil {
		return r.store, nil
	}
	r.events.Noted(what + " exceed their share of the memory budget: spilling to disk")
	options := r.opt.store
	options.Budget = r.budget
	store, err := spill.Open(r.spillFolder(), options)
	if err != nil {
		return nil, err
	}
	r.store = store
	r.meter.opened(store)
	return store, nil
}

// spillFolder returns where a run spills: where the job says, or in a hidden folder beside
// the output, which is on a disk with room for a table of that size.
func (r *run) spillFolder() string {
	if r.job.Limits.SpillDir != "" {
		return r.job.Limits.SpillDir
	}
	return filepath.Join(filepath.Dir(filepath.Clean(r.local)), ".kcut-spill")
}

// closeStore removes all that was spilled. The failure of the store, if there was one, comes
// back again.
func (r *run) closeStore() error {
	if r.store == nil {
		return nil
	}
	store := r.store
	r.store = nil
	err := store.Close()
	stats := store.Stats()
	r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	r.meter.closed(stats)
	r.removeHidden()
	return err
}

// sweepSpilled removes what a run that was killed has spilled, also when this one will need
// no store: it is personal data.
func (r *run) sweepSpilled() error {
	if err := spill.Sweep(r.spillFolder(), r.opt.store.FS); err != nil {
		return err
	}
	r.removeHidden()
	return nil
}

// removeHidden removes the hidden folder that a run which was killed may have left behind.
// It stays when another run is using it.
func (r *run) removeHidden() {
	if r.job.Limits.SpillDir == "" {
		_ = os.Remove(r.spillFolder())
	}
}

package state

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// IsSavable reports whether regions can be written down: those of kcut apply cannot, nor a recoding
// that suppresses records.
func IsSavable(recoding engine.Recoding) bool {
	regions, ok := recoding.(*engine.Regions)
	if !ok {
		return false
	}
	_, located := regions.Locator.(engine.SavedLocator)
	_, drawn := regions.Sampled.(engine.SavedLocator)
	return located && (drawn || regions.Sampled == nil)
}

func saveIntervals(w *checkpoint.Writer, intervals []engine.Interval) {
	w.Uint(uint64(len(intervals)))
	for _, i := range intervals {
		w.String(i.Label)
		w.String(i.Lower)
		w.String(i.Upper)
	}
}

func loadIntervals(from *checkpoint.Reader) (intervals []engine.Interval) {
	for n := from.Int(); n > 0 && from.Err() == nil; n-- {
		intervals = append(intervals, engine.Interval{Label: from.String(), Lower: from.String(), Upper: from.String()})
	}
	return intervals
}

// SaveRegions writes a recoding that is IsSavable.
func SaveRegions(w *checkpoint.Writer, recoding engine.Recoding) {
	r := recoding.(*engine.Regions)
	w.Uint(uint64(r.Bytes()))
	for _, c := range r.Columns {
		SaveLabels(w, c.Labels)
		saveIntervals(w, c.Intervals)
	}
	checkpoint.Numbers(w, r.Released)
	checkpoint.Numbers(w, r.Sizes)
	r.Locator.(engine.SavedLocator).Save(w)
	w.Bool(r.Sampled != nil)
	if r.Sampled != nil {
		r.Sampled.(engine.SavedLocator).Save(w)
	}
	w.Uint(uint64(len(r.Reassigned)))
	for _, cell := range r.Reassigned {
		checkpoint.Numbers(w, cell.Codes)
		w.Uint(uint64(cell.Class))
		w.Uint(uint64(len(cell.Parts)))
		for _, p := range cell.Parts {
			w.Uint(uint64(p.Region + 1)) // it may be Dropped
			w.Uint(p.Count)
		}
	}
	w.Uint(r.Suppressed)
	w.Uint(r.DroppedRecords)
}

// LoadRegions reads what SaveRegions has written of a table's records. What regions take is
// drawn from a budget.
func LoadRegions(from *checkpoint.Reader, table *engine.Table, e engine.Engine, budget *spill.Budget) (*engine.Regions, error) {
	loader, ok := e.(engine.LocatorLoader)
	if !ok {
		return nil, checkpoint.ErrNone
	}
	if err := budget.Draw("the release's regions", int64(from.Uint())); err != nil {
		return nil, err
	}
	r := &engine.Regions{}
	for range table.Attributes {
		r.Columns = append(r.Columns, engine.RegionColumn{Labels: LoadLabels(from), Intervals: loadIntervals(from)})
	}
	r.Released, r.Sizes = checkpoint.ReadNumbers[uint32](from), checkpoint.ReadNumbers[uint64](from)
	r.Locator = loader.LoadLocator(from)
	if from.Bool() {
		sampled, ok := e.(engine.SampledLoader)
		if !ok {
			return nil, checkpoint.ErrNone
		}
		r.Sampled = sampled.LoadSampled(from, r.Locator, table)
	}
	for n := from.Int(); n > 0 && from.Err() == nil; n-- {
		cell := engine.ReassignedCell{Codes: checkpoint.ReadNumbers[uint32](from), Class: uint32(from.Uint())}
		for n := from.Int(); n > 0 && from.Err() == nil; n-- {
			cell.Parts = append(cell.Parts, engine.Part{Region: int32(from.Uint()) - 1, Count: from.Uint()})
		}
		r.Reassigned = append(r.Reassigned, cell)
	}
	r.Suppressed, r.DroppedRecords = from.Uint(), from.Uint()
	if err := from.Err(); err != nil {
		return nil, fmt.Errorf("read regions: %w", err)
	}
	r.Index()
	return r, nil
}

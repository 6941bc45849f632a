package state

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// IsSavable reports whether a recoding can be written down: one of kcut apply that suppresses
// records, or has regions, cannot.
func IsSavable(recoding engine.Recoding) bool {
	switch recoding := recoding.(type) {
	case *engine.Cut:
		return true
	case *engine.Regions:
		_, located := recoding.Locator.(engine.SavedLocator)
		_, sampled := recoding.Sampled.(engine.SavedLocator)
		return located && (sampled || recoding.Sampled == nil)
	}
	return false
}

// SaveRecoding writes a recoding that is IsSavable.
func SaveRecoding(w *checkpoint.Writer, recoding engine.Recoding) {
	regions, ok := recoding.(*engine.Regions)
	w.Bool(ok)
	if ok {
		saveRegions(w, regions)
		return
	}
	cut := recoding.(*engine.Cut)
	for a := range cut.Columns {
		c := &cut.Columns[a]
		SaveLabels(w, c.Labels)
		checkpoint.Numbers(w, c.Code)
		saveIntervals(w, c.Intervals)
	}
	checkpoint.Numbers(w, cut.Reached)
}

// LoadRecoding reads what SaveRecoding has written of a table's records. What regions take is
// sampled from a budget.
func LoadRecoding(from *checkpoint.Reader, table *engine.Table, e engine.Engine, budget *spill.Budget) (engine.Recoding, error) {
	if from.Bool() {
		return loadRegions(from, table, e, budget)
	}
	cut := &engine.Cut{}
	for range table.Attributes {
		cut.Columns = append(cut.Columns, engine.ColumnCut{
			Labels: LoadLabels(from), Code: checkpoint.ReadNumbers[uint32](from), Intervals: loadIntervals(from),
		})
	}
	cut.Reached = checkpoint.ReadNumbers[uint64](from)
	return cut, from.Err()
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

func saveRegions(w *checkpoint.Writer, r *engine.Regions) {
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

func loadRegions(from *checkpoint.Reader, table *engine.Table, e engine.Engine, budget *spill.Budget) (*engine.Regions, error) {
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

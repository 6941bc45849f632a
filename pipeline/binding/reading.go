package binding

import (
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// NoteInput notes what of the columns that a job reads may not be as it was meant.
func NoteInput(in *dataset.Dataset, j *job.Job, noted func(text string)) {
	reads := func(column string) bool {
		spec := j.Column(column)
		return spec == nil && j.Unlisted == job.UnlistedKeep || spec != nil && (spec.Mask != job.MaskDrop || column == j.Entity)
	}
	for _, note := range in.Notes(reads) {
		noted(note)
	}
}

const (
	// readerBytes is what reading one column takes: pages as they lie in the file and
	// unpacked, codes, and what is kept from batch to batch.
	readerBytes = 2 << 20
	// rememberedBytes is what one remembered value takes, with its place in a table.
	rememberedBytes = 64
)

// ThreadsWithin returns how many of the threads the budget has room for, when every one
// reads that many columns.
func ThreadsWithin(memory int64, threads, columns int) int {
	room := spill.Reading.Part(memory) / readerBytes / int64(max(1, columns))
	return int(min(max(room, 1), int64(threads)))
}

// fetchAhead returns a function that draws what is fetched ahead, as long as it stays within
// its grant and nobody else has a better use for it.
func fetchAhead(budget *spill.Budget) func(bytes int64) error {
	var held atomic.Int64
	share := budget.Grant(&spill.Fetching)
	return func(bytes int64) error {
		all, err := held.Add(bytes), error(nil)
		switch {
		case bytes <= 0:
			budget.Return(-bytes)
		case all > share:
			err = spill.ErrBudget
		default:
			err = budget.Draw("fetching ahead", bytes)
		}
		if err != nil {
			held.Add(-bytes)
		}
		return err
	}
}

// ReadOptions are a job's, with readers that remember no more than their share, and draw what they hold
// of large pages and dictionaries.
func ReadOptions(j *job.Job, r *resources.Run) formats.ReadOptions {
	budget, threads := r.Budget, r.Threads
	options := formats.ReadOptions{Count: j.CountColumn(), CSV: j.CSV.Read(j.Columns), Types: make(map[string]formats.Type), MissingNull: j.MissingColumns == job.MissingNull, Threads: threads, Hold: budget.HoldRead, Ahead: fetchAhead(budget)}
	memory := budget.Limit()
	columns := 0
	for i := range j.Columns {
		if j.Columns[i].Mask != job.MaskDrop {
			columns++
		}
		if t, ok := j.Columns[i].DeclaredType(); ok {
			options.Types[j.Columns[i].Name] = t
		}
	}
	readers := int64(ThreadsWithin(memory, threads, columns))
	each := budget.Grant(&spill.Remembering) / int64(max(1, columns)) / readers
	options.Room, options.Usual = budget.Grant(&spill.Reading)/readers, spill.UsualPages/readers
	options.Remember = int(max(each/rememberedBytes, 1024))
	return options
}

package binding

import (
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// NoteInput notes possible misreadings of the columns that a job reads.
func NoteInput(in *dataset.Dataset, j *job.Job, noted func(text string)) {
	reads := func(column string) bool {
		spec := j.Column(column)
		return spec == nil && j.Unlisted == job.UnlistedKeep ||
			spec != nil && (spec.Mask != job.MaskDrop || j.ReadsDropped(column))
	}
	for _, note := range in.Notes(reads) {
		noted(note)
	}
}

const (
	// readerBytes is the memory for reading one column: pages as stored and unpacked, codes, and
	// values that are kept from batch to batch.
	readerBytes = 2 << 20
	// rememberedBytes is the memory of one remembered value, with its entry in a table.
	rememberedBytes = 64
)

// ThreadsWithin returns the number of threads, at most threads, that fit in the budget if each
// reads the given number of columns.
func ThreadsWithin(memory int64, threads, columns int) int {
	room := spill.Reading.Part(memory) / readerBytes / int64(max(1, columns))
	return int(min(max(room, 1), int64(threads)))
}

// fetchAhead returns a function that draws memory for bytes fetched ahead, within its grant and as
// long as nobody else needs it more.
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

// ReadOptions returns the options of a job. Its readers remember no more than their share, and draw
// the memory of large pages and dictionaries.
func ReadOptions(j *job.Job, r *resources.Run) formats.ReadOptions {
	budget, threads := r.Budget, r.Threads
	options := formats.ReadOptions{
		Count:       j.CountColumn(),
		CSV:         j.CSV.Read(j.Columns),
		Types:       make(map[string]formats.Type),
		MissingNull: j.MissingColumns == job.MissingNull,
		Threads:     threads,
		Hold:        budget.HoldRead,
		Ahead:       fetchAhead(budget),
	}
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

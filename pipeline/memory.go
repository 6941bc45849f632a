package pipeline

import (
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// MinMemory is the smallest memory budget that a run starts with, in bytes. It is what the
// store's buffers, a census of twenty columns and one reader take together at their least.
const MinMemory = 16 << 20

const (
	// readerBytes is what reading one column takes: pages as they lie in the file and
	// unpacked, codes, and what is kept from batch to batch.
	readerBytes = 2 << 20
	// rememberedBytes is what one remembered value takes, with its place in a table.
	rememberedBytes = 64
	// cellBytes is the most of the heap that a value of a masked column has been seen to take when
	// nothing spills: near-unique rows, all columns in one set.
	cellBytes = 16
)

// threadsWithin returns how many of the threads the budget has room for, when every one
// reads that many columns.
func threadsWithin(memory int64, threads, columns int) int {
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

// readOptions are the job's, with readers that remember no more than their share, and draw what
// they hold of large pages and dictionaries.
func readOptions(j *job.Job, budget *spill.Budget, threads int) formats.ReadOptions {
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
	readers := int64(threadsWithin(memory, threads, columns))
	each := budget.Grant(&spill.Remembering) / int64(max(1, columns)) / readers
	options.Room, options.Usual = budget.Grant(&spill.Reading)/readers, spill.UsualPages/readers
	options.Remember = int(max(each/rememberedBytes, 1024))
	return options
}

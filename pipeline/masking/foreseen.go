package masking

import (
	"math/bits"

	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Foreseen is what is known of the rows of a release before they are put in order.
type Foreseen struct {
	Rows    int64
	Labels  []forecast.Range // of every masked column: how many labels it has
	Kept    []ForeseenColumn
	Dropped int64 // how many rows are left out at most
	// Different is how many rows differ on kept columns at least, as an excerpt shows.
	Different int64
	Divides   bool // the search may divide rows that are alike: these are put in order before the others
	Memory    int64
	Threads   int
}

// ForeseenColumn is a kept column.
type ForeseenColumn struct {
	Values forecast.Range // distinct ones
	Bytes  int64          // of the values of all rows, as rows have them, at most
	Stored int64          // bytes of the pages of the input
	// Longest is how many bytes a row has of the column at least, of which that is most.
	Longest int64
}

// DrawGroups draws what row groups hold that are made at a time, of as many rows as the job asks for or, at 0, as is usual, where these stay in
// the order of the input: rows, and pages of kept columns. The error is that of a worker.
func (f *Foreseen) DrawGroups(budget *spill.Budget, rows int64) (drawn int64, err error) {
	if f.Rows == 0 {
		return 0, nil
	}
	row, stored := float64(16+8*f.words()), 0.0
	for _, k := range f.Kept {
		row, stored = row+float64(k.Bytes)/float64(f.Rows), stored+float64(k.Stored)/float64(f.Rows)
	}
	limit := newGroupLimit(rows, f.Rows)
	if rows = min(limit.rows, f.Rows); limit.bytes > 0 {
		rows = min(rows, int64(float64(limit.bytes)/row)+1)
	}
	held, pages := float64(rows)*row, float64(rows)*stored
	drawn = max(0, int64(held)-usualHeld) + unusual(int64(pages))
	drawn *= int64(max(1, min(int64(f.Threads), f.Rows/rows)))
	if err := budget.Draw("a row group of the release", drawn); err != nil {
		return 0, budget.Short(err, drawn, lowerGroups)
	}
	return drawn, nil
}

// DrawRows draws the least memory with which rows are put in order, beside that of readers: the first
// rows of each thread, and the store, if they may go to it. It refuses large rows as sorting does.
func (f *Foreseen) DrawRows(budget *spill.Budget) (drawn int64, err error) {
	rows, longest, all := f.rows(f.share()), int64(0), int64(0)
	for _, k := range f.Kept {
		longest, all = longest+k.Longest, all+k.Bytes
	}
	opener := func() (*spill.Store, error) { return nil, nil }
	if err := spill.NewSorter(sorting(budget, f.share(), f.Threads, 0, opener)).Foresee(all, longest); err != nil {
		return 0, err
	}
	drawn = min(rows.memory.AtMost, spill.LeastSorted(f.Threads))
	if rows.spills() != forecast.No {
		drawn += spill.StoreShare(f.Memory)
	}
	if err := budget.Draw("rows that are put in order", drawn); err != nil {
		return 0, budget.Short(err, drawn, "release in order: input")
	}
	return drawn, nil
}

// share returns the bytes in which rows are sorted at a time.
func (f *Foreseen) share() int64 {
	if share := spill.ReleasedRows.Part(f.Memory); !f.Divides {
		return share
	}
	return spill.ReleasedRows.Part(f.Memory) / 2
}

// foreseenRows is what rows take that are put in order.
type foreseenRows struct {
	memory, disk forecast.Range // all rows
	share        int64
	row, stored  int64 // bytes of a row in memory, and in the store, at least
	unsorted     int64 // part of the share, for what is not yet in order
	runs         int64 // at most
}

// Spills returns whether rows go to disk while they are put in order, and the space that they take there.
func (f *Foreseen) Spills() (forecast.Verdict, forecast.Range) {
	if f.Rows == 0 {
		return forecast.No, forecast.Range{}
	}
	rows := f.rows(f.share())
	verdict, disk := rows.spills(), rows.toDisk(spill.StoreShare(f.Memory))
	if f.Divides && verdict != forecast.No { // the search decides which rows are sorted twice
		return forecast.Maybe, forecast.Range{AtMost: 2 * disk.AtMost}
	}
	return verdict, disk
}

// different returns how many rows are different.
func (f *Foreseen) different() forecast.Range {
	least := f.Different
	for _, k := range f.Kept {
		least = max(least, k.Values.AtLeast)
	}
	return forecast.Range{AtLeast: max(least-f.Dropped, 0), AtMost: f.Rows}
}

// rows is what the rows take, those of divided cells with their codes.
func (f *Foreseen) rows(share int64) foreseenRows {
	most := f.Rows * 8 * f.words()
	if f.Divides {
		most += f.Rows * 4 * int64(1+len(f.Labels))
	}
	for _, k := range f.Kept {
		most += k.Bytes
	}
	run := spill.UsualRun(share, f.Threads)
	w := foreseenRows{share: share, row: spill.ShortRowBytes, stored: spill.RowHeadBytes + 1, unsorted: 2 * run * int64(f.Threads)}
	if tail := f.tail(); tail > 0 {
		w.row, w.stored = spill.RowRefBytes+1+tail, spill.RowHeadBytes+1+tail
	}
	different := f.different()
	w.memory = forecast.Range{AtLeast: different.AtLeast * w.row, AtMost: spill.RowRefBytes*f.Rows + most}
	w.disk = forecast.Range{AtLeast: different.AtLeast * w.stored, AtMost: 8*f.Rows + most}
	w.runs = w.memory.AtMost/run + int64(f.Threads)
	return w
}

// tail returns how many kept columns rows have as bytes at least, one or more each: those from the first one on that has too many
// values to be listed.
func (f *Foreseen) tail() int64 {
	for i, k := range f.Kept {
		if k.Values.AtLeast > risk.MostDictionaryValues(f.Memory) {
			return int64(len(f.Kept) - i)
		}
	}
	return 0
}

// words returns how many words the labels of a row take at most.
func (f *Foreseen) words() int64 {
	words, used := int64(1), 0
	for _, labels := range f.Labels {
		bits := bits.Len64(uint64(labels.AtMost + 1))
		if used+bits > 64 {
			words, used = words+1, 0
		}
		used += bits
	}
	return words
}

// spills returns whether the rows do not fit their share.
func (w *foreseenRows) spills() forecast.Verdict {
	switch {
	case w.memory.AtMost <= w.share-w.unsorted:
		return forecast.No
	case w.memory.AtLeast > w.share:
		return forecast.Yes
	}
	return forecast.Maybe
}

// toDisk returns the space that the rows take on disk, with a store of so many bytes of memory.
func (w *foreseenRows) toDisk(store int64) (disk forecast.Range) {
	switch w.spills() {
	case forecast.No:
		return disk
	case forecast.Yes: // what fits the share and the store is in memory
		disk.AtLeast = max(0, (w.memory.AtLeast-w.share)/w.row*w.stored-store)
	}
	disk.AtMost = w.disk.AtMost + w.disk.AtMost/64 + 64<<10 // with the lengths of chunks
	if w.runs > w.share/(2*spill.ReaderBytes) {             // some may be merged before the others
		disk.AtMost *= 2
	}
	return disk
}

package masking

import (
	"math/bits"

	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// PredictedRows is a prediction for the rows of a release before they are sorted.
type PredictedRows struct {
	Rows    int64
	Labels  []forecast.Range // number of labels, by masked column
	Kept    []PredictedColumn
	Dropped int64 // largest number of rows that are left out
	// Different is the least number of rows that differ on kept columns, as a sample shows.
	Different int64
	// Divides is true if the search may divide equal rows: these are sorted before the others.
	Divides bool
	Memory  int64
	Threads int
}

// PredictedColumn is a kept column.
type PredictedColumn struct {
	Values forecast.Range // distinct values
	Bytes  int64          // largest size of the values of all rows
	Stored int64          // bytes of the pages of the input
	// Longest is the least number of bytes of the column in the row with most of them.
	Longest int64
}

// DrawGroups draws the memory of the row groups that are made at the same time: rows, and pages of
// kept columns. A row group has the given number of rows; 0: the usual number. The rows stay in the
// order of the input. An error is the same as that of a worker.
func (f *PredictedRows) DrawGroups(budget *spill.Budget, rows int64) (drawn int64, err error) {
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

// DrawRows draws the least memory for sorting rows, in addition to that of readers: the first rows
// of each thread, and the store if rows may go there. It refuses large rows like the sorter.
func (f *PredictedRows) DrawRows(budget *spill.Budget) (drawn int64, err error) {
	rows, longest, all := f.size(f.share()), int64(0), int64(0)
	for _, k := range f.Kept {
		longest, all = longest+k.Longest, all+k.Bytes
	}
	opener := func() (*spill.Store, error) { return nil, nil }
	sorter := spill.NewSorter(sorting(budget, f.share(), f.Threads, 0, opener))
	if err := sorter.Foresee(all, longest); err != nil {
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
func (f *PredictedRows) share() int64 {
	if share := spill.ReleasedRows.Part(f.Memory); !f.Divides {
		return share
	}
	return spill.ReleasedRows.Part(f.Memory) / 2
}

// predictedSize is the predicted size of the rows that are sorted.
type predictedSize struct {
	memory, disk forecast.Range // all rows
	share        int64
	row, stored  int64 // least bytes of a row in memory, and in the store
	unsorted     int64 // part of the share, for rows that are not sorted yet
	runs         int64 // largest number of sorted runs
}

// Spills returns whether rows go to disk while they are sorted, and the space that they take there.
func (f *PredictedRows) Spills() (forecast.Verdict, forecast.Range) {
	if f.Rows == 0 {
		return forecast.No, forecast.Range{}
	}
	rows := f.size(f.share())
	verdict, disk := rows.spills(), rows.toDisk(spill.StoreShare(f.Memory))
	if f.Divides && verdict != forecast.No { // the search decides which rows are sorted twice
		return forecast.Maybe, forecast.Range{AtMost: 2 * disk.AtMost}
	}
	return verdict, disk
}

// different returns the number of distinct rows.
func (f *PredictedRows) different() forecast.Range {
	least := f.Different
	for _, k := range f.Kept {
		least = max(least, k.Values.AtLeast)
	}
	return forecast.Range{AtLeast: max(least-f.Dropped, 0), AtMost: f.Rows}
}

// size returns the size of the rows, including the codes of rows in divided cells.
func (f *PredictedRows) size(share int64) predictedSize {
	most := f.Rows * 8 * f.words()
	if f.Divides {
		most += f.Rows * 4 * int64(1+len(f.Labels))
	}
	for _, k := range f.Kept {
		most += k.Bytes
	}
	run := spill.UsualRun(share, f.Threads)
	w := predictedSize{share: share, row: spill.ShortRowBytes, stored: spill.RowHeadBytes + 1,
		unsorted: 2 * run * int64(f.Threads)}
	if tail := f.tail(); tail > 0 {
		w.row, w.stored = spill.RowRefBytes+1+tail, spill.RowHeadBytes+1+tail
	}
	different := f.different()
	w.memory = forecast.Range{AtLeast: different.AtLeast * w.row,
		AtMost: spill.RowRefBytes*f.Rows + most}
	w.disk = forecast.Range{AtLeast: different.AtLeast * w.stored, AtMost: 8*f.Rows + most}
	w.runs = w.memory.AtMost/run + int64(f.Threads)
	return w
}

// tail returns the least number of kept columns that rows hold as bytes, of one byte or more each:
// the columns from the first one on that has too many values for a dictionary.
func (f *PredictedRows) tail() int64 {
	for i, k := range f.Kept {
		if k.Values.AtLeast > risk.MostDictionaryValues(f.Memory) {
			return int64(len(f.Kept) - i)
		}
	}
	return 0
}

// words returns the largest number of words for the labels of a row.
func (f *PredictedRows) words() int64 {
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

// spills returns whether the rows exceed their share.
func (w *predictedSize) spills() forecast.Verdict {
	switch {
	case w.memory.AtMost <= w.share-w.unsorted:
		return forecast.No
	case w.memory.AtLeast > w.share:
		return forecast.Yes
	}
	return forecast.Maybe
}

// toDisk returns the space that the rows take on disk if the store has the given bytes of memory.
func (w *predictedSize) toDisk(store int64) (disk forecast.Range) {
	switch w.spills() {
	case forecast.No:
		return disk
	case forecast.Yes: // rows that fit the share and the store stay in memory
		disk.AtLeast = max(0, (w.memory.AtLeast-w.share)/w.row*w.stored-store)
	}
	disk.AtMost = w.disk.AtMost + w.disk.AtMost/64 + 64<<10 // including the lengths of chunks
	if w.runs > w.share/(2*spill.ReaderBytes) {             // some may be merged before the others
		disk.AtMost *= 2
	}
	return disk
}

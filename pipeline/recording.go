package pipeline

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/coding"
)

// recording is one worker's state in counting whole records.
type recording struct {
	maps    []coding.Mapping // of every request
	codes   [][]uint32
	domains []int
	counter *partition.Counter
	take    func(row uint64) bool // nil: all rows are taken
	start   uint64                // position in the input of the split's first row
	class   string
	classAt int // its position; −1: there is none
}

func (b *recordsReader) newRecording() *recording {
	n := len(b.coders)
	w := &recording{
		codes: make([][]uint32, n), domains: make([]int, n),
		counter: partition.NewCounter(n, b.budget), class: b.job.Class, classAt: -1,
	}
	for _, c := range b.coders {
		w.maps = append(w.maps, coding.NewMapping(c))
	}
	if b.prepared.class >= 0 {
		w.classAt = len(b.interners) - 1
	}
	if rows := uint64(b.dataset.Rows()); b.opt.Take != nil {
		w.take = func(row uint64) bool { return b.opt.Take(row, rows) }
	}
	return w
}

func (w *recording) BeginSplit(s formats.Split) { w.start = uint64(s.Row) }

func (w *recording) EndSplit() error { return nil }

func (w *recording) Batch(b *formats.Batch) (err error) {
	for i := range w.maps {
		if w.codes[i], err = w.maps[i].Translate(b.Columns[i], w.codes[i]); err != nil {
			return err
		}
		w.domains[i] = w.maps[i].Domain()
	}
	if w.classAt >= 0 {
		if err := coding.CheckClasses(w.class, w.domains[w.classAt]); err != nil {
			return err
		}
	}
	rows := b.Rows
	if w.take != nil {
		rows = w.leave(w.start+uint64(b.Row), rows)
	}
	return w.counter.Add(rows, w.codes, w.domains)
}

// leave leaves those of the batch's rows that are taken, and returns how many.
func (w *recording) leave(first uint64, rows int) (taken int) {
	for row := range rows {
		if !w.take(first + uint64(row)) {
			continue
		}
		for _, codes := range w.codes {
			codes[taken] = codes[row]
		}
		taken++
	}
	for i := range w.codes {
		w.codes[i] = w.codes[i][:taken]
	}
	return taken
}

// match codes values by whether they have a text.
type match struct{ text string }

func (m match) Null() uint32 { return 1 }

func (m match) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code := uint32(1)
		if values.Text(i) == m.text {
			code = 0
		}
		codes = append(codes, code)
	}
	return codes, 2, nil
}

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
	sampling
	class   string
	classAt int // its position; −1: there is none
}

func (b *recordsReader) newRecording(counter *partition.Counter) *recording {
	n := len(b.coders)
	w := &recording{
		codes: make([][]uint32, n), domains: make([]int, n),
		counter: counter, sampling: b.sampling(), class: b.job.Class, classAt: -1,
	}
	for _, c := range b.coders {
		w.maps = append(w.maps, coding.NewMapping(c))
	}
	if b.prepared.class >= 0 {
		w.classAt = len(b.interners) - 1
	}
	return w
}

func (w *recording) EndSplit() error { return nil }

func (w *recording) Batch(b *formats.Batch) (err error) {
	b = w.taken(b)
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
	return w.counter.Add(b.Rows, w.codes, w.domains)
}

// sampling takes some of the rows of an input.
type sampling struct {
	take   func(row uint64) bool // nil: all rows are taken
	start  uint64                // position in the input of the split's first row
	sample formats.Batch         // scratch
}

func (b *recordsReader) sampling() sampling {
	if b.opt.Take == nil {
		return sampling{}
	}
	rows := uint64(b.dataset.Rows())
	return sampling{take: func(row uint64) bool { return b.opt.Take(row, rows) }}
}

func (s *sampling) BeginSplit(split formats.Split) { s.start = uint64(split.Row) }

// taken returns a batch of the rows of a coded one that are taken, valid until the next call.
func (s *sampling) taken(b *formats.Batch) *formats.Batch {
	if s.take == nil {
		return b
	}
	if s.sample.Columns == nil {
		for range b.Columns {
			s.sample.Columns = append(s.sample.Columns, &formats.Column{})
		}
	}
	for i, c := range s.sample.Columns {
		c.Values, c.Codes = b.Columns[i].Values, c.Codes[:0]
	}
	s.sample.Rows = 0
	for row := range b.Rows {
		if !s.take(s.start + uint64(b.Row) + uint64(row)) {
			continue
		}
		for i, c := range s.sample.Columns {
			c.Codes = append(c.Codes, b.Columns[i].Codes[row])
		}
		s.sample.Rows++
	}
	return &s.sample
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

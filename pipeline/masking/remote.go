package masking

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// Each form is the head of what a process hands to another one (checkpoint.Encode): its name and a byte, the version.
const (
	taskForm = "kcut row groups\x03" // a block is what writer.EncodedRowGroup appends
	rowsForm = "kcut rows\x04"       // a block is rows that spill.AppendRow appends
)

// sentBlock is from how many bytes on a block of rows ends.
const sentBlock = 1 << 16

// encode returns the blocks that fill adds. They are drawn from the budget while they become more.
func (m *Masker) encode(form string, fill func(add func(block []byte) error) error) ([]byte, error) {
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	hold := func(n int64) error { return held.Draw("the masked rows of a split", n) }
	return checkpoint.Encode(form, hold, fill)
}

// decode calls take with the blocks of what encode has returned. An error of damaged bytes wraps formats.ErrDamaged.
func decode(form string, encoded []byte, take func(block []byte) error) error {
	err := checkpoint.Decode(encoded, form, take)
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("read %d bytes of masked rows: %w", len(encoded), formats.ErrDamaged)
	}
	return err
}

// MaskTask returns the row groups of one task. The bytes are the caller's.
func (m *Masker) MaskTask(ctx context.Context, t Task) ([]byte, error) {
	var err error
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	m.workers = make([]*worker, 1)
	return m.encode(taskForm, func(add func([]byte) error) error {
		return m.task(ctx, workers.Worker{}, t, func(g group) error {
			block, err := g.AppendTo(nil)
			if err != nil {
				return err
			}
			return add(block)
		})
	})
}

// AddTask hands on the row groups that MaskTask has made of a task. Tasks come in order. When the bytes are damaged, the sink may
// have some of the row groups.
func (m *Masker) AddTask(encoded []byte, to Sink) error {
	return decode(taskForm, encoded, func(block []byte) error {
		g, err := writer.ParseRowGroup(block)
		if err != nil {
			return err
		}
		return m.add(to, group{EncodedRowGroup: g})
	})
}

// SortSplit masks a split and returns its rows in order. The bytes are the caller's.
func (m *Masker) SortSplit(ctx context.Context, order Order, split formats.Split) ([]byte, error) {
	o, err := m.ordering(order)
	if err != nil {
		return nil, err
	}
	return m.encode(rowsForm, func(add func([]byte) error) error {
		fill := func() error { return o.read(ctx, []formats.Split{split}) }
		return o.sort(ctx, order.share(m.Budget), fill, func(rows *spill.SortedRows) error {
			var block []byte
			for {
				row, n, err := rows.Next()
				if err == io.EOF {
					return add(block)
				}
				if err != nil {
					return err
				}
				if block = spill.AppendRow(block, row, n); len(block) < sentBlock {
					continue
				}
				if err := add(block); err != nil {
					return err
				}
				block = block[:0]
			}
		})
	})
}

// MergeSorted does what MaskInOrder does, with rows that SortSplit has made of every split. Get calls use with those of a split.
func (m *Masker) MergeSorted(ctx context.Context, order Order, splits int, get func(split int, use func(rows []byte) error) error, to Sink) error {
	o, err := m.ordering(order)
	if err != nil {
		return err
	}
	return o.sort(ctx, order.share(m.Budget), func() error {
		return workers.Each(splits, o.Threads, func(w workers.Worker, i int) error {
			return get(i, func(rows []byte) error {
				return decode(rowsForm, rows, func(block []byte) error { return spill.EachRow(block, o.rows[w.Number].Append) })
			})
		})
	}, func(rows *spill.SortedRows) error { return o.write(ctx, rows, to) })
}

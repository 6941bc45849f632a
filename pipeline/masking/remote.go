package masking

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// rowsForm is the header of the rows that one process sends to another one (checkpoint.Encode): a
// name and a version byte. A block has rows in the form of spill.AppendRow.
const rowsForm = "kcut rows\x04"

// sentBlock is the number of bytes from which on a block of rows ends.
const sentBlock = 1 << 16

// rowSender makes blocks of rows.
type rowSender struct {
	form  *rowForm
	row   []byte // scratch
	block []byte
	add   func(block []byte) error
}

// send adds n equal rows.
func (s *rowSender) send(row []byte, n int64) error {
	if s.block = spill.AppendRow(s.block, row, n); len(s.block) < sentBlock {
		return nil
	}
	return s.flush()
}

func (s *rowSender) take(rows *rowBlock) error {
	for i, n := range rows.equal {
		s.row = s.form.appendRow(s.row[:0], rows, i)
		if err := s.send(s.row, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *rowSender) flush() error {
	err := s.add(s.block)
	s.block = s.block[:0]
	return err
}

// MaskSplit masks a split and returns its rows: sorted, or in the order of the input. While the
// rows grow they are drawn from the budget; the returned bytes are not.
func (m *Masker) MaskSplit(ctx context.Context, order Order, split formats.Split) ([]byte, error) {
	o, err := m.ordering(order)
	if err != nil {
		return nil, err
	}
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	hold := func(n int64) error { return held.Draw("the masked rows of a split", n) }
	return checkpoint.Encode(rowsForm, hold, func(add func([]byte) error) (err error) {
		to := &rowSender{form: o.form, add: add}
		if order.Input {
			err = errors.Join(o.split(ctx, workers.Worker{}, split, to), o.closeReaders())
		} else {
			err = o.sort(ctx, order.share(m.Budget), []formats.Split{split},
				func(rows *spill.SortedRows) error { return rows.Each(to.send) })
		}
		if err != nil {
			return err
		}
		return to.flush()
	})
}

// receive passes on the rows that MaskSplit has made of a split. An error of damaged bytes wraps
// formats.ErrDamaged.
func (o *ordering) receive(s formats.Split, to func(row []byte, n int64) error) error {
	return o.made(s.Ordinal, func(rows []byte) error {
		err := checkpoint.Decode(rows, rowsForm,
			func(block []byte) error { return spill.EachRow(block, to) })
		if errors.Is(err, checkpoint.ErrNone) {
			return fmt.Errorf("read %d bytes of masked rows: %w", len(rows), formats.ErrDamaged)
		}
		return err
	})
}

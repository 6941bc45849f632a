package count

import (
	"errors"
	"fmt"
	"iter"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// What processes hand each other is bytes of one of four forms. Each begins with its name and a
// byte, the version, and ends with a hash (checkpoint.Encode). Between them n… is a list: the number
// of its elements and these; all numbers are uvarints, and texts and bytes have their length in front.
//
//	survey:    rows | n (column, mask, type)… | values of the class and of sensitive columns | kinds… | of every column: nulls, values…
//	           nulls:  n (kind, records)…
//	           values: n (kind, records)… and the value: a word or bytes, in order; the last n is 0
//	           kinds:  n, and of each its class, the values of the sensitive columns, and its weight, where there are kinds beside classes
//	           kind:   its place among the kinds from 1 on; or its class: 0 is the null, others are places among the class values, from 1 on
//	code book: bookText as JSON
//	entities:  unit | (records, tags since the one before)…; the last one has no records
//	tuples:    n groupings: domains… | records | chunks, sorted by their packed keys; the last is empty
//
// Values are those of formats.Values, and chunks those
// of a partition.Table over the layout of the domains. Whoever changes one of these gives
// the forms that have it a new version. Nothing depends on the program that wrote it, nor on the
// machine: of the same split or counts all write the same bytes.
const (
	surveyForm = "kcut survey\x03"
	bookForm   = "kcut code book\x05"
	tuplesForm = "kcut tuples\x02"

	entitiesForm = "kcut entities\x03"
)

// ErrDamaged is returned of bytes that are not of the form that is read, or of another request.
var ErrDamaged = fault.New(fault.Transient, "", "what was counted of a split is damaged")

// encode returns what is filled in. What that takes is the caller's from then on.
func encode(form string, budget *spill.Budget, fill func(*checkpoint.Writer)) ([]byte, error) {
	part := budget.Part(budget.Limit())
	defer func() { part.Return(part.Used()) }()
	return checkpoint.Encode(form, func(n int64) error { return part.Draw("what is counted of a split", n) }, fill)
}

// decode reads what encode has returned.
func decode(form string, b []byte, take func(*checkpoint.Reader) error) error {
	err := checkpoint.Decode(b, form, take)
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("read %q of %d bytes: %w", form[:len(form)-1], len(b), ErrDamaged)
	}
	return err
}

// decodeAll reads, one after the other, what encode has returned of several splits.
func decodeAll(form string, encoded iter.Seq2[[]byte, error], take func(*checkpoint.Reader) error) error {
	for b, err := range encoded {
		if err == nil {
			err = decode(form, b, take)
		}
		if err != nil {
			return fmt.Errorf("read what was counted of a split: %w", err)
		}
	}
	return nil
}

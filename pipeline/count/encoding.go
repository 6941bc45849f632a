package count

import (
	"errors"
	"fmt"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// What processes hand each other is bytes of one of three forms. Each begins with its name and a
// byte, the version, and ends with a hash (checkpoint.Encode). Between them n… is a list: the number
// of its elements and these; all numbers are uvarints, and texts and bytes have their length in front.
//
//	survey:    rows | n (column, mask, type)… | class values, if there is a class | of every column: nulls, values…
//	           nulls:  n (class, records)…
//	           values: n (class, records)… and the value: a word or bytes, in order; the last n is 0
//	           class:  0 is the null, others are places among the class values, from 1 on
//	code book: n (attribute, final code by code…, domain)… | n (class, is the null)…
//	tuples:    n groupings: domains… | records | chunks, sorted by their packed keys; the last is empty
//
// Values are those of formats.Values, attributes those of saveAttribute, and
// chunks of a partition.Codec over the layout of the domains. Whoever changes one of these gives
// the forms that have it a new version. Nothing depends on the program that wrote it, nor on the
// machine: of the same split or counts all write the same bytes.
const (
	surveyForm = "kcut survey\x01"
	bookForm   = "kcut code book\x02"
	tuplesForm = "kcut tuples\x01"
)

// ErrDamaged is returned of bytes that are not of the form that is read, or of another request.
var ErrDamaged = fault.New(fault.Transient, "what was counted of a split is damaged")

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

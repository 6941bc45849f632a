package count

import (
	"errors"
	"fmt"
	"iter"

	"github.com/kcut/kcut/engine"
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
//	code book: n (attribute, final code by code…, domain)…, those of the class and of sensitive columns at last | kinds: classes, weights, values of every sensitive column
//	entities:  unit | (records, tags since the one before)…; the last one has no records
//	tuples:    n groupings: domains… | records | chunks, sorted by their packed keys; the last is empty
//
// Values are those of formats.Values, attributes those of saveAttribute, and
// chunks of a partition.Table over the layout of the domains. Whoever changes one of these gives
// the forms that have it a new version. Nothing depends on the program that wrote it, nor on the
// machine: of the same split or counts all write the same bytes.
const (
	surveyForm = "kcut survey\x03"
	bookForm   = "kcut code book\x04"
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

// saveAttribute writes what coders know of an attribute. The texts of a taxonomy's leaves are in its tree.
func saveAttribute(w *checkpoint.Writer, a *engine.Attribute) {
	w.String(a.Name)
	w.Uint(uint64(a.Mask))
	w.Bool(a.HasRest)
	w.Bool(a.HasNull)
	if a.Mask == engine.Generalize {
		saveTree(w, a.Tree, 0)
		return
	}
	checkpoint.List(w, a.Texts, w.String)
}

// loadAttribute reads what saveAttribute has written.
func loadAttribute(r *checkpoint.Reader) (a engine.Attribute, err error) {
	a = engine.Attribute{Name: r.String(), Mask: engine.Mask(r.Uint()), HasRest: r.Bool(), HasNull: r.Bool()}
	if a.Mask == engine.Generalize {
		root, err := loadNode(r, 0)
		if err != nil {
			return a, err
		}
		if a.Tree, err = engine.NewTree(root); err != nil {
			return a, fmt.Errorf("%w: %w", checkpoint.ErrNone, err)
		}
		a.Texts = a.Tree.Leaves()
		return a, nil
	}
	a.Texts = checkpoint.ReadList(r, r.String)
	return a, r.Err()
}

// saveTree writes a node and all below it.
func saveTree(w *checkpoint.Writer, t *engine.Tree, n int) {
	w.String(t.Name(n))
	if t.IsPruned(n) {
		w.Uint(uint64(t.Values(n)))
	} else {
		w.Uint(0)
	}
	children := t.Children(n)
	w.Uint(uint64(len(children)))
	for _, child := range children {
		saveTree(w, t, child)
	}
}

// deepest is more levels than any taxonomy has, and few enough to read one inside the other.
const deepest = 10_000

// loadNode reads what saveTree has written of a node that lies under some levels.
func loadNode(r *checkpoint.Reader, levels int) (n engine.Node, err error) {
	if levels > deepest {
		return n, fmt.Errorf("%w: a taxonomy of more than %d levels", checkpoint.ErrNone, deepest)
	}
	n.Name, n.Values = r.String(), r.Int()
	for children := r.Int(); children > 0 && r.Err() == nil; children-- {
		child, err := loadNode(r, levels+1)
		if err != nil {
			return n, err
		}
		n.Children = append(n.Children, child)
	}
	return n, r.Err()
}

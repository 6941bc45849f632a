package count

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
)

// saveAttribute writes an attribute. The texts of a taxonomy's leaves are in its tree.
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
	checkpoint.List(w, a.Positions, w.Float)
	w.Float(a.Lower)
	w.Float(a.Upper)
	w.String(a.LowerText)
	w.String(a.UpperText)
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
	a.Texts, a.Positions = checkpoint.ReadList(r, r.String), checkpoint.ReadList(r, r.Float)
	a.Lower, a.Upper = r.Float(), r.Float()
	a.LowerText, a.UpperText = r.String(), r.String()
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

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
		saveTree(w, a.Tree)
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
	if a.Mask == engine.Generalize && r.Err() == nil {
		if a.Tree, err = loadTree(r); err == nil {
			a.Texts = a.Tree.Leaves()
		}
		return a, err
	}
	a.Texts, a.Positions = checkpoint.ReadList(r, r.String), checkpoint.ReadList(r, r.Float)
	a.Lower, a.Upper = r.Float(), r.Float()
	a.LowerText, a.UpperText = r.String(), r.String()
	return a, r.Err()
}

func saveTree(w *checkpoint.Writer, t *engine.Tree) {
	w.Uint(uint64(t.Len()))
	for n := range t.Len() {
		w.String(t.Name(n))
		w.Uint(uint64(t.Parent(n) + 1))
		if t.IsPruned(n) {
			w.Uint(uint64(t.Values(n)))
		} else {
			w.Uint(0)
		}
	}
}

func loadTree(r *checkpoint.Reader) (*engine.Tree, error) {
	var names []string
	var parents, pruned []int
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		names, parents, pruned = append(names, r.String()), append(parents, r.Int()-1), append(pruned, r.Int())
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	tree, err := engine.AssembleTree(names, parents, pruned)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoint.ErrNone, err)
	}
	return tree, nil
}

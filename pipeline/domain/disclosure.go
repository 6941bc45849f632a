package domain

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// disclosure is the labeler of a suppressed column: values that the cut discloses, and the
// rest. A value with the text of the mark is unmapped.
type disclosure struct {
	labelSpace
	disclosed map[string]uint32
}

func newDisclosure(column *cutfile.Column) *disclosure {
	d := &disclosure{labelSpace: newLabelSpace(column), disclosed: make(map[string]uint32)}
	for i, text := range d.texts() {
		d.disclosed[text] = uint32(i)
	}
	d.begin = func() findLabel { return d.find }
	return d
}

func (d *disclosure) find(values *formats.Values, i int) (uint32, error) {
	var label uint32
	var ok bool
	if values.Type.Kind == formats.String { // without making a text of it
		label, ok = d.disclosed[string(values.Bytes(i))]
	} else {
		label, ok = d.disclosed[values.Text(i)]
	}
	switch {
	case ok:
		return label, nil
	case values.Type.Kind == formats.String && string(values.Bytes(i)) == engine.Suppressed:
		return d.Unmapped(), nil
	}
	return d.code(restLabel), nil
}

// Domain lists the disclosed values; a null that the cut does not disclose is among the rest.
func (d *disclosure) Domain(records []uint64) (Domain, error) {
	out := d.domain(engine.Attribute{Mask: engine.Suppress, Texts: d.texts(), HasRest: true, HasNull: d.hasNull}, records)
	out.Codes[d.code(restLabel)] = uint32(d.n)
	if out.Merges = !d.hasNull; out.Merges {
		out.Codes[d.Null()] = uint32(d.n)
	}
	return out, nil
}

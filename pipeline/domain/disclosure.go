package domain

import (
	"slices"

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
	return d
}

func (d *disclosure) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, d.find(values, i))
	}
	return codes, d.Size(), nil
}

func (d *disclosure) find(values *formats.Values, i int) uint32 {
	var label uint32
	var ok bool
	if values.Type.Kind == formats.String { // without making a text of it
		label, ok = d.disclosed[string(values.Bytes(i))]
	} else {
		label, ok = d.disclosed[TextOf(values, i)]
	}
	switch {
	case ok:
		return label
	case values.Type.Kind == formats.String && string(values.Bytes(i)) == engine.Suppressed:
		return d.Unmapped()
	}
	return d.code(restLabel)
}

// Domain lists the disclosed values; a null that the cut does not disclose is among the rest.
func (d *disclosure) Domain(records []uint64) (Domain, error) {
	out := Domain{Nulls: records[d.Null()]}
	out.Attribute = engine.Attribute{Name: d.column.Name, Mask: engine.Suppress, Texts: d.texts(), HasRest: true, HasNull: d.hasNull}
	out.Codes = slices.Repeat([]uint32{uint32(d.n)}, len(records))
	for label := range d.n {
		out.Codes[label] = uint32(label)
	}
	if d.hasNull {
		out.Codes[d.Null()] = out.Attribute.NullCode()
	}
	out.Merges = !d.hasNull
	return out, nil
}

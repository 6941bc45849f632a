package labeling

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
)

// Coder codes values by the leaves of a domain that a labeler has made.
type Coder struct {
	Labeler
	domain *coding.Domain
}

// NewCoder returns the coder of a domain that the labeler has made.
func NewCoder(l Labeler, d *coding.Domain) Coder { return Coder{l, d} }

// Null returns any code when no record is without a value.
func (c Coder) Null() uint32 { return c.domain.Codes[c.Labeler.Null()] }

// Encode appends the values' codes: any code of those that no record has.
func (c Coder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	first := len(codes)
	codes, _, err := c.Labeler.Encode(values, from, codes)
	if err != nil {
		return nil, 0, err
	}
	for i := first; i < len(codes); i++ {
		code := uint32(0)
		if int(codes[i]) < len(c.domain.Codes) {
			code = c.domain.Codes[codes[i]]
		}
		codes[i] = code
	}
	return codes, c.domain.Attribute.Len(), nil
}

// Save writes what the coder has learned from the input.
func (c Coder) Save(w *checkpoint.Writer) {
	var names []string
	if m, ok := c.Labeler.(*members); ok && m.unknown != nil {
		names = m.unknown.names
	}
	w.Strings(names)
	checkpoint.Numbers(w, c.domain.Codes)
}

// Load reads what save has written of a labeler, which has learned nothing yet.
func Load(from *checkpoint.Reader, l Labeler, a engine.Attribute) (coding.Coder, error) {
	names := from.Strings()
	if m, ok := l.(*members); ok && m.unknown != nil {
		for _, name := range names {
			if _, err := m.unknown.add(name); err != nil {
				return nil, err
			}
		}
	}
	return Coder{l, &coding.Domain{Attribute: a, Codes: checkpoint.ReadNumbers[uint32](from)}}, from.Err()
}

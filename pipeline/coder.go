package pipeline

import (
	"slices"

	"github.com/kcut/kcut/formats"
)

// coder finds the codes of values. Codes below domain are given out; the null has one, too.
// It is safe for concurrent use.
type coder interface {
	// encode appends the codes of the entries of values from the given one on. It also
	// returns the domain by then.
	encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error)
	// null returns the null's code.
	null() uint32
}

// mapping translates one reader's local codes. It belongs to one goroutine and remembers
// what it did for a list of values that only grows.
type mapping struct {
	coder  coder
	of     *formats.Values
	codes  []uint32 // codes[c] is the code of local code c
	domain int      // every code seen so far is below it
}

func newMapping(c coder) mapping { return mapping{coder: c, domain: int(c.null()) + 1} }

// translate appends to out[:0] the codes of a coded column's rows.
func (m *mapping) translate(c *formats.Column, out []uint32) ([]uint32, error) {
	if err := m.learn(c.Values); err != nil {
		return nil, err
	}
	return m.apply(c.Codes, out), nil
}

// learn finds the codes of the values that are new to it.
func (m *mapping) learn(values *formats.Values) error {
	if m.of != values {
		m.of, m.codes = values, append(m.codes[:0], m.coder.null())
	}
	if n := values.Len(); len(m.codes) <= n {
		codes, domain, err := m.coder.encode(values, len(m.codes)-1, m.codes)
		if err != nil {
			return err
		}
		m.codes, m.domain = codes, max(m.domain, domain)
	}
	return nil
}

// apply appends to out[:0] the codes of local codes into values that were learned.
func (m *mapping) apply(local, out []uint32) []uint32 {
	out = slices.Grow(out[:0], len(local))[:len(local)]
	codes := m.codes
	for i, code := range local {
		out[i] = codes[code]
	}
	return out
}

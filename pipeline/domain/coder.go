package domain

import (
	"slices"

	"github.com/kcut/kcut/formats"
)

// Coder finds the codes of values. Codes below domain are given out; the null has one, too.
// It is safe for concurrent use.
type Coder interface {
	// Encode appends the codes of the entries of values from the given one on. It also
	// returns the domain by then.
	Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error)
	// Null returns the null's code.
	Null() uint32
}

// Mapping translates one reader's local codes. It belongs to one goroutine and remembers
// what it did for a list of values that only grows.
type Mapping struct {
	coder Coder
	of    *formats.Values
	codes []uint32 // codes[c] is the code of local code c
	above int      // every code seen so far
}

func NewMapping(c Coder) Mapping { return Mapping{coder: c, above: int(c.Null()) + 1} }

// Translate appends to out[:0] the codes of a coded column's rows.
func (m *Mapping) Translate(c *formats.Column, out []uint32) ([]uint32, error) {
	if err := m.Learn(c.Values); err != nil {
		return nil, err
	}
	return m.Apply(c.Codes, out), nil
}

// Learn finds the codes of the values that are new to it.
func (m *Mapping) Learn(values *formats.Values) error {
	if m.of != values {
		m.of, m.codes = values, append(m.codes[:0], m.coder.Null())
	}
	if n := values.Len(); len(m.codes) <= n {
		codes, domain, err := m.coder.Encode(values, len(m.codes)-1, m.codes)
		if err != nil {
			return err
		}
		m.codes, m.above = codes, max(m.above, domain)
	}
	return nil
}

// Learned returns the list of values that was learned last, and the code of every local code.
func (m *Mapping) Learned() (*formats.Values, []uint32) { return m.of, m.codes }

// Domain returns a number that every code seen so far is below.
func (m *Mapping) Domain() int { return m.above }

// Apply appends to out[:0] the codes of local codes into values that were learned.
func (m *Mapping) Apply(local, out []uint32) []uint32 {
	out = slices.Grow(out[:0], len(local))[:len(local)]
	codes := m.codes
	for i, code := range local {
		out[i] = codes[code]
	}
	return out
}

// Renumbered is the coder of values whose codes by another coder lead to new ones below a domain.
// A code that leads nowhere is one that no record has: it gets any new one.
type Renumbered struct {
	Coder
	Codes  []uint32 // by code of the other coder
	Domain int
}

// Null returns the null's new code.
func (r Renumbered) Null() uint32 { return r.renumber(r.Coder.Null()) }

// Encode appends the new codes of values.
func (r Renumbered) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	first := len(codes)
	codes, _, err := r.Coder.Encode(values, from, codes)
	if err != nil {
		return nil, 0, err
	}
	for i := first; i < len(codes); i++ {
		codes[i] = r.renumber(codes[i])
	}
	return codes, r.Domain, nil
}

func (r Renumbered) renumber(code uint32) uint32 {
	if int(code) < len(r.Codes) {
		return r.Codes[code]
	}
	return 0
}

package count

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Kinds says what tells kinds of records apart beside their class (engine.Kinds). Where they are asked for, values
// and tuples are counted by kind instead of by class.
type Kinds struct {
	Sensitive []int // positions of the sensitive columns: those behind the class in order, or it
	Entities  bool  // the last column tells of whom every record is
}

// MaxKinds is the most kinds of records that a search works with.
const MaxKinds = 1 << 16

// own returns how many columns there are for kinds alone.
func (r *Request) own() (n int) {
	if r.Kinds == nil {
		return 0
	}
	for _, column := range r.Kinds.Sensitive {
		if column != r.Class {
			n++
		}
	}
	if r.Kinds.Entities {
		n++
	}
	return n
}

// Kind returns the position that groupings give the kind of a record: behind the columns or, where its class
// is all that tells kinds apart, that of the class; −1: there is none.
func (r *Request) Kind() int {
	if r.Kinds == nil {
		return r.Class
	}
	return len(r.Columns)
}

// isEntity reports whether a column tells of whom records are.
func (r *Request) isEntity(i int) bool {
	return r.Kinds != nil && r.Kinds.Entities && i == len(r.Columns)-1
}

// kinds number the kinds of records: the class of a record, or 0, and the code of another column are paired, that
// pair and the code of the next column, and so on. Every pair has a number.
type kinds struct {
	columns []int          // positions of the columns beside the class
	coders  []domain.Coder // of every column: numbers its pairs
	domain  int            // final numbers are below it
}

// newKinds returns kinds that are numbered as they are met, from 1 on.
func (r *Request) newKinds(budget *spill.Budget) *kinds {
	k := &kinds{columns: slices.Clone(r.Kinds.Sensitive)}
	if r.Kinds.Entities {
		k.columns = append(k.columns, len(r.Columns)-1)
	}
	for range k.columns {
		k.coders = append(k.coders, domain.NewWords("the kinds of records", budget))
	}
	return k
}

// finalKinds returns kinds that have the numbers of known ones.
func (r *Request) finalKinds(known *engine.Kinds, budget *spill.Budget) (*kinds, error) {
	k := r.newKinds(budget)
	codes := make([][]uint32, len(r.Columns))
	for s, column := range r.Kinds.Sensitive {
		codes[column] = known.Sensitive[s].Code
	}
	if r.Kinds.Entities {
		last := &codes[len(codes)-1]
		for _, weight := range known.Weight {
			*last = append(*last, uint32(weight))
		}
	}
	if _, _, err := k.newCounting().number(known.Class, codes); err != nil {
		return nil, err
	}
	k.domain = known.Len()
	numbers := make([]uint32, k.domain+1)
	for kind := range k.domain {
		numbers[kind+1] = uint32(kind)
	}
	last := &k.coders[len(k.coders)-1]
	*last = domain.Renumbered{Coder: *last, Codes: numbers, Domain: k.domain}
	return k, nil
}

// kindCounting numbers the kinds of rows for one worker.
type kindCounting struct {
	*kinds
	pairings []pairing
}

// pairing numbers the pairs of one column.
type pairing struct {
	known   *formats.Distinct // pairs that the worker has met, as words
	mapping domain.Mapping    // from these
	words   []uint64          // of the rows being counted
	local   []uint32
	codes   []uint32
}

func (k *kinds) newCounting() *kindCounting {
	w := &kindCounting{kinds: k}
	for _, coder := range k.coders {
		known := formats.NewDistinct(&formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}})
		w.pairings = append(w.pairings, pairing{known: known, mapping: domain.NewMapping(coder)})
	}
	return w
}

// number returns the kinds of rows with the given classes, and codes by column, until the next call. All are
// below a domain.
func (w *kindCounting) number(classes []uint32, codes [][]uint32) (kinds []uint32, above int, err error) {
	kinds = classes
	for i, column := range w.columns {
		p := &w.pairings[i]
		if kinds, err = p.number(kinds, codes[column]); err != nil {
			return nil, 0, err
		}
		above = p.mapping.Domain()
	}
	return kinds, above, nil
}

// number returns the numbers of pairs.
func (p *pairing) number(left, right []uint32) ([]uint32, error) {
	p.words = slices.Grow(p.words[:0], len(left))[:len(left)]
	for i, code := range right[:len(left)] {
		p.words[i] = uint64(left[i])<<32 | uint64(code)
	}
	p.local = p.known.AppendCodes(p.local[:0], p.words)
	if err := p.mapping.Learn(p.known.Values); err != nil {
		return nil, err
	}
	p.codes = p.mapping.Apply(p.local, p.codes)
	return p.codes, checkKinds(p.mapping.Domain())
}

// checkKinds refuses too many kinds: domain is above the numbers of all that were met.
func checkKinds(domain int) error {
	if domain <= MaxKinds+1 {
		return nil
	}
	return fault.Errorf(fault.Input, "name sensitive columns and a class with fewer distinct values",
		"count kinds of records: there are more than %d combinations of a class, sensitive values and what a record of an entity weighs", MaxKinds)
}

// tuples returns the codes of every number: of class and columns, by number less 1.
func (k *kinds) tuples() [][]uint32 {
	words := func(i int) []uint64 { return k.coders[i].(*domain.Interner).Values().Words }
	last := len(k.coders) - 1
	tuples := make([][]uint32, len(words(last)))
	for kind := range tuples {
		tuple := make([]uint32, len(k.coders)+1)
		for i, number := last, kind+1; i >= 0; i-- {
			word := words(i)[number-1]
			tuple[i+1], tuple[0], number = uint32(word), uint32(word>>32), int(word>>32)
		}
		tuples[kind] = tuple
	}
	return tuples
}

// boundKinds are the kinds of an input, and what provisional ones are.
type boundKinds struct {
	*engine.Kinds
	names   []engine.Label // of the classes
	numbers []uint32       // by provisional kind
	classes []uint32       // by provisional kind
}

// bindKinds numbers kinds by their class, in label order, their sensitive values in order, and their weight.
func (s *surveyed) bindKinds() *boundKinds {
	if s.kinds == nil {
		return nil
	}
	tuples := s.kinds.tuples()
	order := func(column, at int) (names []engine.Label) { // brings the codes of a column into order
		pairs := make(partition.Pairs, len(tuples)) // that occur
		for i, tuple := range tuples {
			pairs[i].Class = tuple[at]
		}
		numbers, names := s.columns[column].coder.(*domain.Interner).ClassOrder(pairs)
		for _, tuple := range tuples {
			tuple[at] = numbers[tuple[at]]
		}
		return names
	}
	b := &boundKinds{Kinds: &engine.Kinds{}, numbers: make([]uint32, len(tuples)+1), classes: make([]uint32, len(tuples)+1)}
	if s.class >= 0 {
		b.names = order(s.class, 0)
	}
	for i, column := range s.Kinds.Sensitive {
		b.Sensitive = append(b.Sensitive, engine.SensitiveValues{Values: order(column, i+1)})
	}
	if s.Kinds.Entities {
		b.Unit, b.Counted = unit, s.entities.known()
	}
	for kind, i := range inOrder(tuples) {
		tuple := tuples[i]
		b.numbers[i+1], b.classes[i+1] = uint32(kind), tuple[0]
		b.Class = append(b.Class, tuple[0])
		for s := range b.Sensitive {
			b.Sensitive[s].Code = append(b.Sensitive[s].Code, tuple[s+1])
		}
		if b.Unit > 0 {
			b.Weight = append(b.Weight, uint64(tuple[len(tuple)-1]))
		}
	}
	return b
}

// inOrder returns the places of tuples in their order.
func inOrder(tuples [][]uint32) (places []int) {
	for i := range tuples {
		places = append(places, i)
	}
	slices.SortFunc(places, func(x, y int) int { return slices.Compare(tuples[x], tuples[y]) })
	return places
}

// pruning returns a pruning by kinds.
func (b *boundKinds) pruning(p engine.Pruning) engine.Pruning {
	if b == nil {
		return p
	}
	p.K = b.LeastWeight(p.K)
	p.Kind = func(kind uint32) (class uint32, weight uint64) { return b.classes[kind], b.weight(kind) }
	return p
}

// weight returns what k counts of a record of a provisional kind.
func (b *boundKinds) weight(kind uint32) uint64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[b.numbers[kind]]
}

// whole tells of all records, given the pairs of any column, and returns their weight.
func (b *boundKinds) whole(pairs partition.Pairs) (whole engine.Stats, weight uint64) {
	counts := make([]uint64, b.Len())
	for _, pair := range pairs {
		counts[b.numbers[pair.Class]] += pair.Count
		weight += pair.Count * b.weight(pair.Class)
	}
	b.Stats(counts, &whole)
	return whole, weight
}

// sizes returns the weights of the records of every code.
func (b *boundKinds) sizes(pairs partition.Pairs, domain int) []uint64 {
	sizes := make([]uint64, domain)
	for _, pair := range pairs {
		sizes[pair.Code] += pair.Count * b.weight(pair.Class)
	}
	return sizes
}

// boundSensitive returns the columns of sensitive values, as a book has them, but for the class.
func (r *Request) boundSensitive(k *engine.Kinds) (bound []*Bound) {
	for s := range k.Sensitive {
		if r.Kinds.Sensitive[s] != r.Class {
			bound = append(bound, &Bound{Domain: domain.Domain{Attribute: domain.ClassAttribute(k.Sensitive[s].Values)}})
		}
	}
	return bound
}

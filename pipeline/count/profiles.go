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

// ProfileColumns names the columns that, together with the class, make up the sensitive profile of
// a record (engine.Kinds). If a request has ProfileColumns, values and tuples are counted by
// profile instead of by class.
type ProfileColumns struct {
	Sensitive []int // sensitive columns: positions behind the class, in order, or the class
	Entities  bool  // the last column names the entity of every record
}

// MaxProfiles is the largest number of sensitive profiles that a search works with.
const MaxProfiles = 1 << 16

// profileColumns returns the number of columns that only the sensitive profile needs.
func (r *Request) profileColumns() (n int) {
	if r.Profile == nil {
		return 0
	}
	for _, column := range r.Profile.Sensitive {
		if column != r.Class {
			n++
		}
	}
	if r.Profile.Entities {
		n++
	}
	return n
}

// ProfilePosition returns the position that groupings use for the sensitive profile: the position
// behind all columns or, if the class is the whole profile, the position of the class. It returns
// −1 if there is no profile.
func (r *Request) ProfilePosition() int {
	if r.Profile == nil {
		return r.Class
	}
	return len(r.Columns)
}

// isEntity reports whether a column names the entities of records.
func (r *Request) isEntity(i int) bool {
	return r.Profile != nil && r.Profile.Entities && i == len(r.Columns)-1
}

// profiles numbers the sensitive profiles of records. It pairs the class of a record, or 0, with
// the code of the first column, and numbers the pairs. Then it pairs this number with the code of
// the next column, and so on. The last number is the number of the profile.
type profiles struct {
	columns []int          // positions of the columns, without the class
	coders  []domain.Coder // by column: numbers the pairs of the column
	domain  int            // final numbers are below domain
}

// newProfiles returns profiles that get numbers from 1 on, in the order in which they are found.
func (r *Request) newProfiles(budget *spill.Budget) *profiles {
	k := &profiles{columns: slices.Clone(r.Profile.Sensitive)}
	if r.Profile.Entities {
		k.columns = append(k.columns, len(r.Columns)-1)
	}
	for range k.columns {
		k.coders = append(k.coders, domain.NewWords("the sensitive profiles of records", budget))
	}
	return k
}

// finalProfiles returns profiles with the numbers of the known profiles.
func (r *Request) finalProfiles(known *engine.Kinds, budget *spill.Budget) (*profiles, error) {
	k := r.newProfiles(budget)
	codes := make([][]uint32, len(r.Columns))
	for s, column := range r.Profile.Sensitive {
		codes[column] = known.Sensitive[s].Code
	}
	if r.Profile.Entities {
		last := &codes[len(codes)-1]
		for _, weight := range known.Weight {
			*last = append(*last, uint32(weight))
		}
	}
	if _, _, err := k.newNumbering().number(known.Class, codes); err != nil {
		return nil, err
	}
	k.domain = known.Len()
	numbers := make([]uint32, k.domain+1)
	for profile := range k.domain {
		numbers[profile+1] = uint32(profile)
	}
	last := &k.coders[len(k.coders)-1]
	*last = domain.Renumbered{Coder: *last, Codes: numbers, Domain: k.domain}
	return k, nil
}

// profileNumbering numbers the profiles of rows for one worker.
type profileNumbering struct {
	*profiles
	pairings []pairing
}

// pairing numbers the pairs of one column.
type pairing struct {
	known   *formats.Distinct // the pairs that the worker has found, as words
	mapping domain.Mapping    // from the worker's codes of pairs to the numbers
	words   []uint64          // the pairs of the rows being counted
	local   []uint32          // the worker's codes of these pairs
	codes   []uint32          // the numbers of these pairs
}

// newNumbering returns a numbering for one worker.
func (k *profiles) newNumbering() *profileNumbering {
	w := &profileNumbering{profiles: k}
	words := formats.Type{Kind: formats.Int, Bits: 64}
	for _, coder := range k.coders {
		known := formats.NewDistinct(&formats.Values{Type: words})
		w.pairings = append(w.pairings, pairing{known: known, mapping: domain.NewMapping(coder)})
	}
	return w
}

// number returns the profiles of rows with the given classes and the given codes by column. All
// profiles are below above. They are valid until the next call.
func (w *profileNumbering) number(
	classes []uint32, codes [][]uint32,
) (profiles []uint32, above int, err error) {
	profiles = classes
	for i, column := range w.columns {
		p := &w.pairings[i]
		if profiles, err = p.number(profiles, codes[column]); err != nil {
			return nil, 0, err
		}
		above = p.mapping.Domain()
	}
	return profiles, above, nil
}

// number returns the numbers of the pairs of left and right codes.
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
	return p.codes, checkProfiles(p.mapping.Domain())
}

// checkProfiles refuses too many profiles. domain is above the numbers of all profiles.
func checkProfiles(domain int) error {
	if domain <= MaxProfiles+1 {
		return nil
	}
	return fault.Errorf(fault.Input,
		"name sensitive columns and a class with fewer distinct values",
		"count sensitive profiles: there are more than %d combinations of a class, "+
			"sensitive values and the weight of a record", MaxProfiles)
}

// tuples returns the code of the class and the codes of the columns for every profile. The profile
// with number n has the position n−1.
func (k *profiles) tuples() [][]uint32 {
	words := func(i int) []uint64 { return k.coders[i].(*domain.Interner).Values().Words }
	last := len(k.coders) - 1
	tuples := make([][]uint32, len(words(last)))
	for profile := range tuples {
		tuple := make([]uint32, len(k.coders)+1)
		for i, number := last, profile+1; i >= 0; i-- {
			word := words(i)[number-1]
			tuple[i+1], tuple[0], number = uint32(word), uint32(word>>32), int(word>>32)
		}
		tuples[profile] = tuple
	}
	return tuples
}

// boundProfiles has the final profiles of an input, and translates provisional profiles.
type boundProfiles struct {
	*engine.Kinds
	names   []engine.Label // the labels of the classes
	numbers []uint32       // by provisional profile: the final number
	classes []uint32       // by provisional profile: the class
}

// bindProfiles numbers the profiles by class, in label order, then by sensitive values, in order,
// then by weight.
func (s *reading) bindProfiles() *boundProfiles {
	if s.profiles == nil {
		return nil
	}
	tuples := s.profiles.tuples()
	// order numbers the codes of a column in their order and returns their labels and places.
	order := func(column, at int) (names []engine.Label, places []uint32) {
		pairs := make(partition.Pairs, len(tuples)) // the codes that occur
		for i, tuple := range tuples {
			pairs[i].Class = tuple[at]
		}
		values := s.columns[column].coder.(*domain.Interner)
		numbers, names := values.ClassOrder(pairs)
		if all := values.Places(); all != nil {
			places = make([]uint32, len(names))
			for _, tuple := range tuples {
				places[numbers[tuple[at]]] = all[tuple[at]]
			}
		}
		for _, tuple := range tuples {
			tuple[at] = numbers[tuple[at]]
		}
		return names, places
	}
	b := &boundProfiles{
		Kinds:   &engine.Kinds{},
		numbers: make([]uint32, len(tuples)+1), classes: make([]uint32, len(tuples)+1),
	}
	if s.class >= 0 {
		b.names, _ = order(s.class, 0)
	}
	for i, column := range s.Profile.Sensitive {
		values, places := order(column, i+1)
		b.Sensitive = append(b.Sensitive, engine.SensitiveValues{Values: values, Places: places})
	}
	if s.Profile.Entities {
		b.Unit, b.Counted = unit, s.entities.number()
	}
	for profile, i := range inOrder(tuples) {
		tuple := tuples[i]
		b.numbers[i+1], b.classes[i+1] = uint32(profile), tuple[0]
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

// inOrder returns the positions of tuples, in the order of the tuples.
func inOrder(tuples [][]uint32) (places []int) {
	for i := range tuples {
		places = append(places, i)
	}
	slices.SortFunc(places, func(x, y int) int { return slices.Compare(tuples[x], tuples[y]) })
	return places
}

// pruning returns the pruning for values that are counted by profile.
func (b *boundProfiles) pruning(p engine.Pruning) engine.Pruning {
	if b == nil {
		return p
	}
	p.K = b.LeastWeight(p.K)
	p.Kind = func(profile uint32) (class uint32, weight uint64) {
		return b.classes[profile], b.weight(profile)
	}
	return p
}

// weight returns the weight of a record with a provisional profile. k counts this weight.
func (b *boundProfiles) weight(profile uint32) uint64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[b.numbers[profile]]
}

// whole returns the figures and the weight of all records. The pairs may be the pairs of any
// column.
func (b *boundProfiles) whole(pairs partition.Pairs) (whole engine.Stats, weight uint64) {
	counts := make([]uint64, b.Len())
	for _, pair := range pairs {
		counts[b.numbers[pair.Class]] += pair.Count
		weight += pair.Count * b.weight(pair.Class)
	}
	b.Stats(counts, &whole)
	return whole, weight
}

// sizes returns for every code the weight of its records.
func (b *boundProfiles) sizes(pairs partition.Pairs, domain int) []uint64 {
	sizes := make([]uint64, domain)
	for _, pair := range pairs {
		sizes[pair.Code] += pair.Count * b.weight(pair.Class)
	}
	return sizes
}

// boundSensitive returns the sensitive columns except the class for a dictionary.
func (r *Request) boundSensitive(k *engine.Kinds) (bound []*Bound) {
	for s := range k.Sensitive {
		if r.Profile.Sensitive[s] != r.Class {
			attribute := domain.ClassAttribute(k.Sensitive[s].Values)
			bound = append(bound, &Bound{Domain: domain.Domain{Attribute: attribute}})
		}
	}
	return bound
}

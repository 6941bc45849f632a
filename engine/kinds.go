package engine

import "github.com/kcut/kcut/internal/fault"

// Kinds are the kinds of records that protections tell apart where the number of records is not all they
// ask about. Records of one kind have their class, their value in every sensitive column, and their weight in common.
type Kinds struct {
	Class     []uint32          // by kind; 0 without a class
	Sensitive []SensitiveValues // of every sensitive column

	// Where k counts entities, the people whom records are of, not records, every record weighs what its
	// entity is divided by its records, in parts of which Unit are a whole entity, rounded down. So records
	// of different entities never weigh more than these, and sums of weights tell how many entities there are at least.
	Weight []uint64 // by kind; nil: k counts records
	Unit   uint64

	// Counted is how many entities there are, 0 when that is not known.
	Counted uint64
}

// SensitiveValues are the values of a sensitive column.
type SensitiveValues struct {
	Values []Label  // by code, in order, the null last
	Code   []uint32 // by kind
}

// ErrKinds is returned by engines that must part records whose kinds masking cannot tell, or that only count records.
var ErrKinds = fault.New(fault.Usage, "", "the algorithm, or one of its options, cannot count entities or look at sensitive columns")

// Len returns the number of kinds.
func (k *Kinds) Len() int { return len(k.Class) }

// Stats writes what protections ask about records of which counts tells, by kind, how many there are. It
// reuses the lists that to has.
func (k *Kinds) Stats(counts []uint64, to *Stats) {
	k.begin(to)
	for kind, n := range counts {
		if n > 0 {
			k.add(uint32(kind), n, to)
		}
	}
	to.Size = k.Entities(to.Size)
}

// KindCount is how many records of a kind there are.
type KindCount struct {
	Kind    uint32
	Records uint64
}

// StatsOf is Stats of a list of kinds.
func (k *Kinds) StatsOf(counts []KindCount, to *Stats) {
	k.begin(to)
	for _, c := range counts {
		k.add(c.Kind, c.Records, to)
	}
	to.Size = k.Entities(to.Size)
}

// begin makes stats those of no records.
func (k *Kinds) begin(to *Stats) {
	to.Size = 0
	for len(to.Values) < len(k.Sensitive) {
		to.Values = append(to.Values, nil)
	}
	for s := range k.Sensitive {
		if n := len(k.Sensitive[s].Values); len(to.Values[s]) != n {
			to.Values[s] = make([]uint64, n)
		}
		clear(to.Values[s])
	}
}

// add adds records, whose size is their weight until all are there.
func (k *Kinds) add(kind uint32, records uint64, to *Stats) {
	weight := records
	if k.Weight != nil {
		weight *= k.Weight[kind]
	}
	to.Size += weight
	for s := range k.Sensitive {
		to.Values[s][k.Sensitive[s].Code[kind]] += records
	}
}

// Weighted reports whether k counts entities.
func (k *Kinds) Weighted() bool { return k != nil && k.Weight != nil }

// Entities returns how many whole entities, or records where k counts these, weigh so much at least.
func (k *Kinds) Entities(weight uint64) uint64 {
	if !k.Weighted() {
		return weight
	}
	return wholes(weight, k.Unit)
}

// wholes returns how many whole entities weigh so much at least.
func wholes(weight, unit uint64) uint64 { return (weight + unit - 1) / unit }

// LeastWeight returns what so many entities, or records where k counts these, weigh at least: any that
// weigh less are fewer or not known to be as many.
func (k *Kinds) LeastWeight(entities uint64) uint64 {
	if !k.Weighted() || entities == 0 {
		return entities
	}
	return (entities-1)*k.Unit + 1
}

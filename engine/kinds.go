package engine

import "github.com/kcut/kcut/internal/fault"

// Kinds are the kinds of records that protections distinguish when the number of records is not
// enough for them. Records of one kind have the same class, the same value in every sensitive
// column, and the same weight.
type Kinds struct {
	Class     []uint32          // by kind; 0 if there is no class
	Sensitive []SensitiveValues // one for each sensitive column

	// If k counts entities, the people behind the records, every record has the weight of its
	// entity divided by the entity's number of records, rounded down. Unit parts are a whole
	// entity. So the records of some entities never weigh more than these entities, and a sum of
	// weights gives a lower bound of the number of entities.
	Weight []uint64 // by kind; nil: k counts records
	Unit   uint64

	// Counted is the number of entities, 0 when it is unknown.
	Counted uint64
}

// SensitiveValues are the values of a sensitive column.
type SensitiveValues struct {
	Values []Label  // by code, in the order of their texts, the null last
	Code   []uint32 // by kind
	Places []uint32 // by code: place in the order of numbers or times; nil: they have none
}

// ErrKinds is returned by engines that divide records whose kinds masking cannot see, or that only
// count records.
var ErrKinds = fault.New(fault.Usage, "", "the algorithm, or one of its options, cannot count "+
	"entities or look at sensitive columns")

// Len returns the number of kinds.
func (k *Kinds) Len() int { return len(k.Class) }

// ClassOf returns the class of a kind. Where there are no kinds, they are classes.
func (k *Kinds) ClassOf(kind uint32) uint32 {
	if k == nil {
		return kind
	}
	return k.Class[kind]
}

// Stats writes the figures that protections ask for of records with the given counts by kind. It
// reuses the lists in to.
func (k *Kinds) Stats(counts []uint64, to *Stats) {
	k.begin(to)
	for kind, n := range counts {
		if n > 0 {
			k.add(uint32(kind), n, to)
		}
	}
	to.Size = k.Entities(to.Size)
}

// KindCount is the number of records of a kind.
type KindCount struct {
	Kind    uint32
	Records uint64
}

// StatsOf is Stats for a list of kinds.
func (k *Kinds) StatsOf(counts []KindCount, to *Stats) {
	k.begin(to)
	for _, c := range counts {
		k.add(c.Kind, c.Records, to)
	}
	to.Size = k.Entities(to.Size)
}

// begin sets stats to those of no records.
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

// add adds records. Until the last are added, Size is their weight.
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

// Entities returns the least number of whole entities, or records where k counts these, that can
// have a weight.
func (k *Kinds) Entities(weight uint64) uint64 {
	if !k.Weighted() {
		return weight
	}
	return wholes(weight, k.Unit)
}

// wholes returns the least number of whole entities that can have a weight.
func wholes(weight, unit uint64) uint64 { return (weight + unit - 1) / unit }

// LeastWeight returns the smallest weight that proves a number of entities, or records where k
// counts these: records that weigh less may have fewer.
func (k *Kinds) LeastWeight(entities uint64) uint64 {
	if !k.Weighted() || entities == 0 {
		return entities
	}
	return (entities-1)*k.Unit + 1
}

package engine

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
}

// SensitiveValues are the values of a sensitive column.
type SensitiveValues struct {
	Values []Label  // by code, in order, the null last
	Code   []uint32 // by kind
}

// Len returns the number of kinds.
func (k *Kinds) Len() int { return len(k.Class) }

// Stats writes what protections ask about records of which counts tells, by kind, how many there are. It
// reuses the lists that to has.
func (k *Kinds) Stats(counts []uint64, to *Stats) {
	to.Size = 0
	for kind, n := range counts {
		if k.Weight != nil {
			n *= k.Weight[kind]
		}
		to.Size += n
	}
	to.Size = k.Entities(to.Size)
	for len(to.Values) < len(k.Sensitive) {
		to.Values = append(to.Values, nil)
	}
	for s := range k.Sensitive {
		column := &k.Sensitive[s]
		if len(to.Values[s]) != len(column.Values) {
			to.Values[s] = make([]uint64, len(column.Values))
		}
		clear(to.Values[s])
		for kind, n := range counts {
			to.Values[s][column.Code[kind]] += n
		}
	}
}

// Entities returns how many whole entities, or records where k counts these, weigh so much at least.
func (k *Kinds) Entities(weight uint64) uint64 {
	if k == nil || k.Weight == nil {
		return weight
	}
	return (weight + k.Unit - 1) / k.Unit
}

// LeastWeight returns what so many entities, or records where k counts these, weigh at least: any that
// weigh less are fewer or not known to be as many.
func (k *Kinds) LeastWeight(entities uint64) uint64 {
	if k == nil || k.Weight == nil || entities == 0 {
		return entities
	}
	return (entities-1)*k.Unit + 1
}

package cells

// Folding converts counts by kind to counts by class, where every kind belongs to a class.
type Folding struct {
	Class   []uint32 // by kind
	Classes int

	sums []uint64 // by class; all zero between two uses
	set  FrequencySet
}

// Fold converts a frequency set by kind to one by class, which is valid until the next call.
func (f *Folding) Fold(kinds *FrequencySet) *FrequencySet {
	f.set.reset(f.Classes)
	for i, code := range kinds.Codes {
		f.add(kinds, i)
		f.set.Class, f.set.Count = f.drain(f.set.Class, f.set.Count)
		f.set.close(code)
	}
	return &f.set
}

// Sums appends the classes of a frequency set, with any code, and their numbers of records.
func (f *Folding) Sums(classes []uint32, counts []uint64, kinds *FrequencySet) ([]uint32,
	[]uint64) {
	for i := range kinds.Codes {
		f.add(kinds, i)
	}
	return f.drain(classes, counts)
}

// add adds the records of a code.
func (f *Folding) add(kinds *FrequencySet, i int) {
	if f.sums == nil {
		f.sums = make([]uint64, f.Classes)
	}
	for e := kinds.Start[i]; e < kinds.Start[i+1]; e++ {
		f.sums[f.Class[kinds.Class[e]]] += kinds.Count[e]
	}
}

// drain appends the classes that occur, and their numbers of records.
func (f *Folding) drain(classes []uint32, counts []uint64) ([]uint32, []uint64) {
	for class, n := range f.sums {
		if n > 0 {
			classes, counts = append(classes, uint32(class)), append(counts, n)
			f.sums[class] = 0
		}
	}
	return classes, counts
}

package partition

// array counts tuples of few bits: its entry k is the number of records of key k.
type array []uint32

const (
	// smallArrayBits is the size of an array that is always worth having: it takes no more
	// than the cache that it stands for.
	smallArrayBits = 15
	// arrayBits is the size up to which an array, 4 MiB then, beats hashing even if most of
	// its entries stay zero.
	arrayBits = 20
)

// newArray returns the array of the counter's layout, or nil when that would be too large
// or the budget refuses. A counter that spills has but a small one, which is not drawn.
func (c *Counter) newArray() array {
	bits := c.layout.bits()
	if bits > arrayBits || c.writer != nil && bits > smallArrayBits {
		return nil
	}
	if size := int64(4) << bits; bits > smallArrayBits && c.budget.Draw("counts of tuples", size) != nil {
		return nil
	}
	return make(array, 1<<bits)
}

// drawn returns what the array takes of the budget.
func (a array) drawn() int64 {
	if len(a) <= 1<<smallArrayBits {
		return 0
	}
	return int64(len(a)) * 4
}

// count counts every key.
func (a array) count(keys []uint64) {
	for _, key := range keys {
		a[key]++
	}
}

// each calls f with every tuple's record. A record is valid until f returns.
func (a array) each(f func(record []uint64) error) error {
	record := make([]uint64, 2)
	for key, n := range a {
		if n == 0 {
			continue
		}
		record[0], record[1] = uint64(key), uint64(n)
		if err := f(record); err != nil {
			return err
		}
	}
	return nil
}

package partition

// bucket is a list of records; tuples may occur more than once.
type bucket struct {
	records []uint64
	limit   int // length at which it is compacted next
}

// each calls f with every record.
func (b *bucket) each(stride int, f func(record []uint64) error) error {
	for records := b.records; len(records) > 0; records = records[stride:] {
		if err := f(records[:stride]); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom lets bucket i take one more record.
func (c *Counter) makeRoom(i int) error {
	b := &c.buckets[i]
	if len(b.records) >= b.limit {
		if c.merge(b); 2*len(b.records) <= cap(b.records) {
			return nil
		}
	}
	size := max(64*c.stride, 2*cap(b.records))
	if c.outlet != nil {
		if size = min(size, c.outlet.limit); size <= cap(b.records) {
			return c.drain(i)
		}
	}
	if err := c.budget.Draw("distinct tuples", int64(size)*8); err != nil {
		if c.outlet != nil && cap(b.records) > 0 {
			return c.drain(i)
		}
		return err
	}
	grown := make([]uint64, len(b.records), size)
	copy(grown, b.records)
	c.budget.Return(int64(cap(b.records)) * 8)
	b.records = grown
	return nil
}

// merge merges equal tuples of a bucket, and sets when it will be tried again: later when it
// did not pay.
func (c *Counter) merge(b *bucket) {
	before := len(b.records)
	b.records, c.slots = compact(b.records, c.stride, c.slots)
	next := 2 * len(b.records)
	if len(b.records) > before/8*7 {
		next *= 2
	}
	b.limit = max(b.limit, next)
}

// drain merges bucket i and, unless that halves it, writes it to the store.
func (c *Counter) drain(i int) error {
	b := &c.buckets[i]
	b.records, c.slots = compact(b.records, c.stride, c.slots)
	if 2*len(b.records) <= cap(b.records) {
		return nil
	}
	err := c.outlet.write(i, b.records)
	b.records = b.records[:0]
	return err
}

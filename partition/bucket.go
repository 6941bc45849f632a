package partition

import "github.com/kcut/kcut/spill"

// bucket is a list of records; tuples may occur more than once.
type bucket struct {
	full  [][]uint64 // segments
	last  []uint64   // segment to which records are added
	limit int        // words at which it is merged next
}

// words returns the length of the list.
func (b *bucket) words() (n int) {
	for _, segment := range b.full {
		n += len(segment)
	}
	return n + len(b.last)
}

// segments returns all segments. The list is valid until a record is added.
func (b *bucket) segments() [][]uint64 {
	if b.last == nil {
		return b.full
	}
	return append(b.full, b.last)
}

// appendTo appends all records to a list.
func (b *bucket) appendTo(records []uint64) []uint64 {
	for _, segment := range b.segments() {
		records = append(records, segment...)
	}
	return records
}

// fill makes the bucket that of the records, which have room in the segments, and returns the
// segments that it does without. The last one has room if there are any.
func (b *bucket) fill(segments [][]uint64, records []uint64) (spare [][]uint64) {
	b.full, b.last = segments[:0], nil
	for i, segment := range segments {
		n := min(len(records), cap(segment))
		segment = append(segment[:0], records[:n]...)
		if records = records[n:]; n < cap(segment) {
			b.last = segment
			return segments[i+1:]
		}
		b.full = append(b.full, segment)
	}
	return nil
}

// makeRoom lets bucket i take one more record.
func (c *Counter) makeRoom(i int) error {
	b := &c.buckets[i]
	if b.last != nil {
		b.full, b.last = append(b.full, b.last), nil
	}
	if len(b.full)*c.slabs.segment >= b.limit {
		if c.merge(b); b.last != nil {
			return nil
		}
	}
	if c.writer != nil && len(b.full) == c.writer.segments {
		return c.drain(i)
	}
	segment, err := c.slabs.get()
	if err != nil && c.writer != nil && len(b.full) > 0 {
		return c.drain(i)
	}
	b.last = segment
	return err
}

// merge merges equal tuples of a bucket, and sets when it will be tried again: later when it
// did not pay.
func (c *Counter) merge(b *bucket) {
	before := b.words()
	c.compact(b)
	next := 2 * len(c.records)
	if len(c.records) > before/8*7 {
		next *= 2
	}
	b.limit = max(b.limit, next)
	c.slabs.put(b.fill(b.segments(), c.records))
}

// compact makes the counter's records the distinct ones of a bucket.
func (c *Counter) compact(b *bucket) {
	c.records = b.appendTo(c.records[:0])
	c.records, c.slots = compact(c.records, c.stride, c.slots)
}

// drain merges bucket i and, unless that halves it, writes it to the store.
func (c *Counter) drain(i int) error {
	b := &c.buckets[i]
	c.compact(b)
	segments := b.segments()
	if 2*len(c.records) > len(segments)*c.slabs.segment {
		if err := c.writer.write(i, c.records); err != nil {
			return err
		}
		c.records = c.records[:0]
	}
	c.slabs.put(b.fill(segments, c.records))
	return nil
}

// bucketWriter is where the buckets of a counter go that is out of memory.
type bucketWriter struct {
	store    Store
	share    int64 // bytes the counter may draw
	segment  int   // words
	segments int   // that a bucket may have
	chunk    int   // records that are written at a time
	lists    [1 << bucketBits]ChunkList
	written  bool
	table    Table // scratch: the records that are written
	frame    []byte
}

func newBucketWriter(layout Layout, s Store, share int64) *bucketWriter {
	stride := layout.Words + 1
	each := share >> bucketBits
	o := &bucketWriter{store: s, share: share, segment: segmentRecords * stride, table: Table{Layout: layout}}
	if o.segments = int(each / segmentBytes(o.segment)); o.segments == 0 {
		o.segment, o.segments = max(2, int(each-segmentExtra)/(8*stride))*stride, 1
	}
	o.chunk = min(o.segments*o.segment/stride, writtenRecords(layout))
	return o
}

// write appends records to the list of bucket i.
func (o *bucketWriter) write(i int, records []uint64) (err error) {
	if !o.written { // neighbours in the store are freed together, and buckets are joined in turn
		for b := range o.lists {
			o.lists[b].sequences = []spill.Sequence{o.store.NewSequence()}
		}
		o.written = true
	}
	o.table.Truncate()
	o.table.append(records)
	o.frame, err = o.lists[i].writeTable(o.store, &o.table, o.chunk, o.frame)
	return err
}

package partition

import "github.com/kcut/kcut/spill"

// outletChunk is the most bytes of records that a bucket writes in one chunk.
const outletChunk = 128 << 10

// outlet is where the buckets of a counter go that is out of memory.
type outlet struct {
	share     int64 // bytes the counter may draw
	limit     int   // words a bucket may have
	scribe    scribe
	sequences [1 << bucketBits][]spill.Sequence // none or one
}

func newOutlet(layout Layout, s store, share int64) *outlet {
	stride := layout.Words + 1
	records := max(2, int(share/8)>>bucketBits/stride)
	return &outlet{
		share:  share,
		limit:  records * stride,
		scribe: newScribe(layout, s, min(records, outletChunk/(8*stride))),
	}
}

// write appends the records of bucket i to its sequence.
func (o *outlet) write(i int, records []uint64) error {
	if o.sequences[i] == nil {
		o.sequences[i] = []spill.Sequence{o.scribe.store.NewSequence()}
	}
	return o.scribe.write(o.sequences[i][0], records, nil)
}

// empty reports whether nothing was written.
func (o *outlet) empty() bool {
	for _, s := range o.sequences {
		if s != nil {
			return false
		}
	}
	return true
}

// scribe writes lists of records, keys and counts in turn, to the store.
type scribe struct {
	store store
	codec codec
	chunk int   // records
	table Table // scratch: the records of a chunk
	frame []byte
}

func newScribe(layout Layout, s store, chunk int) scribe {
	return scribe{store: s, codec: newCodec(layout), chunk: chunk, table: Table{Layout: layout}}
}

// write appends records to a sequence. The pile, if there is one, takes note of them.
func (s *scribe) write(seq spill.Sequence, records []uint64, note *pile) error {
	step := s.chunk * (s.table.Layout.Words + 1)
	for len(records) > 0 {
		n := min(step, len(records))
		s.table.truncate()
		s.table.take(records[:n])
		if note != nil {
			note.note(&s.table, 0, s.table.Len(), s.table.size())
		}
		s.frame = s.codec.encode(s.frame[:0], s.table.Keys, s.table.Counts)
		if err := s.store.Append(seq, s.frame); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

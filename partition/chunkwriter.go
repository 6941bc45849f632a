package partition

import "github.com/kcut/kcut/spill"

// writtenChunk is the most bytes of records that a bucket writes in one chunk.
const writtenChunk = 128 << 10

// chunkWriter is where the buckets of a counter go that is out of memory.
type chunkWriter struct {
	share     int64 // bytes the counter may draw
	segment   int   // words
	segments  int   // that a bucket may have
	records   recordWriter
	sequences []spill.Sequence // by bucket; none before anything is written
}

func newChunkWriter(layout Layout, s Store, share int64) *chunkWriter {
	stride := layout.Words + 1
	each := share >> bucketBits
	o := &chunkWriter{share: share, segment: segmentRecords * stride}
	if o.segments = int(each / segmentBytes(o.segment)); o.segments == 0 {
		o.segment, o.segments = max(2, int(each-segmentExtra)/(8*stride))*stride, 1
	}
	records := o.segments * o.segment / stride
	o.records = newRecordWriter(layout, s, min(records, writtenChunk/(8*stride)))
	return o
}

// write appends the records of bucket i to its sequence. Sequences are numbered as buckets
// are, because neighbours in the store are freed together and buckets are joined in turn.
func (o *chunkWriter) write(i int, records []uint64) error {
	for b := len(o.sequences); b < 1<<bucketBits; b++ {
		o.sequences = append(o.sequences, o.records.store.NewSequence())
	}
	return o.records.write(o.sequences[i], records)
}

// empty reports whether nothing was written.
func (o *chunkWriter) empty() bool { return o.sequences == nil }

// recordWriter writes lists of records, keys and counts in turn, to the store.
type recordWriter struct {
	store Store
	codec Codec
	chunk int   // records
	table Table // scratch: the records of a chunk
	frame []byte
}

func newRecordWriter(layout Layout, s Store, chunk int) recordWriter {
	return recordWriter{store: s, codec: NewCodec(layout), chunk: chunk, table: Table{Layout: layout}}
}

// write appends records to a sequence.
func (s *recordWriter) write(seq spill.Sequence, records []uint64) error {
	return s.each(records, func(_ *Table, frame []byte) error { return s.store.Append(seq, frame) })
}

// each hands out records a chunk at a time, as a table and as the chunk's frame.
func (s *recordWriter) each(records []uint64, visit func(t *Table, frame []byte) error) error {
	step := s.chunk * (s.table.Layout.Words + 1)
	for len(records) > 0 {
		n := min(step, len(records))
		s.table.Truncate()
		s.table.append(records[:n])
		s.frame = s.codec.encode(s.frame[:0], s.table.Keys, s.table.Counts)
		if err := visit(&s.table, s.frame); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

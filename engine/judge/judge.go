// Package judge judges releases of counted records: it masks a training part and a test part by a
// recoding, lets classifiers learn from the former and tests them with the latter, and computes the
// costs of the release.
//
//	Records ──Part──▶ Source ──Mask──▶ labels ──▶ classifiers ──▶ their errors
//	                                      ├─────▶ equivalence classes ──▶ Costs, query answers
//	                                      └─────▶ values drawn from labels ──▶ propensity
//
// Package choose uses it to judge the algorithms of a run, pipeline/evaluate to judge the releases
// that jobs would make. It works on counts of distinct tuples: its cost depends on their number,
// however many records they represent.
//
// Contract: figures depend only on the records, on the selection of a Take and on the recoding, not
// on threads, budgets or stores.
package judge

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Records are counted tuples, with a field for every attribute of the table, for every kept column
// and, if records have a kind or a class, for that.
type Records struct {
	*engine.Table
	Kept   []engine.Attribute
	Counts *partition.Table
	Space  partition.Space // space of the counts
}

// Source calls visit with blocks of records. A block is valid until visit returns; visit may change
// it.
type Source func(ctx context.Context, visit func(*Block) error) error

// Take returns how many of a tuple's records are taken. It is called once for every tuple, in
// order.
type Take func(key []uint64, records uint64) uint64

// All takes all records.
func All() Take { return func(_ []uint64, records uint64) uint64 { return records } }

// blockRecords is the largest number of tuples in a block of a source.
const blockRecords = 1 << 12

// Part returns a source of the records that a Take selects. Each pass uses a new Take.
func (r *Records) Part(take func() Take) Source {
	return func(ctx context.Context, visit func(*Block) error) error {
		b, taken := newBlock(len(r.Attributes), len(r.Kept)), take()
		b.grow(min(blockRecords, r.Counts.Len(), mostCodes/len(b.Columns)))
		err := r.Counts.Scan(ctx, r.Space, func(records *partition.Table) error {
			for key, n := range records.All() {
				if n = taken(key, n); n > 0 {
					b.add(r.Table, records.Layout.Fields, key, n)
				}
				if err := b.flush(blockRecords, visit); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return b.flush(1, visit)
	}
}

// Block is some records.
type Block struct {
	// codes of the attributes and of the kept columns, followed by kinds, or zeros
	Columns [][]uint32
	Labels  [][]uint32 // by attribute: label numbers; nil: the records are not masked
	Classes []uint32
	Counts  []uint64 // number of records of each tuple

	attributes int
}

func newBlock(attributes, kept int) *Block {
	return &Block{Columns: make([][]uint32, attributes+kept+1), attributes: attributes}
}

// grow makes room for a number of tuples.
func (b *Block) grow(tuples int) {
	codes := make([]uint32, (len(b.Columns)+1)*tuples)
	for i := range b.Columns {
		b.Columns[i] = codes[i*tuples : i*tuples : (i+1)*tuples]
	}
	b.Classes, b.Counts = codes[len(b.Columns)*tuples:][:0], make([]uint64, 0, tuples)
}

// Codes returns the codes of the attributes.
func (b *Block) Codes() [][]uint32 { return b.Columns[:b.attributes] }

func (b *Block) kinds() []uint32 { return b.Columns[len(b.Columns)-1] }

// seen returns the visible side of records: labels, or codes if records are not masked, and the
// codes of kept columns.
func (b *Block) seen() [][]uint32 {
	columns := b.Columns[:len(b.Columns)-1]
	if b.Labels == nil {
		return columns
	}
	return append(b.Labels[:len(b.Labels):len(b.Labels)], columns[b.attributes:]...)
}

// add adds records with a key.
func (b *Block) add(table *engine.Table, fields []partition.Field, key []uint64, records uint64) {
	code := uint32(0)
	for i := range b.Columns {
		if code = 0; i < len(fields) {
			code = fields[i].Code(key)
		}
		b.Columns[i] = append(b.Columns[i], code)
	}
	b.Classes, b.Counts = append(b.Classes, table.Kinds.ClassOf(code)), append(b.Counts, records)
}

// copy adds records of another block's tuple.
func (b *Block) copy(from *Block, tuple int, records uint64) {
	for i, codes := range from.Columns {
		b.Columns[i] = append(b.Columns[i], codes[tuple])
	}
	b.Classes, b.Counts = append(b.Classes, from.Classes[tuple]), append(b.Counts, records)
}

func (b *Block) reset() {
	for i := range b.Columns {
		b.Columns[i] = b.Columns[i][:0]
	}
	b.Labels, b.Classes, b.Counts = nil, b.Classes[:0], b.Counts[:0]
}

// flush calls visit with the block if it has at least the number of tuples, and empties it.
func (b *Block) flush(tuples int, visit func(*Block) error) error {
	if len(b.Counts) < tuples {
		return nil
	}
	err := visit(b)
	b.reset()
	return err
}

// drop removes the records that are not released, and returns their number.
func (b *Block) drop() (dropped uint64) {
	for i, label := range b.Labels[0] {
		if label == engine.DroppedLabel {
			dropped += b.Counts[i]
			b.Counts[i] = 0
		}
	}
	return dropped
}

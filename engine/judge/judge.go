// Package judge judges releases of counted records: it masks a training part and a test part by a
// recoding, lets classifiers learn from the one and examines them with the other, and counts what
// the release costs.
//
//	Records ──Part──▶ Source ──Mask──▶ labels ──▶ what classifiers learn ──▶ how often they are wrong
//	                                      ├─────▶ equivalence classes ──▶ Costs, answers of queries
//	                                      └─────▶ values drawn from labels ──▶ propensity
//
// Package choose judges the algorithms of a run by it, pipeline/evaluate the releases that jobs
// would make. Everything works on counts of distinct tuples: what it takes goes by these, however
// many records they stand for.
//
// Contract: figures depend on the records, on what a Take takes and on the recoding alone, not on
// threads, budgets or stores.
package judge

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Records are counted tuples: they have a field for every attribute of the table, for every kept
// column and, where records have a kind or a class, for that.
type Records struct {
	*engine.Table
	Kept   []engine.Attribute
	Counts *partition.Table
	Space  partition.Space // where the counts are
}

// Source hands out records. A block is valid until visit returns, which may change it.
type Source func(ctx context.Context, visit func(*Block) error) error

// Take says how many of a tuple's records are taken. It is asked once about every tuple, in order.
type Take func(key []uint64, records uint64) uint64

// All takes all records.
func All() Take { return func(_ []uint64, records uint64) uint64 { return records } }

// blockRecords is how many tuples a block of a source has at most.
const blockRecords = 1 << 12

// Part returns the source of the records that a Take takes, a new one in every pass.
func (r *Records) Part(take func() Take) Source {
	return func(ctx context.Context, visit func(*Block) error) error {
		b, taken := newBlock(len(r.Attributes), len(r.Kept)), take()
		err := r.Counts.Scan(ctx, r.Space, func(records *partition.Table) error {
			w := records.Layout.Words
			for i, n := range records.Counts {
				key := records.Keys[i*w : (i+1)*w]
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

// then returns the source of the records of one source, and then of another one.
func (s Source) then(other Source) Source {
	return func(ctx context.Context, visit func(*Block) error) error {
		if err := s(ctx, visit); err != nil {
			return err
		}
		return other(ctx, visit)
	}
}

// Block is some records.
type Block struct {
	Columns [][]uint32 // codes of the attributes and of the kept columns, then kinds, or zeros
	Labels  [][]uint32 // by attribute: numbers of labels; nil: the records are not masked
	Classes []uint32
	Counts  []uint64 // the records that each tuple stands for

	attributes int
}

func newBlock(attributes, kept int) *Block {
	return &Block{Columns: make([][]uint32, attributes+kept+1), attributes: attributes}
}

// Codes returns the codes of the attributes.
func (b *Block) Codes() [][]uint32 { return b.Columns[:b.attributes] }

func (b *Block) kinds() []uint32 { return b.Columns[len(b.Columns)-1] }

// seen returns what is seen of records: labels, or codes where they are not masked, and the codes
// of kept columns.
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
	b.Classes, b.Counts = append(b.Classes, ClassOf(table, code)), append(b.Counts, records)
}

// copy adds some records of another block's tuple.
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

// flush hands the block out if it has so many tuples, and begins it anew.
func (b *Block) flush(tuples int, visit func(*Block) error) error {
	if len(b.Counts) < tuples {
		return nil
	}
	err := visit(b)
	b.reset()
	return err
}

// drop takes the records away that are not released, and returns how many they are.
func (b *Block) drop() (dropped uint64) {
	for i, label := range b.Labels[0] {
		if label == engine.DroppedLabel {
			dropped += b.Counts[i]
			b.Counts[i] = 0
		}
	}
	return dropped
}

// ClassOf returns the class of a kind of records.
func ClassOf(table *engine.Table, kind uint32) uint32 {
	if table.Kinds != nil {
		return table.Kinds.Class[kind]
	}
	return kind
}

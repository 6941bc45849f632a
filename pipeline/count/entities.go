package count

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// entities tell of every entity how many records it has: from a table, or where there are more entities than
// that holds how many at most, from counts that several entities may share, of which every entity has two, and the lesser one
// counts (a count-min sketch, Cormode and Muthukrishnan 2005). Which ones depends on the value and the number of rows
// alone, and they are sums: so are the same whoever counted what, and when. The nulls together are one entity.
//
// They code values: by the weight of each of its records.
type entities struct {
	rows   uint64
	budget *spill.Budget
	held   int64 // bytes of the budget

	mu     sync.RWMutex       // who counts reads, who takes the sketch for the table writes
	table  *entityTable       // nil: there are more
	counts [2][]atomic.Uint32 // two counts of 16 bits a word, which end at their greatest
	bits   int                // of a place among the counts of a row
}

// unit is how many parts an entity is divided into: a number of many divisors, so that few parts
// are lost.
const unit = 840

// Bits of the places of a row of counts: manyPlaces take 32 MiB.
const (
	fewPlaces  = 8
	manyPlaces = 24
	mostPlaces = 26
)

// placesOf returns the bits of the places for so many rows: twice as many places, and from many on as many.
func placesOf(rows uint64) int {
	return max(fewPlaces, min(bits.Len64(2*rows), max(manyPlaces, min(bits.Len64(rows), mostPlaces))))
}

// entitiesOf returns the entities of so many rows, without their counts.
func entitiesOf(rows uint64) *entities {
	return &entities{rows: rows, bits: placesOf(rows)}
}

// draw draws what counts take, of which the name tells.
func (e *entities) draw(bytes int64) error {
	const what = "the records of every entity"
	if limit := e.budget.Limit(); bytes > limit/2 {
		return fault.Errorf(fault.Resources, fmt.Sprintf("give at least %d MiB with --memory", (2*bytes+1<<20-1)>>20),
			"count %s: that takes %d bytes of a budget of %d", what, bytes, limit)
	}
	if err := e.budget.Draw(what, bytes); err != nil {
		return err
	}
	e.held += bytes
	return nil
}

// release gives back what was drawn.
func (e *entities) release(bytes int64) {
	e.budget.Return(bytes)
	e.held -= bytes
}

// makeTable begins to count in a table.
func (e *entities) makeTable() error {
	if err := e.draw(tableBytes(e.rows)); err != nil {
		return err
	}
	e.table = newEntityTable(e.rows)
	return nil
}

func (e *entities) dropTable() {
	e.table = nil
	e.release(tableBytes(e.rows))
}

func (e *entities) sketchBytes() int64 { return 4 << e.bits }

// makeSketch makes room for the counts that entities share.
func (e *entities) makeSketch() error {
	if err := e.draw(e.sketchBytes()); err != nil {
		return err
	}
	for row := range e.counts {
		e.counts[row] = make([]atomic.Uint32, 1<<e.bits/2)
	}
	return nil
}

// spread takes the sketch for the table.
func (e *entities) spread() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.table == nil { // another worker has
		return nil
	}
	if err := e.makeSketch(); err != nil {
		return err
	}
	e.table.each(e.sketch)
	e.dropTable()
	return nil
}

// hash returns the hash of a value, by its content.
func (e *entities) hash(values *formats.Values, i int) uint64 {
	if values.Type.Kind == formats.Float {
		return risk.Scatter(domain.CanonicalWord(values, i))
	}
	return risk.HashValue(values, i)
}

// place returns the place of the count of a hash in a row.
func (e *entities) place(row int, hash uint64) uint64 {
	return tagOf(hash) >> [...]uint{recordBits, 64 - mostPlaces}[row] & (1<<e.bits - 1)
}

// count returns the word of the count of a hash in a row, and the bits of it.
func (e *entities) count(row int, hash uint64) (word *atomic.Uint32, shift uint) {
	place := e.place(row, hash)
	return &e.counts[row][place/2], uint(place % 2 * 16)
}

// sketch counts so many more records.
func (e *entities) sketch(hash, records uint64) {
	for row := range e.counts {
		word, shift := e.count(row, hash)
		for {
			was := word.Load()
			sum := min(was>>shift&greatest+uint32(records), greatest)
			if word.CompareAndSwap(was, was&^(greatest<<shift)|sum<<shift) {
				break
			}
		}
	}
}

// add counts more records of an entity, for a caller that holds the lock for reading.
func (e *entities) add(hash, records uint64) error {
	for e.table != nil {
		if e.table.add(hash, records) {
			return nil
		}
		e.mu.RUnlock()
		err := e.spread()
		e.mu.RLock()
		if err != nil {
			return err
		}
	}
	e.sketch(hash, records)
	return nil
}

// known returns how many entities there are, 0 when these are more than are counted one by one.
func (e *entities) known() uint64 {
	if e.table == nil {
		return 0
	}
	return e.table.used.Load()
}

// records returns how many records the entity has at most.
func (e *entities) records(hash uint64) uint64 {
	if e.table != nil {
		return e.table.records(hash)
	}
	least := uint32(greatest)
	for row := range e.counts {
		word, shift := e.count(row, hash)
		least = min(least, word.Load()>>shift&greatest)
	}
	return uint64(least)
}

// weight returns what each record of an entity weighs. Entities of more than a few records weigh as those
// of the next larger number that is a few bits long: there are few weights.
func (e *entities) weight(hash uint64) uint32 { return e.weightOf(e.records(hash)) }

// weightOf returns what each record of an entity weighs that has so many.
func (e *entities) weightOf(n uint64) uint32 {
	const exact, digits = 12, 3
	if n == greatest {
		return 0
	}
	if n > exact {
		zeros := bits.Len64(n-1) - digits
		n = (n-1)>>zeros<<zeros + 1<<zeros
	}
	return uint32(unit / max(1, n))
}

// mayBeWeightless reports whether an entity may have so many records that they weigh nothing.
func (e *entities) mayBeWeightless() bool {
	if e.table != nil {
		most := uint64(0)
		e.table.each(func(_, records uint64) { most = max(most, records) })
		return e.weightOf(most) == 0
	}
	most := uint32(0)
	for place := range e.counts[0] {
		word := e.counts[0][place].Load()
		most = max(most, word&greatest, word>>16&greatest)
	}
	return e.weightOf(uint64(most)) == 0
}

// Null returns the weight of the records of the null.
func (e *entities) Null() uint32 { return e.weight(risk.Null) }

// Encode appends the weights of values.
func (e *entities) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, e.weight(e.hash(values, i)))
	}
	return codes, unit + 1, nil
}

// entityScanner counts the records of entities for one worker.
type entityScanner struct {
	*entities
	sampling
	of     *formats.Values
	hashes []uint64 // by code
}

func (s *entityScanner) EndSplit() error { return nil }

func (s *entityScanner) Batch(b *formats.Batch) error {
	b = s.taken(b)
	return s.Block(b, 0, b.Rows)
}

// Divides reports whether the list of values is short: every worker that takes a part hashes it.
func (s *entityScanner) Divides(b *formats.Batch) bool {
	return s.take == nil && b.Columns[0].Values.Len() <= b.Rows
}

func (s *entityScanner) Block(b *formats.Batch, from, to int) error {
	s.learn(b.Columns[0].Values)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, code := range b.Columns[0].Codes[from:to] {
		if err := s.add(s.hashes[code], uint64(b.Records(from+i, from+i+1))); err != nil {
			return err
		}
	}
	return nil
}

// learn hashes values.
func (s *entityScanner) learn(values *formats.Values) {
	if s.of != values {
		s.of, s.hashes = values, append(s.hashes[:0], risk.Null)
	}
	for i := len(s.hashes) - 1; i < values.Len(); i++ {
		s.hashes = append(s.hashes, s.hash(values, i))
	}
}

// weigh counts the records of every entity, if the request has these, before anything else is counted: it returns
// the request with them, and resources of which they have taken their part until they are released.
func weigh(ctx context.Context, r *Request, res *Resources) (_ *Request, _ *Resources, release func(), err error) {
	if r.Kinds == nil || !r.Kinds.Entities {
		return r, res, func() {}, nil
	}
	e := r.newEntities(res.Budget)
	if err := e.makeTable(); err != nil {
		return nil, nil, nil, err
	}
	release = func() { e.release(e.held) }
	rows := r.Dataset.Rows()
	scanners := make([]*entityScanner, r.Dataset.BlockScanners(res.Threads))
	for i := range scanners {
		scanners[i] = &entityScanner{entities: e, sampling: sampling{take: r.Take}}
	}
	if err := dataset.Scan(ctx, r.Dataset, r.ofEntities(), scanners, func(n int64) { res.Advanced(n, 2*rows) }); err != nil {
		release()
		return nil, nil, nil, err
	}
	if e.known() > mostEntities { // by some, which several workers have added at a time
		if err := e.spread(); err != nil {
			release()
			return nil, nil, nil, err
		}
	}
	left := *res
	left.Budget = res.Budget.Part(res.Budget.Left())
	left.Advanced = func(done, total int64) { res.Advanced(rows+done, rows+total) }
	return r.weighedBy(e), &left, release, nil
}

// ofEntities asks for the column that tells of whom records are.
func (r *Request) ofEntities() []formats.Request {
	return []formats.Request{{Column: r.Columns[len(r.Columns)-1].Field, Coded: true}}
}

// newEntities returns what counts the records of entities, of which nothing is made yet.
func (r *Request) newEntities(budget *spill.Budget) *entities {
	e := entitiesOf(uint64(r.Dataset.Rows()))
	e.budget = budget
	return e
}

// weighedBy returns the request with entities whose records have been counted.
func (r *Request) weighedBy(e *entities) *Request {
	weighed := *r
	weighed.entities = e
	if !e.mayBeWeightless() {
		weighed.Groupings = slices.DeleteFunc(slices.Clone(r.Groupings), func(g Grouping) bool { return g.Weightless })
	}
	return &weighed
}

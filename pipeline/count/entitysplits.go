package count

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// The records of entities may be counted split by split, too: a split's entities are a list, and where there may be many of
// them so are the places of the sketch. Those of all splits are summed up in parts of tags and places, by as many processes.

// lists are those of a split: the places of both rows of the sketch, and the tags.
const (
	tagList = 2
	lists   = 3
)

// entityPlaces are the tags of a split's records.
type entityPlaces struct {
	entityScanner
	tags   []uint64    // of every record
	places [2][]uint32 // by row, of every record, where there may be many entities
	held   *spill.Ledger
}

func (p *entityPlaces) Batch(b *formats.Batch) error { return p.Block(b, 0, b.Rows) }

func (p *entityPlaces) Block(b *formats.Batch, from, to int) error {
	p.learn(b.Columns[0].Values)
	for _, code := range b.Columns[0].Codes[from:to] {
		hash := p.hashes[code]
		p.tags = append(p.tags, tagOf(hash))
		if p.mayBeMany() {
			p.places[0] = append(p.places[0], uint32(p.place(0, hash)))
			p.places[1] = append(p.places[1], uint32(p.place(1, hash)))
		}
	}
	return p.held.Draw(8*int64(cap(p.tags)) + 4*int64(cap(p.places[0])+cap(p.places[1])))
}

// counts returns what a list has from first to end−1, in order, with its records. The list is sorted.
func (p *entityPlaces) counts(list int, first, end uint64) iter.Seq2[uint64, uint64] {
	if list == tagList {
		return runs(p.tags, first, end)
	}
	return runs(p.places[list], first, end)
}

// runs returns every value of a sorted list from first to end−1, and how often it is there.
func runs[T uint32 | uint64](sorted []T, first, end uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(value, records uint64) bool) {
		from, _ := slices.BinarySearch(sorted, T(first))
		for from < len(sorted) && uint64(sorted[from]) < end {
			to := from + 1
			for to < len(sorted) && sorted[to] == sorted[from] {
				to++
			}
			if !yield(uint64(sorted[from]), min(uint64(to-from), greatest)) {
				return
			}
			from = to
		}
	}
}

// CountEntities counts the records of every entity in some splits, and returns the counts as bytes in so many parts: of each number
// those of all splits go to MergeEntities. The bytes are the caller's.
func CountEntities(ctx context.Context, r *Request, res *Resources, splits []formats.Split, parts int) (encoded [][]byte, err error) {
	p := &entityPlaces{
		entityScanner: entityScanner{entities: r.newEntities(res.Budget)}, held: spill.NewLedger(res.Budget, "the records of entities in a split"),
	}
	defer p.held.Close()
	err = workers.Each(len(splits), 1, func(w workers.Worker, i int) error {
		return dataset.ScanSplit(ctx, r.Dataset, splits[i], r.ofEntities(), []*entityPlaces{p}, w, func(int) {})
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(p.tags)
	for _, places := range p.places {
		slices.Sort(places)
	}
	for part := range parts {
		b, err := p.encodePart(res.Budget, true, func(list int) iter.Seq2[uint64, uint64] {
			return p.counts(list, p.firstOf(list, part, parts), p.firstOf(list, part+1, parts))
		})
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, b)
	}
	return encoded, nil
}

// firstOf returns where one of so many parts of a list begins.
func (e *entities) firstOf(list, part, parts int) uint64 {
	if list < tagList {
		return uint64(part) << e.bits / uint64(parts)
	}
	if part == parts {
		return math.MaxUint64 // no tag: these end with bits that are 0
	}
	high, low := bits.Mul64(uint64(part), math.MaxUint64)
	first, _ := bits.Div64(high, low, uint64(parts))
	return first
}

// encodePart returns the counts of lists as bytes, those of tags when the table holds them.
func (e *entities) encodePart(budget *spill.Budget, tags bool, counts func(list int) iter.Seq2[uint64, uint64]) ([]byte, error) {
	return encode(entitiesForm, budget, func(w *checkpoint.Writer) {
		w.Uint(e.unit)
		w.Uint(uint64(e.bits))
		w.Bool(tags)
		for list := range lists {
			next := uint64(0)
			if list < tagList && e.mayBeMany() || list == tagList && tags {
				for value, records := range counts(list) {
					w.Uint(records)
					w.Uint(value - next)
					next = value + 1
				}
			}
			w.Uint(0)
		}
	})
}

// loadPart reads what encodePart has written, and calls add with every count. It reports whether there are those of tags.
func (e *entities) loadPart(r *checkpoint.Reader, add func(list int, value, records uint64) error) (tags bool, err error) {
	if r.Uint() != e.unit || r.Int() != e.bits {
		return false, cmp.Or(r.Err(), error(ErrDamaged))
	}
	tags = r.Bool()
	for list := range lists {
		next := uint64(0)
		for records := r.Uint(); records > 0; records = r.Uint() {
			value := next + r.Uint()
			if records > greatest || value < next || list < tagList && (value >= 1<<e.bits || !e.mayBeMany()) || list == tagList && (!tags || value != tagOf(value)) {
				return false, cmp.Or(r.Err(), error(ErrDamaged))
			}
			if err := add(list, value, records); err != nil {
				return false, err
			}
			next = value + 1
		}
	}
	return tags, r.Err()
}

// MergeEntities returns the sums of what splits have counted in one of so many parts, in any order.
func MergeEntities(r *Request, res *Resources, part, parts int, encoded iter.Seq2[[]byte, error]) ([]byte, error) {
	budget := res.Budget.Part(res.Budget.Limit())
	defer func() { budget.Return(budget.Used()) }()
	e := r.newEntities(budget)
	if err := e.makeTable(); err != nil {
		return nil, err
	}
	var first, end [lists]uint64
	var sums [2][]uint16
	for list := range lists {
		first[list], end[list] = e.firstOf(list, part, parts), e.firstOf(list, part+1, parts)
		if list < tagList && e.mayBeMany() {
			if err := budget.Draw("the records of entities", 2*int64(end[list]-first[list])); err != nil {
				return nil, err
			}
			sums[list] = make([]uint16, end[list]-first[list])
		}
	}
	few := true
	err := decodeAll(entitiesForm, encoded, func(r *checkpoint.Reader) error {
		tags, err := e.loadPart(r, func(list int, value, records uint64) error {
			switch {
			case value < first[list] || value >= end[list]:
				return ErrDamaged
			case list == tagList:
				few = e.table.add(value, records) && few
			default:
				sum := &sums[list][value-first[list]]
				*sum = uint16(min(uint64(*sum)+records, greatest))
			}
			return nil
		})
		few = few && tags
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.encodeSums(budget, few, first, sums)
}

// encodeSums returns the counts of lists as bytes: those of tags are the table's, when there are few.
func (e *entities) encodeSums(budget *spill.Budget, few bool, first [lists]uint64, sums [2][]uint16) ([]byte, error) {
	var tags []uint64
	if few {
		if err := budget.Draw("the records of entities", 8*int64(e.known())); err != nil {
			return nil, err
		}
		tags = e.table.sorted()
	}
	return e.encodePart(budget, few, func(list int) iter.Seq2[uint64, uint64] {
		return func(yield func(value, records uint64) bool) {
			if list == tagList {
				for _, held := range tags {
					if !yield(held&^greatest, held&greatest) {
						return
					}
				}
				return
			}
			for i, records := range sums[list] {
				if records > 0 && !yield(first[list]+uint64(i), uint64(records)) {
					return
				}
			}
		}
	})
}

// Weighed returns the request of an input of which the records of every entity have been counted, in parts. It returns
// how many bytes of the budget they take.
func (r *Request) Weighed(budget *spill.Budget, parts iter.Seq2[[]byte, error]) (_ *Request, held int64, err error) {
	e := r.newEntities(budget)
	if err = e.loadParts(parts); err != nil {
		e.release(e.held)
		return nil, 0, err
	}
	return r.weighedBy(e), e.held, nil
}

// loadParts reads the sums of all parts into the table, or when there are more entities than that holds the sketch.
func (e *entities) loadParts(parts iter.Seq2[[]byte, error]) error {
	if err := e.makeTable(); err != nil {
		return err
	}
	if e.mayBeMany() {
		if err := e.makeSketch(); err != nil {
			return err
		}
	}
	var records [lists]uint64
	few, full := true, false
	err := decodeAll(entitiesForm, parts, func(from *checkpoint.Reader) error {
		tags, err := e.loadPart(from, func(list int, value, n uint64) error {
			records[list] += n
			full = full || n == greatest
			if list == tagList {
				if few && e.table.records(value) > 0 {
					return ErrDamaged
				}
				few = e.table.add(value, n) && few
				return nil
			}
			word, shift := e.at(list, value)
			if word.Load()>>shift&greatest > 0 {
				return ErrDamaged
			}
			word.Add(uint32(n) << shift)
			return nil
		})
		few = few && tags
		return err
	})
	if err != nil {
		return err
	}
	for list, n := range records {
		if (list == tagList && few || list < tagList && e.mayBeMany()) && !full && n != e.rows {
			return fmt.Errorf("read the entities of %d rows of an input of %d: %w", n, e.rows, ErrDamaged)
		}
	}
	switch {
	case !few && !e.mayBeMany():
		return ErrDamaged
	case !few:
		e.dropTable()
	case e.mayBeMany():
		e.dropSketch()
	}
	return nil
}

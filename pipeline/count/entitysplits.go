package count

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// The records of entities may be counted split by split, too: the counts of a split are few of the places, and those
// of all splits are summed up in parts of the places, by as many processes.

// entityPlaces are the places where a split's records are counted.
type entityPlaces struct {
	entityScanner
	places [2][]uint32 // by row, of every record
	held   *spill.Ledger
}

func (p *entityPlaces) Batch(b *formats.Batch) error { return p.Block(b, 0, b.Rows) }

func (p *entityPlaces) Block(b *formats.Batch, from, to int) error {
	p.learn(b.Columns[0].Values)
	for row := range p.places {
		for _, code := range b.Columns[0].Codes[from:to] {
			p.places[row] = append(p.places[row], uint32(p.place(row, p.hashes[code])))
		}
	}
	return p.held.Draw(4 * int64(cap(p.places[0])+cap(p.places[1])))
}

// counts returns the places of a row from first to end−1 that have records, in order, with these. Places are sorted.
func (p *entityPlaces) counts(row int, first, end uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(place, records uint64) bool) {
		places := p.places[row]
		from, _ := slices.BinarySearch(places, uint32(first))
		for from < len(places) && uint64(places[from]) < end {
			place, to := places[from], from+1
			for to < len(places) && places[to] == place {
				to++
			}
			if !yield(uint64(place), min(uint64(to-from), greatest)) {
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
		entityScanner: entityScanner{entities: entitiesOf(uint64(r.Dataset.Rows()))}, held: spill.NewLedger(res.Budget, "the records of entities in a split"),
	}
	defer p.held.Close()
	err = workers.Each(len(splits), 1, func(w workers.Worker, i int) error {
		return dataset.ScanSplit(ctx, r.Dataset, splits[i], r.ofEntities(), []*entityPlaces{p}, w, func(int) {})
	})
	if err != nil {
		return nil, err
	}
	for _, places := range p.places {
		slices.Sort(places)
	}
	for part := range parts {
		b, err := p.encodePart(res.Budget, func(row int) iter.Seq2[uint64, uint64] {
			return p.counts(row, p.firstOf(part, parts), p.firstOf(part+1, parts))
		})
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, b)
	}
	return encoded, nil
}

// firstOf returns the first place of one of so many parts.
func (e *entities) firstOf(part, parts int) uint64 { return uint64(part) << e.bits / uint64(parts) }

// encodePart returns the counts of places, in order, of both rows as bytes.
func (e *entities) encodePart(budget *spill.Budget, counts func(row int) iter.Seq2[uint64, uint64]) ([]byte, error) {
	return encode(entitiesForm, budget, func(w *checkpoint.Writer) {
		w.Uint(e.unit)
		w.Uint(uint64(e.bits))
		for row := range e.counts {
			next := uint64(0)
			for place, records := range counts(row) {
				w.Uint(records)
				w.Uint(place - next)
				next = place + 1
			}
			w.Uint(0)
		}
	})
}

// loadPart reads what encodePart has written, and calls add with every count.
func (e *entities) loadPart(r *checkpoint.Reader, add func(row int, place, records uint64) error) error {
	if r.Uint() != e.unit || r.Int() != e.bits {
		return cmp.Or(r.Err(), error(ErrDamaged))
	}
	for row := range e.counts {
		next := uint64(0)
		for records := r.Uint(); records > 0; records = r.Uint() {
			place := next + r.Uint()
			if place >= 1<<e.bits || records > greatest {
				return cmp.Or(r.Err(), error(ErrDamaged))
			}
			if err := add(row, place, records); err != nil {
				return err
			}
			next = place + 1
		}
	}
	return r.Err()
}

// MergeEntities returns the sums of what splits have counted in one of so many parts, in any order.
func MergeEntities(r *Request, res *Resources, part, parts int, encoded iter.Seq2[[]byte, error]) ([]byte, error) {
	e := entitiesOf(uint64(r.Dataset.Rows()))
	first, end := e.firstOf(part, parts), e.firstOf(part+1, parts)
	budget := res.Budget.Part(res.Budget.Limit())
	defer func() { budget.Return(budget.Used()) }()
	if err := budget.Draw("the records of entities", 2*int64(len(e.counts))*int64(end-first)); err != nil {
		return nil, err
	}
	var sums [2][]uint16
	for row := range sums {
		sums[row] = make([]uint16, end-first)
	}
	err := decodeAll(entitiesForm, encoded, func(r *checkpoint.Reader) error {
		return e.loadPart(r, func(row int, place, records uint64) error {
			if place < first || place >= end {
				return ErrDamaged
			}
			sum := &sums[row][place-first]
			*sum = uint16(min(uint64(*sum)+records, greatest))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return e.encodePart(budget, func(row int) iter.Seq2[uint64, uint64] {
		return func(yield func(place, records uint64) bool) {
			for i, records := range sums[row] {
				if records > 0 && !yield(first+uint64(i), uint64(records)) {
					return
				}
			}
		}
	})
}

// Weighed returns the request of an input of which the records of every entity have been counted, in parts. It returns
// how many bytes of the budget they take.
func (r *Request) Weighed(budget *spill.Budget, parts iter.Seq2[[]byte, error]) (_ *Request, held int64, err error) {
	e, held, err := r.drawEntities(budget)
	if err != nil {
		return nil, 0, err
	}
	var records [2]uint64
	full := false
	err = decodeAll(entitiesForm, parts, func(from *checkpoint.Reader) error {
		return e.loadPart(from, func(row int, place, n uint64) error {
			word, shift := e.at(row, place)
			if word.Load()>>shift&greatest > 0 {
				return ErrDamaged
			}
			word.Add(uint32(n) << shift)
			records[row] += n
			full = full || n == greatest
			return nil
		})
	})
	if rows := uint64(r.Dataset.Rows()); err == nil && !full && records != [2]uint64{rows, rows} {
		err = fmt.Errorf("read the entities of %d rows of an input of %d: %w", records[0], rows, ErrDamaged)
	}
	if err != nil {
		budget.Return(held)
		return nil, 0, err
	}
	return r.weighedBy(e), held, nil
}

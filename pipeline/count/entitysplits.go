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
	budget *spill.Budget
}

// placeBytes is what a record takes among the places.
const placeBytes = 8

func (p *entityPlaces) Batch(b *formats.Batch) error { return p.Block(b, 0, b.Rows) }

func (p *entityPlaces) Block(b *formats.Batch, from, to int) error {
	if err := p.budget.Draw("the records of entities in a split", placeBytes*int64(to-from)); err != nil {
		return err
	}
	p.learn(b.Columns[0].Values)
	for _, code := range b.Columns[0].Codes[from:to] {
		for row := range p.places {
			p.places[row] = append(p.places[row], uint32(p.place(row, p.hashes[code])))
		}
	}
	return nil
}

// placeCount is how many records are counted at a place.
type placeCount struct{ place, records uint32 }

// CountEntities counts the records of every entity in some splits, and returns the counts as bytes in so many parts: of each number
// those of all splits go to MergeEntities. The bytes are the caller's.
func CountEntities(ctx context.Context, r *Request, res *Resources, splits []formats.Split, parts int) (encoded [][]byte, err error) {
	budget := res.Budget.Part(res.Budget.Limit())
	defer func() { budget.Return(budget.Used()) }()
	p := &entityPlaces{entityScanner: entityScanner{entities: entitiesOf(uint64(r.Dataset.Rows()))}, budget: budget}
	err = workers.Each(len(splits), 1, func(w workers.Worker, i int) error {
		return dataset.ScanSplit(ctx, r.Dataset, splits[i], r.ofEntities(), []*entityPlaces{p}, w, func(int) {})
	})
	if err != nil {
		return nil, err
	}
	var counts [2][]placeCount
	for row, places := range p.places {
		slices.Sort(places)
		for _, place := range places {
			if last := len(counts[row]) - 1; last >= 0 && counts[row][last].place == place {
				counts[row][last].records = min(counts[row][last].records+1, greatest)
			} else {
				counts[row] = append(counts[row], placeCount{place, 1})
			}
		}
	}
	for part := range parts {
		in := counts
		for row := range in {
			from, _ := slices.BinarySearchFunc(in[row], p.firstOf(part, parts), comparePlace)
			to, _ := slices.BinarySearchFunc(in[row], p.firstOf(part+1, parts), comparePlace)
			in[row] = in[row][from:to]
		}
		b, err := p.encodePart(in, budget)
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, b)
	}
	return encoded, nil
}

func comparePlace(c placeCount, place uint64) int { return cmp.Compare(uint64(c.place), place) }

// firstOf returns the first place of one of so many parts.
func (e *entities) firstOf(part, parts int) uint64 { return uint64(part) << e.bits / uint64(parts) }

// encodePart returns counts as bytes.
func (e *entities) encodePart(counts [2][]placeCount, budget *spill.Budget) ([]byte, error) {
	return encode(entitiesForm, budget, func(w *checkpoint.Writer) {
		w.Uint(e.unit)
		w.Uint(uint64(e.bits))
		for _, row := range counts {
			last := uint32(0)
			checkpoint.List(w, row, func(c placeCount) {
				w.Uint(uint64(c.place - last))
				w.Uint(uint64(c.records))
				last = c.place
			})
		}
	})
}

// loadPart reads what encodePart has written, and calls add with every count.
func (e *entities) loadPart(r *checkpoint.Reader, add func(row int, place, records uint64) error) error {
	if r.Uint() != e.unit || r.Int() != e.bits {
		return cmp.Or(r.Err(), error(ErrDamaged))
	}
	for row := range e.counts {
		place := uint64(0)
		for n := r.Int(); n > 0 && r.Err() == nil; n-- {
			place += r.Uint()
			records := r.Uint()
			if place >= 1<<e.bits || records > greatest {
				return cmp.Or(r.Err(), error(ErrDamaged))
			}
			if err := add(row, place, records); err != nil {
				return err
			}
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
	var counts [2][]placeCount
	for row, sums := range sums {
		for i, records := range sums {
			if records > 0 {
				counts[row] = append(counts[row], placeCount{uint32(first) + uint32(i), uint32(records)})
			}
		}
	}
	return e.encodePart(counts, budget)
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

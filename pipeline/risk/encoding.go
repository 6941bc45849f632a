package risk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// What processes that count parts of a table hand each other is bytes: the name of their form and a byte, the version, at the beginning,
// and a hash at the end (checkpoint.Encode). n… is a list behind the number of its elements; all numbers are uvarints.
//
//	counts:  rows | tally of every grouping… | guards | n sample of a column… | whether rows are sampled, sample of rows
//	sample:  leading zero bits | n (hash since the one before, rows, upper half of every value's hash…)…
//	guards:  tally of every guard…, or tally of entities | people of every guard…
//	people:  leading zero bits | n (class, entity)…
//	tallies: rows of the table | n (most hashes, tally)… of sums | n (most hashes, tally)…
//	tally:   leading zero bits | n (hash since the one before, rows)…
const (
	countsForm  = "kcut alike rows\x02"
	talliesForm = "kcut tallies\x03"
)

// Encode returns what was counted, and joined, as bytes: the same for the same rows.
func (c *Counts) Encode() ([]byte, error) {
	s := c.scanners[0]
	return checkpoint.Encode(countsForm, nil, func(w *checkpoint.Writer) {
		w.Uint(uint64(s.rows))
		if c.raw != nil {
			c.raw.save(w)
		}
		c.guards.save(w)
		s.dependencies.save(w)
	})
}

// Merge adds what Encode has returned of other rows, by the same request.
func (c *Counts) Merge(encoded []byte) error {
	s := c.scanners[0]
	return decode(encoded, countsForm, func(r *checkpoint.Reader) error {
		s.rows += int64(r.Int())
		if c.raw != nil {
			c.raw.load(r)
		}
		c.guards.load(r)
		other := newDependencies(s.Request, s.dependencies.budget, s.dependencies.bytes)
		other.load(r)
		s.dependencies.merge(other)
		return r.Err()
	})
}

// Tallies are what was counted of a table of so many rows, or of a part of it.
type Tallies struct {
	Sums   []*Sum // which are as exact in a large table as in a small one
	Others []*Sum
	Rows   int64
}

// DecodeTallies reads what Encode has returned.
func DecodeTallies(encoded []byte) (t *Tallies, err error) {
	t = &Tallies{}
	err = decode(encoded, talliesForm, func(r *checkpoint.Reader) error {
		t.Rows = int64(r.Int())
		list := func(rows int64) []*Sum {
			return checkpoint.ReadList(r, func() *Sum {
				s := NewPartSum(min(max(int(r.Uint()), fewest/2), UnionHashes), rows, spill.NewBudget(SumBytes))
				s.load(r)
				return s
			})
		}
		t.Sums, t.Others = list(0), list(t.Rows)
		return r.Err()
	})
	return t, err
}

// Encode returns them as bytes: the same for the same rows that were counted.
func (t *Tallies) Encode() ([]byte, error) {
	return checkpoint.Encode(talliesForm, nil, func(w *checkpoint.Writer) {
		w.Uint(uint64(t.Rows))
		for _, list := range [][]*Sum{t.Sums, t.Others} {
			checkpoint.List(w, list, func(s *Sum) {
				w.Uint(uint64(s.most))
				s.save(w)
			})
		}
	})
}

// Merge adds what was counted of other rows of the table, which is consumed, and reports whether it goes with it.
func (t *Tallies) Merge(o *Tallies) bool {
	if t.Rows != o.Rows || len(t.Sums) != len(o.Sums) || len(t.Others) != len(o.Others) {
		return false
	}
	for i, sum := range t.Sums {
		sum.merge(o.Sums[i])
	}
	for i, other := range t.Others {
		other.merge(o.Others[i])
	}
	return true
}

func decode(encoded []byte, form string, take func(*checkpoint.Reader) error) error {
	err := checkpoint.Decode(encoded, form, take)
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("read which rows are alike: %w", formats.ErrDamaged)
	}
	return err
}

// merge adds what another sum has counted.
func (s *Sum) merge(o *Sum) {
	if o.zeros() > s.zeros() {
		s.leaveOut(o.zeros())
	}
	for i := range o.shards {
		s.addAll(o.shards[i].slots.of)
	}
}

func (s *Sum) save(w *checkpoint.Writer) {
	var used []slot
	for i := range s.shards {
		for _, slot := range s.shards[i].slots.of {
			if slot.rows > 0 {
				used = append(used, slot)
			}
		}
	}
	slices.SortFunc(used, func(a, b slot) int { return cmp.Compare(a.hash, b.hash) })
	w.Uint(uint64(s.zeros()))
	before := uint64(0)
	checkpoint.List(w, used, func(s slot) {
		w.Uint(s.hash - before)
		w.Uint(s.rows)
		before = s.hash
	})
}

// load adds what another sum has saved.
func (s *Sum) load(r *checkpoint.Reader) {
	if zeros := uint(r.Int()); zeros > s.zeros() {
		s.leaveOut(zeros)
	}
	one := []slot{{}}
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		one[0].hash += r.Uint()
		one[0].rows = r.Uint()
		s.addAll(one)
	}
}

func (d *dependencies) save(w *checkpoint.Writer) {
	checkpoint.List(w, d.by, func(s *rowSample) { s.save(w) })
	if w.Bool(d.counts()); d.counts() {
		d.all.save(w)
	}
}

// load reads what others have saved, into dependencies that have seen nothing.
func (d *dependencies) load(r *checkpoint.Reader) {
	if !d.counts() { // what others had room for is read all the same
		d.all = newRowSample(-1, 0, len(d.columns))
	}
	n := r.Int()
	if n != 0 && n != len(d.columns) {
		r.Fail()
		return
	}
	if n > 0 {
		d.divide()
	}
	for _, s := range d.by {
		s.load(r)
	}
	if !r.Bool() {
		d.all = nil
		return
	}
	d.all.load(r)
}

// save writes the rows in the order of their hashes.
func (s *rowSample) save(w *checkpoint.Writer) {
	rows := positions(0, len(s.hashes))
	slices.SortFunc(rows, func(a, b int) int { return cmp.Compare(s.hashes[a], s.hashes[b]) })
	w.Uint(uint64(s.zeros))
	before := uint64(0)
	checkpoint.List(w, rows, func(row int) {
		w.Uint(s.hashes[row] - before)
		w.Uint(s.counts[row])
		for _, value := range s.row(row) {
			w.Uint(uint64(value))
		}
		before = s.hashes[row]
	})
}

// load reads what another sample has saved, into one that has nothing.
func (s *rowSample) load(r *checkpoint.Reader) {
	s.zeros = uint(min(r.Int(), noneChosen))
	hash := uint64(0)
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		hash += r.Uint()
		unset := s.add(hash, r.Uint())
		for c := range s.width {
			value := uint32(r.Uint())
			if unset != nil {
				unset[c] = value
			}
		}
	}
}

func (g *Groups) save(w *checkpoint.Writer) {
	if g.owners != nil {
		g.owners.save(w)
	}
	for _, sum := range g.rows {
		sum.save(w)
	}
	for _, people := range g.people {
		people.save(w)
	}
}

// load adds what others have saved.
func (g *Groups) load(r *checkpoint.Reader) {
	if g.owners != nil {
		g.owners.load(r)
	}
	for _, sum := range g.rows {
		sum.load(r)
	}
	for _, people := range g.people {
		people.load(r)
	}
}

// save writes pairs in their order. Which entities stand for enough depends on the order of rows:
// their numbers are written for them.
func (p *People) save(w *checkpoint.Writer) {
	w.Uint(uint64(p.zeros()))
	var all []slot
	for i := range p.shards {
		s := &p.shards[i]
		for _, pair := range s.pairs.of {
			if pair.rows > 0 && s.slots.find(pair.hash).rows < p.of {
				all = append(all, pair)
			}
		}
		for _, class := range s.slots.of {
			for entity := uint64(0); class.rows == p.of && entity < p.of; entity++ {
				all = append(all, slot{class.hash, 2*entity + 1})
			}
		}
	}
	slices.SortFunc(all, func(a, b slot) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.rows, b.rows)) })
	checkpoint.List(w, all, func(pair slot) {
		w.Uint(pair.hash)
		w.Uint(pair.rows)
	})
}

// load adds what others have saved.
func (p *People) load(r *checkpoint.Reader) {
	if zeros := uint(r.Int()); zeros > p.zeros() {
		p.leaveOut(zeros)
	}
	one := []slot{{}}
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		one[0] = slot{r.Uint(), r.Uint() | 1}
		p.addAll(one)
	}
}

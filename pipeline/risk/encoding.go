package risk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
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
		if s.raw != nil {
			s.raw.save(w)
		}
		s.saveGuards(w)
		s.dependencies.save(w)
	})
}

// Merge adds what Encode has returned of other rows, by the same request.
func (c *Counts) Merge(encoded []byte) error {
	s := c.scanners[0]
	return decode(encoded, countsForm, func(r *checkpoint.Reader) error {
		s.rows += int64(r.Int())
		if s.raw != nil {
			s.raw.load(r)
		}
		s.loadGuards(r)
		other := newDependencies(s.Request, s.dependencies.budget, s.dependencies.bytes)
		other.load(r)
		s.dependencies.merge(other)
		return r.Err()
	})
}

// Tallies are what was counted of a table of so many rows, or of a part of it.
type Tallies struct {
	Sums   []*Tally // which are as exact in a large table as in a small one
	Others []*Tally
	Rows   int64
}

// DecodeTallies reads what Encode has returned.
func DecodeTallies(encoded []byte) (t *Tallies, err error) {
	t = &Tallies{}
	err = decode(encoded, talliesForm, func(r *checkpoint.Reader) error {
		t.Rows = int64(r.Int())
		list := func(rows int64) []*Tally {
			return checkpoint.ReadList(r, func() *Tally {
				t := tallyOf(min(max(int(r.Uint()), fewest/2), UnionHashes), rows)
				t.load(r)
				return t
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
		for _, list := range [][]*Tally{t.Sums, t.Others} {
			checkpoint.List(w, list, func(t *Tally) {
				w.Uint(uint64(t.most))
				t.save(w)
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
		sum.Merge(o.Sums[i])
	}
	for i, other := range t.Others {
		other.Merge(o.Others[i])
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

func (t *Tally) save(w *checkpoint.Writer) {
	var used []slot
	for _, s := range t.of {
		if s.rows > 0 {
			used = append(used, s)
		}
	}
	slices.SortFunc(used, func(a, b slot) int {
		if a.hash < b.hash {
			return -1
		}
		return 1 // each is there once
	})
	w.Uint(uint64(t.zeros))
	before := uint64(0)
	checkpoint.List(w, used, func(s slot) {
		w.Uint(s.hash - before)
		w.Uint(s.rows)
		before = s.hash
	})
}

// load adds what another tally has saved.
func (t *Tally) load(r *checkpoint.Reader) {
	if zeros := uint(r.Int()); zeros > t.zeros {
		t.leaveOut(min(zeros, 64))
	}
	hash := uint64(0)
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		hash += r.Uint()
		if rows := r.Uint(); rows > 0 {
			t.add(hash, rows)
		}
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

func (s *Scanner) saveGuards(w *checkpoint.Writer) {
	if s.owners != nil {
		s.owners.save(w)
	}
	for _, g := range s.guards {
		if s.owners != nil {
			g.people.save(w)
			continue
		}
		g.tally.save(w)
	}
}

// loadGuards adds what others have saved.
func (s *Scanner) loadGuards(r *checkpoint.Reader) {
	if s.owners != nil {
		s.owners.load(r)
	}
	for _, g := range s.guards {
		if s.owners != nil {
			g.people.load(r)
			continue
		}
		g.tally.load(r)
	}
}

// save writes pairs in their order. Which entities stand for enough depends on the order of rows:
// their numbers are written for them.
func (p *crowd) save(w *checkpoint.Writer) {
	w.Uint(uint64(p.zeros))
	var pairs [][2]uint64
	for pair := range p.pairs {
		if p.of[pair[0]] < p.enough {
			pairs = append(pairs, pair)
		}
	}
	for class, n := range p.of {
		for i := 0; n == p.enough && i < n; i++ {
			pairs = append(pairs, [2]uint64{class, uint64(i)})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
	checkpoint.List(w, pairs, func(pair [2]uint64) {
		w.Uint(pair[0])
		w.Uint(pair[1])
	})
}

// load adds what others have saved.
func (p *crowd) load(r *checkpoint.Reader) {
	if zeros := uint(min(r.Int(), 64)); zeros > p.zeros {
		p.leaveOut(zeros)
	}
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		class, entity := r.Uint(), r.Uint()
		p.add(class, entity)
	}
}

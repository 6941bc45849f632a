package risk

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
)

// What processes that count parts of a table hand each other is bytes: the name of their form and a byte, the version, at the beginning,
// and a hash at the end (checkpoint.Encode). n… is a list behind the number of its elements; all numbers are uvarints.
//
//	counts:  rows | tally of every grouping… | n (kept column, of every masked one whether it tells that, n (hash, those that go with it…)…)…
//	tallies: rows of the table | n (most hashes, tally)… of sums | n (most hashes, tally)…
//	tally:   leading zero bits | n (hash since the one before, rows)…
const (
	countsForm  = "kcut alike rows\x01"
	talliesForm = "kcut tallies\x03"
)

// Encode returns what was counted, and joined, as bytes: the same for the same rows.
func (c *Counts) Encode() ([]byte, error) {
	s := c.scanners[0]
	return checkpoint.Encode(countsForm, nil, func(w *checkpoint.Writer) {
		w.Uint(uint64(s.rows))
		for _, t := range s.tallies {
			t.save(w)
		}
		s.dependencies.save(w)
	})
}

// Merge adds what Encode has returned of other rows, by the same request.
func (c *Counts) Merge(encoded []byte) error {
	s := c.scanners[0]
	return decode(encoded, countsForm, func(r *checkpoint.Reader) error {
		s.rows += int64(r.Int())
		for _, t := range s.tallies {
			t.load(r)
		}
		other := newDependencies(s.Request, s.dependencies.budget, s.dependencies.share)
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
		w.Uint(uint64(s.rows))
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
		if rows := uint32(r.Uint()); rows > 0 {
			t.add(hash, rows)
		}
	}
}

func (d *dependencies) save(w *checkpoint.Writer) {
	checkpoint.List(w, d.kept, func(k *determining) {
		w.Uint(uint64(k.column))
		for _, tells := range k.tells {
			w.Bool(tells != nil)
		}
		checkpoint.List(w, slices.Sorted(maps.Keys(k.values)), func(hash uint64) {
			w.Uint(hash)
			for _, tells := range k.tells {
				if tells != nil {
					w.Uint(tells[k.values[hash]])
				}
			}
		})
	})
}

// load reads what others have saved, into dependencies that have seen nothing.
func (d *dependencies) load(r *checkpoint.Reader) {
	var left []*determining
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		column := r.Int()
		at := slices.IndexFunc(d.kept, func(k *determining) bool { return k.column == column })
		if at < 0 {
			r.Fail()
			return
		}
		if k := d.kept[at]; d.loadColumn(k, r) {
			left = append(left, k)
		}
	}
	d.kept = left
}

// loadColumn reads a column, and reports whether there is room for its values.
func (d *dependencies) loadColumn(k *determining, r *checkpoint.Reader) bool {
	for m := range k.tells {
		if !r.Bool() {
			k.tells[m] = nil
		}
	}
	fits := true
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		row, ok := d.row(k, r.Uint())
		fits = fits && ok
		for _, tells := range k.tells {
			if tells == nil {
				continue
			}
			if hash := r.Uint(); ok {
				tells[row] = hash
			}
		}
	}
	return fits
}

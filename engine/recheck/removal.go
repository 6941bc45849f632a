package recheck

import (
	"context"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// removal removes the records of classes that must be taken away. Workers look for them in
// parallel; the records found are few, and one worker after the other notes them.
type removal struct {
	*suppression
	of []*outliers // the sets with such classes
	sync.Mutex
	classes [][]uint64 // scratch: classes of a record, by set
}

// removeNext removes the records of the classes that must be taken away, in every set.
func (s *suppression) removeNext(ctx context.Context) error {
	r := &removal{suppression: s}
	for i := range s.sets {
		o := &s.sets[i]
		if o.next.Len() > 0 {
			r.of = append(r.of, o)
		}
		r.classes = append(r.classes, make([]uint64, o.all.Layout.Words))
	}
	if len(r.of) == 0 {
		return nil
	}
	seekers := make([]seeker, max(1, s.space.Threads))
	err := s.tuples.ScanTogether(ctx, s.space, func(worker int, block *partition.Table) error {
		return seekers[worker].seek(r, block)
	})
	for _, o := range r.of {
		for number := range o.next.Len() {
			o.lost(o.next.Key(number)).taken = true
		}
		o.next = partition.NewIndex(o.all.Layout, 0)
	}
	return err
}

// seeker is the state of a worker that looks for records.
type seeker struct {
	keys   []uint64 // keys of the records' classes in a set
	are    []bool   // records that are in one of the wanted classes
	found  []foundTuple
	labels []uint32 // labels of the records found, one after the other
}

// foundTuple is a tuple whose records are removed.
type foundTuple struct {
	labels []uint32 // by field
	engine.KindCount
}

// seek looks for records to remove in a block.
func (k *seeker) seek(r *removal, block *partition.Table) error {
	k.look(r, block)
	k.found, k.labels = k.found[:0], k.labels[:0]
	fields, words := block.Layout.Fields, block.Layout.Words
	for i, is := range k.are {
		if !is {
			continue
		}
		key, from := block.Keys[i*words:], len(k.labels)
		for f, a := range r.columns {
			k.labels = append(k.labels, r.cut.Columns[a].Code[fields[f].Code(key)])
		}
		found := foundTuple{k.labels[from:], engine.KindCount{Records: block.Counts[i]}}
		if r.kinds() != nil {
			found.Kind = fields[len(fields)-1].Code(key)
		}
		k.found = append(k.found, found)
	}
	return r.removeAll(k.found)
}

// look marks the records of a block that are in one of the wanted classes.
func (k *seeker) look(r *removal, block *partition.Table) {
	n, words := block.Len(), block.Layout.Words
	k.are = slices.Grow(k.are[:0], n)[:n]
	clear(k.are)
	for _, o := range r.of {
		w := o.all.Layout.Words
		k.keys = slices.Grow(k.keys[:0], n*w)[:n*w]
		clear(k.keys)
		for j, to := range o.place {
			from, labels := block.Layout.Fields[o.fields[j]], r.cut.Columns[o.Columns[j]].Code
			for i, at := 0, from.Word; i < n; i, at = i+1, at+words {
				k.keys[i*w+to.Word] |= uint64(
					labels[block.Keys[at]>>(from.Shift&63)&from.Mask]) << to.Shift
			}
		}
		for i := range n {
			k.are[i] = k.are[i] || o.next.Find(k.keys[i*w:][:w]) >= 0
		}
	}
}

// removeAll removes the records of tuples, except those that were removed before.
func (r *removal) removeAll(tuples []foundTuple) error {
	r.Lock()
	defer r.Unlock()
	for _, t := range tuples {
		if r.isTaken(t.labels, r.classes) {
			continue
		}
		if r.Records += t.Records; r.Records > r.most {
			continue // goes on, to report their number
		}
		if err := r.remove(t); err != nil {
			return err
		}
	}
	return nil
}

// remove subtracts the records of a tuple from its classes, which isTaken has written.
func (r *removal) remove(t foundTuple) error {
	for f, a := range r.columns {
		r.Remaining[a][t.labels[f]] -= t.Records
	}
	if err := r.addKind(&r.marked, t.KindCount); err != nil {
		return err
	}
	for j := range r.sets {
		lost, err := r.note(&r.sets[j], r.classes[j])
		if err != nil {
			return err
		}
		lost.records, lost.isNew = lost.records+t.Records, true
		if err := r.addKind(&lost.of, t.KindCount); err != nil {
			return err
		}
	}
	return nil
}

// kindBytes is the memory of a kind of noted records.
const kindBytes = 48

// addKind adds records of a kind, if there are kinds.
func (s *suppression) addKind(to *kindCounts, of engine.KindCount) error {
	if s.kinds() == nil {
		return nil
	}
	if _, known := (*to)[of.Kind]; !known {
		if err := s.draw(kindBytes); err != nil {
			return err
		}
	}
	if *to == nil {
		*to = kindCounts{}
	}
	(*to)[of.Kind] += of.Records
	return nil
}

// isTaken reports whether records with these labels, by field, are in a class that is taken away.
// It writes their classes, by set.
func (s *suppression) isTaken(labels []uint32, classes [][]uint64) (is bool) {
	for i := range s.sets {
		is = s.sets[i].isTaken(s.sets[i].class(labels, classes[i])) || is
	}
	return is
}

package recheck

import (
	"context"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// removal removes the records of classes that are to be taken away. Workers look for these at the same time; those that
// they find are few, and noted by one worker after the other.
type removal struct {
	*suppression
	sets []int // in which there are such classes
	sync.Mutex
}

// removeNext removes the records of the classes that are to be taken away, of every set.
func (s *suppression) removeNext(ctx context.Context) error {
	r := &removal{suppression: s}
	for i := range s.sets {
		if s.sets[i].next.len() > 0 {
			r.sets = append(r.sets, i)
		}
	}
	if len(r.sets) == 0 {
		return nil
	}
	seekers := make([]seeker, max(1, s.space.Threads))
	err := s.tuples.ScanTogether(ctx, s.space, func(worker int, block *partition.Table) error {
		return seekers[worker].seek(r, block)
	})
	for _, i := range r.sets {
		s.sets[i].taken.addAll(&s.sets[i].next)
	}
	return err
}

// seeker is what a worker looks for records with.
type seeker struct {
	keys    []uint64 // of the records' classes of a set
	are     []bool   // records that are in one of the classes looked for
	found   []foundTuple
	labels  []uint32 // of those found, one after the other
	classes [][]byte // of a record, by set
}

// foundTuple is a tuple whose records are removed.
type foundTuple struct {
	labels []uint32 // by field
	engine.KindCount
}

// seek looks for records to be removed in a block.
func (k *seeker) seek(r *removal, block *partition.Table) error {
	k.look(r, block)
	k.found, k.labels = k.found[:0], k.labels[:0]
	words := block.Layout.Words
	for i, is := range k.are[:block.Len()] {
		if !is {
			continue
		}
		key, from := block.Keys[i*words:], len(k.labels)
		for f, a := range r.columns {
			k.labels = append(k.labels, r.cut.Columns[a].Code[block.Layout.Fields[f].Code(key)])
		}
		labels := k.labels[from:]
		if r.isTaken(labels) {
			k.labels = k.labels[:from]
			continue
		}
		found := foundTuple{labels, engine.KindCount{Records: block.Counts[i]}}
		if r.kinds() != nil {
			found.Kind = kindOf(block, key)
		}
		k.found = append(k.found, found)
	}
	return r.removeAll(k.found, k.classes)
}

// look marks the records of a block that are in one of the classes looked for.
func (k *seeker) look(r *removal, block *partition.Table) {
	n, words := block.Len(), block.Layout.Words
	if len(k.are) < n {
		k.are, k.classes = make([]bool, n), make([][]byte, len(r.suppression.sets))
	}
	clear(k.are)
	for _, i := range r.sets {
		o := &r.suppression.sets[i]
		w := o.next.layout.Words
		k.keys = slices.Grow(k.keys[:0], n*w)[:n*w]
		clear(k.keys)
		for j, to := range o.next.layout.Fields {
			from, labels := block.Layout.Fields[o.fields[j]], r.cut.Columns[o.Columns[j]].Code
			for i, at := 0, from.Word; i < n; i, at = i+1, at+words {
				k.keys[i*w+to.Word] |= uint64(labels[block.Keys[at]>>(from.Shift&63)&from.Mask]) << to.Shift
			}
		}
		for i := range n {
			k.are[i] = k.are[i] || o.next.hasKey(k.keys, i)
		}
	}
}

// removeAll removes the records of tuples. It has room for the labels of a class of every set.
func (r *removal) removeAll(tuples []foundTuple, room [][]byte) error {
	r.Lock()
	defer r.Unlock()
	for _, t := range tuples {
		if r.Records += t.Records; r.Records > r.most {
			continue // to be told how many
		}
		if err := r.remove(t, room); err != nil {
			return err
		}
	}
	return nil
}

// remove notes what classes lose with the records of a tuple.
func (r *removal) remove(t foundTuple, room [][]byte) (err error) {
	const what = "equivalence classes that lose records"
	for f, a := range r.columns {
		r.Remaining[a][t.labels[f]] -= t.Records
	}
	if r.kinds() != nil {
		if r.marked, err = r.addKind(what, r.marked, t.KindCount, countBytes, &r.noted); err != nil {
			return err
		}
	}
	for j := range r.suppression.sets {
		o := &r.suppression.sets[j]
		room[j] = o.class(t.labels, room[j][:0])
		lost := o.lost[string(room[j])]
		if lost == nil {
			if err := r.draw(what, room[j], &r.noted); err != nil {
				return err
			}
			lost = &loss{}
			o.lost[string(room[j])] = lost
		}
		lost.records, lost.isNew = lost.records+t.Records, true
		if r.kinds() != nil {
			if lost.of, err = r.addKind(what, lost.of, t.KindCount, countBytes, &r.noted); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTaken reports whether records with these labels, by field, are in a class that is taken away.
func (s *suppression) isTaken(labels []uint32) bool {
	for i := range s.sets {
		if o := &s.sets[i]; o.taken.has(labels, o.fields) {
			return true
		}
	}
	return false
}

// class appends the class of labels, by field.
func (o *outliers) class(labels []uint32, to []byte) []byte {
	for _, f := range o.fields {
		to = appendLabel(to, labels[f])
	}
	return to
}

// subtract appends what counts have more than others, which are among them; both are ordered by kind.
func subtract(to, counts, others []engine.KindCount) []engine.KindCount {
	for _, c := range counts {
		if len(others) > 0 && others[0].Kind == c.Kind {
			c.Records -= others[0].Records
			others = others[1:]
		}
		if c.Records > 0 {
			to = append(to, c)
		}
	}
	return to
}

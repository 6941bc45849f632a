package recheck

import (
	"context"
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
		if len(s.sets[i].next.classes) > 0 {
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
	hashes  []uint64 // of the records' classes of a set
	found   []bool   // records that may be among those looked for
	labels  []uint32 // of a record
	classes [][]byte // of a record, by set
}

// seek looks for records to be removed in a block.
func (k *seeker) seek(r *removal, block *partition.Table) error {
	n, words := block.Len(), block.Layout.Words
	if len(k.found) < n {
		*k = seeker{make([]uint64, n), make([]bool, n), make([]uint32, len(r.columns)), make([][]byte, len(r.suppression.sets))}
	}
	hashes, found := k.hashes[:n], k.found[:n]
	clear(found)
	for _, i := range r.sets {
		o := &r.suppression.sets[i]
		clear(hashes)
		for _, f := range o.fields {
			field, codes, of := block.Layout.Fields[f], r.cut.Columns[r.columns[f]].Code, r.hashes[r.columns[f]]
			for i, at := 0, field.Word; i < n; i, at = i+1, at+words {
				hashes[i] += of[codes[block.Keys[at]>>(field.Shift&63)&field.Mask]]
			}
		}
		for i, hash := range hashes {
			found[i] = found[i] || o.next.mayHave(hash)
		}
	}
	for i, is := range found {
		if !is {
			continue
		}
		key := block.Keys[i*words:]
		for f, a := range r.columns {
			k.labels[f] = r.cut.Columns[a].Code[block.Layout.Fields[f].Code(key)]
		}
		if r.isTaken(k.labels, k.classes) || !r.isNext(k.labels, k.classes) {
			continue
		}
		m := engine.KindCount{Records: uint64(block.Counts[i])}
		if r.kinds() != nil {
			m.Kind = kindOf(block, key)
		}
		if err := r.remove(k, m); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the records of a tuple, with the labels that a worker has of it.
func (r *removal) remove(k *seeker, m engine.KindCount) (err error) {
	const what = "equivalence classes that lose records"
	r.Lock()
	defer r.Unlock()
	if r.Records += m.Records; r.Records > r.most {
		return nil // to be told how many
	}
	for f, a := range r.columns {
		r.Remaining[a][k.labels[f]] -= m.Records
	}
	if r.kinds() != nil {
		if r.marked, err = r.addKind(what, r.marked, m, countBytes, &r.noted); err != nil {
			return err
		}
	}
	for j := range r.suppression.sets {
		o := &r.suppression.sets[j]
		class := o.class(k.labels, k.classes[j][:0])
		k.classes[j] = class
		lost, known := o.lost[string(class)]
		if !known {
			if err := r.draw(what, class, &r.noted); err != nil {
				return err
			}
		}
		lost.records += m.Records
		if r.kinds() != nil {
			if lost.of, err = r.addKind(what, lost.of, m, countBytes, &r.noted); err != nil {
				return err
			}
		}
		o.lost[string(class)] = lost
	}
	return nil
}

// isTaken reports whether records with these labels are in a class that is taken away. It has room for the labels
// of a class of every set.
func (s *suppression) isTaken(labels []uint32, room [][]byte) bool {
	for j := range s.sets {
		if o := &s.sets[j]; o.isIn(&o.taken, s.hashes, labels, &room[j]) {
			return true
		}
	}
	return false
}

// isNext is isTaken of the classes that are to be taken away.
func (r *removal) isNext(labels []uint32, room [][]byte) bool {
	for _, j := range r.sets {
		if o := &r.suppression.sets[j]; o.isIn(&o.next, r.hashes, labels, &room[j]) {
			return true
		}
	}
	return false
}

// isIn reports whether the class of labels, by field, is in a set of classes. It has room for its labels.
func (o *outliers) isIn(classes *classSet, hashes [][]uint64, labels []uint32, room *[]byte) bool {
	hash := uint64(0)
	for j, f := range o.fields {
		hash += hashes[o.Columns[j]][labels[f]]
	}
	if !classes.mayHave(hash) {
		return false
	}
	*room = o.class(labels, (*room)[:0])
	return classes.has(*room)
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

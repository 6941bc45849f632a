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

// hashBytes is what a hash of a label takes.
const hashBytes = 4

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
	if err := r.hashCodes(); err != nil {
		return err
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

// hashCodes hashes the labels of all codes of the fields that are looked at.
func (r *removal) hashCodes() error {
	if r.ofCodes == nil {
		r.ofCodes = make([][]uint32, len(r.columns))
	}
	for _, i := range r.sets {
		for _, f := range r.suppression.sets[i].fields {
			a := r.columns[f]
			if codes := r.cut.Columns[a].Code; r.ofCodes[f] == nil {
				if err := r.space.Draw("hashes of codes", hashBytes*int64(len(codes))); err != nil {
					return err
				}
				r.noted += hashBytes * int64(len(codes))
				r.ofCodes[f] = hashCodes(codes, r.hashes[a])
			}
		}
	}
	return nil
}

// seeker is what a worker looks for records with.
type seeker struct {
	hashes  []uint32 // of the records' classes of a set
	may     []bool   // records that may be among those looked for
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
	for i, may := range k.may[:block.Len()] {
		if !may {
			continue
		}
		key, from := block.Keys[i*words:], len(k.labels)
		for f, a := range r.columns {
			k.labels = append(k.labels, r.cut.Columns[a].Code[block.Layout.Fields[f].Code(key)])
		}
		labels := k.labels[from:]
		if r.isTaken(labels, k.classes) || !r.isNext(labels, k.classes) {
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

// look marks the records of a block that may be among those looked for, by the hashes of their classes.
func (k *seeker) look(r *removal, block *partition.Table) {
	n, words := block.Len(), block.Layout.Words
	if len(k.may) < n {
		*k = seeker{hashes: make([]uint32, n), may: make([]bool, n), classes: make([][]byte, len(r.suppression.sets))}
	}
	hashes, may := k.hashes[:n], k.may[:n]
	clear(may)
	for _, i := range r.sets {
		o := &r.suppression.sets[i]
		clear(hashes)
		for _, f := range o.fields {
			field, of, at := block.Layout.Fields[f], r.ofCodes[f], block.Layout.Fields[f].Word
			for i := range hashes {
				hashes[i] += of[block.Keys[at]>>(field.Shift&63)&field.Mask]
				at += words
			}
		}
		for i, hash := range hashes {
			may[i] = may[i] || o.next.mayHave(hash)
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
func (o *outliers) isIn(classes *classSet, hashes [][]uint32, labels []uint32, room *[]byte) bool {
	hash := uint32(0)
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

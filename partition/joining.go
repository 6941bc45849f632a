package partition

const (
	// joiningTrial is how many records are joined before the outcome is judged.
	joiningTrial = 1024
	// joiningPays is the share of records, in percent, that may be left for it to go on.
	joiningPays = 75
)

// joining merges those records of a part that differ only in fields in which nothing can
// be refined any more, as long as it pays. It sees one block at a time.
type joining struct {
	live, fixed []uint64 // by word: bits of fields that count, and what the others are set to
	off         bool
	seen, left  int // records before and after
}

// joined is the scratch of joining.
type joined struct {
	table Table
	slots []uint32
}

// newJoining returns the joining of the partition of a key, which can be refined in fields.
func newJoining(layout Layout, fields []active, key []uint64) joining {
	j := joining{live: make([]uint64, layout.Words), fixed: make([]uint64, layout.Words)}
	all := make([]uint64, layout.Words)
	for i, f := range layout.Fields {
		all[f.Word] |= f.Mask << f.Shift
		if position(fields, i) >= 0 {
			j.live[f.Word] |= f.Mask << f.Shift
		}
	}
	j.off = equal(all, j.live)
	for w := range key {
		j.fixed[w] = key[w] &^ j.live[w]
	}
	return j
}

// join returns where the records of a table are afterwards: there, or in the scratch's.
func (j *joining) join(t *Table, lo, hi int, to *joined) (*Table, int, int) {
	if j.off {
		return t, lo, hi
	}
	w := t.Layout.Words
	for i := lo * w; i < hi*w; i += w {
		for k := range w {
			t.Keys[i+k] = t.Keys[i+k]&j.live[k] | j.fixed[k]
		}
	}
	to.table.Layout = t.Layout
	to.table.truncate()
	to.slots = to.table.absorb(t, lo, hi, to.slots)
	j.seen, j.left = j.seen+hi-lo, j.left+to.table.Len()
	j.off = j.seen >= joiningTrial && j.left*100 > j.seen*joiningPays
	return &to.table, 0, to.table.Len()
}

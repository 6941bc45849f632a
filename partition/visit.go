package partition

import "unsafe"

// visit is what a refinement makes of a leaf partition.
type visit struct {
	partition int32
	parts     []part // by ascending child
	largest   int    // of these
}

func newVisit(partition int32, parts []part) visit {
	v := visit{partition: partition, parts: parts}
	for i, part := range parts {
		if part.size > parts[v.largest].size {
			v.largest = i
		}
	}
	return v
}

// part is a part of a partition, with what was counted of it if its records are in the table.
type part struct {
	leaf
	counts []counted
}

// counted is what a part has of the children of a field's value.
type counted struct {
	field int
	cells []cell
}

// visitor visits leaf partitions on one goroutine: it moves their records and counts those of
// the parts. Of what partitions have in common it only reads.
type visitor struct {
	division division
	tally    tally
	fields   []active
	visits   []visit
	parts    []part // of visits, and so on
	counts   []counted
	cells    []cell
}

const (
	// visitRecords is how many records are visited at once.
	visitRecords = 1 << 18
	// shareOfVisits is the part of a pool's share that the counts of visits may take.
	shareOfVisits = 8
	// roomPays is how many children it takes for records to be put in order elsewhere.
	roomPays = 5
)

// refineTable refines partitions in the table: first all are visited, then every one is
// replaced by its parts.
func (t *TIPS) refineTable(partitions []int32, field int, r *Refinement) {
	t.reserveVisitors(t.pool.threads)
	if len(partitions) == 1 {
		t.visitAlone(partitions[0], field, r)
	} else {
		t.visitEach(partitions, field, r)
	}
	for _, v := range t.visitors {
		for _, visit := range v.visits {
			if len(visit.parts) == 1 {
				t.follow(visit.partition, field, visit.parts[0].counts)
			} else {
				t.replace(visit, field)
			}
		}
	}
}

func (t *TIPS) reserveVisitors(n int) {
	for len(t.visitors) < n {
		t.visitors = append(t.visitors, &visitor{
			division: division{sharing: t.pool.sharing},
			tally:    tally{sums: make([][]uint64, len(t.columns))},
		})
	}
	for _, v := range t.visitors {
		v.visits, v.parts, v.counts, v.cells = v.visits[:0], v.parts[:0], v.counts[:0], v.cells[:0]
	}
}

// isShared reports whether threads share the records of a partition.
func (t *TIPS) isShared(p int32) bool {
	return t.leaves[p].pieces == nil && t.pool.sharing.of(t.leaves[p]) != nil
}

// visitedTogether returns how many of the next partitions are visited at once: a large one,
// which threads share, or small ones.
func (t *TIPS) visitedTogether(partitions []int32) (n, records int) {
	most := visitRecords
	if t.pool.budget != nil {
		most = min(most, int(t.pool.share/shareOfVisits)/(len(t.columns)*int(unsafe.Sizeof(cell{}))))
	}
	for n < len(partitions) && t.leaves[partitions[n]].pieces == nil {
		more := t.leaves[partitions[n]].records()
		if n > 0 && (records+more > most || t.isShared(partitions[n])) {
			break
		}
		n, records = n+1, records+more
	}
	return n, records
}

// visitEach has every thread visit some of the partitions.
func (t *TIPS) visitEach(partitions []int32, field int, r *Refinement) {
	shares := t.pool.sharing.cut(len(partitions), func(i int) int { return t.leaves[partitions[i]].records() })
	inParallel(len(shares), func(i int) {
		v := t.visitors[i]
		for _, p := range partitions[shares[i].lo:shares[i].hi] {
			made := v.divide(t, p, field, r)
			v.count(t, made, leaf{hi: len(made.parts)}, field)
			v.visits = append(v.visits, made)
		}
	})
}

// visitAlone has all threads visit a partition: they share it, then its parts.
func (t *TIPS) visitAlone(p int32, field int, r *Refinement) {
	first := t.visitors[0]
	first.division.room = t.roomFor(p, r)
	made := first.divide(t, p, field, r)
	first.division.room = nil
	first.visits = append(first.visits, made)
	shares := t.pool.sharing.cut(len(made.parts), func(i int) int { return made.parts[i].records() })
	inParallel(len(shares), func(i int) { t.visitors[i].count(t, made, shares[i], field) })
}

// roomFor returns the room in which threads divide a large partition among many children, if
// there is any.
func (t *TIPS) roomFor(p int32, r *Refinement) *Table {
	if r.Children < roomPays || !t.isShared(p) {
		return nil
	}
	return t.pool.roomFor(t.table.Layout, t.leaves[p].records())
}

// bytes returns the memory that visits take.
func (v *visitor) bytes() int64 {
	return int64(cap(v.visits))*int64(unsafe.Sizeof(visit{})) + int64(cap(v.parts))*int64(unsafe.Sizeof(part{})) +
		int64(cap(v.counts))*int64(unsafe.Sizeof(counted{})) + int64(cap(v.cells))*int64(unsafe.Sizeof(cell{}))
}

// divide divides a partition. What it knew of the field is outdated.
func (v *visitor) divide(t *TIPS, p int32, field int, r *Refinement) visit {
	parent, from := t.leaves[p], len(v.parts)
	for _, l := range v.division.divide(t.table, parent, t.table.Layout.Fields[field], r) {
		v.parts = append(v.parts, part{leaf: l})
	}
	t.outdate(parent.stats, field, r)
	return newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
}

// count counts what is not known of some parts of a visited partition.
func (v *visitor) count(t *TIPS, made visit, some leaf, field int) {
	known := t.leaves[made.partition].stats
	for i := some.lo; i < some.hi; i++ {
		part := &made.parts[i]
		v.fields = t.listActive(v.fields[:0], t.sample(part.leaf), false)
		switch {
		case len(made.parts) == 1:
			part.counts = v.countFields(t, part.leaf, only(v.fields, field), nil)
		case i == made.largest:
			part.counts = v.countFields(t, part.leaf, v.fields, known)
		case part.records() > 1 || known != nil:
			part.counts = v.countFields(t, part.leaf, v.fields, nil)
		}
	}
}

// only returns the part of a list of fields with a value that is the given one's.
func only(fields []active, field int) []active {
	if i := position(fields, field); i >= 0 && fields[i].value != None {
		return fields[i : i+1]
	}
	return nil
}

// countFields counts records by child, for every field that is not known.
func (v *visitor) countFields(t *TIPS, l leaf, fields []active, known stats) []counted {
	v.tally.add(t, l, fields, known)
	from := len(v.counts)
	for _, a := range v.tally.fields {
		at := len(v.cells)
		v.cells = v.tally.drain(t, l, a, v.cells)
		v.counts = append(v.counts, counted{field: a.field, cells: v.cells[at:len(v.cells):len(v.cells)]})
	}
	return v.counts[from:len(v.counts):len(v.counts)]
}

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
)

// refineTable refines partitions in the table: first all are visited, then every one is
// replaced by its parts.
func (t *TIPS) refineTable(partitions []int32, field int, r *Refinement) {
	shares := t.visitShares(partitions)
	t.reserveVisitors(len(shares))
	inParallel(len(shares), func(i int) { t.visitors[i].visit(t, shares[i], field, r) })
	for _, v := range t.visitors[:len(shares)] {
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
		t.visitors = append(t.visitors, newVisitor(len(t.columns), t.pool.sharing))
	}
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
		if n > 0 && (records+more > most || t.pool.sharing.of(leaf{hi: more}) != nil) {
			break
		}
		n, records = n+1, records+more
	}
	return n, records
}

// visitShares cuts partitions into a share of records for every thread.
func (t *TIPS) visitShares(partitions []int32) (shares [][]int32) {
	records := 0
	for _, p := range partitions {
		records += t.leaves[p].records()
	}
	cuts := max(1, len(t.pool.sharing.of(leaf{hi: records})))
	from, seen := 0, 0
	for i, p := range partitions {
		seen += t.leaves[p].records()
		if seen*cuts >= records*(len(shares)+1) {
			shares = append(shares, partitions[from:i+1])
			from = i + 1
		}
	}
	return shares
}

func newVisitor(columns int, s sharing) *visitor {
	return &visitor{division: division{sharing: s}, tally: tally{sums: make([][]uint64, columns)}}
}

// bytes returns the memory that visits take.
func (v *visitor) bytes() int64 {
	return int64(cap(v.visits))*int64(unsafe.Sizeof(visit{})) + int64(cap(v.parts))*int64(unsafe.Sizeof(part{})) +
		int64(cap(v.counts))*int64(unsafe.Sizeof(counted{})) + int64(cap(v.cells))*int64(unsafe.Sizeof(cell{}))
}

// visit visits partitions. What it made of others before is lost.
func (v *visitor) visit(t *TIPS, partitions []int32, field int, r *Refinement) {
	v.visits, v.parts, v.counts, v.cells = v.visits[:0], v.parts[:0], v.counts[:0], v.cells[:0]
	for _, p := range partitions {
		v.visits = append(v.visits, v.divide(t, p, field, r))
	}
}

// divide divides a partition, and counts what is not known of its parts.
func (v *visitor) divide(t *TIPS, p int32, field int, r *Refinement) visit {
	parent, from := t.leaves[p], len(v.parts)
	for _, l := range v.division.divide(t.table, parent, t.table.Layout.Fields[field], r) {
		v.parts = append(v.parts, part{leaf: l})
	}
	made := newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
	t.outdate(parent.stats, field, r)
	for i := range made.parts {
		part := &made.parts[i]
		v.fields = t.listActive(v.fields[:0], t.sample(part.leaf), false)
		switch {
		case len(made.parts) == 1:
			part.counts = v.count(t, part.leaf, only(v.fields, field), nil)
		case i == made.largest:
			part.counts = v.count(t, part.leaf, v.fields, parent.stats)
		case part.records() > 1 || parent.stats != nil:
			part.counts = v.count(t, part.leaf, v.fields, nil)
		}
	}
	return made
}

// only returns the part of a list of fields with a value that is the given one's.
func only(fields []active, field int) []active {
	if i := position(fields, field); i >= 0 && fields[i].value != None {
		return fields[i : i+1]
	}
	return nil
}

// count counts the records of a partition by child, for every field that is not known.
func (v *visitor) count(t *TIPS, l leaf, fields []active, known stats) []counted {
	v.tally.add(t, l, fields, known)
	from := len(v.counts)
	for _, a := range v.tally.fields {
		at := len(v.cells)
		v.cells = v.tally.drain(t, l, a, v.cells)
		v.counts = append(v.counts, counted{field: a.field, cells: v.cells[at:len(v.cells):len(v.cells)]})
	}
	return v.counts[from:len(v.counts):len(v.counts)]
}

package tips

import (
	"slices"
	"unsafe"

	"github.com/kcut/kcut/partition"
)

// visit is the refinement of a leaf partition.
type visit struct {
	partition int32
	parts     []part // by ascending child
	largest   int    // number of the largest part
	// the first part is the rest of a partition with an index, which has its counts
	isRest bool
}

func newVisit(partition int32, parts []part) visit {
	v := visit{partition: partition, parts: parts}
	for i, part := range parts {
		if part.Size > parts[v.largest].Size {
			v.largest = i
		}
	}
	return v
}

// part is a part of a partition, with its counts.
type part struct {
	leafPartition
	child     uint32 // child of a list's part
	isOutlier bool
	counts    []counted
}

// counted is the numbers of records in a part by child of a field's value.
type counted struct {
	field    int
	children []childCount
	merged   int // number of children after the last merge
}

// visitor visits leaf partitions: it moves their records, and counts those of the parts. It only
// reads the state that partitions share. It works alone, or several goroutines share its work.
type visitor struct {
	division    partition.Division
	counter     counter
	fields      []active
	parts       []part // memory of the parts of visits; the fields below likewise
	counts      []counted
	childCounts []childCount
	offsets     []int32

	batch  partition.Table // the records of the store that are being divided
	blocks []partBlock     // the blocks made from batches
	frames []byte          // their frames
}

const (
	// visitRecords is the number of records that are visited at once.
	visitRecords = 1 << 18
	// shareOfVisits is the divisor of a pool's share for the counts of visits.
	shareOfVisits = 8
	// sharedPart is the divisor of the number of records to visit above which goroutines share a
	// partition.
	sharedPart = 8
)

// refineAll refines partitions in the table: it visits all of them, then replaces every one by its
// parts, in the order of their numbers, whichever visit ended first.
func (t *TIPS) refineAll(partitions []int32, field int, r *partition.Refinement) {
	m, records := t.pool, 0
	m.reserveVisitors(len(partitions))
	for _, p := range partitions {
		t.prepare(p, field, r)
		records += t.partitions[p].Records()
	}
	if p := partitions[0]; len(partitions) == 1 && t.isShared(t.partitions[p], records) {
		m.made[0] = t.visitTogether(p, field, r)
	} else {
		m.parallel.Each(len(partitions), records, func(worker, i int) {
			v := m.visitors[worker]
			if len(partitions) == 1 {
				v = m.together
			}
			if t.partitions[partitions[i]].rest != nil {
				m.made[i] = v.part(t, partitions[i], field, r.First)
				return
			}
			m.made[i] = v.divide(t, partitions[i], field, r)
			for part := range m.made[i].parts {
				v.count(t, &m.made[i], part, field)
			}
		})
	}
	for _, made := range m.made {
		t.settle(made, field)
	}
}

// settle replaces the partition by the parts of a visit.
func (t *TIPS) settle(v visit, field int) {
	switch {
	case v.isRest:
		t.replaceRest(v, field)
	case len(v.parts) == 1:
		l := &t.partitions[v.partition]
		l.Rows, l.lists = v.parts[0].Rows, v.parts[0].lists
		t.follow(v.partition, field, v.parts[0].counts)
	default:
		t.replace(v, field)
	}
}

// reserveVisitors makes the visitors, or clears their last visits, for n partitions.
func (m *Pool) reserveVisitors(n int) {
	if m.together == nil {
		m.together = &visitor{
			counter:  counter{parallel: m.parallel},
			division: partition.Division{Parallel: m.parallel},
		}
		for range m.parallel.Threads {
			m.visitors = append(m.visitors, &visitor{})
		}
	}
	for _, v := range append(m.visitors, m.together) {
		v.parts, v.counts, v.childCounts = v.parts[:0], v.counts[:0], v.childCounts[:0]
	}
	m.made = slices.Grow(m.made[:0], n)[:n]
}

// holds returns the memory of visits and lists.
func (m *Pool) holds() int64 {
	n := int64(m.Lists())*partition.ChunkListBytes +
		int64(cap(m.made))*int64(unsafe.Sizeof(visit{}))
	if m.together != nil {
		for _, v := range append(m.visitors, m.together) {
			n += int64(cap(v.offsets))*4 + int64(cap(v.parts))*int64(unsafe.Sizeof(part{})) +
				int64(cap(v.counts))*int64(unsafe.Sizeof(counted{})) +
				int64(cap(v.childCounts))*int64(unsafe.Sizeof(childCount{}))
		}
	}
	for _, i := range m.inspectors {
		n += i.bytes()
	}
	return n
}

// spareVisitors releases the memory of visits while none is in progress. It reports whether there
// was any.
func (m *Pool) spareVisitors() bool {
	if m.together == nil && m.inspectors == nil {
		return false
	}
	m.together, m.visitors, m.inspectors, m.made = nil, nil, nil, nil
	return true
}

// isShared reports whether goroutines share a partition in the table when records records are to be
// visited. They never share one from which a value is parted by an index.
func (t *TIPS) isShared(l leafPartition, records int) bool {
	return l.lists == nil && l.rest == nil &&
		l.Records() >= min(records, visitRecords)/sharedPart && t.pool.parallel.Pays(l.Rows)
}

// visitTogether visits a partition on all goroutines: they share its records, then those of every
// part that is large enough, and each counts some of the small parts.
func (t *TIPS) visitTogether(p int32, field int, r *partition.Refinement) visit {
	all := t.pool.together
	made := all.divide(t, p, field, r)
	var small []int
	records := 0
	for i, part := range made.parts {
		if t.pool.parallel.Pays(part.Rows) {
			all.count(t, &made, i, field)
		} else {
			small, records = append(small, i), records+part.Records()
		}
	}
	t.pool.parallel.Each(len(small), records, func(worker, i int) {
		t.pool.visitors[worker].count(t, &made, small[i], field)
	})
	return made
}

// divide divides a partition. It drops the outdated sums of the field.
func (v *visitor) divide(t *TIPS, p int32, field int, r *partition.Refinement) visit {
	parent, from := t.partitions[p], len(v.parts)
	for _, l := range v.division.Divide(t.table, parent.Rows, t.table.Layout.Fields[field], r) {
		v.parts = append(v.parts, part{leafPartition: leafPartition{Rows: l}})
	}
	t.outdate(parent.stats, field, r)
	return newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
}

// count counts the fields of a part of a visited partition whose sums are not known.
func (v *visitor) count(t *TIPS, made *visit, i, field int) {
	known, part := t.partitions[made.partition].stats, &made.parts[i]
	v.fields = t.listCounted(v.fields[:0], t.sample(part.leafPartition))
	switch {
	case len(made.parts) == 1:
		part.counts = v.countFields(t, t.table, part.Rows, only(v.fields, field), nil)
	case i == made.largest:
		part.counts = v.countFields(t, t.table, part.Rows, v.fields, known)
	case part.Records() > 1 || known != nil:
		part.counts = v.countFields(t, t.table, part.Rows, v.fields, nil)
	}
}

// only returns the list of one field, if it is in a list.
func only(fields []active, field int) []active {
	if i := position(fields, field); i >= 0 && fields[i].value != None {
		return fields[i : i+1]
	}
	return nil
}

// countFields counts records of a table by child, for every field without known sums.
func (v *visitor) countFields(t *TIPS, table *partition.Table, rows partition.Rows, fields []active,
	known stats) []counted {
	v.counter.add(t, table, rows, fields, known)
	from := len(v.counts)
	for _, a := range v.counter.fields {
		at := len(v.childCounts)
		v.childCounts = v.counter.drain(table, rows, a, t.column(a.field).Child, v.childCounts)
		v.counts = append(v.counts, counted{
			field:    a.field,
			children: v.childCounts[at:len(v.childCounts):len(v.childCounts)],
		})
	}
	return v.counts[from:len(v.counts):len(v.counts)]
}

package tips

import (
	"github.com/kcut/kcut/partition"
)

// outlierCounts are the outliers of a set: records in parts of fewer than k. A part of outliers is
// divided no further, since none of what it would be divided into could be anything else.
type outlierCounts struct {
	records uint64
	byCode  [][]uint64 // of records, by field and code
	values  byValue[outlierCount]
	emptied []int32         // values that have none left, since the last Emptied
	sums    [][]uint64      // scratch of wholeCells, by field and child: all zero between two uses
	chunk   partition.Table // scratch of countOutliers
}

// outlierCount is what is known of a value.
type outlierCount struct {
	more uint64 // what parts of fewer than k that refining it would make have
	left uint64 // records that are no outliers
}

// newOutlierCounts returns the counts of no outliers of some columns of a view.
func newOutlierCounts(view *View, columns []int) *outlierCounts {
	o := &outlierCounts{}
	for _, c := range columns {
		o.byCode = append(o.byCode, make([]uint64, len(view.Columns[c].Value)))
	}
	return o
}

// bytes returns the memory that the counts take.
func (o *outlierCounts) bytes() int64 {
	return o.values.bytes() + int64(cap(o.emptied))*4 + stats(o.byCode).bytes() + stats(o.sums).bytes() + o.chunk.Bytes()
}

// Outliers returns how many records are in parts of fewer than k.
func (v *VIT) Outliers() uint64 {
	if v.outliers == nil {
		return 0
	}
	return v.outliers.records
}

// Emptied appends the values that have no records but outliers, if they are alive, and kills them: those that came to
// that since the last call.
func (t *TIPS) Emptied(to []int32) []int32 {
	if t.outliers == nil {
		return to
	}
	for _, value := range t.outliers.emptied {
		if !t.view.Dead(value) {
			t.view.Kill(value)
			to = append(to, value)
		}
	}
	t.outliers.emptied = t.outliers.emptied[:0]
	return to
}

// enter counts the records of the values that codes lo ≤ code < hi of a field have now that are no outliers.
func (t *TIPS) enter(field int, lo, hi uint32) {
	column, o := &t.view.Columns[t.columns[field]], t.outliers
	for code := lo; code < hi; code++ {
		if value := column.Value[code]; value != None {
			o.values.at(value).left += column.Records[code] - o.byCode[field][code]
		}
	}
	for code := lo; code < hi; code++ {
		if value := column.Value[code]; value != None && o.values.get(value).left == 0 {
			o.emptied = append(o.emptied, value)
		}
	}
}

// MoreOutliers returns how many records refining a value would add to Outliers: with a protection, how many at
// least, and all when the value was inspected.
func (t *TIPS) MoreOutliers(value int32) (records uint64) {
	if t.outliers == nil {
		return 0
	}
	if records = t.outliers.values.get(value).more; t.Protection != nil {
		records = (records + t.Unit - 1) / t.Unit
		found := t.found.get(value)
		if records = max(records, found.own); found.after > t.outliers.records {
			records = max(records, found.after-t.outliers.records)
		}
	}
	return records
}

// outliersOf returns how many records are in the parts of a partition that have fewer than k.
func (v *VIT) outliersOf(parts []childCount) (records uint64) {
	for _, part := range parts {
		if part.size < v.k {
			records += part.size
		}
	}
	return records
}

// addOutliers adds to the records that refining a value would make outliers, or, of a number
// below 0 in two's complement, takes away.
func (v *VIT) addOutliers(value int32, records uint64) {
	if records != 0 {
		v.outliers.values.at(value).more += records
		v.change(value)
	}
}

// divideOutliers takes back what refining values would have made outliers of a partition that is
// divided now, on a field, and counts the parts that are outliers. What refining values would make of
// the other parts is added when they are updated.
func (t *TIPS) divideOutliers(v *visit, field int) {
	parent := t.partitions[v.partition]
	t.outliers.records += t.findOutliers(v, field)
	for _, part := range v.parts {
		if part.isOutlier {
			t.countOutliers(part.leafPartition)
			t.anonymity = 0 // k, in effect
		}
	}
	// Of a suppressed column the first part has what is not disclosed, and so all its values.
	for _, a := range t.listActive(nil, t.sample(v.parts[0].leafPartition), false) {
		isSuppressed := a.value == None
		if a.field == field && !isSuppressed {
			continue
		}
		cells := t.wholeCells(v, a)
		if !isSuppressed {
			if len(cells) > 1 {
				t.addOutliers(a.value, -t.outliersOf(cells))
			}
			continue
		}
		values := t.view.Columns[t.columns[a.field]].Value
		for _, c := range cells {
			if value := values[c.child]; c.size < parent.Size && value != None && !t.view.Dead(value) {
				t.addOutliers(value, -t.outliersOf([]childCount{c, {size: parent.Size - c.size}}))
			}
		}
	}
}

// countOutliers counts the codes of a partition of outliers.
func (t *TIPS) countOutliers(l leafPartition) {
	if l.lists == nil {
		t.addRecords(t.table, l.Rows)
		return
	}
	chunk := &t.outliers.chunk
	t.read(l.lists, chunk, func() { t.addRecords(chunk, chunk.Rows(0, chunk.Len())) })
}

// addRecords counts the codes of records of a table.
func (t *TIPS) addRecords(from *partition.Table, rows partition.Rows) {
	o, fields := t.outliers, from.Layout.Fields
	for i := rows.Lo; i < rows.Hi; i++ {
		key, n, records := from.Keys[i*from.Layout.Words:], from.Counts[i], uint64(0)
		if t.Protection != nil {
			records = t.recordsOf(int(fields[len(fields)-1].Code(key)), n)
		}
		for field, f := range fields[:len(o.byCode)] {
			code := f.Code(key)
			o.byCode[field][code] += n
			if value := t.view.Columns[t.columns[field]].Value[code]; value != None {
				left := &o.values.at(value).left
				if *left -= n; *left == 0 {
					o.emptied = append(o.emptied, value)
				}
				t.noteOutlier(value, records)
			}
		}
	}
}

// wholeCells returns the children of a field's value that a partition has, from what is known of it,
// or of its parts.
func (t *TIPS) wholeCells(v *visit, a active) (cells []childCount) {
	if known := t.partitions[v.partition].stats.of(a.field); known != nil {
		return list(nil, known)
	}
	for len(t.outliers.sums) <= a.field {
		t.outliers.sums = append(t.outliers.sums, nil)
	}
	if n := a.children - len(t.outliers.sums[a.field]); n > 0 {
		t.outliers.sums[a.field] = append(t.outliers.sums[a.field], make([]uint64, n)...)
	}
	sums := t.outliers.sums[a.field]
	for i := range v.parts {
		part := &v.parts[i]
		if part.counts == nil { // of one record, or with nothing to be refined
			code := t.table.Layout.Fields[a.field].Code(t.sample(part.leafPartition))
			cells = count(cells, sums, t.column(a.field).Child[code], part.Size)
			continue
		}
		for _, counted := range part.counts {
			if counted.field == a.field {
				for _, c := range counted.children {
					cells = count(cells, sums, c.child, c.size)
				}
			}
		}
	}
	for i := range cells {
		cells[i].size, sums[cells[i].child] = sums[cells[i].child], 0
	}
	return cells
}

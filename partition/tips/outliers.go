package tips

import (
	"github.com/kcut/kcut/partition"
)

// outlierCounts are the outliers of a set: records in parts of fewer than k. A part of outliers is
// not divided further, since all its parts would be outliers, too.
type outlierCounts struct {
	records uint64
	byCode  [][]uint64 // by field and code: number of records
	values  byValue[outlierCount]
	emptied []int32         // values that have no other records, since the last Emptied
	sums    [][]uint64      // scratch of wholeCells, by field and child: all zero between two uses
	chunk   partition.Table // scratch of countOutliers
}

// outlierCount is the counts of a value.
type outlierCount struct {
	more uint64 // number of records in the parts of fewer than k that refining it would make
	left uint64 // number of records that are no outliers
}

// newOutlierCounts returns the counts for some columns of a view, without outliers.
func newOutlierCounts(view *View, columns []int) *outlierCounts {
	o := &outlierCounts{}
	for _, c := range columns {
		o.byCode = append(o.byCode, make([]uint64, len(view.Columns[c].Value)))
	}
	return o
}

// bytes returns the memory of the counts.
func (o *outlierCounts) bytes() int64 {
	return o.values.bytes() + int64(cap(o.emptied))*4 + stats(o.byCode).bytes() +
		stats(o.sums).bytes() + o.chunk.Bytes()
}

// Outliers returns the number of records in parts of fewer than k.
func (v *VIT) Outliers() uint64 {
	if v.outliers == nil {
		return 0
	}
	return v.outliers.records
}

// Emptied appends the values that have only outliers, if they are alive, and kills them: those that
// lost their last other record since the last call.
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

// enter counts the records that are no outliers for the new values of the codes lo ≤ code < hi of a
// field.
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

// MoreOutliers returns the number of records that refining a value would add to Outliers: with a
// protection it is a lower bound, and exact if the value was inspected.
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

// outliersOf returns the number of records in those parts of a partition that have fewer than k.
func (v *VIT) outliersOf(parts []childCount) (records uint64) {
	for _, part := range parts {
		if part.size < v.k {
			records += part.size
		}
	}
	return records
}

// addOutliers adds to the number of records that refining a value would make outliers, or subtracts
// from it if records is negative in two's complement.
func (v *VIT) addOutliers(value int32, records uint64) {
	if records != 0 {
		v.outliers.values.at(value).more += records
		v.change(value)
	}
}

// divideOutliers removes, from the outliers that refining values would make, those of a partition
// that is now divided by a field, and counts the parts that are outliers. The values' outliers in
// the other parts are added when these are updated.
func (t *TIPS) divideOutliers(v *visit, field int) {
	parent := t.partitions[v.partition]
	t.outliers.records += t.findOutliers(v, field)
	for _, part := range v.parts {
		if part.isOutlier {
			t.countOutliers(part.leafPartition)
			t.anonymity = 0 // A(QID) is k
		}
	}
	// In a suppressed column the first part has the undisclosed records, and so all its values.
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
			if value := values[c.child]; c.size < parent.Size && value != None &&
				!t.view.Dead(value) {
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

// wholeCells returns the children of a field's value in a partition, from its sums, or from the
// counts of its parts.
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
		if part.counts == nil { // it has one record, or nothing that can be refined
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

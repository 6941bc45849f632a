package tips

import "github.com/kcut/kcut/partition"

// split is a subpartition that is divided: by the refinement that is performed and by as many of
// those that the view predicts as make subpartitions of some size. What these would part later
// need not be read again then.
type split struct {
	of    int32 // leaf partition
	whole *subpartition
	reach []codeRange // by field: the codes that the records may have
	cells []*grid     // by field: what the parts are counted by
	cuts  []cut
	subs  []*subpartition // by part; nil for a part without records
	known int64           // bytes that will be known of the subpartitions, at most
}

// cut divides the records by one field.
type cut struct {
	partition.Field
	field  int
	parts  *grid
	first  uint32 // the part of the field that is the subpartition's first
	stride uint32 // between neighbours, among the parts of the subpartition
}

// lists reports whether a field has so many cells that those with records are listed.
func (w *split) lists(field int) bool {
	return listedCells*w.cells[field].size(w.reach[field])*len(w.subs) > w.whole.Records
}

// listedCells is how many records there must be to a cell, in all parts, for all cells to be
// counted.
const listedCells = 4

// within returns the codes that records of the part of a key may have in a field.
func (w *split) within(field int, key []uint64) codeRange {
	for i := range w.cuts {
		if c := &w.cuts[i]; c.field == field {
			part := c.parts.cell[c.Code(key)]
			return w.reach[field].and(codeRange{c.parts.starts[part], c.parts.starts[part+1]})
		}
	}
	return w.reach[field]
}

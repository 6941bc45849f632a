package engine

import (
	"encoding/binary"
	"math"
)

// Regions is the Recoding of multidimensional recoding: the records of a region have the same
// labels, and the region of a record may depend on all its codes.
//
// The records of a tuple may be in several regions, and some may be dropped. The records of a tuple
// with the same class are a cell. Most cells are in one region, and the order of their records does
// not matter. A divided cell has the number of its records for each region, in the order of the
// input.
type Regions struct {
	// Columns have all released values by attribute, a wider label before those within it. Some
	// region has each of them. There are no Code lists: labels depend on all codes.
	Columns

	// Released holds the label numbers of all regions, region after region, one for each attribute.
	// Their order counts: a record that the search did not see may be released with the labels of
	// the first region that covers it.
	Released []uint32

	Sizes []uint64 // by region: number of released records

	// Weights are the weights of all regions, if k counts entities; Unit is the weight of a whole
	// one.
	Weights []uint64
	Unit    uint64

	// Locator finds the region of every tuple, whatever its class. It decides for records that the
	// search did not see.
	Locator Locator

	// Sampled finds the region of every cell, by its codes followed by its class, if there is one.
	// It is nil when the Locator suffices.
	Sampled Locator

	// Reassigned are the cells that are not where the locators say, by ascending codes, then class.
	Reassigned []ReassignedCell

	// records that are released with only the widest labels, because they were too few
	Suppressed     uint64
	DroppedRecords uint64 // records that are not released

	reassigned *cellIndex // nil: there are no reassigned cells
}

// Locator finds regions by codes. It is safe for concurrent use.
type Locator interface {
	// Locate writes the regions of n tuples, or Dropped: codes[a][i] for attribute a and tuple i.
	// The class may follow the attributes' codes.
	Locate(n int, codes [][]uint32, regions []int32)
}

// Dropped is the region of records that are not released. DroppedLabel is the label number of their
// first attribute.
const (
	Dropped      int32  = -1
	Undivided    int32  = -1 // the cell of a row that is in no divided cell
	DroppedLabel uint32 = 1<<32 - 1
)

// Index prepares the recoding of reassigned cells. It is called once, after all fields are set.
func (r *Regions) Index() {
	if len(r.Reassigned) > 0 {
		r.reassigned = newCellIndex(r.Reassigned)
	}
}

// Unsearched returns the recoding of records that the search did not see.
func (r *Regions) Unsearched() Recoding {
	others := *r
	others.Sampled, others.Reassigned, others.reassigned = nil, nil, nil
	return &others
}

// The memory of a region and of a label in addition to their numbers and texts, with a region's
// entry in a locator; and the memory of a reassigned cell, with its entry in the index.
const (
	regionBytes = 72
	labelBytes  = 96
	cellBytes   = 160
)

// Bytes returns the approximate memory of the regions.
func (r *Regions) Bytes() int64 {
	bytes := 4*int64(len(r.Released)) + 8*int64(len(r.Weights)) + regionBytes*int64(r.Len())
	for _, c := range r.Columns {
		for _, l := range c.Labels {
			bytes += labelBytes + 2*int64(len(l.Text))
		}
	}
	for _, locator := range []Locator{r.Locator, r.Sampled} {
		if l, ok := locator.(interface{ Bytes() int64 }); ok {
			bytes += l.Bytes()
		}
	}
	for _, cell := range r.Reassigned {
		bytes += cellBytes + 8*int64(len(cell.Codes)) + 16*int64(len(cell.Parts))
	}
	return bytes
}

// Len returns the number of regions.
func (r *Regions) Len() int { return len(r.Released) / len(r.Columns) }

// Region returns the label numbers of a region, by attribute.
func (r *Regions) Region(region int32) []uint32 {
	return r.Released[int(region)*len(r.Columns):][:len(r.Columns)]
}

// JoinLabels joins the equal labels of an attribute. Regions that then have the same labels stay
// separate.
func (r *Regions) JoinLabels(attribute int) {
	column, numbers := &r.Columns[attribute], make([]uint32, len(r.Columns[attribute].Labels))
	joined, known := ColumnCut{}, make(map[Label]uint32)
	for label, is := range column.Labels {
		n, ok := known[is]
		if !ok {
			n = uint32(len(joined.Labels))
			known[is], joined.Labels = n, append(joined.Labels, is)
			if label < len(column.Intervals) {
				joined.Intervals = append(joined.Intervals, column.Intervals[label])
			}
		}
		numbers[label] = n
	}
	for at := attribute; at < len(r.Released); at += len(r.Columns) {
		r.Released[at] = numbers[r.Released[at]]
	}
	*column = joined
}

// Codes returns nil: labels depend on all codes.
func (r *Regions) Codes(int) []uint32 { return nil }

// Anonymity adds up the regions with equal labels in a set's attributes.
func (r *Regions) Anonymity(requirement Requirement) (anonymity []uint64) {
	kept, _ := requirement.Reduce()
	weights := r.Weights
	if weights == nil {
		weights = r.Sizes
	}
	var key []byte
	for _, set := range kept.Sets {
		sizes := make(map[string]uint64)
		for region, size := range r.Sizes {
			if size == 0 { // a region of an earlier release that has no record now
				continue
			}
			key = key[:0]
			for _, a := range set.Columns {
				key = binary.LittleEndian.AppendUint32(key, r.Region(int32(region))[a])
			}
			sizes[string(key)] += weights[region]
		}
		least := uint64(math.MaxUint64)
		for _, size := range sizes {
			least = min(least, size)
		}
		if r.Weights != nil {
			least = wholes(least, r.Unit)
		}
		anonymity = append(anonymity, least)
	}
	return anonymity
}

// Lost returns the numbers of suppressed and of dropped records.
func (r *Regions) Lost() (suppressed, dropped uint64) { return r.Suppressed, r.DroppedRecords }

// ByClass reports whether a record's region depends on its class, too.
func (r *Regions) ByClass() bool { return r.Sampled != nil || r.reassigned != nil }

// Cells returns the number of divided cells.
func (r *Regions) Cells() int {
	if r.reassigned == nil {
		return 0
	}
	return len(r.reassigned.divided)
}

// Divided writes the divided cells of rows.
func (r *Regions) Divided(rows Rows, cells []int32) {
	clear(cells)
	if r.Cells() > 0 {
		r.reassigned.Locate(rows.N, rows.tuples(), cells)
	}
	for i, place := range cells {
		if cells[i] = Undivided; isDivided(place) {
			cells[i] = int32(dividedAt(place))
		}
	}
}

// Together returns how many records of a divided cell, from a number on, have the same labels.
func (r *Regions) Together(cell int32, number uint64) uint64 {
	_, left := r.Reassigned[r.reassigned.divided[cell]].at(number)
	return left
}

// Recode writes the label numbers of rows.
func (r *Regions) Recode(rows Rows, labels [][]uint32) {
	locator, tuples := r.Locator, rows.Codes
	if r.ByClass() {
		locator, tuples = cellLocator{r}, rows.tuples()
	}
	for i, region := range rows.Memo.Locate(locator, rows.N, tuples) {
		if isDivided(region) {
			cell := dividedAt(region)
			region, _ = r.Reassigned[r.reassigned.divided[cell]].at(rows.Taken[cell])
			rows.Taken[cell] += rows.count(i)
		}
		if region == Dropped {
			labels[0][i] = DroppedLabel
			continue
		}
		for a, label := range r.Region(region) {
			labels[a][i] = label
		}
	}
}

// cellLocator is the Locator of all cells. It also writes the places of divided cells.
type cellLocator struct{ *Regions }

func (l cellLocator) Locate(n int, codes [][]uint32, regions []int32) {
	if l.Sampled != nil {
		l.Sampled.Locate(n, codes, regions)
	} else {
		l.Locator.Locate(n, codes, regions)
	}
	if l.reassigned != nil {
		l.reassigned.Locate(n, codes, regions)
	}
}

// count returns the number of records that a row represents.
func (r Rows) count(row int) uint64 {
	if r.Counts == nil {
		return 1
	}
	return r.Counts[row]
}

// tuples returns the columns of codes, followed by the classes if there are some.
func (r Rows) tuples() [][]uint32 {
	if r.Classes == nil {
		return r.Codes
	}
	return append(r.Codes[:len(r.Codes):len(r.Codes)], r.Classes)
}

// IsTaken reports whether a row is suppressed or dropped: it is dropped, or its labels are the
// marks, one for each attribute. Without marks, only dropped rows count.
func IsTaken(labels [][]uint32, row int, marks []uint32) bool {
	if labels[0][row] == DroppedLabel {
		return true
	}
	for a, mark := range marks {
		if labels[a][row] != mark {
			return false
		}
	}
	return marks != nil
}

// DropEverywhere writes DroppedLabel in all attributes of the records whose first attribute has it.
func DropEverywhere(labels [][]uint32) {
	for i, label := range labels[0] {
		if label != DroppedLabel {
			continue
		}
		for a := range labels {
			labels[a][i] = DroppedLabel
		}
	}
}

package risk

import "slices"

// Determination says that one column, or two together, tell another one: that nearly every row has the
// value there that most rows with its values of these have.
type Determination struct {
	By    []int   // positions
	Of    int     // position
	Share float64 // of the rows
}

const (
	// toldShare is the share of the rows for which a column is told at least, in percent. One that has
	// the same value in as many is told by everything, and does not count.
	toldShare = 99
	// LeastRows is how many rows a value must have on average to tell another: with fewer it tells
	// everything by chance, and is reported for how many rows it tells apart.
	LeastRows = 2
	// paired is how many kept columns, and masked ones of a set, are looked at in pairs: the first ones that can tell
	// more together than alone.
	paired = 32
)

// found returns which kept columns, or pairs, tell masked ones, then which masked ones, or pairs of
// one set, tell kept ones. A pair is none if one of it does it alone.
func (d *dependencies) found() []Determination {
	if !d.counts() {
		return nil
	}
	rows := newTupleRows(d)
	masked, kept := positions(0, len(d.Masked)), positions(len(d.Masked), len(d.columns))
	var sets [][]int
	for _, set := range d.Sets {
		var at []int
		for _, column := range set {
			at = append(at, slices.Index(d.Masked, column))
		}
		sets = append(sets, at)
	}
	of := rows.telling(kept, [][]int{kept}, rows.varying(masked))
	return append(of, rows.telling(masked, sets, rows.varying(kept))...)
}

func positions(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// varying returns the columns in which some rows differ from the most frequent value.
func (t *tupleRows) varying(columns []int) (varying []int) {
	for _, c := range columns {
		rows, most := uint64(0), uint64(0)
		t.counts.clear()
		for i, n := range t.dependencies.all.counts {
			of := t.counts.at(0, t.dependencies.all.row(i)[c])
			*of += uint64(n)
			rows, most = rows+uint64(n), max(most, *of)
		}
		if most*100 < rows*toldShare {
			varying = append(varying, c)
		}
	}
	return varying
}

// telling finds what columns tell of others: each of them, and pairs within groups.
func (t *tupleRows) telling(columns []int, groups [][]int, others []int) (all []Determination) {
	known := make(map[[2]int]bool) // of a column and another
	isPaired := make(map[int]bool) // of columns that have several values, and not by chance tell everything
	for _, c := range columns {
		mayTell := t.order([]int{c})
		if isPaired[c] = mayTell && len(t.starts) > 1; mayTell {
			for _, told := range t.told([]int{c}, others) {
				known[[2]int{c, told.Of}] = true
				all = append(all, t.positions(told))
			}
		}
	}
	tried := make(map[[2]int]bool)
	for _, group := range groups {
		group = slices.DeleteFunc(slices.Clone(group), func(c int) bool { return !isPaired[c] })
		group = group[:min(len(group), paired)]
		for i, a := range group {
			for _, b := range group[i+1:] {
				pair := [2]int{min(a, b), max(a, b)}
				if tried[pair] || !t.order(pair[:]) {
					continue
				}
				tried[pair] = true
				left := slices.DeleteFunc(slices.Clone(others), func(of int) bool { return known[[2]int{a, of}] || known[[2]int{b, of}] })
				for _, told := range t.told(pair[:], left) {
					all = append(all, t.positions(told))
				}
			}
		}
	}
	return all
}

// told returns which of others the columns tell in whose tuples the rows are ordered, not by their positions.
func (t *tupleRows) told(columns, others []int) (all []Determination) {
	most := t.total * (100 - toldShare) / 100
	for _, of := range others {
		if n := t.others(of, most); n <= most {
			all = append(all, Determination{By: columns, Of: of, Share: 1 - float64(n)/float64(t.total)})
		}
	}
	return all
}

// positions gives a determination the positions of its columns.
func (t *tupleRows) positions(told Determination) Determination {
	by := make([]int, len(told.By))
	for i, c := range told.By {
		by[i] = t.columns[c]
	}
	return Determination{By: by, Of: t.columns[told.Of], Share: told.Share}
}

// samples are those that show what some columns tell: the one of whole rows and, when that lacks some,
// those that have all rows with some values of the columns.
func (d *dependencies) samples(columns []int) []*rowSample {
	all := []*rowSample{d.all}
	if !d.complete() {
		for _, c := range columns {
			all = append(all, d.by[c])
		}
	}
	return all
}

// accidental reports whether too few rows have the same tuple of columns to tell anything. Samples
// that have all rows with some values show that better than one of some rows.
func (t *tupleRows) accidental(columns []int) bool {
	values, rows := uint64(0), uint64(0)
	samples := t.samples(columns)
	for i := len(samples) - 1; i >= 0 && (i > 0 || rows == 0); i-- {
		t.counts.clear()
		for at, n := range samples[i].counts {
			row := samples[i].row(at)
			seen := t.counts.at(row[columns[0]], row[columns[len(columns)-1]])
			if *seen == 0 {
				*seen, values = 1, values+1
			}
			rows += uint64(n)
		}
	}
	return values*LeastRows > rows
}

package risk

import "slices"

// Determination says that one column, or two together, determine another one: nearly every row has
// there the most frequent value among the rows with its values in the determining columns.
type Determination struct {
	By    []int   // positions
	Of    int     // position
	Share float64 // of the rows
}

const (
	// determinedShare is the least share of the rows, in percent, for which a column must be
	// determined. A column with the same value in as many rows is determined by every column, and
	// does not count.
	determinedShare = 99
	// LeastRows is the least mean number of rows with a value that lets a column determine others.
	// With fewer rows it determines everything by chance, and is reported for the rows that it
	// separates.
	LeastRows = 2
	// paired is the number of kept columns, and of masked columns of a set, that are examined in
	// pairs: the first ones that can determine more together than alone.
	paired = 32
)

// found returns the kept columns, or pairs, that determine masked ones, then the masked columns, or
// pairs of one set, that determine kept ones. A pair is left out if one of its columns suffices.
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
	of := rows.findDeterminations(kept, [][]int{kept}, rows.varying(masked))
	return append(of, rows.findDeterminations(masked, sets, rows.varying(kept))...)
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
		if most*100 < rows*determinedShare {
			varying = append(varying, c)
		}
	}
	return varying
}

// findDeterminations returns which of the other columns each of some columns determines, and which
// ones pairs within groups determine.
func (t *tupleRows) findDeterminations(
	columns []int, groups [][]int, others []int,
) (all []Determination) {
	known := make(map[[2]int]bool) // a column that determines another
	// columns with several values that do not determine everything by chance
	isPaired := make(map[int]bool)
	for _, c := range columns {
		mayDetermine := t.order([]int{c})
		if isPaired[c] = mayDetermine && len(t.starts) > 1; mayDetermine {
			for _, found := range t.determinedBy([]int{c}, others) {
				known[[2]int{c, found.Of}] = true
				all = append(all, t.withPositions(found))
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
				left := slices.DeleteFunc(slices.Clone(others),
					func(of int) bool { return known[[2]int{a, of}] || known[[2]int{b, of}] })
				for _, found := range t.determinedBy(pair[:], left) {
					all = append(all, t.withPositions(found))
				}
			}
		}
	}
	return all
}

// determinedBy returns which of the others some columns determine. The rows must be sorted by the
// tuples of these columns. The result has numbers of columns, not positions.
func (t *tupleRows) determinedBy(columns, others []int) (all []Determination) {
	most := t.total * (100 - determinedShare) / 100
	for _, of := range others {
		if n := t.others(of, most); n <= most {
			all = append(all,
				Determination{By: columns, Of: of, Share: 1 - float64(n)/float64(t.total)})
		}
	}
	return all
}

// withPositions returns a determination with the positions of its columns.
func (t *tupleRows) withPositions(d Determination) Determination {
	by := make([]int, len(d.By))
	for i, c := range d.By {
		by[i] = t.columns[c]
	}
	return Determination{By: by, Of: t.columns[d.Of], Share: d.Share}
}

// samples returns the samples that show what some columns determine: the sample of whole rows and,
// if that lacks rows, the samples that have all rows with some values of the columns.
func (d *dependencies) samples(columns []int) []*rowSample {
	all := []*rowSample{d.all}
	if !d.complete() {
		for _, c := range columns {
			all = append(all, d.by[c])
		}
	}
	return all
}

// accidental reports whether too few rows have the same tuple of columns to determine anything.
// Samples with all rows of some values show that better than a sample of some rows.
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

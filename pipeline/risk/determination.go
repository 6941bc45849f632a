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
	// paired is how many kept columns, and masked ones of a set, are looked at in pairs.
	paired = 32
)

// found returns which kept columns, or pairs, tell masked ones, then which masked ones, or pairs of
// one set, tell kept ones. A pair is none if one of it does it alone.
func (d *dependencies) found() (all []Determination) {
	if !d.counts() {
		return nil
	}
	kept, masked := len(d.Kept), len(d.columns)
	var sets [][]int
	for _, set := range d.Sets {
		var at []int
		for _, column := range set {
			at = append(at, kept+slices.Index(d.Masked, column))
		}
		sets = append(sets, at)
	}
	of := d.telling(positions(0, kept), [][]int{positions(0, kept)}, d.varying(positions(kept, masked)))
	return append(of, d.telling(positions(kept, masked), sets, d.varying(positions(0, kept)))...)
}

func positions(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// varying returns the columns in which some rows differ from the most frequent value.
func (d *dependencies) varying(columns []int) (varying []int) {
	for _, c := range columns {
		rows, most, of := uint64(0), uint64(0), make(map[uint32]uint64)
		for i, n := range d.all.counts {
			value := d.all.row(i)[c]
			of[value] += uint64(n)
			rows, most = rows+uint64(n), max(most, of[value])
		}
		if most*100 < rows*toldShare {
			varying = append(varying, c)
		}
	}
	return varying
}

// telling finds what columns tell of others: each of them, and pairs within groups.
func (d *dependencies) telling(columns []int, groups [][]int, others []int) (all []Determination) {
	known := make(map[[2]int]bool) // of a column and another
	for _, c := range columns {
		for _, t := range d.test([]int{c}, others) {
			known[[2]int{c, t.of}] = true
			all = append(all, t.determination(d, c))
		}
	}
	tried := make(map[[2]int]bool)
	for _, group := range groups {
		group = group[:min(len(group), paired)]
		for i, a := range group {
			for _, b := range group[i+1:] {
				pair := [2]int{min(a, b), max(a, b)}
				if tried[pair] {
					continue
				}
				tried[pair] = true
				left := slices.DeleteFunc(slices.Clone(others), func(of int) bool { return known[[2]int{a, of}] || known[[2]int{b, of}] })
				for _, t := range d.test(pair[:], left) {
					all = append(all, t.determination(d, pair[:]...))
				}
			}
		}
	}
	return all
}

// telling counts how often a value that others tell is not the most frequent one with these.
type telling struct {
	of     int
	counts map[[2]uint32]uint64 // by the number of the tuple, and the value
	most   []uint64             // by tuple
	others uint64               // rows with another value: more rows make it no smaller
}

// add adds rows with a tuple.
func (t *telling) add(tuple, value uint32, rows uint64) {
	for int(tuple) >= len(t.most) {
		t.most = append(t.most, 0)
	}
	key := [2]uint32{tuple, value}
	n := t.counts[key] + rows
	t.counts[key] = n
	t.others += rows
	if most := t.most[tuple]; n > most {
		t.most[tuple] = n
		t.others -= n - most
	}
}

// determination tells it of columns, of which all rows are counted now.
func (t *telling) determination(d *dependencies, columns ...int) Determination {
	of := Determination{Of: d.columns[t.of], Share: 1 - float64(t.others)/float64(d.rows(columns))}
	for _, c := range columns {
		of.By = append(of.By, d.columns[c])
	}
	return of
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

// rows returns how many rows the samples of columns stand for.
func (d *dependencies) rows(columns []int) (rows uint64) {
	for _, s := range d.samples(columns) {
		for _, n := range s.counts {
			rows += uint64(n)
		}
	}
	return rows
}

// test returns which of others a tuple of columns tells.
func (d *dependencies) test(columns, others []int) (left []*telling) {
	for _, of := range others {
		left = append(left, &telling{of: of, counts: make(map[[2]uint32]uint64)})
	}
	numbers, most := make(map[[2]uint32]uint32), d.rows(columns)*(100-toldShare)/100
	for _, s := range d.samples(columns) {
		for i, n := range s.counts {
			if len(left) == 0 {
				return nil
			}
			row := s.row(i)
			tuple := [2]uint32{row[columns[0]], row[columns[len(columns)-1]]}
			number, ok := numbers[tuple]
			if !ok {
				number = uint32(len(numbers))
				numbers[tuple] = number
			}
			left = slices.DeleteFunc(left, func(t *telling) bool {
				t.add(number, row[t.of], uint64(n))
				return t.others > most
			})
		}
	}
	if d.accidental(columns) {
		return nil
	}
	return left
}

// accidental reports whether too few rows have the same tuple of columns to tell anything. Samples
// that have all rows with some values show that better than one of some rows.
func (d *dependencies) accidental(columns []int) bool {
	values, rows := uint64(0), uint64(0)
	samples := d.samples(columns)
	for i := len(samples) - 1; i >= 0 && (i > 0 || rows == 0); i-- {
		seen := make(map[[2]uint32]struct{})
		for at, n := range samples[i].counts {
			row := samples[i].row(at)
			seen[[2]uint32{row[columns[0]], row[columns[len(columns)-1]]}] = struct{}{}
			rows += uint64(n)
		}
		values += uint64(len(seen))
	}
	return values*LeastRows > rows
}

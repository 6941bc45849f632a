package verify

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/formats/release"
)

// Homogeneity counts the equivalence classes of a set whose records all have the same value of a
// kept column, and these records: somebody who finds such a class learns the value.
type Homogeneity struct {
	Set     int    `json:"set"` // from 1 on
	Column  string `json:"column"`
	Classes uint64 `json:"classes"`
	Records uint64 `json:"rows"`
	// Gained is how much surer of the value such classes make somebody who knows the shares of the
	// values in the release: 1 less the share of the value, on average over all records, where
	// those of other classes count 0. It is the share of the records if there are more than
	// mostValues values.
	Gained float64 `json:"gained"`
}

// surprising is the gain above which classes of one value disclose more of a column than the shares
// of its values in the whole release: a row whose value somebody learns counts as much as the table
// left open.
const surprising = 0.01

// Surprises reports whether classes of one value disclose more of the column than the shares of its
// values in the whole release.
func (h *Homogeneity) Surprises() bool { return h.Gained > surprising }

// MostHomogeneous returns, for each column, that of the set whose classes disclose most of it. The
// column of which they disclose most is the first.
func MostHomogeneous(all []Homogeneity) (most []Homogeneity) {
	more := func(a, b Homogeneity) int {
		return cmp.Or(cmp.Compare(b.Gained, a.Gained), cmp.Compare(b.Records, a.Records))
	}
	for _, h := range all {
		at := slices.IndexFunc(most, func(o Homogeneity) bool { return o.Column == h.Column })
		if at < 0 {
			most = append(most, h)
		} else if more(h, most[at]) < 0 {
			most[at] = h
		}
	}
	slices.SortStableFunc(most, more)
	return most
}

// loneColumn is a kept column of which each class of a set has one value, or several: the class of
// the cut, or a sensitive column.
type loneColumn struct {
	name string
	at   int // among the kept columns that are shown
}

// setLone finds the columns, and makes the keys of the cut's sets count their lone values.
func (r *rules) setLone() {
	var names []string
	for i := range r.cut.Sensitive {
		names = append(names, r.cut.Sensitive[i].Column)
	}
	if r.cut.Class != "" {
		names = append(names, r.cut.Class)
	}
	hashed := r.hashed()
	for i, name := range names {
		if slices.Index(names, name) < i {
			continue
		}
		at := slices.IndexFunc(hashed, func(k release.Kept) bool { return k.Name == name })
		r.lone = append(r.lone, loneColumn{name, at})
	}
	for i := range r.cut.Sets {
		r.keys[i].lone = true
	}
}

// loneOf returns the number of lone values of a key.
func (r *rules) loneOf(k *labelKey) int {
	if k.lone {
		return len(r.lone)
	}
	return 0
}

// mixed stands for the value of records that have several, an arbitrary constant. That a value has
// this hash is so unlikely that it never happens.
const mixed = 0xbb67ae8584caa73b

// hashesOf writes the hashes of a block of rows in a column.
func hashesOf(to []uint64, column *release.Hashes) {
	if column.Same {
		for row := range to {
			to[row] = column.List[column.One]
		}
		return
	}
	for row, number := range column.Every[:len(to)] {
		to[row] = column.List[number]
	}
}

// loneOf returns the hash of the value that rows with some hashes have, or mixed.
func loneOf(hashes []uint64) uint64 {
	for _, hash := range hashes[1:] {
		if hash != hashes[0] {
			return mixed
		}
	}
	return hashes[0]
}

// mostValues is the largest number of values of a lone column whose records are counted.
const mostValues = 1 << 12

// homogeneity counts the classes of a set that have one value of a column.
type homogeneity struct {
	classes, records uint64
	high, low        uint64 // the sum, over these records, of how many do not have the value
}

// addLone adds a class with its lone values to the counts of its set.
func (v *verifier) addLone(set int, lone []uint64, records uint64) {
	for i, value := range lone {
		if value == mixed {
			continue
		}
		h := &v.homogeneity[set][i]
		h.classes++
		h.records += records
		others := uint64(v.rows)
		if whole := v.whole[v.lone[i].at]; whole.used <= mostValues {
			others -= whole.records(lone[i : i+1])
		}
		high, low := bits.Mul64(records, others)
		var carry uint64
		h.low, carry = bits.Add64(h.low, low, 0)
		h.high, _ = bits.Add64(h.high, high, carry)
	}
}

// homogeneous returns, for every set of the cut and every lone column, the number of classes with
// one value of it.
func (v *verifier) homogeneous() (all []Homogeneity) {
	whole := float64(v.rows)
	for set, columns := range v.homogeneity {
		for i, h := range columns {
			of := Homogeneity{Set: set + 1, Column: v.lone[i].name, Classes: h.classes,
				Records: h.records}
			if of.Records > 0 {
				of.Gained = (math.Ldexp(float64(h.high), 64) + float64(h.low)) / whole / whole
			}
			all = append(all, of)
		}
	}
	return all
}

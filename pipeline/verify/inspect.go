package verify

import (
	"context"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

// Inspection is what a recount tells of a release beyond whether it holds. It is made of the
// release alone.
type Inspection struct {
	*Result
	Cut    *cutfile.File
	Digest string       // of the release, as in pipeline.Digests.Output
	Sizes  []GroupSizes // of every quasi-identifier set
	// Labels are those of every masked column of the cut, in its order, and last the mark of a
	// suppressed value if it has one; nil for a column that is released as numbers.
	Labels [][]LabelGroups
	Risk   *risk.Report // how well the rows hide each other
	// Homogeneous are those of every set with the class and every sensitive column.
	Homogeneous []Homogeneity
}

// Homogeneity counts the equivalence classes of a set whose records have one value of a kept column, and these records:
// who finds such a class knows the value.
type Homogeneity struct {
	Set              int // from 1 on
	Column           string
	Classes, Records uint64
}

// GroupSizes tell how large the equivalence classes of a quasi-identifier set are.
type GroupSizes struct {
	Classes uint64
	Largest uint64
	Buckets []SizeBucket // those with classes, ascending
}

// SizeBucket counts the equivalence classes with From ≤ size < To, and their records. To is
// the next power of two, From the one below or the smallest size there is.
type SizeBucket struct {
	From, To         uint64
	Classes, Records uint64
}

// LabelGroups tell of a label how many records have it, and how small the smallest
// equivalence class with it is.
type LabelGroups struct {
	Records  uint64
	Smallest []uint64 // of every set; 0: the set lacks the column, or no record has the label
}

// Inspect verifies a released file or directory and tells what its groups are like. A release
// that does not hold is an error, as of Release.
func Inspect(ctx context.Context, path string, limits job.Limits, watch Watch) (*Inspection, error) {
	v, verified, err := verify(ctx, path, "", limits, watch, true)
	if err != nil {
		return nil, err
	}
	digest, err := fileset.Digest(ctx, v.path, v.threads)
	if err != nil {
		return nil, err
	}
	return &Inspection{Result: verified, Cut: v.cut, Digest: digest, Sizes: v.groups.sizes(), Labels: v.groups.labels, Risk: v.exposed.report, Homogeneous: v.homogeneous()}, nil
}

// groups takes over the groups that a recount has counted.
type groups struct {
	rules   *rules
	buckets [][65]SizeBucket // of every set, by the length of the size in bits
	largest []uint64
	labels  [][]LabelGroups
	columns []int   // the column of the cut that a check is of; -1: it is released as numbers
	label   [][]int // of a check: the position of the label that has a number
	counted []int   // the set that a column's records are counted in
}

func newGroups(r *rules) *groups {
	sets := len(r.cut.Sets)
	g := &groups{
		rules: r, buckets: make([][65]SizeBucket, sets), largest: make([]uint64, sets),
		labels: make([][]LabelGroups, len(r.cut.Columns)), columns: slices.Repeat([]int{-1}, len(r.checks)),
		label: make([][]int, len(r.checks)), counted: make([]int, len(r.cut.Columns)),
	}
	for i := range r.cut.Columns {
		if r.cut.Columns[i].Render != "" {
			continue
		}
		check := r.first[r.cut.Columns[i].Name][0] // a column of labels is one column
		g.columns[check] = i
		g.counted[i] = slices.IndexFunc(r.keys[:sets], func(k labelKey) bool { return slices.Contains(k.columns, check) })
		c := &r.checks[check]
		g.label[check] = make([]int, c.below())
		for position := range c.labels {
			g.label[check][c.numberOf(uint32(position))] = position
			g.labels[i] = append(g.labels[i], LabelGroups{Smallest: make([]uint64, sets)})
		}
	}
	return g
}

// add takes over a group of a set.
func (g *groups) add(set int, key []uint64, records uint64) {
	bucket := &g.buckets[set][bits.Len64(records)]
	bucket.From = smaller(bucket.From, records)
	bucket.Classes++
	bucket.Records += records
	g.largest[set] = max(g.largest[set], records)
	k := &g.rules.keys[set]
	for i, check := range k.columns {
		column := g.columns[check]
		if column < 0 {
			continue
		}
		label := &g.labels[column][g.label[check][k.digit(key, i)]]
		label.Smallest[set] = smaller(label.Smallest[set], records)
		if g.counted[column] == set {
			label.Records += records
		}
	}
}

// sizes returns what is counted of every set. Only the first bucket begins at the smallest
// size that there is: the others' would tell more than a picture needs.
func (g *groups) sizes() []GroupSizes {
	sizes := make([]GroupSizes, len(g.buckets))
	for set := range g.buckets {
		s := &sizes[set]
		s.Largest = g.largest[set]
		for length, bucket := range g.buckets[set] {
			if bucket.Classes == 0 {
				continue
			}
			bucket.To = 1 << length
			if len(s.Buckets) > 0 {
				bucket.From = 1 << (length - 1)
			}
			s.Classes += bucket.Classes
			s.Buckets = append(s.Buckets, bucket)
		}
	}
	return sizes
}

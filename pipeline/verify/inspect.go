package verify

import (
	"context"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/risk"
)

// Inspection describes a release in more detail than a Result. It is made from the release alone.
type Inspection struct {
	*Result
	Cut    *cutfile.File
	Digest string       // of the release, as in pipeline.Digests.Output
	Sizes  []GroupSizes // by quasi-identifier set
	// Labels has the labels of every masked column, in the order of the cut, followed by the mark
	// of a suppressed value if there is one. It is nil for a column that is released as numbers.
	Labels [][]LabelGroups
	Risk   *risk.Report // the disclosure risk of the rows
}

// GroupSizes are the sizes of the equivalence classes of a quasi-identifier set.
type GroupSizes struct {
	Classes uint64
	Largest uint64
	Buckets []SizeBucket // those with classes, ascending
}

// SizeBucket counts the equivalence classes with From ≤ size < To, and their records. To is a power
// of two. From is the previous one, or the smallest size of all.
type SizeBucket struct {
	From, To         uint64
	Classes, Records uint64
}

// LabelGroups is the number of records with a label, and the size of the smallest equivalence class
// with it.
type LabelGroups struct {
	Records  uint64
	Smallest []uint64 // by set; 0: the set lacks the column, or no record has the label
}

// Inspect verifies a released file or directory and describes its groups. For a release that does
// not pass it returns an error like that of Release.
func Inspect(ctx context.Context, path string, opt Options) (*Inspection, error) {
	v, verified, err := verify(ctx, path, opt, true)
	if err != nil {
		return nil, err
	}
	digest, err := fileset.Digest(ctx, v.path, v.threads)
	if err != nil {
		return nil, err
	}
	return &Inspection{Result: verified, Cut: v.cut, Digest: digest, Sizes: v.groups.sizes(),
		Labels: v.groups.labels, Risk: v.classSizes.report}, nil
}

// groups describes the groups that a recount has counted.
type groups struct {
	rules   *rules
	buckets [][65]SizeBucket // by set and by the length of the size in bits
	largest []uint64
	labels  [][]LabelGroups
	columns []int   // by check: its column of the cut; −1: the column is released as numbers
	label   [][]int // by check and number of a label: the position of the label
	counted []int   // by column: the set in which its records are counted
}

func newGroups(r *rules) *groups {
	sets := len(r.cut.Sets)
	g := &groups{
		rules: r, buckets: make([][65]SizeBucket, sets), largest: make([]uint64, sets),
		labels:  make([][]LabelGroups, len(r.cut.Columns)),
		columns: slices.Repeat([]int{-1}, len(r.checks)),
		label:   make([][]int, len(r.checks)), counted: make([]int, len(r.cut.Columns)),
	}
	for i := range r.cut.Columns {
		if r.cut.Columns[i].Render != "" {
			continue
		}
		check := r.first[r.cut.Columns[i].Name][0] // a column of labels is one column
		g.columns[check] = i
		g.counted[i] = slices.IndexFunc(r.keys[:sets],
			func(k labelKey) bool { return slices.Contains(k.columns, check) })
		c := &r.checks[check]
		g.label[check] = make([]int, c.below())
		for position := range c.labels {
			g.label[check][c.numberOf(uint32(position))] = position
			g.labels[i] = append(g.labels[i], LabelGroups{Smallest: make([]uint64, sets)})
		}
	}
	return g
}

// add adds a group of a set.
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

// sizes returns the sizes of the groups of every set. Only the first bucket begins at the smallest
// existing size: the others' would disclose more than a chart needs.
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

package recheck

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Regions takes the regions of an earlier release. A record belongs to the first region
// whose labels cover it; narrower regions come first.
type Regions struct {
	Columns  []engine.RegionColumn // by attribute
	Released []uint32              // labels of all regions, one an attribute
	Marks    []uint32              // labels of suppressed records, by attribute

	// Covers has the labels that cover a code, by attribute and code. It must be set before Search.
	Covers [][][]uint32

	OnBreak       OnBreak // Fail or Suppress
	MaxSuppressed uint64
}

var _ engine.Engine = (*Regions)(nil)

// Plan asks for the tuples of all attributes.
func (e *Regions) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	return engine.Plan{Groupings: []engine.Grouping{all.Grouping()}, Histograms: true, Whole: true}
}

// Codes tells all codes apart.
func (e *Regions) Codes(attributes []engine.Attribute, _ []*partition.Histogram, _ int, _ engine.Requirement) []engine.CodeMerge {
	return engine.Identities(attributes)
}

// Search returns *engine.Regions: those given and, when records are suppressed, one of
// marks alone. It returns a *Broken when some set does not hold, or a record is in no region.
func (e *Regions) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	kept, _ := requirement.Reduce()
	index, regions := NewRegionIndex(len(e.Columns), e.Released), len(e.Released)/len(e.Columns)
	s := &regionSearch{
		Regions: e, table: table, sets: kept.Sets, locate: &regionLocator{index: index, covers: e.Covers},
		sizes: make([]uint64, regions), out: make([]bool, regions),
	}
	taken := index.Bytes() + 16*int64(regions)
	if err := options.Space.Draw("an index of regions", taken); err != nil {
		return nil, err
	}
	err := s.count(ctx, options.Space)
	if err == nil {
		err = s.hold()
	}
	giveBack(options.Space, taken)
	if err = errors.Join(err, table.Groupings[0].Discard(options.Space)); err != nil {
		return nil, fmt.Errorf("hold the cut against the table: %w", err)
	}
	return s.recoding(), nil
}

// regionSearch counts the records of regions and takes regions away whose classes are too small.
type regionSearch struct {
	*Regions
	table   *engine.Table
	sets    []engine.Set
	locate  *regionLocator
	sizes   []uint64 // records by region
	strange uint64   // records in no region
	out     []bool   // regions whose records are suppressed
}

// count finds the regions of all tuples.
func (s *regionSearch) count(ctx context.Context, space partition.Space) error {
	codes := make([][]uint32, len(s.Columns))
	var regions []int32
	return s.table.Groupings[0].Scan(ctx, space, func(block *partition.Table) error {
		n := block.Len()
		for a, f := range block.Layout.Fields {
			codes[a] = codes[a][:0]
			for i := range n {
				codes[a] = append(codes[a], f.Code(block.Keys[i*block.Layout.Words:]))
			}
		}
		regions = slices.Grow(regions[:0], n)[:n]
		s.locate.Locate(n, codes, regions)
		for i, records := range block.Counts {
			if regions[i] == engine.Dropped {
				s.strange += uint64(records)
			} else {
				s.sizes[regions[i]] += uint64(records)
			}
		}
		return nil
	})
}

// hold takes regions away until every set holds, if that is allowed.
func (s *regionSearch) hold() error {
	broken := &Broken{Strange: s.strange, Most: s.MaxSuppressed}
	for _, set := range s.sets {
		breach := newBreach(s.table, set)
		for _, c := range s.classes(set) {
			if !set.Holds(engine.Stats{Records: c.records}) {
				breach.add(c.records)
			}
		}
		broken.add(breach)
	}
	if s.strange == 0 && len(broken.Breaches) == 0 {
		return nil
	}
	if s.OnBreak != Suppress {
		return broken
	}
	for {
		s.spread()
		if broken.Over = s.suppressed(); broken.Over > s.MaxSuppressed {
			return broken
		}
		if s.enough() {
			return nil
		}
		if !s.takeSmallest() {
			return broken
		}
	}
}

// class is an equivalence class: regions that look alike to a set.
type class struct {
	key      string // its labels
	regions  []int
	records  uint64 // those that are suppressed not among them
	isMarked bool   // it looks like suppressed records
}

// classes returns the classes of a set that have records, in the order of their labels.
func (s *regionSearch) classes(set engine.Set) []*class {
	known := make(map[string]*class)
	var key, marks []byte
	for _, a := range set.Columns {
		marks = appendLabel(marks, s.Marks[a])
	}
	for region, records := range s.sizes {
		if records == 0 || s.out[region] {
			continue
		}
		key = key[:0]
		for _, a := range set.Columns {
			key = appendLabel(key, s.Released[region*len(s.Columns)+a])
		}
		c := known[string(key)]
		if c == nil {
			c = &class{key: string(key), isMarked: bytes.Equal(key, marks)}
			known[c.key] = c
		}
		c.regions = append(c.regions, region)
		c.records += records
	}
	return slices.SortedFunc(maps.Values(known), func(a, b *class) int { return cmp.Compare(a.key, b.key) })
}

// suppressed returns the number of records that are suppressed because they are too few.
func (s *regionSearch) suppressed() uint64 {
	n := s.strange
	for region, out := range s.out {
		if out {
			n += s.sizes[region]
		}
	}
	return n
}

// spread takes the regions of all classes away that are too small, until there are none.
func (s *regionSearch) spread() {
	for more := true; more; {
		more = false
		for _, set := range s.sets {
			for _, c := range s.classes(set) {
				records := c.records
				if c.isMarked {
					records += s.suppressed()
				}
				if !set.Holds(engine.Stats{Records: records}) {
					s.suppressClass(c)
					more = true
				}
			}
		}
	}
}

func (s *regionSearch) suppressClass(c *class) {
	for _, region := range c.regions {
		s.out[region] = true
	}
}

// enough reports whether the suppressed records are enough to be a class of every set, or none.
func (s *regionSearch) enough() bool {
	suppressed := s.suppressed()
	return suppressed == 0 || !slices.ContainsFunc(s.sets, func(set engine.Set) bool {
		records := suppressed
		for _, c := range s.classes(set) {
			if c.isMarked {
				records += c.records
			}
		}
		return !set.Holds(engine.Stats{Records: records})
	})
}

// takeSmallest takes the smallest class away, the first one by set and labels. It returns false if there is none.
func (s *regionSearch) takeSmallest() bool {
	var all []*class
	for _, set := range s.sets {
		all = append(all, s.classes(set)...)
	}
	if len(all) == 0 {
		return false
	}
	s.suppressClass(slices.MinFunc(all, func(a, b *class) int { return cmp.Compare(a.records, b.records) }))
	return true
}

// recoding returns the regions, and where the records of those that were taken away go.
func (s *regionSearch) recoding() *engine.Regions {
	r := &engine.Regions{Columns: s.Columns, Released: s.Released, Sizes: s.sizes, Locator: s.locate}
	marks := s.markRegion()
	if suppressed := s.suppressed(); suppressed > 0 {
		if int(marks) == len(s.sizes) {
			r.Released = append(slices.Clone(s.Released), s.Marks...)
			r.Sizes = append(r.Sizes, 0)
		}
		for region, out := range s.out {
			if out {
				r.Sizes[region] = 0
			}
		}
		r.Sizes[marks] += suppressed
		s.locate.out, s.locate.marks = s.out, marks
	}
	if int(marks) < len(r.Sizes) {
		r.Suppressed = r.Sizes[marks]
	}
	r.Index()
	return r
}

// markRegion returns the region of marks alone, which may be a new one.
func (s *regionSearch) markRegion() int32 {
	for region := range s.sizes {
		if slices.Equal(s.Released[region*len(s.Columns):][:len(s.Columns)], s.Marks) {
			return int32(region)
		}
	}
	return int32(len(s.sizes))
}

// regionLocator is the Locator of given regions.
type regionLocator struct {
	index  *RegionIndex
	covers [][][]uint32

	out   []bool // regions whose records have marks alone, as those of no region; nil: there are none
	marks int32
}

// Bytes returns about how much memory the locator takes.
func (l *regionLocator) Bytes() int64 { return l.index.Bytes() + int64(len(l.out)) }

// Locate finds the first region that covers a tuple.
func (l *regionLocator) Locate(n int, codes [][]uint32, regions []int32) {
	labels := make([][]uint32, len(codes))
	for i := range n {
		for a := range codes {
			labels[a] = l.covers[a][codes[a][i]]
		}
		region := l.index.First(labels)
		if l.out != nil && (region < 0 || l.out[region]) {
			region = l.marks
		}
		regions[i] = region
	}
}

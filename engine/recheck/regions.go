package recheck

import (
	"context"
	"errors"
	"fmt"
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

	// Covers has the labels that cover a code, by attribute and code. It is set before Search.
	Covers [][][]uint32

	OnBreak       OnBreak // Fail or Suppress
	MaxSuppressed uint64
}

var _ engine.Covered = (*Regions)(nil)

// Cover sets the labels that cover a code.
func (e *Regions) Cover(labels [][][]uint32) { e.Covers = labels }

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
	index := NewRegionIndex(len(e.Columns), e.Released)
	s := &regionSearch{Regions: e, table: table, sets: kept.Sets, locate: &regionLocator{index: index, covers: e.Covers}}
	s.sizes = make([]uint64, len(e.Released)/len(e.Columns))
	s.out = make([]bool, len(s.sizes))
	bytes := index.Bytes() + 16*int64(len(s.sizes))
	if err := options.Space.Draw("an index of regions", bytes); err != nil {
		return nil, err
	}
	err := s.count(ctx, options.Space)
	if err == nil {
		err = s.hold()
	}
	if options.Space.Budget != nil {
		options.Space.Budget.Return(bytes)
	}
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
		breach := Breach{K: int(set.K)}
		for _, c := range s.classes(set) {
			if !set.Holds(engine.Stats{Records: c.records}) {
				breach.add(c.records)
			}
		}
		if breach.Classes > 0 {
			for _, a := range set.Columns {
				breach.Columns = append(breach.Columns, s.table.Attributes[a].Name)
			}
			broken.Breaches = append(broken.Breaches, breach)
		}
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
	key     string
	regions []int
	records uint64 // those that are suppressed not among them
}

// classes returns the classes of a set that have records, in the order of their labels.
func (s *regionSearch) classes(set engine.Set) (classes []class) {
	number := make(map[string]int)
	var key []byte
	for region, records := range s.sizes {
		if records == 0 || s.out[region] {
			continue
		}
		key = key[:0]
		for _, a := range set.Columns {
			key = appendLabel(key, s.Released[region*len(s.Columns)+a])
		}
		i, ok := number[string(key)]
		if !ok {
			i = len(classes)
			number[string(key)] = i
			classes = append(classes, class{key: string(key)})
		}
		classes[i].regions = append(classes[i].regions, region)
		classes[i].records += records
	}
	slices.SortFunc(classes, func(a, b class) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	return classes
}

// marks returns the key of the suppressed records in a set.
func (s *regionSearch) marks(set engine.Set) string {
	var key []byte
	for _, a := range set.Columns {
		key = appendLabel(key, s.Marks[a])
	}
	return string(key)
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
				if c.key == s.marks(set) {
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

func (s *regionSearch) suppressClass(c class) {
	for _, region := range c.regions {
		s.out[region] = true
	}
}

// enough reports whether the suppressed records are enough to be a class of every set, or none.
func (s *regionSearch) enough() bool {
	suppressed := s.suppressed()
	for _, set := range s.sets {
		records := suppressed
		for _, c := range s.classes(set) {
			if c.key == s.marks(set) {
				records += c.records
			}
		}
		if suppressed > 0 && !set.Holds(engine.Stats{Records: records}) {
			return false
		}
	}
	return true
}

// takeSmallest takes the smallest class away, the first one by set and labels. It returns false if there is none.
func (s *regionSearch) takeSmallest() bool {
	var smallest *class
	for _, set := range s.sets {
		for _, c := range s.classes(set) {
			if smallest == nil || c.records < smallest.records {
				smallest = &c
			}
		}
	}
	if smallest == nil {
		return false
	}
	s.suppressClass(*smallest)
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
		s.locate.out, s.locate.marks, s.locate.suppresses = s.out, marks, true
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

	suppresses bool // the records of some regions, or of none, have marks alone
	out        []bool
	marks      int32
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
		if l.suppresses && (region < 0 || l.out[region]) {
			region = l.marks
		}
		regions[i] = region
	}
}

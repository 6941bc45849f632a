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

// Search returns *engine.Regions: those given and, when records are suppressed, one of
// marks alone. It returns a *Broken when some set does not hold, or a record is in no region.
//
// The regions with records are a table of one tuple each, in the labels of a cut that tells all
// labels apart: what is done about classes of it is done as about those of a cut.
func (e *Regions) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	kept, _ := requirement.Reduce()
	cut, s := &engine.Cut{}, &regionSearch{Regions: e}
	for _, c := range e.Columns {
		cut.Columns = append(cut.Columns, engine.ColumnCut{Labels: c.Labels, Code: engine.Identity(len(c.Labels)).Codes})
	}
	s.suppression = &suppression{
		classes:           &classes{table: table, sets: kept.Sets, space: options.Space},
		RecordSuppression: &engine.RecordSuppression{Marks: e.Marks}, cut: cut, most: e.MaxSuppressed,
	}
	err := s.run(ctx)
	if err = errors.Join(err, table.Groupings[0].Discard(options.Space)); err != nil {
		return nil, fmt.Errorf("hold the cut against the table: %w", err)
	}
	return s.recoding(), nil
}

// regionSearch counts the records of regions and takes regions away whose classes are too small.
type regionSearch struct {
	*Regions
	*suppression
	locate *regionLocator
	sizes  []uint64             // records by region
	of     [][]engine.KindCount // their kinds, where there are some
	held   int64                // drawn for these
	out    []bool               // regions whose records are suppressed
}

// run counts the records of all regions, and suppresses those that must be.
func (s *regionSearch) run(ctx context.Context) error {
	regions := len(s.Released) / len(s.Columns)
	s.tuples = &partition.Table{Layout: s.layout()}
	var labels []int
	for _, c := range s.Columns {
		labels = append(labels, len(c.Labels))
	}
	index := RegionIndexBytes(regions, labels)
	taken := index + 16*int64(regions) + s.tuples.Layout.TableBytes(regions)
	if err := s.space.Draw("an index of regions", taken); err != nil {
		return err
	}
	defer giveBack(s.space, taken)
	if s.of, s.held = nil, 0; s.kinds() != nil {
		s.of = make([][]engine.KindCount, regions)
	}
	defer func() { giveBack(s.space, s.held) }()
	s.locate = &regionLocator{RegionIndex: NewRegionIndex(s.Released, labels, s.Covers), bytes: index}
	s.sizes, s.out = make([]uint64, regions), make([]bool, regions)
	if err := s.count(ctx); err != nil {
		return err
	}
	s.fill()
	if err := s.suppression.run(ctx, s.OnBreak); err != nil {
		return err
	}
	for region := range s.out {
		s.out[region] = s.isTaken(s.labels(region))
	}
	return nil
}

// fill makes the tuples of the regions that have records: one each or, where there are kinds, one of every kind.
func (s *regionSearch) fill() {
	layout := s.tuples.Layout
	fields, key := layout.Fields, make([]uint64, layout.Words)
	for region, records := range s.sizes {
		if records == 0 {
			continue
		}
		clear(key)
		for a, label := range s.labels(region) {
			key[fields[a].Word] |= uint64(label) << fields[a].Shift
		}
		if s.kinds() == nil {
			s.tuples.Put(key, records)
			continue
		}
		kind := fields[len(fields)-1]
		s.of[region] = sumUp(s.of[region])
		for _, of := range s.of[region] {
			key[kind.Word] = key[kind.Word]&^(kind.Mask<<kind.Shift) | uint64(of.Kind)<<kind.Shift
			s.tuples.Put(key, of.Records)
		}
	}
}

// layout is that of the labels of regions and, where there are some, kinds.
func (s *regionSearch) layout() partition.Layout {
	var domains []int
	for _, c := range s.Columns {
		domains = append(domains, len(c.Labels))
	}
	_, domains = s.withKinds(nil, domains)
	return partition.NewLayout(domains)
}

// labels returns the labels of a region.
func (s *regionSearch) labels(region int) []uint32 {
	return s.Released[region*len(s.Columns):][:len(s.Columns)]
}

// count finds the regions of all tuples.
func (s *regionSearch) count(ctx context.Context) error {
	codes := make([][]uint32, len(s.Columns))
	var regions []int32
	return s.table.Groupings[0].Scan(ctx, s.space, func(block *partition.Table) error {
		n := block.Len()
		for a, f := range block.Layout.Fields[:len(s.Columns)] {
			codes[a] = codes[a][:0]
			for i := range n {
				codes[a] = append(codes[a], f.Code(block.Keys[i*block.Layout.Words:]))
			}
		}
		regions = slices.Grow(regions[:0], n)[:n]
		s.locate.Locate(n, codes, regions)
		for i, records := range block.Counts {
			to := &s.odd
			if regions[i] == engine.Dropped {
				s.strange += records
			} else {
				s.sizes[regions[i]] += records
			}
			if s.kinds() == nil {
				continue
			}
			if regions[i] != engine.Dropped {
				to = &s.of[regions[i]]
			}
			const tupleBytes = 16
			of := engine.KindCount{Kind: kindOf(block, block.Keys[i*block.Layout.Words:]), Records: records}
			var err error
			if *to, err = s.addKind("the kinds of records of regions", *to, of, countBytes+tupleBytes, &s.held); err != nil {
				return err
			}
		}
		return nil
	})
}

// weigh gives the regions the weights of their records.
func (s *regionSearch) weigh(r *engine.Regions, mark int) {
	kinds := s.kinds()
	if kinds == nil || kinds.Weight == nil {
		return
	}
	r.Weights, r.Unit = make([]uint64, len(r.Sizes)), kinds.Unit
	add := func(region int, of []engine.KindCount) {
		for _, c := range of {
			r.Weights[region] += c.Records * kinds.Weight[c.Kind]
		}
	}
	for region, of := range s.of {
		if !s.out[region] {
			add(region, of)
		}
	}
	if s.Records > 0 {
		add(mark, s.marked)
	}
}

// recoding returns the regions, and where the records of those that were taken away go.
func (s *regionSearch) recoding() *engine.Regions {
	r := &engine.Regions{Columns: s.Columns, Released: s.Released, Sizes: s.sizes, Locator: s.locate}
	mark := 0 // the region of marks alone, which may be a new one
	for mark < len(s.sizes) && !slices.Equal(s.labels(mark), s.Regions.Marks) {
		mark++
	}
	if s.Records > 0 {
		if mark == len(s.sizes) {
			r.Released = append(slices.Clone(s.Released), s.Regions.Marks...)
			r.Sizes = append(r.Sizes, 0)
		}
		for region, out := range s.out {
			if out {
				r.Sizes[region] = 0
			}
		}
		r.Sizes[mark] += s.Records
		s.locate.out, s.locate.marks = s.out, int32(mark)
	}
	s.weigh(r, mark)
	if mark < len(r.Sizes) {
		r.Suppressed = r.Sizes[mark]
	}
	r.Index()
	return r
}

// regionLocator is the Locator of given regions.
type regionLocator struct {
	*RegionIndex
	bytes int64

	out   []bool // regions whose records have marks alone, as those of no region; nil: there are none
	marks int32
}

// Bytes returns about how much memory the locator takes.
func (l *regionLocator) Bytes() int64 { return l.bytes + int64(len(l.out)) }

// Locate finds the first region that covers a tuple.
func (l *regionLocator) Locate(n int, codes [][]uint32, regions []int32) {
	l.RegionIndex.Locate(n, codes, regions)
	if l.out == nil {
		return
	}
	for i, region := range regions[:n] {
		if region == engine.Dropped || l.out[region] {
			regions[i] = l.marks
		}
	}
}

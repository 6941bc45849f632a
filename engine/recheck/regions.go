package recheck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Regions checks the regions of an earlier release. A record belongs to the first region whose
// labels cover it.
type Regions struct {
	Given *engine.Regions // only the labels: which records they have is found out here
	Marks []uint32        // labels of suppressed records, by attribute

	// Coverage says which codes labels cover, by attribute. It must be set before Search.
	Coverage []Coverage

	OnBreak       OnBreak // Fail or Suppress
	MaxSuppressed uint64
}

var _ engine.Engine = (*Regions)(nil)

// Plan asks for the tuples of all attributes.
func (e *Regions) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	return engine.Plan{Groupings: []engine.Grouping{all.Grouping()}, Histograms: true, Whole: true}
}

// Search returns *engine.Regions: the given regions and, when records are suppressed, one region of
// only the marks. It returns a *Broken when some set does not hold, or a record is in no region.
//
// The regions with records form a table of one tuple each, in the labels of a cut that leaves all
// labels distinct: its classes are treated like those of a cut.
func (e *Regions) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	kept, _ := requirement.Reduce()
	cut, s := &engine.Cut{}, &regionSearch{Regions: e}
	for _, c := range e.Given.Columns {
		cut.Columns = append(cut.Columns,
			engine.ColumnCut{Labels: c.Labels, Code: engine.Identity(len(c.Labels)).Codes})
	}
	s.suppression = &suppression{
		classes:           &classes{table: table, sets: kept.Sets, space: options.Space},
		RecordSuppression: &engine.RecordSuppression{Marks: e.Marks},
		cut:               cut,
		most:              e.MaxSuppressed,
	}
	err := s.run(ctx)
	if err = errors.Join(err, table.Groupings[0].Discard(options.Space)); err != nil {
		return nil, fmt.Errorf("hold the cut against the table: %w", err)
	}
	return s.recoding(), nil
}

// regionSearch counts the records of regions and removes regions whose classes are too small.
type regionSearch struct {
	*Regions
	*suppression
	locate  *regionLocator
	sizes   []uint64 // by region: number of records
	weights []uint64 // their weights, where k counts entities; else nil
	out     []bool   // regions whose records are suppressed

	index *partition.Index // index of the tuples of labels
	key   []uint64         // scratch: one tuple
}

// tupleCopies is the factor of a tuple's memory that is drawn: it is also in an index, and both
// grow.
const tupleCopies = 4

// run counts the records of all regions, and suppresses where necessary.
func (s *regionSearch) run(ctx context.Context) error {
	regions := s.Given.Len()
	var labels []int
	for _, c := range s.Given.Columns {
		labels = append(labels, len(c.Labels))
	}
	layout := labels
	if kinds := s.kinds(); kinds != nil {
		layout = append(slices.Clone(labels), kinds.Len())
	}
	s.tuples = &partition.Table{Layout: partition.NewLayout(layout)}
	s.index, s.key = partition.NewIndex(s.tuples.Layout, 0), make([]uint64, s.tuples.Layout.Words)
	located := RegionIndexBytes(regions, labels)
	taken := located + 32*int64(regions)
	if err := s.space.Draw("an index of regions", taken); err != nil {
		return err
	}
	defer s.space.Return(taken)
	s.locate = &regionLocator{
		RegionIndex: NewRegionIndex(s.Given.Released, s.Coverage),
		bytes:       located,
	}
	s.sizes, s.out = make([]uint64, regions), make([]bool, regions)
	if s.kinds().Weighted() {
		s.weights = make([]uint64, regions)
	}
	if err := s.count(ctx); err != nil {
		s.space.Return(s.drawn)
		return err
	}
	if err := s.suppression.run(ctx, s.OnBreak); err != nil {
		return err
	}
	var classes [][]uint64
	for i := range s.sets {
		classes = append(classes, make([]uint64, s.sets[i].all.Layout.Words))
	}
	for region := range s.out {
		s.out[region] = s.isTaken(s.Given.Region(int32(region)), classes)
	}
	return nil
}

// count finds the regions of all tuples, and makes tuples of their labels.
func (s *regionSearch) count(ctx context.Context) error {
	codes := make([][]uint32, len(s.Given.Columns))
	var regions []int32
	return s.table.Groupings[0].Scan(ctx, s.space, func(block *partition.Table) error {
		n, fields, words := block.Len(), block.Layout.Fields, block.Layout.Words
		for a, f := range fields[:len(codes)] {
			codes[a] = codes[a][:0]
			for i := range n {
				codes[a] = append(codes[a], f.Code(block.Keys[i*words:]))
			}
		}
		regions = slices.Grow(regions[:0], n)[:n]
		s.locate.Locate(n, codes, regions)
		for i, records := range block.Counts {
			of := engine.KindCount{Records: records}
			if s.kinds() != nil {
				of.Kind = fields[len(fields)-1].Code(block.Keys[i*words:])
			}
			if err := s.add(int(regions[i]), of); err != nil {
				return err
			}
		}
		return nil
	})
}

// add adds records of a region, or of none.
func (s *regionSearch) add(region int, of engine.KindCount) error {
	if region == int(engine.Dropped) {
		s.strange += of.Records
		return s.addKind(&s.odd, of)
	}
	s.sizes[region] += of.Records
	if s.weights != nil {
		s.weights[region] += of.Records * s.kinds().Weight[of.Kind]
	}
	fields := s.tuples.Layout.Fields
	clear(s.key)
	for a, label := range s.Given.Region(int32(region)) {
		s.key[fields[a].Word] |= uint64(label) << fields[a].Shift
	}
	if kind := len(s.Given.Columns); kind < len(fields) {
		s.key[fields[kind].Word] |= uint64(of.Kind) << fields[kind].Shift
	}
	number := s.index.Add(s.key)
	if number == s.tuples.Len() {
		if err := s.draw(tupleCopies * s.tuples.Layout.TableBytes(1)); err != nil {
			return err
		}
		s.tuples.Put(s.key, 0)
	}
	s.tuples.Counts[number] += of.Records
	return nil
}

// weigh sets the weights of the regions.
func (s *regionSearch) weigh(r *engine.Regions, mark int) {
	if s.weights == nil {
		return
	}
	kinds := s.kinds()
	r.Weights, r.Unit = make([]uint64, len(r.Sizes)), kinds.Unit
	for region, weight := range s.weights {
		if !s.out[region] {
			r.Weights[region] = weight
		}
	}
	if s.Records > 0 {
		for kind, records := range s.marked {
			r.Weights[mark] += records * kinds.Weight[kind]
		}
	}
}

// recoding returns the regions, with the records of removed ones in the region of marks.
func (s *regionSearch) recoding() *engine.Regions {
	r := &engine.Regions{
		Columns:  s.Given.Columns,
		Released: s.Given.Released,
		Sizes:    s.sizes,
		Locator:  s.locate,
	}
	mark := 0 // the region of only the marks, which may be a new one
	for mark < len(s.sizes) && !slices.Equal(s.Given.Region(int32(mark)), s.Regions.Marks) {
		mark++
	}
	if s.Records > 0 {
		if mark == len(s.sizes) {
			r.Released = append(slices.Clone(s.Given.Released), s.Regions.Marks...)
			r.Sizes = append(r.Sizes, 0)
		}
		for region, out := range s.out {
			if out {
				r.Sizes[region] = 0
			}
		}
		r.Sizes[mark] += s.Records
		r.Suppressed = s.Records
		s.locate.out, s.locate.marks = s.out, int32(mark)
	}
	s.weigh(r, mark)
	r.Index()
	return r
}

// regionLocator is the Locator of given regions.
type regionLocator struct {
	*RegionIndex
	bytes int64

	// regions whose records have only the marks, like records in no region; nil: there are none
	out   []bool
	marks int32
}

// Bytes returns the approximate memory of the locator.
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

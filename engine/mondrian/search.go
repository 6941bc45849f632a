package mondrian

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// search cuts parts until no cut is allowable. It works depth first and left first, so that few
// parts that do not fit in memory exist at a time.
type search struct {
	engine Engine
	judge
	dimensions []*dimension
	fields     []partition.Field // fields of the cells' keys
	columns    []int             // all dimensions
	tops       []uint32          // of all dimensions

	growth
	demand  *demand       // of all records
	asked   []*engine.Set // by column: what the sides of a cut must hold; nil: none is allowable
	closes  bool          // cuts may close sets
	pending []part
	account *spill.Account

	entropy  entropy  // for InfoGain
	guide    *guide   // nil: the search is not guided
	relaxed  *relaxed // nil: cuts are strict
	tightest tightest // for Tightest
}

// growth is the result of cutting.
type growth struct {
	tree    *tree // the release keeps it, but nothing else of the search
	regions *engine.RegionBuilder
	loss    float64 // of all regions, in a guided search
}

func newGrowth(table *engine.Table, ordered bool) growth {
	g := growth{tree: &tree{}, regions: engine.NewRegionBuilder(table)}
	g.regions.Ordered = ordered
	return g
}

// Bytes returns the approximate memory of the growth.
func (g *growth) Bytes() int64 { return g.tree.Bytes() + g.regions.Bytes() }

// part is a part of the records that may still be cut.
type part struct {
	cells  *cells.Cells
	link   int32            // place of the tree that leads to it
	path   string           // for relaxed cuts: the numbers of the children on the way to it
	bounds []engine.Content // what the cuts leave of every dimension
	demand *demand
	overlap
}

// overlap says where labels of a part may cover values of others.
type overlap struct {
	within bool  // some cut on the way has several parts with such labels
	from   int   // the number of regions before the first such cut
	in     []int // the dimensions in which labels of this part do
}

func newSearch(e Engine, table *engine.Table, requirement engine.Requirement, united engine.Set,
	options engine.Options) *search {
	s := &search{
		engine:  e,
		judge:   newJudge(table.Kinds),
		account: spill.NewAccount(options.Space.Budget, "regions"),
	}
	for a, of := range requirement.ByAttribute(len(table.Attributes)) {
		d := newDimension(&table.Attributes[a], e)
		d.most, d.weight = of.K.Size(), 1
		if options.Weights != nil {
			d.weight = options.Weights[a]
		}
		s.dimensions = append(s.dimensions, d)
		s.columns = append(s.columns, a)
		s.tops = append(s.tops, d.top)
	}
	sets := []engine.Set{united}
	if e.Apart && !e.Guided {
		kept, _ := requirement.Reduce()
		sets = kept.Sets
	}
	s.demand = newDemand(sets, len(s.dimensions))
	s.growth = newGrowth(table, e.Guided || !e.Tight && !e.relaxed())
	s.entropy = newEntropy(table)
	if e.Guided {
		s.guide = newGuide(s, table)
	}
	if e.relaxed() {
		s.relaxed = &relaxed{
			keys:    engine.NewRowKeys(table),
			sampled: &sampled{tree: s.tree, keys: engine.NewRowKeys(table)},
		}
	}
	return s
}

// run cuts the cells and consumes them.
func (s *search) run(ctx context.Context, cells *cells.Cells) error {
	s.fields = cells.Layout().Fields
	if s.relaxed != nil {
		s.relaxed.keys.Fields = s.fields
	}
	if s.guide != nil {
		return s.guide.growTwice(ctx, cells)
	}
	if s.engine.Tight {
		if err := s.setNarrow(ctx, cells); err != nil {
			return err
		}
	}
	if s.engine.Balanced && s.engine.InfoGain {
		if err := s.setEntropies(ctx, cells); err != nil {
			return err
		}
	}
	return s.grow(ctx, cells)
}

// setNarrow sets what narrow labels may show: the ends of intervals, and the nodes and nulls that
// are named.
func (s *search) setNarrow(ctx context.Context, of *cells.Cells) error {
	var columns []int
	for column, d := range s.dimensions {
		if d.kind == continuous || s.namesSets(d) {
			columns = append(columns, column)
		}
	}
	return of.Histograms(ctx, columns, func(i int, set *cells.FrequencySet) error {
		d := s.dimensions[columns[i]]
		weights, least := s.weights(set, d.codes), s.kinds.LeastWeight(d.most)
		if d.kind == continuous {
			d.setEnds(set)
			d.nulls = s.namesSets(d) && d.HasNull && d.most > 1 && weights[d.top] >= least
			return nil
		}
		d.setNamed(weights, least)
		return nil
	})
}

// namesSets reports whether tight labels of a dimension are sets of nodes, or of an interval and
// the null: where cuts follow its taxonomy, a region is below one node.
func (s *search) namesSets(d *dimension) bool {
	return d.Mask != engine.Suppress && !d.EndsOnly && s.engine.Ordered && !s.engine.InfoGain
}

// weights returns the weight of the records by code, or their number where k counts records.
func (s *search) weights(set *cells.FrequencySet, codes int) []uint64 {
	weights := make([]uint64, codes)
	for i, code := range set.Codes {
		if weights[code] = set.Size(i); !s.kinds.Weighted() {
			continue
		}
		weights[code] = 0
		for e := set.Start[i]; e < set.Start[i+1]; e++ {
			weights[code] += set.Count[e] * s.kinds.Weight[set.Class[e]]
		}
	}
	return weights
}

// grow cuts the cells until no cut is allowable, and consumes them.
func (s *search) grow(ctx context.Context, cells *cells.Cells) error {
	all := make([]engine.Content, len(s.dimensions))
	for i, d := range s.dimensions {
		all[i] = d.uncut()
	}
	s.pending = append(s.pending, part{cells: cells, link: rootLink, bounds: all, demand: s.demand})
	for len(s.pending) > 0 {
		last := len(s.pending) - 1
		p := s.pending[last]
		s.pending = s.pending[:last]
		if err := s.visit(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// visit cuts a part or makes it a region. It closes sets only where no other cut is allowable, by
// the widest cuts.
func (s *search) visit(ctx context.Context, p part) error {
	for turn, asked := range [][]*engine.Set{p.demand.first, p.demand.rest, p.demand.own} {
		s.asked, s.closes = asked, turn == 2
		cut := s.cutWidest
		if s.engine.Tightest {
			cut = s.cutTightest
		}
		if s.engine.InfoGain && !s.closes && p.demand == s.demand {
			cut = s.cutByEntropy
		}
		// with fewer records no cut is allowable, since k entities have at least k records
		if n := least(s.asked); n > 0 && p.cells.Size() >= 2*n {
			if done, err := cut(ctx, p); done || err != nil {
				return err
			}
		}
		if len(p.demand.open) < 2 {
			break
		}
	}
	return s.finish(ctx, p)
}

// divide replaces a part by the parts of a dimension's division.
func (s *search) divide(ctx context.Context, p part, column int) error {
	d := s.dimensions[column]
	side := func(code uint32) uint32 { return d.part[code] }
	if err := s.closing(ctx, &p, column, len(d.sizes), side, 0); err != nil {
		return err
	}
	children, err := p.cells.Divide(ctx, column, d.part, len(d.sizes))
	if err != nil {
		return err
	}
	n := node{column: int32(column)}
	s.tree.addSteps(&n, d.spans, d.largest())
	s.replace(p, n, children, d.contents)
	return nil
}

// with returns a copy of bounds with one bound replaced.
func with(bounds []engine.Content, column int, content engine.Content) []engine.Content {
	other := slices.Clone(bounds)
	other[column] = content
	return other
}

// halve divides a part into the codes of a dimension below at and the others, with nulls among them
// or not.
func (s *search) halve(ctx context.Context, p part, column int, at uint32, nulls bool) error {
	if err := s.closing(ctx, &p, column, 2, above(at), 0); err != nil {
		return err
	}
	halves, err := p.cells.Halve(ctx, column, at, func([]uint64, uint64) uint64 { return 0 })
	if err != nil {
		return err
	}
	s.replace(p, node{column: int32(column), at: at}, halves[:],
		s.halves(p, column, at, at, nulls))
	return nil
}

// above returns the sides of a cut at a code: 1 from the code on.
func above(at uint32) func(code uint32) uint32 {
	return func(code uint32) uint32 {
		if code < at {
			return 0
		}
		return 1
	}
}

// halves returns what two cuts leave of a dimension in a part: the codes below end, and those from
// a code on, with nulls among them or not.
func (s *search) halves(p part, column int, end, from uint32, nulls bool) []engine.Content {
	left, right, d := p.bounds[column], p.bounds[column], s.dimensions[column]
	switch left.Hi, right.Lo = end, from; {
	case d.kind != continuous:
	case from == d.top:
		right = engine.OnlyNulls
	case nulls:
		right.Hi = d.top + 1
	default:
		right.Hi = min(right.Hi, d.top)
	}
	return []engine.Content{left, right}
}

// replace puts a node in a part's place, and its children among the pending parts, the first of
// them on top or, in a guided search, the narrowest. The contents are what the cut leaves of its
// dimension in the children.
func (s *search) replace(p part, n node, children []*cells.Cells, contents []engine.Content) {
	if s.guide != nil {
		s.guide.open(p, len(children))
	}
	at := s.tree.add(n, len(children))
	s.tree.set(p.link, at)
	overlaps := s.overlaps(p.overlap, int(n.column), contents)
	for _, child := range slices.Backward(s.visits(n.column, contents)) {
		below := part{
			cells:  children[child],
			link:   s.tree.nodes[at].links + int32(child),
			bounds: with(p.bounds, int(n.column), contents[child]),
			demand: p.demand,

			overlap: overlaps[child],
		}
		if s.relaxed != nil {
			below.path = p.path + "." + strconv.Itoa(child)
		}
		s.pending = append(s.pending, below)
	}
}

// overlaps returns how the parts of a cut overlap others. A single wide part is visited last, and
// covers no values of others unless the whole did. Of several, a region that one is cut into may be
// all in a region of another.
func (s *search) overlaps(whole overlap, column int, contents []engine.Content) (of []overlap) {
	wide, number := s.dimensions[column].wide(contents)
	covers := number > 1 || slices.Contains(whole.in, column)
	if number > 1 && !whole.within {
		whole.within, whole.from = true, s.regions.Len()
	}
	whole.in = slices.DeleteFunc(slices.Clone(whole.in), func(c int) bool { return c == column })
	for child := range contents {
		of = append(of, whole)
		if covers && wide[child] {
			of[child].in = append(slices.Clip(whole.in), column)
		}
	}
	return of
}

// visits returns the order in which to visit the children of a cut. If regions keep this order, a
// record that has no region yet gets the first one whose labels cover it, and the label of a child
// may cover values of the others.
func (s *search) visits(column int32, contents []engine.Content) (order []int) {
	for child := range contents {
		order = append(order, child)
	}
	if s.regions.Ordered {
		d := s.dimensions[column]
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(d.Width(d.content(contents[a])), d.Width(d.content(contents[b])))
		})
	}
	return order
}

// finish makes a part a region.
func (s *search) finish(ctx context.Context, p part) error {
	if s.guide != nil {
		return s.guide.finish(ctx, p)
	}
	weight, err := s.weight(ctx, p.cells, len(s.dimensions))
	if err != nil {
		return err
	}
	contents, err := s.contents(ctx, p)
	if err != nil {
		return err
	}
	region := s.put(p, contents, p.cells.Size(), weight)
	bytes := s.Bytes()
	if s.relaxed != nil {
		if err := s.relaxed.record(ctx, p, region); err != nil {
			return err
		}
		bytes += s.relaxed.bytes()
	}
	if err := s.account.Draw(bytes); err != nil {
		return err
	}
	return p.cells.Free()
}

// contents returns the contents of a part that becomes a region.
func (s *search) contents(ctx context.Context, p part) (contents []engine.Content, err error) {
	if !s.engine.Tight {
		return s.onPath(p), nil
	}
	if contents, err = s.tight(ctx, p); err != nil {
		return nil, err
	}
	for column, closed := range p.demand.contents {
		if closed != nil {
			contents[column] = *closed
		}
	}
	return contents, nil
}

// onPath returns the contents that the cuts leave of a part.
func (s *search) onPath(p part) (contents []engine.Content) {
	for column, left := range p.bounds {
		contents = append(contents, s.dimensions[column].content(left))
	}
	return contents
}

// tight returns the contents of a part by the values present.
func (s *search) tight(ctx context.Context, p part) (contents []engine.Content, err error) {
	extents, err := p.cells.Extents(ctx, s.tops)
	if err != nil {
		return nil, err
	}
	contents = make([]engine.Content, len(extents))
	for column, e := range extents {
		d, c := s.dimensions[column], &contents[column]
		switch {
		case isNull(e):
			*c = engine.OnlyNulls
		case d.Mask == engine.Generalize && !s.namesSets(d):
			c.Lo = uint32(d.ancestor(e))
		case d.Mask == engine.Generalize && e.Lo == e.Hi && !e.Above:
			c.Lo = uint32(d.leaf[e.Lo])
		case d.Mask != engine.Discretize:
			note := func(_ int, set *cells.FrequencySet) error {
				switch {
				case d.Mask == engine.Generalize:
					*c = d.above(set.Codes)
				case d.names(len(set.Codes)):
					*c = d.Named(set.Codes)
				}
				return nil
			}
			if err := p.cells.Histograms(ctx, []int{column}, note); err != nil {
				return nil, err
			}
		case !e.Above || d.nulls:
			*c = d.narrow(p.bounds[column], e)
		default:
			*c = d.content(p.bounds[column])
		}
	}
	return contents, nil
}

// put makes a part a region, and returns its number.
func (s *search) put(p part, contents []engine.Content, size, weight uint64) (region int32) {
	for _, content := range contents {
		s.regions.Put(content)
	}
	overlap := engine.Overlap{From: s.regions.Len(), Covers: len(p.overlap.in) > 0}
	if p.within {
		overlap.From = p.from
	}
	region = s.regions.End(size, weight, overlap)
	s.tree.set(p.link, -1-region)
	return region
}

// Bytes returns the approximate memory of the growth, of the pending parts and of tightest cuts.
func (s *search) Bytes() int64 {
	of := pendingBytes + 24*len(s.dimensions)
	if len(s.demand.open) > 1 {
		of += demandBytes * len(s.dimensions)
	}
	return s.growth.Bytes() + int64(cap(s.pending))*int64(of) + s.tightest.Bytes()
}

// pendingBytes is the memory of a part or a subtree without its bounds and sums.
const pendingBytes = 200

// release returns the result as regions.
func (s *search) release() *engine.Regions {
	regions, to := s.regions.Regions()
	regions.Locator = s.tree
	s.tree.renumber(to)
	if s.relaxed != nil {
		regions.Sampled = s.relaxed.sampled
		regions.Reassigned = s.relaxed.divided.Reassigned(s.fields, len(regions.Columns), to)
	}
	regions.Index()
	return regions
}

package recheck

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// suppression takes records out of a cut until every remaining class has its K, and so has the
// class of records with only the marks.
//
// The classes of a record alone decide whether it is taken away. Taking some records away makes
// classes of other sets smaller, which may then be too small themselves.
type suppression struct {
	*classes
	*engine.RecordSuppression
	cut     *engine.Cut      // the cut whose labels the classes have
	tuples  *partition.Table // tuples of all attributes in sets
	columns []int            // these attributes
	strange uint64           // number of records that are in no tuple, and suppressed in any case
	odd     kindCounts       // these by kind, where there are kinds
	marked  kindCounts       // all suppressed or dropped records, by kind
	joined  engine.Stats     // scratch for with
	most    uint64           // largest number of records that may be taken away
	least   uint64           // smallest number if any are
	sets    []outliers
	tidies  bool  // the cut comes from a search, and loses the labels that have no records
	drawn   int64 // bytes, for the noted classes
}

// kindCounts are numbers of records by kind.
type kindCounts map[uint32]uint64

// outliers are the classes of one set that are taken away, or lose records because of others.
type outliers struct {
	engine.Set
	fields []int             // of the columns, in the layout of tuples
	all    *partition.Table  // all classes, in label numbers
	place  []partition.Field // fields of the columns' labels in the keys of classes
	next   *partition.Index  // classes whose records must be removed
	marks  []uint64          // the class of records with only the marks; nil: there is none
	noted  *partition.Index  // classes that are taken away or have lost records
	losses []loss            // by number in noted
}

// loss is the number of records that a class has lost, because of any set, and where there are
// kinds the numbers by kind.
type loss struct {
	records uint64
	of      kindCounts
	isNew   bool // some of it was lost after the class was last examined
	taken   bool // the class is taken away
}

// with returns the content of a class with more records. The lists of its stats are valid until the
// next call.
func (s *suppression) with(c content, records uint64, more kindCounts) content {
	of := slices.Clone(c.of)
	for kind, n := range more {
		of = append(of, engine.KindCount{Kind: kind, Records: n})
	}
	return s.contentOf(c.records+records, of, &s.joined)
}

// class writes the class of a record, given its label in every field of the tuples.
func (o *outliers) class(labels []uint32, class []uint64) []uint64 {
	clear(class)
	for j, f := range o.place {
		class[f.Word] |= uint64(labels[o.fields[j]]) << f.Shift
	}
	return class
}

// lost returns the loss of a class, nil if it has none.
func (o *outliers) lost(class []uint64) *loss {
	if number := o.noted.Find(class); number >= 0 {
		return &o.losses[number]
	}
	return nil
}

// isTaken reports whether the records of a class are taken away.
func (o *outliers) isTaken(class []uint64) bool {
	lost := o.lost(class)
	return lost != nil && lost.taken
}

// suppress returns the cut, or one with a record suppression. It returns a *Broken when more
// records would have to be taken away than allowed.
func (c *classes) suppress(ctx context.Context, cut *engine.Cut, e Engine) (*engine.Cut, error) {
	s := &suppression{
		classes: c, RecordSuppression: &engine.RecordSuppression{Drop: e.Drop},
		cut: cut, tuples: c.table.Groupings[0], most: e.MaxSuppressed,
	}
	for a := range cut.Columns {
		mark := engine.Suppressed
		if e.Widest {
			mark = c.table.Attributes[a].Widest()
		}
		if !e.Drop {
			s.Marks = append(s.Marks, cut.Columns[a].AddMark(mark))
		}
	}
	if err := s.run(ctx, Suppress); err != nil {
		return nil, err
	}
	if s.Records == 0 {
		plain := c.cut(c.none())
		plain.Reached = cut.Reached
		return plain, nil
	}
	s.takeAway(cut)
	return cut, nil
}

// SuppressOutliers takes records out of a cut that was found in a table, until every remaining
// class meets the requirement, and so do the records with the widest labels, unless those are
// dropped. The table's grouping has the tuples of all attributes in sets, in the given codes where
// the table is merged. It reports whether there are such records. It returns a *Broken when they
// are more than the requirement allows; then the cut is invalid.
func SuppressOutliers(
	ctx context.Context, table *engine.Table, requirement engine.Requirement, cut *engine.Cut,
	codes []engine.CodeMerge, space partition.Space,
) (are bool, err error) {
	united := requirement.United()
	s := &suppression{
		classes:           &classes{table: table, sets: requirement.Sets, space: space},
		RecordSuppression: &engine.RecordSuppression{Drop: requirement.Drop},
		cut:               &engine.Cut{}, tuples: table.Groupings[0],
		most: requirement.MaxSuppressed, least: united.K.Size(), tidies: true,
	}
	for a := range cut.Columns {
		c := &cut.Columns[a]
		if !s.Drop {
			s.Marks = append(s.Marks, c.AddMark(table.Attributes[a].Widest()))
		}
		counted := *c
		if table.Merged {
			counted.Code = make([]uint32, codes[a].Domain)
			for code, label := range c.Code {
				// otherwise no record has the code; of codes with one new code, the last has
				// records
				if at := codes[a].Codes[code]; int(at) < codes[a].Domain {
					counted.Code[at] = label
				}
			}
		}
		s.cut.Columns = append(s.cut.Columns, counted)
	}
	if err := s.run(ctx, Suppress); err != nil {
		return false, err
	}
	if s.Records == table.Rows {
		return false, &Broken{Over: s.Records, Most: s.most}
	}
	s.takeAway(cut)
	cut.Reached = s.cut.Reached
	return s.Records > 0, nil
}

// takeAway makes the suppression the one of a cut.
func (s *suppression) takeAway(from *engine.Cut) {
	var locator recordLocator
	for i := range s.sets {
		o := &s.sets[i]
		var taken [][]uint64
		for number, lost := range o.losses {
			if lost.taken {
				taken = append(taken, o.noted.Key(number))
			}
		}
		slices.SortFunc(taken, slices.Compare) // workers note them in any order
		index := partition.NewIndex(o.all.Layout, 0)
		for _, class := range taken {
			index.Add(class)
			s.Held += classBytes + 8*int64(len(class))
		}
		if index.Len() == 0 {
			continue
		}
		finder := partition.Finder{Index: index}
		for j, a := range o.Columns {
			finder.Columns = append(finder.Columns,
				partition.FinderColumn{Column: a, Labels: from.Columns[a].Code, Field: o.place[j]})
		}
		locator = append(locator, finder)
	}
	s.Locator, from.Suppression = locator, s.RecordSuppression
}

// recordLocator is the Locator of a record suppression: it has the classes that are suppressed or
// dropped, set by set, with labels some of which may be missing from the release.
type recordLocator []partition.Finder

// Locate writes which tuples are suppressed.
func (r recordLocator) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range regions[:n] {
		regions[i] = engine.ByCut
	}
	for i := range r {
		r[i].Find(n, codes, func(tuple, _ int) { regions[tuple] = engine.ByMark })
	}
}

// run finds the classes that must be taken away.
func (s *suppression) run(ctx context.Context, onBreak OnBreak) error {
	s.columns = engine.Requirement{Sets: s.classes.sets}.United().Columns
	for _, set := range s.classes.sets {
		o := outliers{Set: set}
		for _, a := range set.Columns {
			o.fields = append(o.fields, slices.Index(s.columns, a))
		}
		s.sets = append(s.sets, o)
	}
	s.Remaining = make([][]uint64, len(s.cut.Columns))
	s.Records, s.marked = s.strange, kindCounts{}
	maps.Copy(s.marked, s.odd)
	err := s.find(ctx, onBreak)
	s.space.Return(s.drawn)
	for i := range s.sets {
		if o := &s.sets[i]; o.all != nil {
			err = errors.Join(err, o.all.Discard(s.space))
		}
	}
	return err
}

// find finds the classes that must be taken away, or returns an error if there are some and none
// may be.
func (s *suppression) find(ctx context.Context, onBreak OnBreak) error {
	broken := &Broken{Most: s.most, Strange: s.strange}
	for i := range s.sets {
		breach, taken, err := s.begin(ctx, &s.sets[i])
		if err != nil {
			return err
		}
		broken.add(breach)
		if onBreak == Suppress && taken > s.most {
			broken.Over = taken
			return broken
		}
	}
	if onBreak != Suppress {
		if s.strange > 0 || len(broken.Breaches) > 0 {
			return broken
		}
		return nil
	}
	for {
		if err := s.spread(ctx, broken); err != nil {
			return err
		}
		enough, err := s.conclude(ctx)
		if err == nil && enough && s.tidies {
			err = s.concludeTidy(ctx)
		}
		if err != nil || enough {
			return err
		}
		if err := s.takeSmallest(ctx); err != nil {
			return err
		}
	}
}

// begin counts the classes of a set, and finds those that are too small and so must be taken away,
// with the number of their records. When these are too many, it returns only that.
func (s *suppression) begin(ctx context.Context, o *outliers) (breach Breach, taken uint64,
	err error) {
	if err := s.count(ctx, o); err != nil {
		return breach, 0, err
	}
	breach = newBreach(s.table, o.Set)
	var counted []int // columns that no earlier set has
	for j, a := range o.Columns {
		if s.Remaining[a] == nil {
			s.Remaining[a], counted = make([]uint64, len(s.cut.Columns[a].Labels)),
				append(counted, j)
		}
	}
	err = s.each(ctx, o.all, everyClass, func(class []uint64, c content) error {
		for _, j := range counted {
			s.Remaining[o.Columns[j]][o.place[j].Code(class)] += c.records
		}
		if o.Holds(c.Stats) {
			return nil
		}
		breach.add(c.Size, c.records)
		if slices.Equal(class, o.marks) && o.Holds(s.with(c, s.strange, s.odd).Stats) {
			return nil
		}
		if taken += c.records; taken > s.most {
			return nil
		}
		return s.suppressClass(o, class)
	})
	return breach, taken, err
}

// count counts the classes of a set.
func (s *suppression) count(ctx context.Context, o *outliers) (err error) {
	if o.all, err = s.aggregate(ctx, &o.Set, s.tuples, s.columns, s.cut.Columns); err != nil {
		return err
	}
	for _, f := range o.fields {
		o.place = append(o.place, o.all.Layout.Fields[f])
	}
	o.next, o.noted = partition.NewIndex(o.all.Layout, 0), partition.NewIndex(o.all.Layout, 0)
	o.mark(s.Marks)
	return nil
}

// classBytes is the memory of a noted class without its key.
const classBytes = 100

// note returns the loss of a class, for the caller to add to. It is valid until the next call.
func (s *suppression) note(o *outliers, class []uint64) (*loss, error) {
	number := o.noted.Add(class)
	if number == len(o.losses) {
		bytes := classBytes + 8*int64(len(class))
		if err := s.draw(bytes); err != nil {
			return nil, err
		}
		o.losses = append(o.losses, loss{})
	}
	return &o.losses[number], nil
}

// draw draws bytes until the end.
func (s *suppression) draw(bytes int64) error {
	err := s.space.Draw("equivalence classes of suppressed records", bytes)
	if err == nil {
		s.drawn += bytes
	}
	return err
}

// suppressClass notes that a class must be taken away.
func (s *suppression) suppressClass(o *outliers, class []uint64) error {
	o.next.Add(class)
	_, err := s.note(o, class)
	return err
}

// left calls visit with the remaining content of every wanted class of a set, without the records
// lost because of others.
func (s *suppression) left(ctx context.Context, o *outliers, wanted func(class []uint64) bool,
	visit func(class []uint64, left content) error) error {
	var stats engine.Stats
	return s.each(ctx, o.all, wanted, func(class []uint64, c content) error {
		if lost := o.lost(class); lost != nil && lost.records > 0 {
			if c.records == lost.records {
				return nil
			}
			for i := range c.of {
				c.of[i].Records -= lost.of[c.of[i].Kind]
			}
			c = s.contentOf(c.records-lost.records, c.of, &stats)
		}
		return visit(class, c)
	})
}

// eachLeft is left, with the suppressed records in the class of only the marks, if there are some.
func (s *suppression) eachLeft(ctx context.Context, o *outliers, wanted func(class []uint64) bool,
	visit func(class []uint64, left content) error) error {
	return s.left(ctx, o, wanted, func(class []uint64, c content) error {
		if slices.Equal(class, o.marks) {
			c = s.with(c, s.Records, s.marked)
		}
		return visit(class, c)
	})
}

// spread takes away the classes that became too small because others were taken away, until there
// is none. It examines those that lost records since they were last examined, and the class of
// records with only the marks.
func (s *suppression) spread(ctx context.Context, broken *Broken) error {
	for more := true; more; {
		if err := s.removeNext(ctx); err != nil {
			return err
		}
		if broken.Over = s.Records; s.Records > s.most {
			return broken
		}
		more = false
		for i := range s.sets {
			o := &s.sets[i]
			changed := func(class []uint64) bool {
				lost := o.lost(class)
				return lost != nil && lost.isNew || slices.Equal(class, o.marks)
			}
			err := s.eachLeft(ctx, o, changed, func(class []uint64, left content) error {
				if o.Holds(left.Stats) {
					return nil
				}
				more = true
				return s.suppressClass(o, class)
			})
			if err != nil {
				return err
			}
			for number := range o.losses {
				o.losses[number].isNew = false
			}
		}
	}
	return nil
}

// conclude notes the anonymity, and reports whether it suffices for the suppressed records, too.
func (s *suppression) conclude(ctx context.Context) (enough bool, err error) {
	s.cut.Reached = nil
	isAny := s.Records > 0 && !s.Drop
	enough = true
	for i := range s.sets {
		o := &s.sets[i]
		least, marked, holds := uint64(0), uint64(0), true
		if isAny {
			suppressed := s.with(content{}, s.Records, s.marked)
			marked, holds = suppressed.Size, o.Holds(suppressed.Stats)
			enough = enough && marked >= s.least
		}
		err := s.eachLeft(ctx, o, everyClass, func(class []uint64, left content) error {
			if slices.Equal(class, o.marks) {
				marked, holds = left.Size, o.Holds(left.Stats)
			} else if least == 0 || left.Size < least {
				least = left.Size
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		if marked > 0 && (least == 0 || marked < least) {
			least = marked
		}
		s.cut.Reached = append(s.cut.Reached, least)
		enough = enough && holds
	}
	return enough, nil
}

// concludeTidy notes the anonymity after labels without records are removed, if that differs: a
// column with one interval left has no other label, and so the records with only the marks have it,
// too.
func (s *suppression) concludeTidy(ctx context.Context) (err error) {
	var joined bool
	marks := slices.Clone(s.Marks)
	for _, a := range s.columns {
		if interval := s.loneInterval(a); interval >= 0 && marks != nil &&
			marks[a] != uint32(interval) {
			marks[a], joined = uint32(interval), true
		}
	}
	if !joined || s.Records == 0 {
		return nil
	}
	reached := s.cut.Reached
	s.mark(marks)
	_, err = s.conclude(ctx)
	s.RecordSuppression.Reached, s.cut.Reached = s.cut.Reached, reached
	s.mark(s.Marks)
	return err
}

// loneInterval returns the interval of an attribute that has all remaining records with an
// interval; else −1.
func (s *suppression) loneInterval(attribute int) int {
	c, lone := &s.cut.Columns[attribute], -1
	for label, is := range c.Labels {
		switch {
		case c.Intervals == nil:
			return -1
		case is.Null, is.Mark, s.Remaining[attribute][label] == 0:
		case lone >= 0:
			return -1
		default:
			lone = label
		}
	}
	return lone
}

// mark notes the classes of records with only the marks, whose label numbers are given.
func (s *suppression) mark(marks []uint32) {
	for i := range s.sets {
		s.sets[i].mark(marks)
	}
}

// mark notes the class of the marks. There are none where records are dropped.
func (o *outliers) mark(marks []uint32) {
	if marks == nil {
		return
	}
	o.marks = make([]uint64, o.all.Layout.Words)
	for j, f := range o.place {
		o.marks[f.Word] |= uint64(marks[o.Columns[j]]) << f.Shift
	}
}

// takeSmallest takes away the smallest remaining class: the first one by set, then by its labels.
func (s *suppression) takeSmallest(ctx context.Context) error {
	var smallest []uint64
	var of *outliers
	fewest := uint64(math.MaxUint64)
	for i := range s.sets {
		o := &s.sets[i]
		err := s.left(ctx, o, everyClass, func(class []uint64, left content) error {
			if left.Size < fewest || left.Size == fewest && of == o &&
				engine.CompareKeys(o.place, class, smallest) < 0 {
				smallest, of, fewest = slices.Clone(class), o, left.Size
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if of == nil {
		// every record is suppressed, and they are too few
		return &Broken{Over: s.Records, Most: s.most, Strange: s.strange}
	}
	return s.suppressClass(of, smallest)
}

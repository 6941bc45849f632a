package recheck

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// suppression takes records away from a cut until every class that is left has its K, and
// so has the one that they are in then: of records with marks alone.
//
// Whether a record is taken away depends on its classes alone. Taking some away makes other
// classes of other sets smaller, which may then be too small themselves.
type suppression struct {
	*classes
	*engine.RecordSuppression
	cut     *engine.Cut        // in whose labels classes are
	given   []engine.ColumnCut // the same for the codes of the classes that the table has
	tuples  *partition.Table   // of all attributes in sets
	columns []int              // these
	strange uint64             // records that are in no tuple, and suppressed whatever else is
	odd     []engine.KindCount // the kinds of these, where there are kinds
	marked  []engine.KindCount // the kinds of all records that are taken away
	joined  engine.Stats       // scratch of with
	most    uint64             // records that may be taken away
	least   uint64             // records that are, if any
	sets    []outliers
	tidies  bool  // the cut was searched for, and loses the labels that have no records
	noted   int64 // bytes that are drawn for what classes lost
}

// outliers are the classes of one set that are taken away.
type outliers struct {
	engine.Set
	fields []int            // of the columns, in the layout of tuples
	all    *partition.Table // all classes, in label numbers
	labels labeling         // of the columns, in their layout
	taken  classSet         // whose records are removed
	next   classSet         // whose records are to be removed
	marks  string           // the labels of suppressed records
	lost   map[string]*loss // what classes have lost, for whatever set
}

// loss is what a class has lost: so many records and, where there are kinds, of which.
type loss struct {
	records uint64
	of      []engine.KindCount
	isNew   bool // some of it was lost since the class was looked at
}

// with returns a class with more records. The lists of its stats are valid until the next call.
func (s *suppression) with(c content, records uint64, of []engine.KindCount) content {
	return s.contentOf(c.records+records, slices.Concat(c.of, of), &s.joined)
}

// suppress returns the cut, or one with a record suppression. It returns a *Broken when more records
// than may be would have to be taken away.
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

// SuppressOutliers takes records away from a cut that was found in a table, until every class that is left
// meets the requirement, and so do those that were taken away, with the widest labels, unless they are dropped. The table's first
// grouping has the tuples of all attributes in sets; others, if it has more, the classes of each set in the cut or in a finer one,
// in the given codes, as the tuples are where the table is merged. It reports whether there are such records. It returns a *Broken when they are more than the requirement allows; then the cut is of no use.
func SuppressOutliers(
	ctx context.Context, table *engine.Table, requirement engine.Requirement, cut *engine.Cut, codes []engine.CodeMerge, space partition.Space,
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
		counted := engine.ColumnCut{Labels: c.Labels, Intervals: c.Intervals, Code: make([]uint32, codes[a].Domain)}
		for code, label := range c.Code {
			if at := codes[a].Codes[code]; int(at) < codes[a].Domain { // else no record has it; of codes that are one, the last has records
				counted.Code[at] = label
			}
		}
		s.given = append(s.given, counted)
	}
	if s.cut.Columns = s.given; !table.Merged {
		s.cut.Columns = slices.Clone(cut.Columns)
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

// takeAway makes the suppression that of a cut.
func (s *suppression) takeAway(from *engine.Cut) {
	l := &recordLocator{}
	for a := range from.Columns {
		l.codes = append(l.codes, from.Columns[a].Code)
	}
	for i := range s.sets {
		if o := &s.sets[i]; o.taken.len() > 0 {
			o.taken = o.taken.sorted()
			l.taken = append(l.taken, o.taken)
		}
	}
	s.Locator, from.Suppression = l, s.RecordSuppression
}

// run finds the classes that are taken away.
func (s *suppression) run(ctx context.Context, onBreak OnBreak) error {
	s.columns = engine.Requirement{Sets: s.classes.sets}.United().Columns
	for _, set := range s.classes.sets {
		o := outliers{Set: set, lost: make(map[string]*loss)}
		for _, a := range set.Columns {
			o.fields = append(o.fields, slices.Index(s.columns, a))
		}
		s.sets = append(s.sets, o)
	}
	if !s.Drop { // else no class has marks alone
		s.mark(s.Marks)
	}
	s.Remaining = make([][]uint64, len(s.cut.Columns))
	s.Records, s.marked = s.strange, slices.Clone(s.odd)
	err := s.find(ctx, onBreak)
	giveBack(s.space, s.noted+s.Held)
	for i := range s.sets {
		if o := &s.sets[i]; o.all != nil {
			err = errors.Join(err, o.all.Discard(s.space))
			o.all, o.lost = nil, nil
		}
	}
	return err
}

// find finds the classes that are taken away, or says that there are such when none may be.
func (s *suppression) find(ctx context.Context, onBreak OnBreak) error {
	broken := &Broken{Most: s.most, Strange: s.strange}
	for i := range s.sets {
		breach, taken, err := s.begin(ctx, i)
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

// begin counts the classes of a set, and says which are too small and so to be taken away, of which it returns
// the records. When these are too many, that is all that is told of them.
func (s *suppression) begin(ctx context.Context, set int) (breach Breach, taken uint64, err error) {
	o := &s.sets[set]
	if err := s.count(ctx, set); err != nil {
		return breach, 0, err
	}
	breach = newBreach(s.table, o.Set)
	var counted []int // columns that no set before has
	for j, a := range o.Columns {
		if s.Remaining[a] == nil {
			s.Remaining[a], counted = make([]uint64, len(s.cut.Columns[a].Labels)), append(counted, j)
		}
	}
	err = s.each(ctx, o.all, o.labels, everyClass, func(class []byte, c content) error {
		for _, j := range counted {
			s.Remaining[o.Columns[j]][labelAt(class, j)] += c.records
		}
		if o.Holds(c.Stats) {
			return nil
		}
		breach.add(c.Size, c.records)
		if string(class) == o.marks && o.Holds(s.with(c, s.strange, s.odd).Stats) {
			return nil
		}
		if taken += c.records; taken > s.most {
			return nil
		}
		return s.suppressClass(o, class)
	})
	return breach, taken, err
}

// count counts the classes of a set: those that the table has of it in a grouping, or those of the tuples.
func (s *suppression) count(ctx context.Context, set int) (err error) {
	o, tuples, columns, in := &s.sets[set], s.tuples, s.columns, s.cut.Columns
	o.labels.fields = o.fields
	if given := s.table.Groupings[1:]; len(given) > 0 {
		tuples, columns, in, o.labels.fields = given[set], o.Columns, s.given, positions(len(o.Columns))
	}
	var to [][]uint32
	var domains []int
	for _, a := range columns {
		codes, labels := in[a].Code, len(in[a].Labels)
		if !slices.Contains(o.Columns, a) {
			codes, labels = make([]uint32, len(codes)), 1
		}
		to, domains = append(to, codes), append(domains, labels)
	}
	o.all, err = s.aggregate(ctx, tuples, to, domains)
	return err
}

// draw draws what it takes to note a class from the budget, and adds it up.
func (s *suppression) draw(what string, class []byte, total *int64) error {
	const classBytes = 100 // beside its labels
	bytes := classBytes + int64(len(class))
	if err := s.space.Draw(what, bytes); err != nil {
		return err
	}
	*total += bytes
	return nil
}

// suppressClass says that a class is to be taken away.
func (s *suppression) suppressClass(o *outliers, class []byte) error {
	if err := s.draw("equivalence classes that are suppressed", class, &s.Held); err != nil {
		return err
	}
	var labels []int
	for _, a := range o.Columns {
		labels = append(labels, len(s.cut.Columns[a].Labels))
	}
	for _, of := range []*classSet{&o.taken, &o.next} {
		if of.index == nil {
			*of = newClassSet(o.Columns, labels)
		}
	}
	o.next.add(class)
	return nil
}

// labelBytes is what a label of a class takes.
const labelBytes = 4

func appendLabel(class []byte, label uint32) []byte {
	return binary.BigEndian.AppendUint32(class, label)
}

// labelAt returns a label of a class, by column of its set.
func labelAt(class []byte, column int) uint32 {
	return binary.BigEndian.Uint32(class[labelBytes*column:])
}

// everyClass is wanted of all classes.
func everyClass([]byte) bool { return true }

// left calls visit with what every class of a set that is wanted has left: those that others lost
// are not among it.
func (s *suppression) left(ctx context.Context, o *outliers, wanted func(class []byte) bool, visit func(class []byte, left content) error) error {
	var stats engine.Stats
	var of []engine.KindCount
	return s.each(ctx, o.all, o.labels, wanted, func(class []byte, c content) error {
		if lost, ok := o.lost[string(class)]; ok {
			if c.records == lost.records {
				return nil
			}
			lost.of = sumUp(lost.of)
			of = subtract(of[:0], c.of, lost.of)
			c = s.contentOf(c.records-lost.records, of, &stats)
		}
		return visit(class, c)
	})
}

// eachLeft is left with the records that are taken away among those with marks alone, if there are some.
func (s *suppression) eachLeft(ctx context.Context, o *outliers, wanted func(class []byte) bool, visit func(class []byte, left content) error) error {
	return s.left(ctx, o, wanted, func(class []byte, c content) error {
		if string(class) == o.marks {
			c = s.with(c, s.Records, s.marked)
		}
		return visit(class, c)
	})
}

// spread takes away the classes that became too small because others were taken away, until there
// is none. It looks at those that lost records since they were looked at, and at that of records
// with marks alone.
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
			changed := func(class []byte) bool {
				lost := o.lost[string(class)]
				return lost != nil && lost.isNew || string(class) == o.marks
			}
			err := s.eachLeft(ctx, o, changed, func(class []byte, left content) error {
				if o.Holds(left.Stats) {
					return nil
				}
				more = true
				return s.suppressClass(o, class)
			})
			if err != nil {
				return err
			}
			for _, lost := range o.lost {
				lost.isNew = false
			}
		}
	}
	return nil
}

// conclude notes what is reached, and reports whether that is enough for the suppressed records, too.
func (s *suppression) conclude(ctx context.Context) (enough bool, err error) {
	s.cut.Reached = nil
	var stats engine.Stats
	suppressed := s.contentOf(s.Records, s.marked, &stats)
	if s.Drop {
		suppressed = s.contentOf(0, nil, &stats)
	}
	isAny := suppressed.records > 0
	enough = !isAny || suppressed.Size >= s.least
	for i := range s.sets {
		o := &s.sets[i]
		least, marked, holds := uint64(0), suppressed.Size, o.Holds(suppressed.Stats)
		err := s.eachLeft(ctx, o, everyClass, func(class []byte, left content) error {
			if string(class) == o.marks {
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
		enough = enough && (!isAny || holds)
	}
	return enough, nil
}

// concludeTidy notes what is reached when labels without records are gone, if that is something else: a column of which one
// interval is left has no other label, and so the records with marks alone have that.
func (s *suppression) concludeTidy(ctx context.Context) (err error) {
	var joined bool
	marks := slices.Clone(s.Marks)
	for _, a := range s.columns {
		if interval := s.loneInterval(a); interval >= 0 && marks != nil && marks[a] != uint32(interval) {
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

// loneInterval returns the interval of an attribute that has all records which are left and have one; else −1.
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

// mark notes the classes of records with marks alone, which are the labels of these numbers.
func (s *suppression) mark(marks []uint32) {
	for i := range s.sets {
		var class []byte
		for _, a := range s.sets[i].Columns {
			class = appendLabel(class, marks[a])
		}
		s.sets[i].marks = string(class)
	}
}

// takeSmallest takes away the smallest class that is left: the first one by set, then by its labels.
func (s *suppression) takeSmallest(ctx context.Context) error {
	var smallest []byte
	var of *outliers
	fewest := uint64(math.MaxUint64)
	for i := range s.sets {
		o := &s.sets[i]
		err := s.left(ctx, o, everyClass, func(class []byte, left content) error {
			if left.Size < fewest || left.Size == fewest && of == o && string(class) < string(smallest) {
				smallest, of, fewest = slices.Clone(class), o, left.Size
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if of == nil {
		return &Broken{Over: s.Records, Most: s.most, Strange: s.strange} // every record is suppressed, and they are too few
	}
	return s.suppressClass(of, smallest)
}

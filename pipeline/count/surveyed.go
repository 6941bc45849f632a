package count

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Surveyed are the values of the columns in some splits, with the classes of their records.
type Surveyed struct {
	*reading // of tuples, too, in provisional codes, when it has groupings
}

// Survey counts the values of the columns in some splits. Those that do not fit the memory go to the
// store in sorted runs.
func Survey(ctx context.Context, r *Request, res *Resources, splits []formats.Split) (*Surveyed, error) {
	return survey(ctx, r, res, res.Budget.Part(res.Budget.Limit()), splits, false)
}

// MergeSurveys returns the survey of all splits whose encoded surveys are given, in any order, as one or as several.
func MergeSurveys(r *Request, res *Resources, surveys iter.Seq2[[]byte, error]) (*Surveyed, error) {
	s := newSurvey(r, res, res.Budget.Part(res.Budget.Limit()), false)
	if err := s.checkEncoded(); err != nil {
		return nil, err
	}
	return s, decodeAll(surveyForm, surveys, s.load)
}

// survey reads splits. With tuples all is counted in memory, in the codes in which values are numbered.
func survey(ctx context.Context, r *Request, res *Resources, budget *spill.Budget, splits []formats.Split, tuples bool) (*Surveyed, error) {
	s, total := newSurvey(r, res, budget, tuples), r.Dataset.Rows()
	if !tuples {
		total *= 2
	}
	return s, s.read(ctx, splits, func(rows int64) { res.Advanced(rows, total) })
}

func newSurvey(r *Request, res *Resources, budget *spill.Budget, tuples bool) *Surveyed {
	s := &Surveyed{&reading{
		Request: r, space: partition.Space{Budget: budget}, threads: res.Threads, class: r.Class, pairs: r.bound(),
	}}
	if r.Kinds != nil {
		s.kinds = r.newKinds(budget)
	}
	n, scanners := r.bound(), r.Dataset.Scanners(res.Threads)
	parts := int64(max(1, n)) * int64(scanners)
	if r.Class >= 0 {
		n++
	}
	n += r.own()
	if tuples {
		n, scanners = len(r.Columns), r.Dataset.BlockScanners(res.Threads)
		s.groupings, s.most = r.Groupings, r.most(manyTuples)
	}
	for i := range n {
		c := r.newColumn(i, res, budget, !tuples)
		c.room = max(res.Budget.Grant(&spill.SurveyedValues)/parts, 1024*EntryBytes)
		c.listed = int(min(max(res.Budget.Grant(&spill.SurveyedCodes)/parts/(usualClasses*16), 256), 1<<16)) // twice eight bytes of each class
		if r.Room > 0 {
			c.room, c.listed = int64(r.Room*EntryBytes), min(r.Room, 1<<16)
		}
		s.columns = append(s.columns, c)
	}
	s.start(scanners, r.Beside)
	return s
}

// rows returns how many rows were surveyed.
func (s *Surveyed) rows() (rows int64) {
	for _, w := range s.workers {
		rows += w.rows
	}
	return rows
}

// classes returns what numbers the classes, or nil.
func (s *Surveyed) classes() *domain.Interner {
	if s.class < 0 {
		return nil
	}
	return s.columns[s.class].coder.(*domain.Interner)
}

// Bind makes the domains of all columns, and the classes, of the survey of an input. The table has
// its groupings then if tuples were counted, too. What was surveyed is consumed.
func (s *Surveyed) Bind(ctx context.Context) (*Counts, error) {
	rows := s.rows()
	if s.Take == nil && rows != s.Dataset.Rows() {
		return nil, fmt.Errorf("read surveys of %d rows of an input of %d: %w", rows, s.Dataset.Rows(), ErrDamaged)
	}
	c := &Counts{Table: &engine.Table{Rows: uint64(s.Dataset.Rows())}, Columns: make([]*Bound, s.bound())}
	threads := s.threads
	if s.groupings == nil { // one column after the other: each may need much of the memory
		threads, c.Table.Merged = 1, s.Merge != nil
	}
	kinds := s.bindKinds()
	// Tuples are joined while columns are bound: either has parts that one worker does alone.
	var tables []*partition.Table
	err := workers.Each(2, threads, func(w workers.Worker, task int) (err error) {
		if task == 0 {
			tables, err = s.tables(ctx)
			return err
		}
		return w.Each(len(c.Columns), func(_ workers.Worker, i int) (err error) {
			if c.Columns[i], err = s.bindColumn(ctx, i, rows, kinds); err != nil {
				return s.locate(ctx, i, err)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	numbers := c.numberClasses(s, kinds)
	for g, grouping := range s.groupings {
		c.Table.Groupings = append(c.Table.Groupings, c.translate(tables[g], grouping.Columns, numbers, s))
	}
	return c, nil
}

// numberClasses numbers the classes in label order, by their provisional codes, and makes the
// histograms of the masked columns. It returns the numbers of classes or, where there are some, of kinds.
func (c *Counts) numberClasses(s *Surveyed, kinds *boundKinds) (numbers []uint32) {
	t := c.Table
	var classes []uint32 // that pairs are counted by
	switch in := s.classes(); {
	case kinds != nil:
		numbers, classes, t.Kinds, t.ClassNames = kinds.numbers, kinds.classes, kinds.Kinds, kinds.names
		t.Whole, c.weight = kinds.whole(c.Columns[0].Pairs)
	case in != nil:
		numbers, t.ClassNames = in.ClassOrder(c.Columns[0].Pairs)
		classes = numbers
	}
	t.Classes = len(t.ClassNames)
	for _, column := range c.Columns[:s.Masked] {
		t.Attributes = append(t.Attributes, column.Attribute)
		if kinds != nil && kinds.Weight != nil {
			t.Sizes = append(t.Sizes, kinds.sizes(column.Pairs, column.Attribute.Len()))
		}
		t.Histograms = append(t.Histograms, column.Pairs.Translate(nil, classes).Histogram(column.Attribute.Len(), max(1, t.Classes)))
	}
	return numbers
}

// translate brings a table into the codes of the domains, and classes or kinds into the given numbers.
func (c *Counts) translate(t *partition.Table, columns []int, kinds []uint32, s *Surveyed) *partition.Table {
	var maps [][]uint32
	var sizes []int
	merges := false
	for _, i := range columns {
		switch {
		case i == s.Kind():
			maps, sizes = append(maps, kinds), append(sizes, c.Table.KindsLen())
		case i >= len(c.Columns):
			maps, sizes = append(maps, []uint32{0, 1}), append(sizes, 2)
		default:
			d := c.Columns[i]
			maps, sizes = append(maps, d.Codes), append(sizes, max(1, d.Attribute.Len()))
			merges = merges || d.Merges
		}
	}
	if merges {
		return t.Recode(maps, sizes, s.threads)
	}
	t.Translate(maps, sizes, s.threads)
	return t
}

// checkEncoded refuses columns whose values are not counted in order.
func (s *Surveyed) checkEncoded() error {
	for i := range s.Columns[:s.bound()] {
		if s.columns[i].coder != nil {
			return fmt.Errorf("survey column %s by split: its values are coded by a cut, or may be left out: %w", s.Columns[i].Spec.Name, formats.ErrUnsupported)
		}
	}
	return nil
}

// Encode returns the survey as bytes, the same ones whoever surveyed the splits. It is consumed, and
// what it has drawn given back.
func (s *Surveyed) Encode(ctx context.Context) ([]byte, error) {
	defer func() { s.space.Budget.Return(s.space.Budget.Used()) }()
	if err := s.checkEncoded(); err != nil {
		return nil, err
	}
	return encode(surveyForm, s.space.Budget, func(w *checkpoint.Writer) {
		w.Uint(uint64(s.rows()))
		checkpoint.List(w, s.names(), w.String)
		numbers := s.saveKinds(w)
		for _, c := range s.columns[:s.bound()] {
			w.Fail(c.values.save(ctx, w, numbers))
		}
	})
}

// names tell what the columns of a survey are.
func (s *Surveyed) names() (names []string) {
	for i := range s.Columns[:s.bound()] {
		c := &s.Columns[i]
		names = append(names, c.Spec.Name, c.Spec.Mask, s.field(c).Type.String())
	}
	names = append(names, s.className())
	for i := len(s.Columns) - s.own(); i < len(s.Columns); i++ {
		names = append(names, s.field(&s.Columns[i]).Name)
	}
	return names
}

// save writes the values, whose classes, or kinds, get the given numbers.
func (c *Values) save(ctx context.Context, w *checkpoint.Writer, numbers []uint32) error {
	saveClasses(w, c.nulls(), numbers)
	err := c.each(ctx, func(v *domain.Counted) error {
		saveClasses(w, v.Classes, numbers)
		if c.words() {
			w.Uint(v.Word)
		} else {
			w.Bytes(v.Value)
		}
		return w.Err()
	})
	w.Uint(0)
	return err
}

// saveClasses writes the records of every class, in the given numbers of these.
func saveClasses(w *checkpoint.Writer, classes []engine.Frequency, numbers []uint32) {
	for i := range classes {
		classes[i].Class = numbers[classes[i].Class]
	}
	slices.SortFunc(classes, func(a, b engine.Frequency) int { return cmp.Compare(a.Class, b.Class) })
	checkpoint.List(w, classes, func(k engine.Frequency) {
		w.Uint(uint64(k.Class))
		w.Uint(k.Count)
	})
}

// load adds what Encode has written of another survey.
func (s *Surveyed) load(r *checkpoint.Reader) error {
	s.workers[0].rows += int64(r.Uint())
	if !slices.Equal(checkpoint.ReadList(r, r.String), s.names()) {
		return cmp.Or(r.Err(), error(ErrDamaged))
	}
	numbers, err := s.loadKinds(r)
	if err != nil {
		return err
	}
	for i := range s.bound() {
		if err := s.workers[0].tallies[i].part.load(r, numbers); err != nil {
			return err
		}
	}
	return r.Err()
}

// load adds the values of a column, whose classes have the given numbers here.
func (p *part) load(r *checkpoint.Reader, numbers []uint32) error {
	nulls, err := loadClasses(r, numbers)
	p.nulls = engine.AddFrequencies(p.nulls, nulls)
	for err == nil {
		var classes []engine.Frequency
		if classes, err = loadClasses(r, numbers); err != nil || len(classes) == 0 {
			return err
		}
		if p.words() {
			err = p.put(r.Uint(), nil, classes)
		} else {
			err = p.put(0, r.Bytes(), classes)
		}
	}
	return err
}

// loadClasses reads what saveClasses has written.
func loadClasses(r *checkpoint.Reader, numbers []uint32) (classes []engine.Frequency, err error) {
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		class, count := r.Uint(), r.Uint()
		if class >= uint64(len(numbers)) {
			return nil, cmp.Or(r.Err(), error(ErrDamaged))
		}
		classes = append(classes, engine.Frequency{Class: numbers[class], Count: count})
	}
	return classes, r.Err()
}

package count

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
)

// SurveySplit returns the values of every column of one split, with the classes of their records.
func SurveySplit(ctx context.Context, r *Request, res *Resources, split formats.Split) ([]byte, error) {
	if err := r.checkSurveyed(); err != nil {
		return nil, err
	}
	res, end := res.alone()
	defer end()
	s := r.newSurvey(res)
	requests := s.start(1)
	err := dataset.ScanSplit(ctx, r.Dataset, split, requests, s.workers, workers.Worker{}, func(int) {})
	if err != nil {
		return nil, err
	}
	s.rows = s.workers[0].rows
	return encode(surveyForm, res.Budget, func(w *checkpoint.Writer) { w.Fail(s.save(ctx, w)) })
}

// BindSurveys makes the domains of all columns, and the classes, from the surveys of all splits in
// any order, each once. The table has no groupings yet.
func BindSurveys(ctx context.Context, r *Request, res *Resources, surveys [][]byte) (*Counts, error) {
	if err := r.checkSurveyed(); err != nil {
		return nil, err
	}
	s := r.newSurvey(res)
	s.start(1)
	for _, survey := range surveys {
		if err := decode(surveyForm, survey, s.load); err != nil {
			return nil, fmt.Errorf("read the survey of a split: %w", err)
		}
	}
	if r.Take == nil && s.rows != r.Dataset.Rows() {
		return nil, fmt.Errorf("read surveys of %d rows of an input of %d: %w", s.rows, r.Dataset.Rows(), ErrDamaged)
	}
	return s.counts(ctx)
}

// checkSurveyed refuses columns whose values are not counted in order.
func (r *Request) checkSurveyed() error {
	for i := range r.Columns[:r.bound()] {
		if c := &r.Columns[i]; c.Labeler != nil || c.Most > 0 {
			return fmt.Errorf("survey column %s by split: its values are coded by a cut, or may be left out: %w", c.Spec.Name, formats.ErrUnsupported)
		}
	}
	return nil
}

// save writes the values, which are consumed.
func (s *survey) save(ctx context.Context, w *checkpoint.Writer) error {
	w.Uint(uint64(s.rows))
	checkpoint.List(w, s.names(), w.String)
	numbers := []uint32{0}
	if s.class != nil {
		var classes formats.Values
		classes, numbers = s.class.InOrder()
		domain.SaveValues(w, &classes)
	}
	for _, values := range s.values {
		var nulls []engine.Frequency
		for _, pair := range values.nulls() {
			nulls = append(nulls, engine.Frequency{Class: pair.Class, Count: pair.Count})
		}
		saveClasses(w, nulls, numbers)
		err := values.each(ctx, func(v *domain.Counted) error {
			saveClasses(w, v.Classes, numbers)
			if values.words() {
				w.Uint(v.Word)
			} else {
				w.Bytes(v.Value)
			}
			return w.Err()
		})
		if err != nil {
			return err
		}
		w.Uint(0)
	}
	return w.Err()
}

// names tell what the columns of a survey are.
func (s *survey) names() (names []string) {
	for i := range s.values {
		c := &s.Columns[i]
		names = append(names, c.Spec.Name, c.Spec.Mask, s.field(c).Type.String())
	}
	return append(names, s.className())
}

// words reports whether entries have their values as words.
func (c *Values) words() bool { return c.typ.InWords() && !c.texts }

// saveClasses writes the records of every class, in the given numbers of these.
func saveClasses(w *checkpoint.Writer, classes []engine.Frequency, numbers []uint32) {
	for i := range classes {
		classes[i].Class = numbers[classes[i].Class]
	}
	slices.SortFunc(classes, func(a, b engine.Frequency) int { return cmp.Compare(a.Class, b.Class) })
	w.Uint(uint64(len(classes)))
	for _, k := range classes {
		w.Uint(uint64(k.Class))
		w.Uint(k.Count)
	}
}

// load adds what save has written of another survey.
func (s *survey) load(r *checkpoint.Reader) error {
	s.rows += int64(r.Uint())
	if !slices.Equal(checkpoint.ReadList(r, r.String), s.names()) {
		return cmp.Or(r.Err(), error(ErrDamaged))
	}
	numbers := []uint32{0} // of the classes of that survey
	if s.class != nil {
		field := s.field(&s.Columns[s.Class])
		classes := domain.LoadValues(r, field.Type)
		if r.Err() != nil {
			return r.Err()
		}
		var above int
		var err error
		if numbers, above, err = s.class.Encode(&classes, 0, []uint32{s.class.Null()}); err != nil {
			return err
		}
		if err := domain.CheckClasses(s.class.Column, above); err != nil {
			return err
		}
	}
	for i := range s.values {
		if err := s.workers[0].tallies[i].part.load(r, numbers); err != nil {
			return err
		}
	}
	return r.Err()
}

// load adds the values of a column, whose classes have the given numbers here.
func (p *part) load(r *checkpoint.Reader, numbers []uint32) error {
	nulls, err := loadClasses(r, numbers, nil)
	for _, k := range nulls {
		p.addNull(k.Class, uint32(k.Count))
	}
	var classes []engine.Frequency
	var value []byte
	for err == nil {
		if classes, err = loadClasses(r, numbers, classes[:0]); err != nil || len(classes) == 0 {
			return err
		}
		word := uint64(0)
		if p.words() {
			word = r.Uint()
		} else {
			value = r.Bytes()
		}
		err = p.addClasses(word, value, classes)
	}
	return err
}

// addClasses adds the records of a value.
func (p *part) addClasses(word uint64, value []byte, classes []engine.Frequency) error {
	for _, k := range classes {
		e := entry{word: word, class: k.Class, count: uint32(k.Count)}
		if !p.words() {
			if err := p.keep(&e, value); err != nil {
				return err
			}
		}
		if err := p.put(e); err != nil {
			return err
		}
	}
	return nil
}

// loadClasses appends what saveClasses has written to classes.
func loadClasses(r *checkpoint.Reader, numbers []uint32, classes []engine.Frequency) ([]engine.Frequency, error) {
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		class, count := r.Uint(), r.Uint()
		if class >= uint64(len(numbers)) || count > math.MaxUint32 {
			return nil, cmp.Or(r.Err(), error(ErrDamaged))
		}
		classes = append(classes, engine.Frequency{Class: numbers[class], Count: count})
	}
	return classes, r.Err()
}

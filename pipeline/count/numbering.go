package count

import (
	"cmp"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
)

// Whoever surveys a split numbers the classes and kinds of its records as they are met. In bytes they have the
// numbers of their order.

// numbered returns the positions of the columns whose values are numbered as they are met: the class and the sensitive ones.
func (s *Surveyed) numbered() (columns []int) {
	if s.class >= 0 {
		columns = append(columns, s.class)
	}
	if s.kinds != nil {
		for _, column := range s.Kinds.Sensitive {
			if column != s.class {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

// saveKinds writes the values that are numbered, and the kinds of records, and returns the number that every provisional
// kind, or class where there are no kinds, has there.
func (s *Surveyed) saveKinds(w *checkpoint.Writer) []uint32 {
	numbers := map[int][]uint32{-1: {0}} // by column, of its provisional codes
	for _, column := range s.numbered() {
		var texts []string
		texts, numbers[column] = s.columns[column].coder.(*domain.Interner).InOrder()
		checkpoint.List(w, texts, w.String)
	}
	if s.kinds == nil {
		return numbers[s.class]
	}
	tuples, columns := s.kinds.tuples(), s.kindColumns()
	for _, tuple := range tuples {
		for i, column := range columns {
			if of, ok := numbers[column]; ok {
				tuple[i] = of[tuple[i]]
			}
		}
	}
	kinds := make([]uint32, len(tuples)+1)
	sorted := inOrder(tuples)
	w.Uint(uint64(len(sorted)))
	for number, i := range sorted {
		for _, code := range tuples[i] {
			w.Uint(uint64(code))
		}
		kinds[i+1] = uint32(number + 1)
	}
	return kinds
}

// kindColumns returns the positions of what tells kinds apart: of the class, −1 if there is none, and of all others.
func (s *Surveyed) kindColumns() []int { return append([]int{s.class}, s.kinds.columns...) }

// loadKinds reads what saveKinds has written, and returns the provisional kind, or class, of every number.
func (s *Surveyed) loadKinds(r *checkpoint.Reader) (numbers []uint32, err error) {
	codes := map[int][]uint32{-1: {0}} // by column, of its numbers
	for _, column := range s.numbered() {
		if codes[column], err = s.loadValues(r, column); err != nil {
			return nil, err
		}
	}
	if s.kinds == nil {
		return codes[s.class], nil
	}
	var classes []uint32
	others, columns := make([][]uint32, len(s.Columns)), s.kindColumns()
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		for i, column := range columns {
			code := r.Uint()
			if of, ok := codes[column]; ok {
				if code >= uint64(len(of)) {
					return nil, cmp.Or(r.Err(), error(ErrDamaged))
				}
				code = uint64(of[code])
			}
			if i == 0 {
				classes = append(classes, uint32(code))
			} else {
				others[column] = append(others[column], uint32(code))
			}
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	kinds, _, err := s.workers[0].kinds.number(classes, others)
	return append([]uint32{0}, kinds...), err
}

// loadValues reads the values of a column that are numbered, and returns the provisional code of each; the first one is the null's.
func (s *Surveyed) loadValues(r *checkpoint.Reader, column int) ([]uint32, error) {
	field, what := s.field(&s.Columns[column]), "class column "
	if column != s.class {
		what = "sensitive column "
	}
	values := formats.Values{Type: field.Type}
	for _, text := range checkpoint.ReadList(r, r.String) {
		if values.Parse(text) != nil {
			return nil, ErrDamaged
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	in := s.columns[column].coder.(*domain.Interner)
	codes, above, err := in.Encode(&values, 0, []uint32{in.Null()})
	if err == nil {
		err = domain.CheckClasses(what+field.Name, above)
	}
	return codes, err
}

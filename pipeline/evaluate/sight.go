package evaluate

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/labels"
)

// sight is what classifiers are shown of a part.
type sight struct {
	*tally                    // nil: there are none
	features []labels.Feature // of the masked columns, then of the kept ones
	columns  [][]uint32       // scratch
	rows     uint64
}

// sight returns one with the given features of the masked columns, and the kept columns.
func (t *trial) sight(masked []labels.Feature) *sight {
	s := &sight{features: slices.Clip(masked)}
	for a := range t.Kept {
		s.features = append(s.features, labels.Raw(&t.Kept[a]))
	}
	var domains []int
	for i := range s.features {
		domains = append(domains, s.features[i].Domain)
	}
	if len(t.learners) > 0 {
		s.tally = t.tally(append(domains, len(t.ClassNames)), releaseTallies)
	}
	s.columns = make([][]uint32, len(domains)+1)
	return s
}

// show shows a block's records, as often as counts says. Without features of the masked
// columns these are left out.
func (s *sight) show(b *block, counts []uint64) error {
	for _, n := range counts {
		s.rows += n
	}
	if s.tally == nil {
		return nil
	}
	shown := b.columns[len(b.columns)-len(s.columns):]
	for i := range s.features {
		s.columns[i] = s.columns[i][:0]
		for _, code := range shown[i] {
			s.columns[i] = append(s.columns[i], s.features[i].Code(code))
		}
	}
	s.columns[len(s.features)] = b.class()
	return s.add(counts, s.columns)
}

// data returns what was shown.
func (s *sight) data(ctx context.Context) (classify.Data, error) {
	d := classify.Data{Classes: s.domains[len(s.features)]}
	for i := range s.features {
		d.Columns = append(d.Columns, s.features[i].Column)
	}
	var err error
	d.Table, err = s.ordered(ctx)
	return d, err
}

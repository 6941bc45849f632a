package evaluate

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// algorithms are all, with the options that change what they do.
var algorithms = []jobfile.Algorithm{
	{Name: jobfile.AlgorithmTDR}, {Name: jobfile.AlgorithmTDS},
	{Name: jobfile.AlgorithmBottomUp, Bins: 4},
	{Name: jobfile.AlgorithmKACTUS}, {Name: jobfile.AlgorithmKACTUS, Leftover: jobfile.LeftoverRecruit, MinObjects: 1},
	{Name: jobfile.AlgorithmIACk, Bins: 4}, {Name: jobfile.AlgorithmIACk, Bins: 4, Small: jobfile.SmallTopUp},
	{Name: jobfile.AlgorithmIACc, Bins: 4, MaxDivergence: 0.5, MaxInformationChange: 0.5},
	{Name: jobfile.AlgorithmMondrian}, {Name: jobfile.AlgorithmMondrian, Partitioning: jobfile.PartitioningRelaxed, Categories: jobfile.CategoriesOrdered},
	{Name: jobfile.AlgorithmInfoGainMondrian},
}

// Domains are those of all rows, so engines see values that no training row has, and their
// rules are applied to test rows with such values. The release of the training part is
// k-anonymous, every test row gets labels or is dropped, and nothing stays drawn.
func TestUnseenValues(t *testing.T) {
	enginetest.Cases(t, 300, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 30)
		if len(c.Data.Classes) == 0 {
			return
		}
		codes := c.Data.Codes()
		records := &pipeline.Records{Attributes: codes.Attributes, ClassNames: make([]engine.Label, codes.Classes)}
		training := &part{masked: make([][]uint32, len(codes.Columns))}
		test := &part{masked: make([][]uint32, len(codes.Columns))}
		var rows [2][]int
		for row := range codes.Rows {
			p, which := training, 0
			if r.IntN(3) == 0 {
				p, which = test, 1
			}
			rows[which] = append(rows[which], row)
			for a := range p.masked {
				p.masked[a] = append(p.masked[a], codes.Columns[a][row])
			}
			p.class, p.counts, p.rows = append(p.class, codes.Class[row]), append(p.counts, 1), p.rows+1
		}
		all := engine.Set{K: 1} // every attribute is in a set
		for a := range codes.Attributes {
			all.Columns = append(all.Columns, a)
		}
		for i := range c.Sets {
			c.Sets[i].K = 1 + r.IntN(6)
		}
		c.Sets = append(c.Sets, all)
		for _, algorithm := range algorithms {
			budget := spill.NewBudget(1 << 30)
			tr := &trial{evaluation: &evaluation{Records: records}, parts: &parts{training: training, test: test}, budget: budget}
			recoding, err := tr.search(t.Context(), &jobfile.Job{Algorithm: algorithm}, engine.Requirement{Sets: c.Sets})
			if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", algorithm.Name, err, c)
			}
			if budget.Used() != 0 {
				t.Errorf("%s: %d bytes stay drawn", algorithm.Name, budget.Used())
			}
			checkPart(t, c, tr, recoding, rows, algorithm.Name)
		}
	})
}

// checkPart checks what is released of the training and of the test rows.
func checkPart(t *testing.T, c enginetest.Case, tr *trial, recoding engine.Recoding, rows [2][]int, name string) {
	t.Helper()
	released := make([][]engine.Label, len(c.Data.Rows))
	read := func(p *part, rows []int) {
		for i, row := range rows {
			released[row] = nil
			for a := range p.masked {
				if label := p.masked[a][i]; label != engine.DroppedLabel {
					released[row] = append(released[row], recoding.Labels(a)[label])
				}
			}
		}
	}
	masked, err := tr.recode(recoding, tr.training)
	if err != nil {
		t.Fatal(err)
	}
	read(masked, rows[0])
	enginetest.CheckAnonymous(t, released, c.Sets)
	tested, err := tr.apply(recoding)
	if err != nil {
		t.Fatal(err)
	}
	read(tested, rows[1])
	if t.Failed() {
		t.Fatalf("%s\n%s", name, c)
	}
	m, err := tr.mask(recoding)
	if err != nil || m.released.rows+m.dropped != tr.training.rows || m.test.rows != tr.test.rows {
		t.Fatalf("%s: %d rows are released, %d dropped, of %d, and %d tested: %v", name, m.released.rows, m.dropped, tr.training.rows, m.test.rows, err)
	}
	for a := range tr.Attributes {
		l := labelsOf(&tr.Attributes[a], recoding, a)
		for i, p := range l.penalties() {
			if p < 0 || p > 1 {
				t.Fatalf("%s: label %d of attribute %d has penalty %g\n%s", name, i, a, p, c)
			}
		}
		l.feature(false)
	}
}

package bottomup_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
)

// TestAdult recounts and checks releases of real data.
func TestAdult(t *testing.T) {
	d := enginetest.Adult(t, enginetest.EightAttributes...)
	for _, c := range []struct {
		loss bottomup.Loss
		k    int
	}{{bottomup.Paper, 10}, {bottomup.Paper, 50}, {bottomup.Paper, 100}, {bottomup.Paper, 500}, {bottomup.Size, 100}} {
		sets := []engine.Set{{Columns: []int{0, 1, 2, 3, 4, 5, 6, 7}, K: engine.KAnonymity(c.k)}}
		steps, released, err := search(bottomup.Engine{Loss: c.loss}, d, sets)
		if err != nil {
			t.Fatal(err)
		}
		d.CheckTrue(t, released)
		got := enginetest.CheckAnonymous(t, released, sets)
		if last := steps[len(steps)-1]; !reflect.DeepEqual(got, last.Anonymity) {
			t.Errorf("%+v: A(QID) is %v, the search says %v", c, got, last.Anonymity)
		}
		unchanged := 0
		for _, s := range steps {
			if s.Anonymity[0] == 1 {
				unchanged++
			}
		}
		t.Logf("%+v: %d steps, %d until A(QID) is above 1, then %v", c, len(steps), unchanged, got)
	}
}

// TestAdultSets: two overlapping sets of all kinds of columns.
func TestAdultSets(t *testing.T) {
	d := enginetest.Adult(t)
	sets := []engine.Set{{Columns: []int{0, 1, 3, 5, 9}, K: 50}, {Columns: []int{3, 4, 6, 7, 12, 13}, K: 100}}
	steps, released, err := search(bottomup.Engine{}, d, sets)
	if err != nil {
		t.Fatal(err)
	}
	for c := range d.Columns { // the others are released as they are
		if c == 2 || c == 8 || c == 10 || c == 11 {
			d.Columns[c].Mask = engine.Suppress
			for r := range released {
				released[r][c] = d.Rows[r][c]
			}
		}
	}
	d.CheckTrue(t, released)
	if got := enginetest.CheckAnonymous(t, released, sets); !reflect.DeepEqual(got, steps[len(steps)-1].Anonymity) {
		t.Errorf("A(QID) is %v, the search says %v", got, steps[len(steps)-1].Anonymity)
	}
}

// BenchmarkPaper is the longest run of the paper (section 6.2): 1,356,660 records, which
// are Adult thirty times, with one attribute or three of every copy changed.
func BenchmarkPaper(b *testing.B) {
	codes := enginetest.Adult(b, enginetest.EightAttributes[1:]...).Codes()
	for name, changed := range map[string]int{"rho=1": 1, "rho=3": 3} {
		blown := codes.BlowUp(30*codes.Rows, changed)
		b.Run(name, func(b *testing.B) {
			requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2, 3, 4, 5, 6}, K: 150}}}
			steps, vids := 0, 0
			for range b.N {
				b.StopTimer()
				table := blown.Table(bottomup.Engine{}.Plan(requirement))
				vids, steps = table.Groupings[0].Len(), 0
				b.StartTimer()
				options := engine.Options{OnStep: func(engine.Step) { steps++ }}
				if _, err := (bottomup.Engine{}).Search(context.Background(), table, requirement, options); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(steps), "steps")
			b.ReportMetric(float64(vids), "vids")
		})
	}
}

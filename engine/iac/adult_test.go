package iac_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

var eight = []int{0, 1, 2, 3, 4, 5, 6, 7}

// TestAdult recounts and checks releases of real data. Suppressed records are a class of
// their own, and not one that is too small.
func TestAdult(t *testing.T) {
	d := enginetest.Adult(t, enginetest.EightAttributes...)
	e := iac.Engine{}
	table := d.Table(e.Plan(engine.Requirement{Sets: []engine.Set{{Columns: eight}}}))
	for _, k := range []int{10, 50, 100, 500} {
		sets := []engine.Set{{Columns: eight, K: engine.KAnonymity(k)}}
		got, err := run(e, d, table, sets, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.CheckTrue(t, got.released)
		anonymity := enginetest.CheckAnonymous(t, got.released, sets)
		t.Logf("k %d: %d suppressed, %d dropped of %d, A(QID) is %v", k, got.suppressed, got.dropped, len(d.Rows), anonymity)
		if got.dropped >= uint64(k) {
			t.Errorf("k %d: %d records dropped", k, got.dropped)
		}
		table = d.Table(e.Plan(engine.Requirement{Sets: sets}))
	}
}

// TestAdultLevels: nearly constant levels tell most for what they tell at all, unless they
// have to tell something.
func TestAdultLevels(t *testing.T) {
	d := enginetest.Adult(t, "workclass", "native-country")
	const training = 30_162
	d.Rows, d.Classes = d.Rows[:training], d.Classes[:training]
	for minInfo, want := range map[float64]string{0: "[With-Pay Without-pay] 41", 0.9: "[Federal-gov Local-gov Private Self-emp-inc Self-emp-not-inc State-gov Without-pay] 41"} {
		e := iac.Engine{Small: iac.Keep, MinInfo: minInfo}
		sets := []engine.Set{{Columns: []int{0, 1}, K: 1}}
		got, err := run(e, d, d.Table(e.Plan(engine.Requirement{Sets: sets})), sets, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var labels [2][]string
		for _, row := range got.released {
			for c := range labels {
				if !slices.Contains(labels[c], row[c].Text) {
					labels[c] = append(labels[c], row[c].Text)
				}
			}
		}
		slices.Sort(labels[0])
		if text := fmt.Sprint(labels[0], len(labels[1])); text != want {
			t.Errorf("min_info %g: got %s, want %s", minInfo, text, want)
		}
	}
}

// BenchmarkAdult searches 1,356,660 records.
func BenchmarkAdult(b *testing.B) {
	codes := enginetest.Adult(b, enginetest.EightAttributes...).Codes()
	blown := codes.BlowUp(30*codes.Rows, 3)
	for _, e := range []iac.Engine{{}, {Capped: true, Delta: 0.1, Epsilon: 0.1}} {
		b.Run(fmt.Sprintf("capped %t", e.Capped), func(b *testing.B) {
			requirement := engine.Requirement{Sets: []engine.Set{{Columns: eight, K: 2}}}
			regions := 0
			for range b.N {
				b.StopTimer()
				table := blown.Table(e.Plan(requirement))
				b.StartTimer()
				recoding, err := e.Search(context.Background(), table, requirement, engine.Options{})
				if err != nil {
					b.Fatal(err)
				}
				regions = recoding.(*engine.Regions).Len()
			}
			b.ReportMetric(float64(regions), "regions")
		})
	}
}

// BenchmarkRecode is per row.
func BenchmarkRecode(b *testing.B) {
	codes := enginetest.Adult(b, enginetest.EightAttributes...).Codes()
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: eight, K: 10}}}
	e := iac.Engine{}
	recoding, err := e.Search(context.Background(), codes.Table(e.Plan(requirement)), requirement, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	labels := make([][]uint32, len(eight))
	for a := range labels {
		labels[a] = make([]uint32, codes.Rows)
	}
	rows := engine.Rows{N: codes.Rows, Codes: codes.Columns}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		recoding.Recode(rows, labels)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*codes.Rows), "ns/row")
}

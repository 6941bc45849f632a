package topdown_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

// all returns one set of the first n attributes.
func all(n, k int) engine.Requirement {
	set := engine.Set{K: k}
	for a := range n {
		set.Columns = append(set.Columns, a)
	}
	return engine.Requirement{Sets: []engine.Set{set}}
}

func BenchmarkAdult(b *testing.B) {
	codes := enginetest.Adult(b).Codes()
	for _, n := range []int{100_000, 1_000_000} {
		blown := codes.BlowUp(n, 7)
		b.Run(fmt.Sprintf("%d rows", n), func(b *testing.B) {
			requirement := all(len(codes.Attributes), 50)
			steps := 0
			for range b.N {
				b.StopTimer()
				table := blown.Table(topdown.Engine{}.Plan(requirement))
				b.StartTimer()
				steps = 0
				options := engine.Options{MaxSteps: -1, OnStep: func(engine.Step) { steps++ }}
				if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement, options); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(steps), "steps")
		})
	}
}

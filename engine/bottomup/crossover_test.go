package bottomup

import (
	"fmt"
	"math"
	"syscall"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// BenchmarkCrossover searches tables with indices of up to so many vids, and reports the least
// CPU time that it took.
func BenchmarkCrossover(b *testing.B) {
	eight := enginetest.Adult(b, enginetest.EightAttributes...).Codes()
	seven := enginetest.Adult(b, enginetest.EightAttributes[1:]...).Codes()
	for _, c := range []struct {
		name  string
		codes enginetest.Codes
	}{
		{"eight", eight}, {"rho=1", seven.BlowUp(30*seven.Rows, 1)},
		{"rho=3", seven.BlowUp(30*seven.Rows, 3)}, {"rho=4", seven.BlowUp(30*seven.Rows, 4)},
	} {
		set := engine.Set{K: 150}
		for column := range c.codes.Attributes {
			set.Columns = append(set.Columns, column)
		}
		requirement := engine.Requirement{Sets: []engine.Set{set}}
		table := c.codes.Table(Engine{}.Plan(requirement))
		for _, most := range []int{-1, maxIndexed, 1 << 12, 1 << 15, math.MaxInt} {
			b.Run(fmt.Sprint(c.name, "/vids=", most), func(b *testing.B) {
				least := math.Inf(1)
				for range b.N {
					records := *table.Groupings[0]
					began := cpu(b)
					if _, err := (Engine{limited: limits{indexed: most}}).Search(b.Context(), table, requirement, engine.Options{}); err != nil {
						b.Fatal(err)
					}
					least = min(least, cpu(b)-began)
					*table.Groupings[0] = records
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(least, "cpu-ms")
			})
		}
	}
}

// cpu returns the CPU time so far, in milliseconds.
func cpu(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

package partition

import (
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/spill"
)

// BenchmarkBeyondMemory counts 5,000,000 tuples, in memory and in stores with budgets that are too
// small for the tuples. Nearly all tuples are different.
func BenchmarkBeyondMemory(b *testing.B) {
	const rows, workers, batch = 5_000_000, 2, 2048
	rng := rand.New(rand.NewPCG(1, 2))
	domains := []int{30_000, 2, 1000, 30, 100, 16}
	codes := make([][]uint32, len(domains))
	for c, domain := range domains {
		codes[c] = make([]uint32, rows)
		for row := range codes[c] {
			codes[c][row] = rng.Uint32N(uint32(domain))
		}
	}
	limits := map[string]int64{"memory": 8 << 30, "store": 256 << 20, "small store": 64 << 20}
	for name, limit := range limits {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				budget := spill.NewBudget(limit)
				space := Space{Budget: budget}
				if name != "memory" {
					store, err := spill.Open(b.TempDir(), spill.Options{Budget: budget})
					if err != nil {
						b.Fatal(err)
					}
					space.Store, space.Share = store, budget.Grant(&spill.SpilledTuples)
				}
				each := space
				each.Share /= workers
				counters := []*Counter{NewCounter(domains, each), NewCounter(domains, each)}
				errs := make([]error, workers)
				Each(workers, workers, func(_, i int) {
					part := make([][]uint32, len(codes))
					for lo := i * batch; lo < rows && errs[i] == nil; lo += workers * batch {
						hi := min(lo+batch, rows)
						for c := range codes {
							part[c] = codes[c][lo:hi]
						}
						errs[i] = counters[i].Add(hi-lo, part, domains)
					}
				})
				table, err := Tabulate(b.Context(), counters, space, workers)
				if err != nil || table.Size() != rows {
					b.Fatal(err, errs, table.Spilled(), table.Size())
				}
				if space.Store != nil {
					b.ReportMetric(float64(space.Store.Stats().BytesWritten)/rows, "written/row")
					b.ReportMetric(float64(budget.Peak()>>20), "MiB")
					if err := space.Store.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

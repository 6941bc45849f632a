package formats

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestCalendarAgreesWithTime(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		days := int64(r.IntN(4_000_000)) - 2_000_000
		want := time.Unix(days*86400, 0).UTC()
		got := civilOf(days)
		if got.year != int64(want.Year()) || got.month != int(want.Month()) || got.day != want.Day() || got.days() != days {
			t.Fatalf("seed %d: day %d is %v, want %s", seed, days, got, want.Format("2006-01-02"))
		}
	}
}

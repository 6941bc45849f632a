package formats

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/seedtest"
)

func TestCalendarAgreesWithTime(t *testing.T) {
	seed := seedtest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		days := int64(r.IntN(4_000_000)) - 2_000_000
		want := time.Unix(days*86400, 0).UTC()
		year, month, day := dateOf(days)
		back, ok := DaysOf(year, month, day)
		if year != int64(want.Year()) || month != int(want.Month()) || day != want.Day() ||
			back != days || !ok {
			t.Fatalf("seed %d: day %d is %d-%d-%d, or day %d, want %s",
				seed, days, year, month, day, back, want.Format("2006-01-02"))
		}
	}
	for i := range 5 * 14 * 33 {
		year, month, day := 1896+i%5*4, i/5%14, i/5/14
		want := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		sound := want.Year() == year && int(want.Month()) == month && want.Day() == day
		if _, ok := DaysOf(int64(year), month, day); ok != sound {
			t.Errorf("%d-%d-%d exists: got %v, want %v", year, month, day, ok, sound)
		}
	}
}

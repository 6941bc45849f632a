package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The end of a trip follows from its beginning and how long it took, and bicycles have numbers.
// Each row is a trip of somebody, whom nothing numbers. Of a number that is the ratio of two others
// the draft says so.
func TestDraftOfTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var start, late [1500]time.Time
	var took, metres [1500]int
	for i := range start {
		took[i], metres[i] = 3600*(2+rng.IntN(240)), 1000*(20+rng.IntN(2700))
		start[i] = begin.Add(time.Duration(rng.IntN(30*86400)) * time.Second)
		late[i] = start[i].Add(time.Duration(rng.IntN(9*86400)) * time.Second)
	}
	stamp := func(at time.Time) string { return at.Format(time.DateTime) }
	text := tableOf(t, len(start), map[string]func(i int) string{
		"trip_duration": func(i int) string { return fmt.Sprint(took[i]) },
		"started":       func(i int) string { return stamp(start[i]) },
		"ended": func(i int) string {
			return stamp(start[i].Add(time.Duration(took[i]) * time.Second))
		},
		"late":   func(i int) string { return stamp(late[i]) },
		"rent":   func(i int) string { return fmt.Sprint(14 * (1 + i%4)) }, // few terms, too
		"back":   func(i int) string { return stamp(late[i].AddDate(0, 0, 14*(1+i%4))) },
		"bikeid": func(int) string { return fmt.Sprint(100 + rng.IntN(900)) },
		"metres": func(i int) string { return fmt.Sprint(metres[i]) },
		"speed": func(i int) string {
			return fmt.Sprintf("%.2f", float64(metres[i])/float64(took[i]))
		},
	})
	for name, want := range map[string]string{"ended": "drop", "back": "drop", "bikeid": "drop",
		"started": "{mask:", "late": "{mask:", "speed": "{mask:"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
	for _, want := range []string{"# k COUNTS ROWS, NOT PEOPLE: each row seems to be one of the " +
		"trips", "# started and trip_duration determine it", "; metres by trip_duration gives it"} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
}

// A ratio that holds only where it is 0, as in nearly all rows, is none.
func TestDraftNotesNoRatioOfZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	text := tableOf(t, 3000, map[string]func(i int) string{
		"kept":  func(i int) string { return fmt.Sprint(max(0, i-2970)) },
		"whole": func(int) string { return fmt.Sprint(1000 + rng.IntN(900)) },
		"part": func(i int) string {
			return fmt.Sprintf("%.2f", float64(min(1, max(0, i-2970))*rng.IntN(900))/100)
		},
	})
	if strings.Contains(text, "give it") || strings.Contains(text, "gives it") {
		t.Errorf("part is no ratio:\n%s", text)
	}
}

// What else a column says of a street goes with it, and so do numbers of files.
func TestDraftDropsPartsOfStreets(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	text := tableOf(t, 3000, map[string]func(i int) string{
		"street":      func(int) string { return fmt.Sprint("Road ", rng.IntN(400)) },
		"street_t":    func(int) string { return []string{"N", "S"}[rng.IntN(2)] },
		"filenum":     func(int) string { return fmt.Sprint(10000 + rng.IntN(4000)) },
		"street_type": func(int) string { return []string{"Ave", "St"}[rng.IntN(2)] },
	})
	for _, name := range []string{"street_t", "filenum", "street_type"} {
		if got := roleOfText(text, name); got != "drop" {
			t.Errorf("%s: %s:\n%s", name, got, text)
		}
	}
}

// One row of texts in columns of numbers may be another header. Few numbers are then numbers, too.
func TestDraftFindsASecondHeader(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for odd, want := range map[int]bool{4: true, 2: false} {
		columns := map[string]func(i int) string{}
		for i := range 4 {
			columns[fmt.Sprintf("q%d", i)] = func(row int) string {
				if row == 0 && i < odd {
					return "How often do you sing?"
				}
				return fmt.Sprint(rng.IntN(40 - 12*i))
			}
		}
		text := tableOf(t, 400, columns)
		got := strings.Contains(text, "# One row has texts where all others ")
		few := strings.Contains(text, "  q3:  {mask: discretize, type: integer or null}")
		if got != want || few != want {
			t.Errorf("%d texts: %t, numbers of few values: %t:\n%s", odd, got, few, text)
		}
	}
}

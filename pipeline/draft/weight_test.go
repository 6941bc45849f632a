package draft_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
)

// Weights of rows and propensities are dropped, but not what people weigh.
func TestDraftDropsWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var scores [900]float64
	for i := range scores {
		scores[i] = float64(1+rng.IntN(99)) / 100
	}
	text := tableOf(t, len(scores), map[string]func(i int) string{
		"pscore":  func(i int) string { return fmt.Sprint(scores[i]) },
		"prob":    func(i int) string { return fmt.Sprint(scores[i] / 3) },
		"samp_wt": func(i int) string { return fmt.Sprint(100 + i*6007%9973) },
		"wt": func(int) string {
			x := rng.ExpFloat64()
			return fmt.Sprintf("%.3f", x*x/2)
		},
		"weight":    func(int) string { return fmt.Sprintf("%.1f", 50+40*rng.Float64()) },
		"wgt":       func(int) string { return fmt.Sprint(70_000 + 1000*rng.IntN(300)) },
		"income":    func(i int) string { return fmt.Sprint(i * 7919 % 9973) },
		"perweight": func(i int) string { return fmt.Sprint(100 + i*i*401%797) },
		"Weight":    func(i int) string { return fmt.Sprintf("%d.25", 435+i*i%7919) },
		"housewgt":  func(i int) string { return fmt.Sprintf("%.5f", 12+float64(i*i%997)/777) },
		"lbwt":      func(i int) string { return fmt.Sprintf("%.1f", 100+float64(i*i%997)/9) },
		"ps":        func(i int) string { return fmt.Sprint(scores[i] / 7) },
		"stratum":   func(i int) string { return fmt.Sprint(i * 7919 % 61) },
		"psu":       func(i int) string { return fmt.Sprint(i * 7919 % 89) },
		"weighting": func(int) string { return fmt.Sprint(rng.IntN(90)) },
	})
	for column, want := range map[string]string{"pscore": "drop", "prob": "drop",
		"samp_wt": "drop", "Weight": "drop", "housewgt": "drop", "ps": "drop", "lbwt": "{mask:",
		"stratum": "drop", "perweight": "drop", "wt": "drop", "wgt": "drop", "weight": "{mask:",
		"income": "{mask:", "weighting": "{mask:"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
	if !regexp.MustCompile(`(?m)^  samp_wt: .* as estimates need it: \{mask: discretize, round: `).
		MatchString(text) {
		t.Errorf("no mask of samp_wt in\n%s", text)
	}
}

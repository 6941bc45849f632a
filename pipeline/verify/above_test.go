package verify

import "testing"

func TestIsAbove(t *testing.T) {
	percent := 100.0
	for _, tt := range []struct {
		share, most float64
		want        bool
	}{
		{0, 0, false},
		{1.0 / (1 << 40), 0, true},
		{7.0 / 1000, 0.7 / percent, false}, // 0.7 / 100 is a hair less
		{7.001 / 1000, 0.7 / percent, true},
		{1, 1, false},
	} {
		if got := IsAbove(tt.share, tt.most); got != tt.want {
			t.Errorf("share %g above %g: %t", tt.share, tt.most, got)
		}
	}
}

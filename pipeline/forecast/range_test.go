package forecast

import "testing"

func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		free int64
		need Range
		want Verdict
	}{
		{0, Range{}, Yes},
		{10, Range{0, 10}, Yes},
		{10, Range{10, 11}, Maybe},
		{10, Range{11, 11}, No},
		{0, Range{0, 1}, Maybe},
	} {
		if got := NewRoom("scratch", tt.free, tt.need); got.Enough != tt.want ||
			got.Free != tt.free {
			t.Errorf("%d bytes free for %+v: %+v, want %q", tt.free, tt.need, got, tt.want)
		}
	}
}

package fault

import (
	"errors"
	"strings"
	"testing"
)

func TestFence(t *testing.T) {
	broken := errors.New("broken")
	var none []int
	for _, tt := range []struct {
		name string
		f    func() error
		want string // of the error; empty: no panic
	}{
		{"error", func() error { return broken }, ""},
		{"text", func() error { panic("a cell's value") }, "internal: panic with a string"},
		{"error value", func() error { panic(broken) }, "internal: panic with a *errors.errorString"},
		{"index", func() error { none[3] = 1; return nil }, "internal: runtime error: index out of range [3] with length 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Fence(tt.f)
			var bug *PanicError
			if !errors.As(err, &bug) {
				if err != broken || tt.want != "" {
					t.Errorf("got %v", err)
				}
				return
			}
			if err.Error() != tt.want || !strings.Contains(string(bug.Stack), "TestFence") {
				t.Errorf("got %q, want %q; stack:\n%s", err, tt.want, bug.Stack)
			}
		})
	}
}

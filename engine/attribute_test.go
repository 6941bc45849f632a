package engine

import (
	"fmt"
	"testing"
)

func TestAttributeLabelsRestAndNull(t *testing.T) {
	for _, tt := range []struct {
		rest, null bool
		want       string
	}{
		{false, false, "[{a false} {b false}]"},
		{true, false, "[{a false} {b false} {* false}]"},
		{false, true, "[{a false} {b false} { true}]"},
		{true, true, "[{a false} {b false} {* false} { true}]"},
	} {
		a := Attribute{Mask: Suppress, Texts: []string{"a", "b"}, HasRest: tt.rest, HasNull: tt.null}
		var labels []Label
		for code := range a.Len() {
			labels = append(labels, a.Label(code))
			if a.IsRest(code) != (tt.rest && code == 2) {
				t.Errorf("rest %t, null %t: code %d is the rest: %t", tt.rest, tt.null, code, a.IsRest(code))
			}
		}
		if got := fmt.Sprint(labels); got != tt.want {
			t.Errorf("rest %t, null %t: got %s, want %s", tt.rest, tt.null, got, tt.want)
		}
	}
}

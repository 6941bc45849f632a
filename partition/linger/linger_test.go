package linger

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	for _, due := range []int{0, 1, 1000} {
		looks := 0
		if !Until(func() bool { looks++; return looks > due }) {
			t.Errorf("what is so at look %d was not seen", due+1)
		}
		if looks != due+1 {
			t.Errorf("%d looks at what is so at look %d", looks, due+1)
		}
	}
	began := time.Now()
	if Until(func() bool { return false }) {
		t.Error("what is never so was seen")
	}
	if took := time.Since(began); took < Moment {
		t.Errorf("gave up after %v", took)
	}
}

// Others go on while somebody lingers, even with one processor.
func TestUntilLetsOthersGoOn(t *testing.T) {
	var so atomic.Bool
	ended := make(chan struct{})
	go func() {
		so.Store(true)
		close(ended)
	}()
	for !Until(so.Load) {
	}
	<-ended
}

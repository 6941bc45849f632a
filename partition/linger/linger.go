// Package linger waits for what is due sooner than a sleeping thread wakes up.
//
// Contract: Until keeps the thread busy for a moment, and no longer. Whoever waits for longer
// sleeps after that, by other means.
//
// Not promised: how long a moment is where others want the processor.
package linger

import (
	"runtime"
	"time"
)

// Moment is about what waking a sleeping thread takes.
const Moment = 100 * time.Microsecond

// Until waits for a moment until something is so, and reports whether it is.
func Until(isSo func() bool) bool {
	const looks = 256
	for began := time.Now(); time.Since(began) < Moment; runtime.Gosched() {
		for range looks {
			if isSo() {
				return true
			}
		}
	}
	return isSo()
}

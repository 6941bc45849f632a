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

// Moment is longer than most of what a goroutine does alone between two times that it wants
// help, so that few of those who help fall asleep meanwhile. To wake a thread takes up to a tenth of it.
const Moment = time.Millisecond

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

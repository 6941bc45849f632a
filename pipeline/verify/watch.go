package verify

import "time"

// Watch is told how a recount goes on. Every function may be nil; Progress may be called from
// several goroutines at a time.
type Watch struct {
	Start    func()
	Progress func(done, total int64) // rows
	End      func(took time.Duration)
}

// began tells that the release is read, and returns since when.
func (w *Watch) began() time.Time {
	if w.Start != nil {
		w.Start()
	}
	return time.Now()
}

// advanced tells how many rows are read.
func (w *Watch) advanced(done, total int64) {
	if w.Progress != nil {
		w.Progress(done, total)
	}
}

// ended tells that the release is read.
func (w *Watch) ended(began time.Time) {
	took := time.Since(began)
	if w.End != nil {
		w.End(took)
	}
}

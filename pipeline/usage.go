package pipeline

import (
	"sync"

	"github.com/kcut/kcut/spill"
)

// Usage is what a run takes of the machine at one moment, in bytes.
type Usage struct {
	Drawn    int64 // from the memory budget
	Resident int64 // memory of the process; 0 where the system does not tell
	Spilled  int64 // written to the spill store so far
	// Read and Written are what the process has transferred so far, spilled data too; 0 where
	// the system does not tell.
	Read, Written int64
}

// meter tells what a run takes. Nothing is counted for it: it reads counters that are there.
type meter struct {
	budget *spill.Budget

	mu      sync.Mutex
	store   *spill.Store // while one is open
	spilled int64        // by the one that was closed
}

// read is safe for concurrent use.
func (m *meter) read() Usage {
	u := Usage{Drawn: m.budget.Used(), Resident: spill.Resident(), Spilled: m.spill()}
	u.Read, u.Written = spill.Transferred()
	return u
}

func (m *meter) spill() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return m.spilled
	}
	return m.store.Stats().BytesWritten
}

func (m *meter) opened(store *spill.Store) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store = store
}

func (m *meter) closed(stats spill.Stats) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store, m.spilled = nil, stats.BytesWritten
}

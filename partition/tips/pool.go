package tips

import (
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
)

// Pool is the memory that the leaf partitions of all sets of a search have together: their
// records and what is known of them. What does not fit moves to the store, the largest
// set first (TDS, section 5.5). A Pool is not safe for concurrent use.
type Pool struct {
	*partition.Pool
	parallel partition.Parallel
	sizes    sizes
	batch    int64 // bytes of a batch of records that are divided
	sets     []*TIPS

	visitors   []*visitor   // by worker
	together   *visitor     // all of them
	inspectors []*inspector // by worker
	made       []visit      // of partitions, in their order
	dividing   dividing     // scratch: of partitions in the store
	visits     int64        // drawn for what these and lists take
}

// sizes are constants, but in tests.
type sizes struct{ restPays, restRecords, rangeRecords int }

// NewPool returns a pool that draws at most the space's share, for a search that the worker makes. It must be closed.
func NewPool(space partition.Space, worker workers.Worker) *Pool {
	m := newPool(space.Pool(), space.Threads)
	m.parallel.Worker = worker
	return m
}

func newPool(of *partition.Pool, threads int) *Pool {
	m := &Pool{Pool: of, parallel: partition.NewParallel(threads), sizes: sizes{restPays, restRecords, rangeRecords}}
	m.Spare = m.moveTable
	return m
}

// Threads returns how many workers there are.
func (m *Pool) Threads() int { return m.parallel.Threads }

// Close returns what the pool has drawn, the tables of its sets included, and frees what it
// has in the store. The sets are not to be used any more.
func (m *Pool) Close() error {
	for _, t := range m.sets {
		t.partitions, t.table = nil, nil
	}
	m.sets, m.dividing = nil, dividing{}
	return m.Pool.Close()
}

// hasRoom reports whether n more bytes could be drawn without moving partitions.
func (m *Pool) hasRoom(n int64) bool {
	if m.Take("an index of a leaf partition", n, m.Share) != nil {
		return false
	}
	m.Release(n)
	return true
}

// moveTable moves the partitions of the largest table to the store.
func (m *Pool) moveTable() (moved bool, err error) {
	var largest *TIPS
	for _, t := range m.sets {
		if m.Store != nil && !t.chunked && (largest == nil || t.table.Bytes() > largest.table.Bytes()) {
			largest = t
		}
	}
	if largest == nil {
		return false, nil
	}
	return true, largest.moveOut()
}

// shareOfBatches is the part of the share that one batch of records takes, and maxBatch the most
// bytes: when they are divided, the last-level cache holds them.
const (
	shareOfBatches = 32
	maxBatch       = 8 << 20
)

// batchRecords returns how many records of a layout make a batch: as large a one as there
// is memory for without moving partitions, a chunk at least.
func (m *Pool) batchRecords(layout partition.Layout) int {
	batch := min(m.Share/shareOfBatches, maxBatch)
	if m.batch == 0 && m.Take("batches of leaf partitions", m.batchesBytes(batch), m.Share) == nil {
		m.batch = batch
	}
	return max(2, int(max(m.batch, int64(m.Chunk))/layout.TableBytes(1)))
}

// batchesBytes returns what the batches of all goroutines take: as they were read, in order, and
// what is made of them until that is collected.
func (m *Pool) batchesBytes(batch int64) int64 { return batch * int64(3*m.parallel.Threads+1) }

// spareBatches gives the memory of batches back, for good. It reports whether there was any.
func (m *Pool) spareBatches() bool {
	if m.batch <= 0 {
		return false
	}
	m.Release(m.batchesBytes(m.batch))
	m.batch, m.visitors, m.together, m.dividing = -1, nil, nil, dividing{}
	return true
}

package tips

import (
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
)

// Pool is the memory of the leaf partitions of all sets of a search: their records and their
// administration. Records that do not fit move to the store, the largest set first (TDS, section
// 5.5). A Pool is not safe for concurrent use.
type Pool struct {
	*partition.Pool
	parallel partition.Parallel
	sizes    sizes
	batch    int64 // bytes of a batch of records that are divided
	sets     []*TIPS

	visitors   []*visitor   // by worker
	together   *visitor     // for work that all share
	inspectors []*inspector // by worker
	made       []visit      // of partitions, in their order
	dividing   dividing     // scratch: for partitions in the store
	visits     int64        // bytes drawn for these and lists
}

// sizes are constant, except in tests.
type sizes struct{ restPays, restRecords, rangeRecords int }

// NewPool returns a pool that draws at most the space's share, for a search by a worker. It must be
// closed.
func NewPool(space partition.Space, worker workers.Worker) *Pool {
	m := newPool(space.Pool(), space.Threads)
	m.parallel.Worker = worker
	return m
}

func newPool(of *partition.Pool, threads int) *Pool {
	m := &Pool{
		Pool:     of,
		parallel: partition.NewParallel(threads),
		sizes:    sizes{restPays, restRecords, rangeRecords},
	}
	m.Reclaim = m.moveTable
	return m
}

// Threads returns the number of workers.
func (m *Pool) Threads() int { return m.parallel.Threads }

// Close returns the drawn memory of the pool, with the tables of its sets, and frees its lists in
// the store. The sets must not be used any more.
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
		if m.Store != nil && !t.chunked &&
			(largest == nil || t.table.Bytes() > largest.table.Bytes()) {
			largest = t
		}
	}
	if largest == nil {
		return false, nil
	}
	return true, largest.moveOut()
}

// shareOfBatches is the divisor of the share for one batch of records, and maxBatch the largest
// number of bytes: the last-level cache holds them while they are divided.
const (
	shareOfBatches = 32
	maxBatch       = 8 << 20
)

// batchRecords returns the number of records of a layout in a batch: as many as fit in memory
// without moving partitions, but at least a chunk.
func (m *Pool) batchRecords(layout partition.Layout) int {
	batch := min(m.Share/shareOfBatches, maxBatch)
	if m.batch == 0 && m.Take("batches of leaf partitions", m.batchesBytes(batch), m.Share) == nil {
		m.batch = batch
	}
	return max(2, int(max(m.batch, int64(m.Chunk))/layout.TableBytes(1)))
}

// batchesBytes returns the memory of the batches of all goroutines: as they were read, in order,
// and the results until they are collected.
func (m *Pool) batchesBytes(batch int64) int64 { return batch * int64(3*m.parallel.Threads+1) }

// spareBatches releases the memory of batches permanently. It reports whether there was any.
func (m *Pool) spareBatches() bool {
	if m.batch <= 0 {
		return false
	}
	m.Release(m.batchesBytes(m.batch))
	m.batch, m.visitors, m.together, m.dividing = -1, nil, nil, dividing{}
	return true
}

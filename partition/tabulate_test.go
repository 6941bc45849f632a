package partition

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// spillCount counts rows with several counters that spill, and joins the counters.
func spillCount(
	ctx context.Context, rng *rand.Rand, codes [][]uint32, space Space, tableShare int64,
) (*Table, error) {
	domains := domainsOf(codes)
	counters := make([]*Counter, 1+rng.IntN(3))
	for i := range counters {
		counters[i] = NewCounter(domains, space)
	}
	if err := addBatches(rng, counters, codes); err != nil {
		return nil, err
	}
	space.Share = tableShare
	return Tabulate(ctx, counters, space, 2)
}

// storeOn opens a store on a disk. The store keeps only a few KiB in memory.
func storeOn(disk *spilltest.Disk) (*spill.Store, error) {
	return spill.Open("scratch", spill.Options{FS: disk, Share: 16 << 10})
}

// untilNoFault runs work with a store whose disk fails at its first operation, then at its second
// operation, and so on until no operation fails. work must report every fault.
func untilNoFault(t *testing.T, work func(s *spill.Store) error) {
	t.Helper()
	for n, failed := int64(0), true; failed; n++ {
		disk := spilltest.Failing(syscall.EIO, n)
		store, err := storeOn(disk)
		if err == nil {
			err = work(store)
			err = errors.Join(err, store.Close())
		}
		if failed = disk.Failed(); failed != (err != nil) ||
			failed && !errors.Is(err, syscall.EIO) {
			t.Fatalf("operation %d of the disk failed: %t, got %v", n, failed, err)
		}
		if !failed && (n < 10 || !disk.Did("read at")) {
			t.Fatalf("only %d operations of the disk", n)
		}
	}
}

// unspilled returns a table in memory with the records of a table that may be spilled.
func unspilled(t *testing.T, table *Table, s *spill.Store) *Table {
	t.Helper()
	if !table.Spilled() {
		return table
	}
	whole := &Table{Layout: table.Layout}
	err := s.Scan(context.Background(), func(chunk []byte) error {
		return whole.Decode(chunk)
	}, table.chunks.sequence)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != whole.Len() || table.Size() != whole.Size() {
		t.Fatalf("%d tuples of %d records, want %d of %d",
			table.Len(), table.Size(), whole.Len(), whole.Size())
	}
	return whole
}

func TestSpillCounterAgreesWithMap(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	spilled, inMemory, store := 0, 0, openStore(t)
	for i := range 40 {
		columns, rows := 1+rng.IntN(8), 1+rng.IntN(60_000)
		codes := randomRows(rng, rows, columns)
		share, tableShare := int64(1)<<rng.IntN(24), int64(1)<<rng.IntN(24)
		if i%4 == 0 { // two records for each bucket and each chunk
			share = 1
			for c := range codes {
				codes[c] = codes[c][:min(rows, 5000)]
			}
		}
		budget := plenty()
		space := Space{Budget: budget, Store: store, Share: share}
		table, err := spillCount(context.Background(), rng, codes, space, tableShare)
		if err != nil {
			t.Fatal(err)
		}
		if table.Spilled() {
			spilled++
		} else {
			inMemory++
		}
		if budget.Used() != table.Bytes() || table.Bytes() > tableShare {
			t.Errorf("%d bytes drawn for a table of %d within %d",
				budget.Used(), table.Bytes(), tableShare)
		}
		whole := unspilled(t, table, store)
		want := countPlainly(codes)
		if got := whole.tuples(nil); whole.Len() != len(want) || !maps.Equal(got, want) {
			t.Fatalf("share %d: %d records for %d tuples, want %d or other counts",
				share, whole.Len(), len(got), len(want))
		}
	}
	if spilled == 0 || inMemory == 0 {
		t.Errorf("%d tables spilled, %d in memory", spilled, inMemory)
	}
}

func TestSpillCounterReportsFaults(t *testing.T) {
	codes := randomRows(rand.New(rand.NewPCG(1, 2)), 4000, 4)
	for _, tableShare := range []int64{1, 1 << 24} {
		untilNoFault(t, func(s *spill.Store) error {
			ctx, rng := context.Background(), rand.New(rand.NewPCG(3, 4))
			space := Space{Budget: plenty(), Store: s, Share: 1 << 14}
			table, err := spillCount(ctx, rng, codes, space, tableShare)
			if err != nil {
				return err
			}
			whole := &Table{Layout: table.Layout}
			err = table.Scan(ctx, space, func(block *Table) error {
				whole.Keys = append(whole.Keys, block.Keys...)
				whole.Counts = append(whole.Counts, block.Counts...)
				return nil
			})
			if err == nil && !maps.Equal(whole.tuples(nil), countPlainly(codes)) {
				t.Error("other counts")
			}
			return err
		})
	}
}

func TestSpillCounterStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, share := range []int64{1, 1 << 24} {
		codes := randomRows(rand.New(rand.NewPCG(1, 2)), 10_000, 4)
		space := Space{Budget: plenty(), Store: openStore(t), Share: share}
		_, err := spillCount(ctx, rand.New(rand.NewPCG(3, 4)), codes, space, 1<<24)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("share %d: got %v, want the context's error", share, err)
		}
	}
}

func TestSpillCounterRefusesWiderDomains(t *testing.T) {
	counter := NewCounter([]int{4}, Space{Budget: plenty(), Store: openStore(t), Share: 1 << 20})
	if err := counter.Add(1, [][]uint32{{9}}, []int{10}); err == nil {
		t.Error("a code of a wider domain was counted")
	}
}

// The bytes that are drawn for a table are the bytes of its keys and counts.
func TestTableBytes(t *testing.T) {
	for _, domains := range [][]int{{2}, {1 << 40, 1 << 40}} {
		layout := NewLayout(domains)
		table := newTable(layout, 100, 100)
		taken := cap(table.Keys)*int(unsafe.Sizeof(table.Keys[0])) +
			cap(table.Counts)*int(unsafe.Sizeof(table.Counts[0]))
		if drawn := layout.TableBytes(100); drawn != int64(taken) {
			t.Errorf("a table of %d words takes %d bytes, not %d", layout.Words, taken, drawn)
		}
	}
}

package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/kcut/kcut/internal/seedtest"
)

// small returns a budget whose buffers take five chunks of 256 KiB.
func small() *Budget { return NewBudget(1 << 24) }

// noise is the source of chunks.
var noise = func() []byte {
	bytes := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(bytes)
	return bytes
}()

// chunkOf returns bytes that, from a certain size on, differ from those of every other chunk.
func chunkOf(seq Sequence, n uint64, size int) []byte {
	from := int(uint64(seq)*7919+n*104_729) % (1 << 20)
	chunk := bytes.Clone(noise[from : from+size])
	if size >= 16 {
		binary.BigEndian.PutUint64(chunk, uint64(seq))
		binary.BigEndian.PutUint64(chunk[8:], n)
	}
	return chunk
}

// readAll returns copies of a sequence's chunks.
func readAll(s *Store, seq Sequence) (chunks [][]byte, err error) {
	err = s.Scan(context.Background(), func(chunk []byte) error {
		chunks = append(chunks, bytes.Clone(chunk))
		return nil
	}, seq)
	return chunks, err
}

// check fails the test unless a sequence has exactly these chunks.
func check(t *testing.T, s *Store, seq Sequence, want [][]byte) {
	t.Helper()
	got, err := readAll(s, seq)
	must(t, err)
	if why := differs(got, want); why != "" {
		t.Fatalf("sequence %d: %s", seq, why)
	}
}

func differs(got, want [][]byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d chunks of %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Sprintf("chunk %d of %d bytes is not the one appended, of %d", i,
				len(got[i]), len(want[i]))
		}
	}
	return ""
}

// places runs a test of the contract on each kind of file system.
func places(t *testing.T, test func(t *testing.T, fs vfs.FS, dir string)) {
	t.Run("memory", func(t *testing.T) { test(t, vfs.NewMem(), "/scratch") })
	t.Run("folder", func(t *testing.T) { test(t, nil, t.TempDir()) })
}

func open(t *testing.T, fs vfs.FS, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{FS: fs, Budget: small()})
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fill appends n chunks of one size to a sequence.
func fill(t *testing.T, s *Store, seq Sequence, n, size int) (chunks [][]byte) {
	t.Helper()
	for i := range n {
		chunk := chunkOf(seq, uint64(i), size)
		must(t, s.Append(seq, chunk))
		chunks = append(chunks, chunk)
	}
	return chunks
}

func TestChunksComeBackInOrder(t *testing.T) {
	for _, tt := range []struct{ chunks, size int }{
		{0, 0}, {1, 0}, {1, 1}, {5, 0}, {3, 100}, {2000, 10}, {20, 256 << 10}, {3, 2 << 20},
		{100, 40 << 10},
	} {
		t.Run(fmt.Sprintf("%dx%d", tt.chunks, tt.size), func(t *testing.T) {
			places(t, func(t *testing.T, fs vfs.FS, dir string) {
				s := open(t, fs, dir)
				seq := s.NewSequence()
				want := fill(t, s, seq, tt.chunks, tt.size)
				check(t, s, seq, want)
				check(t, s, seq, want)
				if got := s.Stats().Chunks; got != int64(tt.chunks) {
					t.Errorf("%d chunks counted", got)
				}
			})
		})
	}
}

// Append copies the chunk.
func TestAppend(t *testing.T) {
	s := open(t, vfs.NewMem(), "/scratch")
	seq := s.NewSequence()
	var want [][]byte
	for _, size := range []int{10, 2 << 20} {
		chunk := bytes.Repeat([]byte{1}, size)
		want = append(want, bytes.Clone(chunk))
		must(t, s.Append(seq, chunk))
		clear(chunk)
	}
	check(t, s, seq, want)
}

// Chunks that were freed in the buffer are never written.
func TestFreedInMemory(t *testing.T) {
	s := open(t, vfs.NewMem(), "/scratch")
	before := s.Stats().BytesWritten
	for range 100 {
		seq := s.NewSequence()
		fill(t, s, seq, 3, 100<<10)
		must(t, s.Free(seq))
		check(t, s, seq, nil)
	}
	if written := s.Stats().BytesWritten - before; written > 0 {
		t.Errorf("%d bytes were written", written)
	}
}

// eventually waits for an effect of work in the background.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal(what)
}

// Freeing a large sequence gives its space back; the space of small ones is free when all sequences
// of their table are freed.
func TestFreeGivesSpaceBack(t *testing.T) {
	for _, size := range []int{130 << 10, 3 << 10} {
		places(t, func(t *testing.T, fs vfs.FS, dir string) {
			s := open(t, fs, dir)
			const sequences = 16
			chunks := 4 << 20 / sequences / size
			seqs := make([]Sequence, sequences)
			for i := range seqs {
				seqs[i] = s.NewSequence()
			}
			for n := range chunks {
				for _, seq := range seqs {
					must(t, s.Append(seq, chunkOf(seq, uint64(n), size)))
				}
			}
			full := func() int64 { return s.Stats().DiskBytes }
			all := int64(sequences * chunks * size)
			for i, seq := range seqs {
				must(t, s.Free(seq))
				left := all * int64(sequences-i-1) / sequences
				if size > ownTable {
					eventually(t, "space stays", func() bool { return full() <= left+1<<20 })
				}
			}
			eventually(t, "space stays at the end", func() bool { return full() < 1<<18 })
			if peak := s.Stats().PeakDiskBytes; peak < all/2 || peak > all*11/10+1<<18 {
				t.Errorf("peak of %d bytes for %d", peak, all)
			}
		})
	}
}

// TestConsume reads sequences that are freed meanwhile: little of a large one is on the disk when
// its last chunk comes, too.
func TestConsume(t *testing.T) {
	places(t, func(t *testing.T, fs vfs.FS, dir string) {
		s := open(t, fs, dir)
		seqs, want := []Sequence{s.NewSequence(), s.NewSequence(), s.NewSequence(),
			s.NewSequence()}, [][][]byte{}
		for i, chunks := range []int{300, 0, 5, 1} { // the last one stays in the buffer
			want = append(want, fill(t, s, seqs[i], chunks, 100<<10))
		}
		all, got := s.Stats().DiskBytes, make([][][]byte, len(seqs))
		must(t, s.Consume(context.Background(), func(i int, chunk []byte) error {
			got[i] = append(got[i], bytes.Clone(chunk))
			if left := all - 100<<10*int64(len(got[0])) + mostTable +
				1<<20; s.Stats().DiskBytes > max(left, 2<<20) {
				t.Fatalf("%d of %d bytes are on the disk after %d chunks", s.Stats().DiskBytes, all,
					len(got[0]))
			}
			return nil
		}, seqs...))
		for i := range seqs {
			if why := differs(got[i], want[i]); why != "" {
				t.Errorf("sequence %d: %s", i, why)
			}
			check(t, s, seqs[i], nil)
		}
		if s.Stats().DiskBytes > 0 {
			t.Errorf("%d bytes stay on the disk", s.Stats().DiskBytes)
		}
	})
}

// reading returns a store, one of its sequences with chunks of 100 KiB, and a reader of the
// sequence.
func reading(t *testing.T, ctx context.Context, n int) (*Store, Sequence, [][]byte, *reader) {
	t.Helper()
	s := open(t, vfs.NewMem(), "/scratch")
	seq := s.NewSequence()
	want := fill(t, s, seq, n, 100<<10)
	r, err := s.read(ctx, seq)
	must(t, err)
	t.Cleanup(r.close)
	return s, seq, want, r
}

func TestReaderOfAFreedSequence(t *testing.T) {
	s, seq, _, r := reading(t, context.Background(), 100)
	err := s.Free(seq)
	must(t, err)
	n := 0
	for ; err == nil; n++ {
		_, err = r.next()
	}
	if !errors.Is(err, errFreed) || n > 60 {
		t.Fatalf("after %d chunks: %v", n, err)
	}
}

func TestReaderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, seq, want, r := reading(t, ctx, 40)
	if _, err := r.next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.next(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	check(t, s, seq, want) // the store still works
}

func TestClosedReader(t *testing.T) {
	_, _, _, r := reading(t, context.Background(), 40)
	r.close()
	if _, err := r.next(); !errors.Is(err, errReaderClosed) {
		t.Fatal(err)
	}
}

func TestClosedStore(t *testing.T) {
	s, seq, _, r := reading(t, context.Background(), 40)
	must(t, s.Close())
	_, next := r.next()
	_, read := s.read(context.Background(), seq)
	for name, err := range map[string]error{"next": next, "append": s.Append(seq, nil),
		"free": s.Free(seq), "read": read} {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBudgetIsDrawnAndReturned(t *testing.T) {
	for _, tt := range []struct{ limit, share int64 }{
		{4 << 20, 512 << 10}, {64 << 20, 2 << 20}, {8 << 30, 64 << 20},
	} {
		budget := NewBudget(tt.limit)
		s, err := Open("/scratch", Options{FS: vfs.NewMem(), Budget: budget})
		must(t, err)
		if budget.Used() != tt.share {
			t.Errorf("%d bytes drawn of %d", budget.Used(), tt.limit)
		}
		if err := s.Close(); err != nil || budget.Used() != 0 {
			t.Errorf("%d bytes kept: %v", budget.Used(), err)
		}
	}
	if _, err := Open("/scratch", Options{
		FS:     vfs.NewMem(),
		Budget: NewBudget(256 << 10),
	}); !errors.Is(err, ErrBudget) {
		t.Errorf("with 256 KiB: %v", err)
	}
}

// Random operations on interleaved sequences agree with a map.
func TestRandomOperations(t *testing.T) {
	places(t, func(t *testing.T, fs vfs.FS, dir string) {
		for i := range uint64(4) {
			seed := seedtest.Seed(t) + i
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			s := open(t, fs, dir)
			want := map[Sequence][][]byte{}
			var seqs []Sequence
			for range 600 {
				if len(seqs) == 0 || random.IntN(12) == 0 {
					seqs = append(seqs, s.NewSequence())
				}
				i := random.IntN(len(seqs))
				seq := seqs[i]
				switch random.IntN(20) {
				case 0:
					must(t, s.Free(seq))
					delete(want, seq)
					seqs = append(seqs[:i], seqs[i+1:]...)
				case 1, 2:
					check(t, s, seq, want[seq])
				default:
					chunk := chunkOf(seq, uint64(len(want[seq])), randomSize(random))
					must(t, s.Append(seq, chunk))
					want[seq] = append(want[seq], chunk)
				}
			}
			for seq, chunks := range want {
				check(t, s, seq, chunks)
			}
			must(t, s.Free(seqs...))
			eventually(t, "space stays", func() bool { return s.Stats().DiskBytes < 1<<18 })
		}
	})
}

// randomSize returns sizes from 0 to more than a run takes.
func randomSize(random *rand.Rand) int {
	switch random.IntN(10) {
	case 0:
		return 0
	case 1:
		return 256 << 10
	case 2, 3, 4:
		return random.IntN(300 << 10)
	case 5:
		return random.IntN(1 << 20)
	}
	return random.IntN(2000)
}

// Workers that each split their own sequence, as a search does, do not disturb each other.
func TestConcurrentUse(t *testing.T) {
	places(t, func(t *testing.T, fs vfs.FS, dir string) {
		s := open(t, fs, dir)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := splitAndFree(s); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		eventually(t, "space stays", func() bool { return s.Stats().DiskBytes < 1<<18 })
	})
}

// splitAndFree appends a sequence, moves its chunks to another while it reads them, and reads the
// other.
func splitAndFree(s *Store) error {
	parent, child := s.NewSequence(), s.NewSequence()
	var want [][]byte
	for n := range 40 {
		want = append(want, chunkOf(parent, uint64(n), 1000*n))
		if err := s.Append(parent, want[n]); err != nil {
			return err
		}
	}
	if err := split(s, parent, child); err != nil {
		return err
	}
	got, err := readAll(s, child)
	if err != nil {
		return err
	}
	if why := differs(got, want); why != "" {
		return errors.New(why)
	}
	return s.Free(child)
}

// No goroutine outlives Close, even with readers that nobody closed.
func TestNothingRunsAfterClose(t *testing.T) {
	for range 3 {
		s := open(t, vfs.NewMem(), "/scratch")
		seq := s.NewSequence()
		fill(t, s, seq, 40, 100<<10)
		for range 3 {
			if _, err := s.read(context.Background(), seq); err != nil {
				t.Fatal(err)
			}
		}
		must(t, s.Close())
	}
	var stacks string
	ended := func() bool {
		buffer := make([]byte, 1<<20)
		stacks = string(buffer[:runtime.Stack(buffer, true)])
		return !strings.Contains(stacks, "cockroachdb/pebble") &&
			!strings.Contains(stacks, "spill.(*Store)")
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(stacks)
		}
	})
	eventually(t, "goroutines stay", ended)
}

// must ends the test if there is an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

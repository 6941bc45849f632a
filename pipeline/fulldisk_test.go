package pipeline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// fullFiles is the machine's file system with room for so many bytes.
type fullFiles struct {
	publish.FS
	room    atomic.Int64
	written atomic.Int64
}

func (f *fullFiles) OpenPrivate(name string) (publish.Handle, error) {
	file, err := f.FS.OpenPrivate(name)
	if err != nil {
		return nil, err
	}
	return &fullFile{file, f}, nil
}

type fullFile struct {
	publish.Handle
	fs *fullFiles
}

func (f *fullFile) Write(text []byte) (int, error) {
	f.fs.written.Add(int64(len(text)))
	if f.fs.room.Add(-int64(len(text))) < 0 {
		return 0, syscall.ENOSPC
	}
	return f.Handle.Write(text)
}

// TestFullDiskAtAnyByte lets the disk of output and states fill up after random numbers of
// bytes. A run that fails says so with the right class and leaves the old output as it was; the
// next one, with room, replaces it by the right one.
func TestFullDiskAtAnyByte(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	tries := 8
	if long {
		tries = 1000
	}
	dir := spillingRows(t, 1200)
	out := filepath.Join(dir, "out.parquet")
	options := RunOptions{
		Overwrite: true, Resume: true, Checkpoint: atOnce, System: System{Spill: true, Room: 300, Store: spill.Options{FS: spilltest.Healthy(), Share: 64 << 10}},
	}
	run := func(room int64) (*fullFiles, error) {
		files := &fullFiles{FS: publish.OS}
		files.room.Store(room)
		options.System.Files = files
		return files, tryJob(t, dir, t.Context(), options)
	}
	healthy, err := run(1 << 40)
	if err != nil {
		t.Fatal(err)
	}
	want := listing(t, dir)[out]
	full := 0
	for range tries {
		if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		old := listing(t, dir)[out]
		room := rng.Int64N(healthy.written.Load() + 1)
		_, err := run(room)
		switch got := listing(t, dir)[out]; {
		case err != nil && (fault.ClassOf(err) != fault.Resources || got != old):
			t.Errorf("room for %d bytes: %v of class %d, old output intact: %t", room, err, fault.ClassOf(err), got == old)
		case err != nil:
			full++
		case got != want: // the disk was too full for states alone
			t.Errorf("room for %d bytes: another release", room)
		}
		if _, err := run(1 << 40); err != nil {
			t.Errorf("the next run: %v", err)
		}
		if got := listing(t, dir)[out]; got != want {
			t.Errorf("the next run: another release")
		}
	}
	if t.Logf("%d of %d runs failed", full, tries); full == 0 {
		t.Error("no run failed")
	}
}

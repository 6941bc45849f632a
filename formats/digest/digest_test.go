package digest

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats/internal/meta"
)

// parquet returns a file with the parts of a Parquet file.
func parquet(pages, footer []byte) []byte {
	file := append([]byte(meta.Magic), pages...)
	file = append(file, footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, meta.Magic...)
}

func sum(t *testing.T, content []byte, threads int) Sum {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := File(t.Context(), path, threads)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParquet: every byte of a footer matters, and the size of the bytes before it.
func TestParquet(t *testing.T) {
	pages, footer := []byte("some pages"), []byte("a footer")
	want := sum(t, parquet(pages, footer), 1)
	if got := sum(t, parquet([]byte("SOME pages"), footer), 2); got != want {
		t.Error("the digest of a Parquet file depends on its pages")
	}
	if got := sum(t, parquet(append(pages, 0), footer), 1); got == want {
		t.Error("the digest of a Parquet file does not depend on its size")
	}
	for i := range footer {
		changed := bytes.Clone(footer)
		changed[i]++
		if sum(t, parquet(pages, changed), 1) == want {
			t.Errorf("byte %d of the footer does not count", i)
		}
	}
}

// TestWhole: every byte of any other file matters, and the number of threads does not.
func TestWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 11, 12, 1000, block - 1, block, block + 1, 2*block + 12345} {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(rng.Uint32())
		}
		want := sum(t, content, 1)
		if got := sum(t, content, 3); got != want {
			t.Errorf("%d bytes: the digest depends on the threads", size)
		}
		if got := sum(t, append(content[:size:size], 0), 1); got == want {
			t.Errorf("%d bytes: one more leaves the digest as it was", size)
		}
		for range min(size, 6) {
			at := rng.IntN(size)
			content[at] ^= 1
			if sum(t, content, 2) == want {
				t.Errorf("%d bytes: byte %d does not count", size, at)
			}
			content[at] ^= 1
		}
	}
}

// TestBrokenFooter: the digest of a file that only looks like Parquet is that of the whole file.
func TestBrokenFooter(t *testing.T) {
	long := parquet([]byte("pages"), []byte("footer"))
	binary.LittleEndian.PutUint32(long[len(long)-8:], 1000)
	for _, file := range [][]byte{long, []byte("PAR1 no footer is here"), []byte("PAR1PAR1"),
		[]byte("no head      PAR1")} {
		changed := bytes.Clone(file)
		changed[5] ^= 1
		if sum(t, file, 1) == sum(t, changed, 1) {
			t.Errorf("%q: a byte does not count", file)
		}
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if _, err := File(t.Context(), path, 1); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := sum(t, []byte("text"), 1).String(); len(text) != 64 {
		t.Errorf("%q is no digest", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ctx, path, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkWhole(b *testing.B) {
	path := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 4*block), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(4 * block)
	for b.Loop() {
		if _, err := File(b.Context(), path, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// Package digest determines whether files have changed, for much less than reading them where their
// format allows that.
//
//	Parquet          its size and its footer: schema, row groups, and of every column chunk
//	                 position, sizes, number of values and statistics
//	everything else  its size and all its bytes
//
// Contract: files with equal content have equal digests, wherever they are. Limits: Parquet files
// with equal digests may have different pages. A writer that replaces values by others of the same
// size, and changes no statistics, leaves the footer as it was. The digest does not use the footer
// of an Arrow file, which has no statistics: tables of fixed width with the same number of rows
// share it.
package digest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/workers"
)

// Sum is the digest of a file.
type Sum [sha256.Size]byte

// String returns the sum in hexadecimal digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// File returns the digest of a file. If the whole file has to be read, the given number of
// goroutines read it. Errors name the file.
func File(ctx context.Context, path string, threads int) (sum Sum, err error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	size := file.Info().Size()
	footer, err := footerLength(file, size)
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %d\n", size, footer)
	if footer > 0 {
		_, err = io.Copy(hash, io.NewSectionReader(file, size-footer, footer))
	} else {
		err = whole(ctx, hash, file, size, threads)
	}
	return Sum(hash.Sum(nil)), err
}

// footerLength returns the length of a Parquet file's footer with the bytes behind it, 0 for other
// files.
func footerLength(file io.ReaderAt, size int64) (int64, error) {
	var head [len(meta.Magic)]byte
	at, _, err := meta.FindFooter(file, size)
	if err == nil {
		_, err = file.ReadAt(head[:], 0)
	}
	switch {
	case errors.Is(err, formats.ErrDamaged), errors.Is(err, formats.ErrUnsupported):
		return 0, nil
	case err != nil, string(head[:]) != meta.Magic:
		return 0, err
	}
	return size - at, nil
}

const (
	// block is the number of bytes that one goroutine hashes at a time. It is part of the digest's
	// definition.
	block = 8 << 20
	// blockSize is the number of bytes that are read at a time: they stay in a second-level cache
	// until they are hashed.
	blockSize = 256 << 10
)

// whole hashes every block of a file with a fast hash, and then these hashes in order.
func whole(ctx context.Context, hash io.Writer, file storage.File, size int64, threads int) error {
	sums := make([]uint64, (size+block-1)/block)
	buffers := make([][]byte, max(1, min(threads, len(sums))))
	err := workers.Each(len(sums), len(buffers), func(w workers.Worker, i int) (err error) {
		if buffers[w.Number] == nil {
			buffers[w.Number] = make([]byte, blockSize)
		}
		from := int64(i) * block
		sums[i], err = blockSum(ctx, file, storage.Range{From: from, To: min(from+block, size)},
			buffers[w.Number])
		return err
	})
	if err != nil {
		return err
	}
	return binary.Write(hash, binary.LittleEndian, sums)
}

func blockSum(ctx context.Context, file storage.File, r storage.Range, buffer []byte) (uint64,
	error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	plan := file.Plan(ctx, []storage.Range{r})
	defer plan.Close()
	hash := xxhash.New()
	_, err := io.CopyBuffer(hash, io.NewSectionReader(plan, r.From, r.To-r.From), buffer)
	return hash.Sum64(), err
}

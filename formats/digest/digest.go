// Package digest tells whether files hold what they held before, for much less than reading
// them where their format allows that.
//
//	Parquet          its size and its footer: schema, row groups, and of every column chunk
//	                 position, sizes, number of values and statistics
//	everything else  its size and all its bytes
//
// Contract: files of equal content have equal digests, wherever they lie. Not promised: that
// Parquet files of one digest have equal pages. A writer that replaces values by others that
// take as many bytes, and changes no statistics, leaves the footer as it was. An Arrow file has
// a footer, too, but one without statistics: tables of fixed width and as many rows share it.
package digest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats/storage"
)

// Sum is the digest of a file.
type Sum [sha256.Size]byte

// String returns the sum in hexadecimal digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// File returns the digest of a file, which is read on the given number of goroutines if it
// has to be read. Errors name the file.
func File(ctx context.Context, path string, threads int) (sum Sum, err error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	return Of(ctx, file, file.Info().Size(), threads)
}

// Of is File of what is open already.
func Of(ctx context.Context, file io.ReaderAt, size int64, threads int) (sum Sum, err error) {
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

const (
	magic   = "PAR1"
	trailer = int64(4 + len(magic)) // the footer's length, and the magic again
)

// footerLength returns the length of a Parquet file's footer with its trailer, 0 of other files.
func footerLength(file io.ReaderAt, size int64) (int64, error) {
	if size < trailer+int64(len(magic)) {
		return 0, nil
	}
	head, tail := make([]byte, len(magic)), make([]byte, trailer)
	if _, err := file.ReadAt(head, 0); err != nil {
		return 0, err
	}
	if _, err := file.ReadAt(tail, size-trailer); err != nil && err != io.EOF {
		return 0, err
	}
	length := int64(binary.LittleEndian.Uint32(tail)) + trailer
	if string(head) != magic || string(tail[4:]) != magic || length > size-int64(len(magic)) {
		return 0, nil
	}
	return length, nil
}

const (
	// block is what one goroutine hashes at a time. It is part of the digest's definition.
	block = 8 << 20
	// piece is what is read at a time: it stays in a second-level cache until it is hashed.
	piece = 256 << 10
)

// whole hashes every block of a file with a fast hash, and these hashes in their order.
func whole(ctx context.Context, hash io.Writer, file io.ReaderAt, size int64, threads int) error {
	sums := make([]uint64, (size+block-1)/block)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range max(1, min(threads, len(sums))) {
		group.Go(func() (err error) {
			buffer := make([]byte, piece)
			for i := next.Add(1) - 1; int(i) < len(sums) && err == nil; i = next.Add(1) - 1 {
				if err = ctx.Err(); err == nil {
					sums[i], err = blockSum(ctx, file, storage.Range{From: i * block, To: min((i+1)*block, size)}, buffer)
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return binary.Write(hash, binary.LittleEndian, sums)
}

func blockSum(ctx context.Context, file io.ReaderAt, r storage.Range, buffer []byte) (uint64, error) {
	if f, ok := file.(storage.File); ok {
		plan := f.Plan(ctx, []storage.Range{r})
		defer plan.Close()
		file = plan
	}
	section := io.NewSectionReader(file, r.From, r.To-r.From)
	hash := xxhash.New()
	for {
		n, err := section.Read(buffer)
		hash.Write(buffer[:n])
		if err == io.EOF {
			return hash.Sum64(), nil
		}
		if err != nil {
			return 0, err
		}
	}
}

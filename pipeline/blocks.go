package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/spill"
)

// Blocks are what tasks emit by key, and what is merged of all tasks. They are packed: they go over networks, and through what a
// runner keeps. Rows do not: those of all keys stay in a file of the shared folder, and what goes through the runner says where.

// blockPlace is where a block is that lies in the shared folder.
type blockPlace struct {
	File       string
	At, Length int64
}

// putsBlocks reports whether blocks of the step lie in the shared folder.
func (s *Step) putsBlocks() bool { return s.does() == stepSort }

var (
	packing = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
		workers.Must(err) // its options are right
		return e
	})
	unpacking = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil)
		workers.Must(err) // likewise
		return d
	})
)

// emit emits the blocks of a task, by key; empty ones are left out.
func (w *Worker) emit(ctx context.Context, s Step, task int, blocks [][]byte, emit func(key int, block []byte) error) error {
	held, size := spill.NewLedger(w.res.budget, "blocks of a split"), int64(0)
	defer held.Close()
	for _, block := range blocks {
		size += int64(len(block))
	}
	if err := held.Draw(size); err != nil {
		return err
	}
	if s.putsBlocks() {
		return w.putBlocks(ctx, s, task, blocks, emit)
	}
	for key, block := range blocks {
		if len(block) == 0 {
			continue
		}
		if err := emit(key, packing().EncodeAll(block, nil)); err != nil {
			return err
		}
	}
	return nil
}

// putBlocks writes the blocks of a task to a file of the shared folder, and emits where they are.
func (w *Worker) putBlocks(ctx context.Context, s Step, task int, blocks [][]byte, emit func(key int, block []byte) error) error {
	held := spill.NewLedger(w.res.budget, "packed blocks of a split")
	defer held.Close()
	var file []byte
	var ends []int
	for _, block := range blocks {
		if len(block) > 0 {
			file = packing().EncodeAll(block, file)
		}
		if err := held.Draw(int64(len(file))); err != nil {
			return err
		}
		ends = append(ends, len(file))
	}
	if len(file) == 0 {
		return nil
	}
	name := named(fmt.Sprintf("%s-of-%06d", s.Name, task), file)
	if err := w.folder.put(ctx, name, file); err != nil {
		return err
	}
	at := 0
	for key, end := range ends {
		if end == at {
			continue
		}
		text, err := json.Marshal(blockPlace{name, int64(at), int64(end - at)})
		if err == nil {
			err = emit(key, text)
		}
		if err != nil {
			return err
		}
		at = end
	}
	return nil
}

// blocksAtOnce is how many blocks of the shared folder are read at a time: in an object store each takes a request or two.
const blocksAtOnce = 16

// unpacked unpacks what tasks have emitted with a key. It is drawn, with what is unpacked.
func (w *Worker) unpacked(ctx context.Context, s Step, blocks [][]byte, held *spill.Ledger) ([][]byte, error) {
	out := make([][]byte, len(blocks))
	readers := 1
	if s.putsBlocks() {
		readers = blocksAtOnce
	}
	var mu sync.Mutex
	size := int64(0)
	return out, workers.Each(len(blocks), readers, func(_ workers.Worker, i int) (err error) {
		block := blocks[i]
		if s.putsBlocks() {
			if block, err = w.folder.block(ctx, block); err != nil {
				return fmt.Errorf("read what was made of a split: %w", err)
			}
		}
		if out[i], err = unpacking().DecodeAll(block, nil); err != nil {
			return fmt.Errorf("unpack what was made of a split: %w: %w", count.ErrDamaged, err)
		}
		mu.Lock()
		defer mu.Unlock()
		size += int64(len(block) + len(out[i]))
		return held.Draw(size)
	})
}

// block reads a block of the folder, whose place was emitted.
func (f sharedFolder) block(ctx context.Context, emitted []byte) (content []byte, err error) {
	var place blockPlace
	if err := json.Unmarshal(emitted, &place); err != nil {
		return nil, fmt.Errorf("%w: %w", count.ErrDamaged, err)
	}
	file, err := f.open(ctx, place.File)
	if err != nil {
		return nil, err
	}
	content = make([]byte, place.Length)
	if _, err = file.ReadAt(content, place.At); err == io.EOF {
		err = nil // what lacks does not unpack
	}
	return content, errors.Join(err, file.Close())
}

func each(blocks [][]byte) func(func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, block := range blocks {
			if !yield(block, nil) {
				return
			}
		}
	}
}

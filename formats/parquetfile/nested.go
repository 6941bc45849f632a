package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/schema"
)

// maxBatchEntries bounds the entries of one leaf in a batch: a few bytes of levels can claim
// billions.
const maxBatchEntries = 1 << 26

// leafReader reads one leaf: levels, and the bytes of its physical values.
type leafReader struct {
	entryReader
	dictionary formats.Values // of the chunk
	levels     page.Levels    // of the entries that are searched for rows
	entry      int            // the first of them that belongs to no row yet

	to     *formats.Leaf
	out    formats.Leaf // the result of the batch
	values formats.Values
}

func newLeafReader(leaf *schema.Leaf, to *formats.Leaf) *leafReader {
	binary := formats.Type{Kind: formats.Binary}
	l := &leafReader{
		to:         to,
		dictionary: formats.Values{Type: binary},
		values:     formats.Values{Type: binary},
	}
	l.init(leaf, formats.Type{Kind: formats.Nested})
	l.entryReader.weight = l.weight
	l.out.Values = &l.values
	return l
}

func (l *leafReader) open(f *source, from io.ReaderAt, chunk *meta.Column, room columnRoom) {
	l.entryReader.open(f, from, chunk, room)
	l.levels, l.entry = page.Levels{}, 0
	l.dictionary.Clear()
}

func (l *leafReader) begin(int) error {
	l.out.Entries, l.out.Repetition, l.out.Definition = 0, l.out.Repetition[:0],
		l.out.Definition[:0]
	l.values.Clear()
	return l.holdBeside(l.weight())
}

// read appends n rows to the batch. A row ends where the next one starts, so it may read levels, of
// this page or the next, that belong to later rows.
func (l *leafReader) read(n int) error {
	for rows := 0; ; {
		err := l.look()
		if err == io.EOF && rows == n {
			return nil
		}
		if err != nil {
			return notEOF(err)
		}
		end := l.entry
		for ; end < l.levels.Entries; end++ {
			if l.levels.Repetition != nil && l.levels.Repetition[end] != 0 {
				if rows == 0 {
					return fmt.Errorf("first level continues a row: %w", formats.ErrDamaged)
				}
				continue
			}
			if rows == n {
				break
			}
			rows++
		}
		if err := l.take(end); err != nil {
			return err
		}
		if end < l.levels.Entries {
			return nil
		}
	}
}

// look makes sure that there are levels of entries that belong to no row yet, and returns io.EOF at
// the chunk's end.
func (l *leafReader) look() error {
	if l.entry < l.levels.Entries {
		return nil
	}
	err := l.load(l.loadDictionary)
	if err == nil {
		l.entry = 0
		l.levels, err = l.Levels(min(l.Ahead, stepRows))
	}
	return err
}

func (l *leafReader) loadDictionary(h *page.Header) error {
	if l.dictionary.Len() > 0 {
		return fmt.Errorf("column chunk with two dictionaries: %w", formats.ErrDamaged)
	}
	if err := l.readDictionary(h, &l.dictionary, l.values.MemoryBytes()); err != nil {
		return err
	}
	return l.holdBeside(l.weight())
}

// take appends the entries up to end, and their values, to the batch.
func (l *leafReader) take(end int) error {
	start := l.entry
	l.entry = end
	if l.out.Entries += end - start; l.out.Entries > maxBatchEntries {
		return fmt.Errorf("rows of more than %d entries: %w", maxBatchEntries,
			formats.ErrUnsupported)
	}
	if l.levels.Repetition != nil {
		l.out.Repetition = append(l.out.Repetition, l.levels.Repetition[start:end]...)
	}
	defined := end - start
	if l.levels.Definition != nil {
		levels := l.levels.Definition[start:end]
		l.out.Definition = append(l.out.Definition, levels...)
		defined = bytes.Count(levels, []byte{byte(l.leaf.Definition)})
	}
	if !l.Indexed {
		return l.next(&l.values, defined)
	}
	return l.takeEntries(defined)
}

// takeEntries appends the next n values of the page, which are entries of the dictionary, to the
// batch.
func (l *leafReader) takeEntries(n int) error {
	l.codes = slices.Grow(l.codes[:0], n)[:n]
	if _, err := l.Indexes(l.codes); err != nil {
		return err
	}
	for _, index := range l.codes {
		if int64(index) >= int64(l.dictionary.Len()) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", index, l.dictionary.Len(),
				formats.ErrDamaged)
		}
		value := l.dictionary.Bytes(int(index))
		if err := l.values.Grow(len(value), l.holdMore); err != nil {
			return err
		}
		l.values.AppendBytes(value)
	}
	return nil
}

// weight returns the bytes that the reader holds beside its page.
func (l *leafReader) weight() int64 { return l.values.MemoryBytes() + l.dictionary.MemoryBytes() }

// finish checks that the last row was the chunk's last.
func (l *leafReader) finish() error {
	if l.entry < l.levels.Entries || l.Ahead > 0 || l.promised > 0 {
		return fmt.Errorf("column chunk has more rows than its row group: %w", formats.ErrDamaged)
	}
	return nil
}

func (l *leafReader) deliver() { *l.to = l.out }

// size returns the number of entries of the batch plus the bytes of their values.
func (l *leafReader) size() int { return l.out.Entries + len(l.values.Data) }

package parquetfile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/schema"
)

// maxBatchEntries bounds the entries of one leaf in a batch: a few bytes of levels can
// claim billions.
const maxBatchEntries = 1 << 26

// leafReader reads one leaf: levels, and the bytes of its physical values.
type leafReader struct {
	entryReader
	dictionary formats.Values // of the chunk

	to     *formats.Leaf
	out    formats.Leaf // the batch
	values formats.Values
}

func newLeafReader(leaf *schema.Leaf, to *formats.Leaf) *leafReader {
	binary := formats.Type{Kind: formats.Binary}
	l := &leafReader{to: to, dictionary: formats.Values{Type: binary}, values: formats.Values{Type: binary}}
	l.init(leaf, formats.Type{Kind: formats.Nested})
	l.out.Values = &l.values
	return l
}

func (l *leafReader) open(f *source, from io.ReaderAt, chunk *chunkMeta, room columnRoom) {
	l.entryReader.open(f, from, chunk, room)
	l.dictionary.Ends, l.dictionary.Data = l.dictionary.Ends[:0], l.dictionary.Data[:0]
}

func (l *leafReader) begin(int) error {
	l.out.Entries, l.out.Repetition, l.out.Definition = 0, l.out.Repetition[:0], l.out.Definition[:0]
	l.values.Ends, l.values.Data = l.values.Ends[:0], l.values.Data[:0]
	return l.holdBeside(l.values.MemoryBytes() + l.dictionary.MemoryBytes())
}

// read appends n rows to the batch. A row ends where the next one starts, so it may look
// at levels, of this page or the next, that belong to later rows.
func (l *leafReader) read(n int) error {
	for rows := 0; ; {
		err := l.load(l.loadDictionary)
		if err == io.EOF && rows == n {
			return nil
		}
		if err != nil {
			return notEOF(err)
		}
		end := l.entry
		for ; end < l.page.Entries; end++ {
			if l.page.Repetition != nil && l.page.Repetition[end] != 0 {
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
		if end < l.page.Entries {
			return nil
		}
	}
}

func (l *leafReader) loadDictionary(h *page.Header) error {
	if l.dictionary.Len() > 0 {
		return fmt.Errorf("column chunk with two dictionaries: %w", formats.ErrDamaged)
	}
	if err := l.readDictionary(h, &l.dictionary, l.values.MemoryBytes()); err != nil {
		return err
	}
	return l.holdBeside(l.values.MemoryBytes() + l.dictionary.MemoryBytes())
}

// take appends the entries of the page up to end, and their values, to the batch.
func (l *leafReader) take(end int) error {
	start := l.entry
	l.entry = end
	if l.out.Entries += end - start; l.out.Entries > maxBatchEntries {
		return fmt.Errorf("rows of more than %d entries: %w", maxBatchEntries, formats.ErrUnsupported)
	}
	if l.page.Repetition != nil {
		l.out.Repetition = append(l.out.Repetition, l.page.Repetition[start:end]...)
	}
	defined := end - start
	if l.page.Definition != nil {
		levels := l.page.Definition[start:end]
		l.out.Definition = append(l.out.Definition, levels...)
		defined = bytes.Count(levels, []byte{byte(l.leaf.Definition)})
	}
	if !l.page.Indexed {
		return l.next(&l.values, defined)
	}
	indexes := l.page.Indexes[l.value : l.value+defined]
	l.value += defined
	for _, index := range indexes {
		if uint32(index) >= uint32(l.dictionary.Len()) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", uint32(index), l.dictionary.Len(), formats.ErrDamaged)
		}
		value := l.dictionary.Bytes(int(index))
		if err := l.room(&l.values, len(value)); err != nil {
			return err
		}
		l.values.AppendBytes(value)
	}
	return nil
}

// finish checks that the last row was the chunk's last.
func (l *leafReader) finish() error {
	if l.entry < l.page.Entries || l.promised > 0 {
		return fmt.Errorf("column chunk has more rows than its row group: %w", formats.ErrDamaged)
	}
	return nil
}

func (l *leafReader) deliver() { *l.to = l.out }

// size returns the entries of the batch and the bytes of their values.
func (l *leafReader) size() int { return l.out.Entries + len(l.values.Data) }

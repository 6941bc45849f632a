package parquetfile

import (
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// maxBatchEntries bounds the entries of one leaf in a batch: a few bytes of levels can
// claim billions.
const maxBatchEntries = 1 << 26

// leafReader reads one leaf: levels, and the bytes of its physical values.
type leafReader struct {
	entryReader                // its left entries are those whose levels are not decoded yet
	entry       formats.Values // the chunk's dictionary

	// decoded levels, of which those from at on are not in the batch yet
	at, have   int
	repetition [stepRows]uint32
	definition [stepRows]uint32
	codes      []uint32

	to     *formats.Leaf
	out    formats.Leaf // the batch
	values formats.Values
}

func newLeafReader(leaf *schema.Leaf, to *formats.Leaf) *leafReader {
	binary := formats.Type{Kind: formats.Binary}
	l := &leafReader{to: to, entry: formats.Values{Type: binary}, values: formats.Values{Type: binary}}
	l.init(leaf, formats.Type{Kind: formats.Nested})
	l.out.Values = &l.values
	return l
}

func (l *leafReader) open(f *source, from io.ReaderAt, chunk *chunkMeta, room columnRoom) {
	l.entryReader.open(f, from, chunk, room)
	l.at, l.have = 0, 0
	l.entry.Ends, l.entry.Data = l.entry.Ends[:0], l.entry.Data[:0]
}

func (l *leafReader) begin(int) error {
	l.out.Entries, l.out.Repetition, l.out.Definition = 0, l.out.Repetition[:0], l.out.Definition[:0]
	l.values.Ends, l.values.Data = l.values.Ends[:0], l.values.Data[:0]
	return l.holdBeside(l.values.MemoryBytes() + l.entry.MemoryBytes())
}

// read appends n rows to the batch. A row ends where the next one starts, so it may look
// at levels, of this page or the next, that belong to later rows.
func (l *leafReader) read(n int) error {
	for rows := 0; ; {
		if l.at == l.have {
			err := l.decode()
			if err == io.EOF && rows == n {
				return nil
			}
			if err != nil {
				return notEOF(err)
			}
		}
		start := l.at
		for l.at < l.have && (l.repetition[l.at] != 0 || rows < n) {
			if l.repetition[l.at] == 0 {
				rows++
			} else if rows == 0 {
				return fmt.Errorf("first level continues a row: %w", formats.ErrDamaged)
			}
			l.at++
		}
		if err := l.take(start, l.at); err != nil {
			return err
		}
		if l.at < l.have {
			return nil
		}
	}
}

// decode decodes some levels to come, all of one page. It returns io.EOF at the chunk's end.
func (l *leafReader) decode() error {
	if err := l.load(l.loadDictionary); err != nil {
		return err
	}
	l.at, l.have = 0, min(l.left, stepRows)
	if err := decodeLevels(&l.repetitions, l.repetition[:l.have], l.leaf.Repetition); err != nil {
		return err
	}
	if err := decodeLevels(&l.definitions, l.definition[:l.have], l.leaf.Definition); err != nil {
		return err
	}
	l.left -= l.have
	return nil
}

func decodeLevels(r *rle.Reader, levels []uint32, highest int) error {
	if highest == 0 {
		clear(levels)
		return nil
	}
	if err := r.Read(levels); err != nil {
		return err
	}
	if found := slices.Max(levels); found > uint32(highest) {
		return fmt.Errorf("level %d, highest is %d: %w", found, highest, formats.ErrDamaged)
	}
	return nil
}

func (l *leafReader) loadDictionary(h *page.Header) error {
	if l.entry.Len() > 0 {
		return fmt.Errorf("column chunk with two dictionaries: %w", formats.ErrDamaged)
	}
	if err := l.readDictionary(h, &l.entry, l.values.MemoryBytes()); err != nil {
		return err
	}
	return l.holdBeside(l.values.MemoryBytes() + l.entry.MemoryBytes())
}

// take appends the decoded entries from start to end, and their values, to the batch.
func (l *leafReader) take(start, end int) error {
	if l.out.Entries += end - start; l.out.Entries > maxBatchEntries {
		return fmt.Errorf("rows of more than %d entries: %w", maxBatchEntries, formats.ErrUnsupported)
	}
	if l.leaf.Repetition > 0 {
		l.out.Repetition = appendLevelBytes(l.out.Repetition, l.repetition[start:end])
	}
	defined := end - start
	if l.leaf.Definition > 0 {
		l.out.Definition = appendLevelBytes(l.out.Definition, l.definition[start:end])
		defined = 0
		for _, level := range l.definition[start:end] {
			if int(level) == l.leaf.Definition {
				defined++
			}
		}
	}
	if l.indexed {
		return l.takeIndexed(defined)
	}
	return l.cells.append(&l.values, defined)
}

func appendLevelBytes(dst []byte, levels []uint32) []byte {
	for _, level := range levels {
		dst = append(dst, byte(level))
	}
	return dst
}

func (l *leafReader) takeIndexed(n int) error {
	l.codes = grown(l.codes, n)
	if err := l.indexes.Read(l.codes); err != nil {
		return err
	}
	for _, index := range l.codes {
		if int64(index) >= int64(l.entry.Len()) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", index, l.entry.Len(), formats.ErrDamaged)
		}
		value := l.entry.Bytes(int(index))
		if err := l.room(&l.values, len(value)); err != nil {
			return err
		}
		l.values.AppendBytes(value)
	}
	return nil
}

// finish checks that the last row was the chunk's last.
func (l *leafReader) finish() error {
	if l.at < l.have || l.left > 0 || l.promised > 0 {
		return fmt.Errorf("column chunk has more rows than its row group: %w", formats.ErrDamaged)
	}
	return nil
}

func (l *leafReader) deliver() { *l.to = l.out }

// size returns the entries of the batch and the bytes of their values.
func (l *leafReader) size() int { return l.out.Entries + len(l.values.Data) }

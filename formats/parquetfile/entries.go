package parquetfile

import (
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
)

// entryReader reads the entries of a column chunk: levels, and values or the dictionary's indexes.
type entryReader struct {
	leaf        *leafColumn
	pages       pages
	left        int  // entries left in the page
	indexed     bool // the page's values are indexes of the dictionary
	repetitions rle.Reader
	definitions rle.Reader
	indexes     rle.Reader
	cells       cells
}

func (e *entryReader) init(leaf *leafColumn) {
	e.leaf, e.pages.leaf = leaf, leaf
	e.cells = cells{physical: leaf.physical, width: plain.Width(leaf.physical, leaf.length), hold: e.pages.holdDecoded}
}

// open starts on the leaf's chunk of a row group.
func (e *entryReader) open(f *parquetFile, from io.ReaderAt, chunk *chunkMeta) {
	e.pages.open(f, from, &chunk.Column)
	e.left = 0
}

// load makes sure that there are entries left in the page, and returns io.EOF at the chunk's
// end. A dictionary page on the way is taken in by the given function.
func (e *entryReader) load(dictionary func(*page) error) error {
	for e.left == 0 {
		p, err := e.pages.next()
		switch {
		case err != nil:
			return err
		case p.dictionary:
			err = dictionary(p)
		default:
			err = e.start(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// start starts on a data page.
func (e *entryReader) start(p *page) error {
	e.left = p.values
	e.repetitions.Reset(p.repetition, levelWidth(e.leaf.maxRepetition))
	e.definitions.Reset(p.definition, levelWidth(e.leaf.maxDefinition))
	if e.indexed = isIndexes(p.encoding); !e.indexed {
		return e.cells.reset(p.data, p.encoding, p.values)
	}
	if len(p.data) == 0 {
		e.indexes.Reset(nil, 0) // all entries may be null
		return nil
	}
	width := uint(p.data[0]) // and runs behind it
	if width > 32 {
		return fmt.Errorf("read dictionary indexes of %d bits: %w", width, formats.ErrDamaged)
	}
	e.indexes.Reset(p.data[1:], width)
	return nil
}

// defined reads the definition levels of as many entries as there is room for, and returns how
// many have a value. It reads none when all have.
func (e *entryReader) defined(levels []uint32) (int, error) {
	highest := uint32(e.leaf.maxDefinition)
	if highest == 0 || e.definitions.Skip(len(levels), highest) {
		return len(levels), nil
	}
	if err := e.definitions.Read(levels); err != nil {
		return 0, err
	}
	defined := uint32(0)
	if highest == 1 { // as of all flat columns
		for _, level := range levels {
			defined += level
		}
		return int(defined), nil
	}
	for _, level := range levels {
		defined += 1 - min(level^highest, 1)
	}
	return int(defined), nil
}

// notEOF turns the end of a chunk, where there should be more, into damage.
func notEOF(err error) error {
	if err == io.EOF {
		return fmt.Errorf("column chunk ends early: %w", formats.ErrDamaged)
	}
	return err
}

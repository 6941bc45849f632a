package parquetfile

import (
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// entryReader reads the entries of a column chunk: levels, and values or the dictionary's indexes.
type entryReader struct {
	leaf        *schema.Leaf
	pages       pages
	left        int  // entries left in the page
	indexed     bool // the page's values are indexes of the dictionary
	repetitions rle.Reader
	definitions rle.Reader
	indexes     rle.Reader
	cells       cells
}

// init makes a reader of a leaf's values as a type; of those of nested columns as their bytes.
func (e *entryReader) init(leaf *schema.Leaf, t formats.Type) {
	e.leaf, e.pages.leaf = leaf, leaf
	e.cells = cells{physical: leaf.Type.V, width: plain.SizeOf(leaf.SchemaElement), hold: e.pages.holdDecoded}
	e.cells.decode = plain.DecoderOf(t, leaf.Type.V, e.cells.width)
	if t.Kind == formats.Nested {
		e.cells.decode = plain.Raw(e.cells.width)
	}
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
	e.repetitions.Reset(p.repetition, rle.Width(e.leaf.Repetition))
	e.definitions.Reset(p.definition, rle.Width(e.leaf.Definition))
	if e.indexed = isIndexes(p.encoding); !e.indexed {
		return e.cells.reset(p.data, p.encoding, p.values)
	}
	if len(p.data) == 0 {
		e.indexes.Reset(nil, 0) // all entries may be null
		return nil
	}
	width := int(p.data[0]) // and runs behind it
	if width > 32 {
		return fmt.Errorf("read dictionary indexes of %d bits: %w", width, formats.ErrDamaged)
	}
	e.indexes.Reset(p.data[1:], width)
	return nil
}

// defined reads the definition levels of as many entries as there is room for, and returns how
// many have a value. It reads none when all have.
func (e *entryReader) defined(levels []uint32) (int, error) {
	highest := uint32(e.leaf.Definition)
	if highest == 0 {
		return len(levels), nil
	}
	if level, same := e.definitions.Repeated(len(levels)); same && level == highest {
		return len(levels), nil
	} else if same {
		clear(levels)
		return 0, nil
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

package csvfile

import (
	"bytes"
	"context"
	"io"

	"github.com/kcut/kcut/formats/internal/fence"
)

// blockBytes is the size of the blocks that a file is cut into, to be read side by side. It
// does not depend on the number of threads, so that the chunks do not either.
const blockBytes = 1 << 20

// block is what a range of bytes holds, seen before it is known whether it starts inside
// quotes: that depends on all quotes before it. In text that is CSV a newline ends a record
// when an even number of quotes is before it.
type block struct {
	quotes int64
	lines  int64
	starts [2]recordStart // the first record that starts behind a newline of it, when the block starts outside quotes, and inside
}

// recordStart is a position in a block and the newlines of the block before it.
type recordStart struct{ at, lines int64 }

// cut cuts the text from a record's start on to the end of the file into parts of whole
// records, about one a block. As far as the text is CSV, parts start where records do.
func (s *source) cut(ctx context.Context, start, line int64) ([]part, error) {
	size := s.info.Size()
	blocks := make([]block, (max(size-start, 0)+s.block-1)/s.block)
	err := fence.Each(len(blocks), s.threads, func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := start + int64(i)*s.block
		return s.look(&blocks[i], from, min(from+s.block, size))
	})
	if err != nil {
		return nil, err
	}
	parts := []part{{offset: start, end: size, line: line}}
	inside := int64(0)
	for i, b := range blocks {
		if first := b.starts[inside]; i > 0 && first.at > 0 {
			at := start + int64(i)*s.block + first.at
			parts[len(parts)-1].end = at
			parts = append(parts, part{offset: at, end: size, line: line + first.lines})
		}
		inside = (inside + b.quotes) & 1
		line += b.lines
	}
	return parts, nil
}

// look fills in a block.
func (s *source) look(b *block, from, to int64) error {
	text, err := s.text(from, to)
	if err != nil {
		return err
	}
	defer text.Close()
	memory := takeBuffer()
	defer leaveBuffer(memory)
	at := int64(0)
	for {
		n, err := text.Read(*memory)
		b.see((*memory)[:n], at)
		at += int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var quote, newline = []byte{'"'}, []byte{'\n'}

// see counts what is in some more bytes of the block, the first of which is at at.
func (b *block) see(text []byte, at int64) {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			b.quotes += int64(bytes.Count(text, quote))
			return
		}
		b.quotes += int64(bytes.Count(text[:end], quote))
		b.lines++
		at += int64(end) + 1
		if first := &b.starts[b.quotes&1]; first.at == 0 {
			*first = recordStart{at, b.lines}
		}
		text = text[end+1:]
	}
}

package writer

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/kcut/kcut/formats"
)

// AppendTo appends the row group in a form that another process can read, version 1 of it:
//
//	entry, as in a file's footer, of the first row group | number of segments | segments…
//
// The entry has its length in front. A segment is its length plus one and its bytes or, when it is
// copied, 0 and where it lies in the source: offset, size. All these numbers are uvarints.
func (g *EncodedRowGroup) AppendTo(to []byte) ([]byte, error) {
	entry, err := encode(&g.entry)
	if err != nil {
		return nil, err
	}
	to = append(binary.AppendUvarint(to, uint64(len(entry))), entry...)
	to = binary.AppendUvarint(to, uint64(len(g.out)))
	for _, s := range g.out {
		if s.bytes != nil {
			to = append(binary.AppendUvarint(to, uint64(len(s.bytes))+1), s.bytes...)
			continue
		}
		for _, n := range []int64{0, s.offset, s.size} {
			to = binary.AppendUvarint(to, uint64(n))
		}
	}
	return to, nil
}

// ParseRowGroup returns the row group that AppendTo has appended to nothing, in whose memory its
// pages stay. The error wraps formats.ErrDamaged.
func ParseRowGroup(b []byte) (*EncodedRowGroup, error) {
	p := &parser{rest: b}
	g := &EncodedRowGroup{}
	if err := thrift.Unmarshal(&protocol, p.bytes(p.number()), &g.entry); err != nil || p.failed {
		return nil, fmt.Errorf("read the entry of a row group: %w", formats.ErrDamaged)
	}
	g.Rows = g.entry.NumRows
	for n := p.number(); n > 0 && !p.failed; n-- {
		s := segment{}
		if n := p.number(); n > 0 {
			s.bytes = p.bytes(n - 1)
			g.size += int64(len(s.bytes))
		} else {
			s.offset, s.size = int64(p.number()), int64(p.number())
			g.size += s.size
		}
		g.out = append(g.out, s)
	}
	if p.failed {
		return nil, fmt.Errorf("read the pages of a row group: %w", formats.ErrDamaged)
	}
	return g, nil
}

// parser takes numbers and bytes off the front. After a failure nothing is left.
type parser struct {
	rest   []byte
	failed bool
}

func (p *parser) number() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.rest, p.failed = nil, true
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) bytes(n uint64) []byte {
	if n > uint64(len(p.rest)) {
		p.rest, p.failed = nil, true
		return nil
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}

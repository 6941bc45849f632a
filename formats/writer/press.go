package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// press makes pages, one at a time.
type press struct {
	compressor
	body   []byte // scratch: the page being built
	packed []byte // scratch: the page compressed
	header bytes.Buffer
}

// Presses make the pages of row groups that are filled at a time. There are as many as columns
// have pages made at once, and each keeps what its compressor takes and a few MiB.
type Presses struct {
	options Options
	mu      sync.Mutex
	idle    []*press
}

// NewPresses returns ErrUnsupported for an unknown codec.
func NewPresses(opt Options) (*Presses, error) {
	p := &Presses{options: opt}
	one, err := p.take()
	if err != nil {
		return nil, err
	}
	p.leave(one)
	return p, nil
}

// take returns a press that is idle, or a new one.
func (p *Presses) take() (*press, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		one := p.idle[last]
		p.idle = p.idle[:last]
		return one, nil
	}
	c, err := newCompressor(p.options)
	return &press{compressor: c}, err
}

// mostScratch is what a press keeps of its scratch: the pages of all but very large values take less.
const mostScratch = 4 * pageBytes

// leave gives a press up.
func (p *Presses) leave(one *press) {
	if cap(one.body)+cap(one.packed) > mostScratch {
		one.body, one.packed = nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, one)
}

// encodeData makes a data page of body, to be placed.
func (p *press) encodeData(entries, nulls int, encoding format.Encoding) (storedPage, error) {
	page, err := p.store(dataHeader(entries, nulls, encoding))
	page.entries, page.nulls, page.encoding = entries, nulls, encoding
	return page, err
}

// store compresses body and completes the header.
func (p *press) store(h pageHeader) (page storedPage, err error) {
	if p.packed, err = p.compress(p.packed[:0], p.body); err != nil {
		return page, err
	}
	if max(len(p.body), len(p.packed)) > math.MaxInt32 {
		return page, fmt.Errorf("write page of %d bytes: %w size", len(p.body), formats.ErrUnsupported)
	}
	p.header.Reset()
	h.store(len(p.body), p.packed)
	if err := h.encode(&p.header); err != nil {
		return page, err
	}
	return storedPage{
		kind: h.Type, unpacked: p.header.Len() + len(p.body),
		bytes: slices.Concat(p.header.Bytes(), p.packed),
	}, nil
}

// appendLevelRuns appends levels of at most highest, with their length before them; nothing
// when only level 0 is possible.
func appendLevelRuns(dst, levels []byte, highest int) []byte {
	if highest == 0 {
		return dst
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendHybrid(dst, levels, widthOf(highest))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

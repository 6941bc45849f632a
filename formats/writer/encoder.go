package writer

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/rle"
)

// pageEncoder makes pages, one at a time. All fields except the compressor are scratch.
type pageEncoder struct {
	codec.Compressor
	body    []byte   // the page being built
	packed  []byte   // the page compressed
	present []uint32 // indexes that are not null
	levels  []byte
}

// PageEncoders make the pages of row groups that are filled at the same time. There is one for each
// column whose pages are made at the same time, and each keeps the memory of its compressor and a
// few MiB.
type PageEncoders struct {
	options Options
	mu      sync.Mutex
	idle    []*pageEncoder
}

// NewPageEncoders returns ErrUnsupported for an unknown codec.
func NewPageEncoders(opt Options) (*PageEncoders, error) {
	p := &PageEncoders{options: opt}
	one, err := p.acquire()
	if err != nil {
		return nil, err
	}
	p.release(one)
	return p, nil
}

// acquire returns an idle encoder, or a new one.
func (p *PageEncoders) acquire() (*pageEncoder, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		one := p.idle[last]
		p.idle = p.idle[:last]
		return one, nil
	}
	c, err := codec.NewCompressor(p.options.Compression, p.options.Level)
	return &pageEncoder{Compressor: c}, err
}

// mostScratch is the largest scratch memory that an encoder keeps: only pages of very large values
// take more.
const mostScratch = 4 * pageBytes

// release returns an encoder.
func (p *PageEncoders) release(one *pageEncoder) {
	if cap(one.body)+cap(one.packed) > mostScratch {
		one.body, one.packed = nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, one)
}

// dataPage makes a data page of body, without an offset.
func (e *pageEncoder) dataPage(entries, nulls int, encoding format.Encoding) (storedPage, error) {
	page, err := e.store(dataHeader(entries, nulls, encoding))
	page.entries, page.nulls, page.encoding = entries, nulls, encoding
	return page, err
}

// absent is the index of a null: code 0 minus 1.
const absent = math.MaxUint32

// indexPage makes the page of some rows, given as indexes of the present dictionary.
func (e *pageEncoder) indexPage(rows []uint32, d *dictionary) (storedPage, error) {
	width := max(1, rle.Width(d.Values.Len()-1)) // one bit for one entry: some readers refuse none
	e.body = e.body[:0]
	present := rows
	switch {
	case d.part != nil || slices.Contains(rows, absent):
		present = e.split(rows, d.highest)
		e.body = rle.AppendLevels(e.body, e.levels, d.highest)
	case d.highest > 0:
		e.body = append(e.body, 0, 0, 0, 0)
		e.body = rle.AppendRun(e.body, 1, len(rows), 1)
		binary.LittleEndian.PutUint32(e.body, uint32(len(e.body)-4))
	}
	e.body = append(e.body, byte(width))
	e.body = rle.Append(e.body, present, width)
	return e.dataPage(len(rows), len(rows)-len(present), format.RLEDictionary)
}

// levelPage makes the page of some rows without a value.
func (e *pageEncoder) levelPage(rows []uint32, d *dictionary) (storedPage, error) {
	e.split(rows, d.highest)
	e.body = rle.AppendLevels(e.body[:0], e.levels, d.highest)
	return e.dataPage(len(rows), len(rows), format.Plain)
}

// split fills the levels of rows, and returns the indexes of those that have a value. A null may
// have any level below the highest. It has no branch.
func (e *pageEncoder) split(rows []uint32, highest int) (present []uint32) {
	e.levels, e.present = slices.Grow(e.levels[:0], len(rows))[:len(rows)],
		slices.Grow(e.present[:0], len(rows))[:len(rows)]
	n := 0
	for i, index := range rows {
		level, has := uint32(highest), 1
		if index > absent-uint32(highest) {
			level, has = index+uint32(highest), 0 // it is below zero
		}
		e.levels[i], e.present[n] = byte(level), index
		n += has
	}
	return e.present[:n]
}

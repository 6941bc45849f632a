package writer

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// absent stands for null among dictionary indexes: code 0 less 1.
const absent = math.MaxUint32

// indexPages makes pages of indexes into a dictionary. Its fields are scratch.
type indexPages struct {
	present []uint32
	levels  []byte
}

// encode makes the page of some rows, which point into so many entries of the dictionary.
func (x *indexPages) encode(p *press, rows []uint32, entries int, nullable, nulls bool) (storedPage, error) {
	width := max(1, widthOf(entries-1)) // one bit for one entry: not every reader takes none
	p.body = p.body[:0]
	present := rows
	switch {
	case nulls:
		present = x.split(p, rows)
	case nullable:
		p.body = append(p.body, 0, 0, 0, 0)
		p.body = appendRun(p.body, 1, len(rows), 1)
		binary.LittleEndian.PutUint32(p.body, uint32(len(p.body)-4))
	}
	p.body = append(p.body, byte(width))
	p.body = appendHybrid(p.body, present, width)
	return p.encodeData(len(rows), len(rows)-len(present), format.RLEDictionary)
}

// split writes the definition levels of a page and returns its indexes without nulls.
func (x *indexPages) split(p *press, rows []uint32) []uint32 {
	x.levels, x.present = x.levels[:0], x.present[:0]
	for _, index := range rows {
		if index == absent {
			x.levels = append(x.levels, 0)
			continue
		}
		x.levels = append(x.levels, 1)
		x.present = append(x.present, index)
	}
	p.body = appendLevelRuns(p.body, x.levels, 1)
	return x.present
}

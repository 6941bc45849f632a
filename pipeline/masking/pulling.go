package masking

import (
	"io"
	"math/bits"
	"sync"
)

// groupLimit says where row groups end: with so many rows, or with the row whose bytes reach a limit, all equal ones included.
type groupLimit struct{ rows, bytes int64 } // bytes may be 0: they do not matter

// newGroupLimit returns the limit of row groups that have a number of rows, of an input that has
// records; 0: as Order.Rows.
func newGroupLimit(rows, records int64) groupLimit {
	if rows == 0 {
		return groupLimit{usualGroup(records), groupBytes}
	}
	return groupLimit{rows: rows}
}

// ends reports whether a row group ends that has so many rows and, equal ones once, bytes.
func (l groupLimit) ends(rows, bytes int64) bool {
	return rows >= l.rows || l.bytes > 0 && bytes >= l.bytes
}

// lookRows is after how many rows it is looked again and again how large a row group is.
const lookRows = 1 << 15

// untilLook returns after how many more rows of a row group that has so many it is looked whether it ends: their bytes are
// looked at when they have doubled, and then from time to time.
func (l groupLimit) untilLook(rows int64) int64 {
	more := l.rows - rows
	switch {
	case l.bytes == 0:
		return more
	case rows < lookRows:
		return min(more, 1<<bits.Len64(uint64(rows))-rows)
	}
	return min(more, lookRows-rows%lookRows)
}

// pulling takes the rows of one row group after the other.
type pulling struct {
	mu    sync.Mutex
	turn  sync.Cond
	done  int // groups
	rows  rowSource
	limit groupLimit
	row   []byte // that was read last
	left  int64  // of it, which the group before had no room for

	form   *rowForm // a row group ends before a row of another folder; nil: there are none
	folder int      // of the row that was read last
}

// rowSource is different rows in order.
type rowSource interface {
	// Next returns the next row, valid until the next call, and how many there are of it, or
	// io.EOF.
	Next() (row []byte, n int64, err error)
}

func newPulling(rows rowSource, limit groupLimit) *pulling {
	p := &pulling{rows: rows, limit: limit}
	p.turn.L = &p.mu
	return p
}

// next waits until all groups before have been taken, and takes the rows of the next one. It may have none, when all were taken.
func (p *pulling) next(i int, g *orderedGroup) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.done < i {
		p.turn.Wait()
	}
	defer func() {
		p.done++
		p.turn.Broadcast()
	}()
	for !p.limit.ends(g.count, int64(g.size)) {
		if p.left == 0 {
			if p.row, p.left, err = p.rows.Next(); err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if p.form != nil {
				p.folder = p.form.folderOf(p.row)
			}
		}
		if g.count > 0 && p.folder != g.folder {
			return nil
		}
		g.folder = p.folder
		n := min(p.left, p.limit.rows-g.count)
		g.take(p.row, n)
		if err := g.drawRows(); err != nil {
			return err
		}
		p.left -= n
	}
	return nil
}

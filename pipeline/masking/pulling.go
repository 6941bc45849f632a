package masking

import (
	"io"
	"sync"
)

// groupLimit says where row groups end: with so many rows, or with the row whose bytes reach a limit, all equal ones included.
type groupLimit struct{ rows, bytes int64 } // bytes may be 0: they do not matter

// UsualGroup is the number of rows of a row group where the job does not ask for one.
const UsualGroup = 1 << 18

// mostGroups is how many row groups a release has at most by their rows alone: a file numbers
// twice as many.
const mostGroups = 1 << 14

// newGroupLimit returns the limit of row groups that have a number of rows, of an input that has
// records; 0: as Order.Rows.
func newGroupLimit(rows, records int64) groupLimit {
	if rows == 0 {
		return groupLimit{max(UsualGroup, (records+mostGroups-1)/mostGroups), groupBytes}
	}
	return groupLimit{rows: rows}
}

// ends reports whether a row group ends that has so many rows and, equal ones once, bytes.
func (l groupLimit) ends(rows, bytes int64) bool {
	return rows >= l.rows || l.bytes > 0 && bytes >= l.bytes
}

// pulling takes the rows of one row group after the other.
type pulling struct {
	mu    sync.Mutex
	turn  sync.Cond
	done  int // groups
	rows  rowSource
	limit groupLimit
	row   rowBlock // that was read last
	left  int64    // of it, which the group before had no room for

	folders bool // there are several: a row group ends before a row of another one
	folder  int  // of the row that was read last
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
			row, n, err := p.rows.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			p.left = n
			g.form.read(&p.row, row, n)
			if p.folders {
				p.folder = g.form.folderOf(p.row.heads)
			}
		}
		if g.count > 0 && p.folder != g.folder {
			return nil
		}
		g.folder = p.folder
		p.row.equal[0] = min(p.left, p.limit.rows-g.count)
		if err := g.take(&p.row, g.form.sizeOf(&p.row)); err != nil {
			return err
		}
		p.left -= p.row.equal[0]
	}
	return nil
}

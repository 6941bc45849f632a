package masking

import (
	"io"
	"sync"
)

// groupLimit is the limit at which row groups end: a number of rows, or a number of bytes, which
// the last row may exceed together with all rows equal to it. If bytes is 0, only rows counts.
type groupLimit struct{ rows, bytes int64 } // bytes may be 0: they do not matter

// UsualGroup is the number of rows of a row group if the job does not set it.
const UsualGroup = 1 << 18

// mostGroups is the largest number of row groups that the number of rows alone causes: a file can
// number twice as many.
const mostGroups = 1 << 14

// newGroupLimit returns the limit of row groups with the given number of rows (0: see Order.Rows),
// for an input with the given number of records.
func newGroupLimit(rows, records int64) groupLimit {
	if rows == 0 {
		return groupLimit{max(UsualGroup, (records+mostGroups-1)/mostGroups), groupBytes}
	}
	return groupLimit{rows: rows}
}

// ends reports whether a row group with the given rows and bytes ends. Equal rows count once in
// bytes.
func (l groupLimit) ends(rows, bytes int64) bool {
	return rows >= l.rows || l.bytes > 0 && bytes >= l.bytes
}

// groupReader reads the rows of one row group after the other.
type groupReader struct {
	mu    sync.Mutex
	turn  sync.Cond
	done  int // number of row groups that were read
	rows  rowSource
	limit groupLimit
	row   rowBlock // the last row that was read
	left  int64    // copies of this row that the previous row group had no room for

	folders bool // there are several folders: a row group ends before a row of another one
	folder  int  // folder of the last row that was read
}

// rowSource has distinct, sorted rows.
type rowSource interface {
	// Next returns the next row, which is valid until the next call, and its number of copies, or
	// io.EOF.
	Next() (row []byte, n int64, err error)
}

func newGroupReader(rows rowSource, limit groupLimit) *groupReader {
	p := &groupReader{rows: rows, limit: limit}
	p.turn.L = &p.mu
	return p
}

// next waits until all previous row groups have been read, and reads the rows of this one. It has
// none if all rows have been read.
func (p *groupReader) next(i int, g *orderedGroup) (err error) {
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

package partition

import "slices"

// tableWriter makes a table of records that come one after the other: in memory if that takes at
// most the space's share and the budget has that, else in the store.
type tableWriter struct {
	space  Space
	table  *Table // records that are not in the store
	drawn  int64  // for them
	chunks *ChunkList
	frame  []byte
}

// newTableWriter returns a writer of no more records than most.
func newTableWriter(layout Layout, most int, space Space) *tableWriter {
	w := &tableWriter{space: space, table: &Table{Layout: layout}}
	room := max(0, min(most, int(space.Share/layout.TableBytes(1))))
	if bytes := layout.TableBytes(room); space.Budget.Draw("the compressed table", bytes) == nil {
		w.table, w.drawn = newTable(layout, 0, room), bytes
	}
	return w
}

// extend adds records that are zero, and returns these.
func (w *tableWriter) extend(n int) (*Table, error) {
	if w.table.Len()+n > cap(w.table.Counts) {
		if err := w.makeRoom(); err != nil {
			return nil, err
		}
	}
	t := w.table
	lo, hi := t.Len(), t.Len()+n
	t.Keys, t.Counts = slices.Grow(t.Keys, n*t.Layout.Words)[:hi*t.Layout.Words], slices.Grow(t.Counts, n)[:hi]
	return t.Slice(Rows{Lo: lo, Hi: hi}), nil
}

// makeRoom writes the records to the store.
func (w *tableWriter) makeRoom() (err error) {
	layout := w.table.Layout
	if w.space.Store == nil {
		return w.space.Budget.Exceeded("the compressed table", layout.TableBytes(writtenRecords(layout)), w.space.Share, w.drawn)
	}
	if w.chunks == nil {
		w.chunks = &ChunkList{}
	}
	w.frame, err = w.chunks.writeTable(w.space.Store, w.table, Rows{Hi: w.table.Len()}, writtenRecords(layout), w.frame)
	if w.drawn > 0 || cap(w.table.Counts) == 0 {
		w.space.Budget.Return(w.drawn)
		w.table, w.drawn = newTable(layout, 0, writtenRecords(layout)), 0
	}
	w.table.Truncate()
	return err
}

// end returns the table. Its records may have come in the order of their keys.
func (w *tableWriter) end(ordered bool) (*Table, error) {
	if w.chunks == nil {
		table := w.table.clip()
		w.space.Budget.Return(w.drawn - table.Bytes())
		w.drawn = table.Bytes()
		return table, nil
	}
	err := w.makeRoom()
	return &Table{Layout: w.table.Layout, chunks: w.chunks, ordered: ordered}, err
}

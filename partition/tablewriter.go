package partition

import "slices"

// tableWriter makes a table of records that come one after another. The table is in memory if it
// takes at most the space's share and the budget has room for it. Else it is in the store.
type tableWriter struct {
	space  Space
	table  *Table     // the records that are not in the store
	drawn  int64      // bytes drawn for table
	chunks *ChunkList // the records in the store; nil: there are none
	frame  []byte     // scratch
}

// newTableWriter returns a writer for at most the given number of records.
func newTableWriter(layout Layout, most int, space Space) *tableWriter {
	w := &tableWriter{space: space, table: &Table{Layout: layout}}
	room := max(0, min(most, int(space.Share/layout.TableBytes(1))))
	if bytes := layout.TableBytes(room); space.Budget.Draw("the compressed table", bytes) == nil {
		w.table, w.drawn = newTable(layout, 0, room), bytes
	}
	return w
}

// extend adds n zero records and returns a table of these records, which the caller fills.
func (w *tableWriter) extend(n int) (*Table, error) {
	if w.table.Len()+n > cap(w.table.Counts) {
		if err := w.makeRoom(); err != nil {
			return nil, err
		}
	}
	t := w.table
	lo, hi := t.Len(), t.Len()+n
	t.Keys = slices.Grow(t.Keys, n*t.Layout.Words)[:hi*t.Layout.Words]
	t.Counts = slices.Grow(t.Counts, n)[:hi]
	return t.Slice(Rows{Lo: lo, Hi: hi}), nil
}

// makeRoom moves the records in memory to the store.
func (w *tableWriter) makeRoom() (err error) {
	layout := w.table.Layout
	if w.space.Store == nil {
		needed := layout.TableBytes(writtenRecords(layout))
		return w.space.Budget.Exceeded("the compressed table", needed, w.space.Share, w.drawn)
	}
	if w.chunks == nil {
		w.chunks = &ChunkList{}
	}
	w.frame, err = w.chunks.writeTable(
		w.space.Store, w.table, Rows{Hi: w.table.Len()}, writtenRecords(layout), w.frame,
	)
	if w.drawn > 0 || cap(w.table.Counts) == 0 {
		w.space.Budget.Return(w.drawn)
		w.table, w.drawn = newTable(layout, 0, writtenRecords(layout)), 0
	}
	w.table.Truncate()
	return err
}

// end returns the table. ordered says that the records have come in the order of their keys.
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

package partition

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// saved returns the chunks of a table.
func saved(t *testing.T, table *Table, space Space) (chunks [][]byte) {
	t.Helper()
	err := table.Save(t.Context(), space, func(chunk []byte) error {
		chunks = append(chunks, bytes.Clone(chunk))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// feed returns a function that returns the chunks one after the other.
func feed(chunks [][]byte) func() ([]byte, error) {
	return func() (chunk []byte, err error) {
		if len(chunks) > 0 {
			chunk, chunks = chunks[0], chunks[1:]
		}
		return chunk, nil
	}
}

// recordsOf returns the records of a table, ascending.
func recordsOf(t *testing.T, table *Table, space Space) (records [][]uint64) {
	t.Helper()
	all := &Table{Layout: table.Layout}
	for _, chunk := range saved(t, table, space) {
		if err := NewCodec(table.Layout).Decode(chunk, all); err != nil {
			t.Fatal(err)
		}
	}
	w := table.Layout.Words
	for i, n := range all.Counts {
		records = append(records, append(slices.Clone(all.Keys[i*w:(i+1)*w]), uint64(n)))
	}
	slices.SortFunc(records, slices.Compare)
	return records
}

// TestRestore demands that a table comes back as it was, in memory and spilled, and stays
// where it was saved from.
func TestRestore(t *testing.T) {
	store := openStore(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, domains := range [][]int{{3}, {1, 1}, {1 << 20, 7, 1 << 30}, {1 << 31, 1 << 31, 1 << 31, 5}} {
		for _, n := range []int{0, 1, 1000, 60_000} {
			layout := NewLayout(domains)
			table := &Table{Layout: layout}
			for range n {
				key := make([]uint64, layout.Words)
				for i, f := range layout.Fields {
					key[f.Word] |= uint64(rng.IntN(domains[i])) << f.Shift
				}
				table.Keys, table.Counts = append(table.Keys, key...), append(table.Counts, 1+rng.Uint32N(300))
			}
			want := recordsOf(t, table, Space{})
			for _, share := range []int64{0, 1 << 30} {
				space := Space{Budget: spill.NewBudget(1 << 30), Store: store, Share: share}
				got, err := Restore(layout, n, space, feed(saved(t, table, Space{})))
				if err != nil {
					t.Fatal(err)
				}
				if got.Spilled() != (share == 0 && n > 0) || got.Len() != n || got.Size() != table.Size() {
					t.Errorf("%v: %d records of %d rows came back as %d of %d, spilled: %t", domains, n, table.Size(), got.Len(), got.Size(), got.Spilled())
				}
				for range 2 { // what is saved stays
					if !slices.EqualFunc(recordsOf(t, got, space), want, slices.Equal) {
						t.Errorf("%v: other records came back, share %d", domains, share)
					}
				}
				again, err := Restore(layout, n, Space{Budget: space.Budget}, feed(saved(t, got, space)))
				if err != nil || !slices.EqualFunc(recordsOf(t, again, Space{}), want, slices.Equal) {
					t.Errorf("%v: other records came back from the store: %v", domains, err)
				}
			}
		}
	}
}

// TestRestoreRefuses demands an error for records that are too few, too many or none, and for
// those that do not fit.
func TestRestoreRefuses(t *testing.T) {
	layout := NewLayout([]int{1000, 1000})
	table := &Table{Layout: layout, Keys: []uint64{1, 2, 3}, Counts: []uint32{1, 5, 9}}
	chunks := saved(t, table, Space{})
	roomy := Space{Budget: spill.NewBudget(1 << 20)}
	for _, tt := range []struct {
		name    string
		records int
		space   Space
		next    func() ([]byte, error)
		want    error
	}{
		{"too few", 4, roomy, feed(chunks), spill.ErrCorrupt},
		{"too many", 2, roomy, feed(chunks), spill.ErrCorrupt},
		{"damaged", 3, roomy, feed([][]byte{chunks[0][:5]}), spill.ErrCorrupt},
		{"too large", 1 << 20, roomy, feed(chunks), spill.ErrBudget},
		{"unreadable", 3, roomy, func() ([]byte, error) { return nil, io.ErrUnexpectedEOF }, io.ErrUnexpectedEOF},
	} {
		if got, err := Restore(layout, tt.records, tt.space, tt.next); !errors.Is(err, tt.want) || got != nil {
			t.Errorf("%s: got %v, %v", tt.name, got, err)
		}
	}
}

package masking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// Rows of labels and kept values of which more become known all the time come out of a sorter of words as they come out of sorting their
// bytes, in memory and beyond it.
func TestCodedRowsAgreeWithBytes(t *testing.T) {
	for _, c := range []struct {
		batches, columns, used, values int
		share                          int64
		threads                        int
		stored                         bool
	}{
		{0, 2, 3, 9, 1 << 20, 2, false},
		{1, 2, 3, 9, 1 << 20, 1, false},
		{8, 0, 64, 9, 16 << 20, 2, false},
		{30, 2, 3, 30, 16 << 20, 3, false},     // many are equal
		{30, 5, 40, 20_000, 1 << 28, 3, false}, // words become more
		{60, 3, 60, 300, 1 << 20, 2, true},     // runs of the store are joined
		{200, 3, 60, 1000, 4 << 20, 1, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			form := &rowForm{words: 1, used: c.used, head: (c.used + 7) / 8}
			for i := range c.columns {
				f := keptField{typ: formats.Type{Kind: formats.String}}
				if i%2 > 0 {
					f = keptField{typ: formats.Type{Kind: formats.Int, Bits: 64}, base: formats.IntWord(0)}
				}
				form.kept = append(form.kept, f)
			}
			budget := spill.NewBudget(1 << 30)
			dir := t.TempDir()
			var store *spill.Store
			open := func() (_ *spill.Store, err error) {
				store, err = spill.Open(dir, spill.Options{})
				return store, err
			}
			s, err := newCodedSorter(form, budget, c.share, c.threads, 5000, open)
			if err != nil {
				t.Fatal(err)
			}
			const batchRows = 1000
			want := make([][][]byte, c.batches)
			numbers := make([][]keptNumbers, c.threads)
			for i := range numbers {
				numbers[i] = make([]keptNumbers, c.columns)
			}
			err = workers.Each(c.batches, c.threads, func(w workers.Worker, i int) error {
				rng := rand.New(rand.NewPCG(1, uint64(i)))
				columns := make([]*formats.Column, c.columns)
				for k := range columns {
					columns[k] = randomColumn(rng, form.kept[k].typ, batchRows, 1+c.values*(i+1)/c.batches, i%3 > 0)
					if err := numbers[w.Number][k].learn(s.values, k, columns[k], batchRows); err != nil {
						return err
					}
				}
				rows, known, err := s.room(w.Number, batchRows, s.values.coding())
				if err != nil {
					return err
				}
				cells := make([]keptCells, len(columns))
				for k := range columns {
					if err := form.kept[k].learn(&cells[k], columns[k], batchRows); err != nil {
						return err
					}
				}
				for row := range batchRows {
					label := rng.Uint64N(4) << (64 - c.used)
					rows[row*known.words] = label
					b := form.appendHead(nil, []uint64{label})
					for k := range columns {
						n, f := &numbers[w.Number][k], &known.fields[k]
						rows[row*known.words+f.word] |= uint64(f.ranks[n.numbers[n.codes[row]]]) << f.shift
						b = form.kept[k].appendCell(b, &cells[k], row)
					}
					want[i] = append(want[i], b)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			all := slices.Concat(want...)
			slices.SortFunc(all, bytes.Compare)
			rows, err := s.merge(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := rows.most(); int(n) != len(all) || (store != nil) != c.stored {
				t.Errorf("%d rows of %d, a store: %t", n, len(all), store != nil)
			}
			for len(all) > 0 {
				n, err := rows.pull()
				if err != nil || int(n) > len(all) {
					t.Fatalf("%d of %d rows that are left: %v", n, len(all), err)
				}
				g := &orderedGroup{}
				rows.give(g, n)
				b := s.values.appendRow(nil, rows.coding, g.different)
				if g.size != len(b) || g.count != n {
					t.Fatalf("row %x has a size of %d", b, g.size)
				}
				for _, other := range all[:n] {
					if !bytes.Equal(b, other) {
						t.Fatalf("row %x instead of %x", b, other)
					}
				}
				if all = all[n:]; len(all) > 0 && bytes.Equal(all[0], b) {
					t.Fatalf("row %x comes again", b)
				}
			}
			if _, err := rows.pull(); err != io.EOF {
				t.Errorf("after the last row: %v", err)
			}
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
			if err := s.close(); err != nil || budget.Used() > 0 {
				t.Errorf("%d bytes are drawn: %v", budget.Used(), err)
			}
			if store != nil {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// randomColumn draws values of some, and nulls, with codes or without.
func randomColumn(rng *rand.Rand, typ formats.Type, rows, values int, coded bool) *formats.Column {
	c := &formats.Column{Values: &formats.Values{Type: typ}}
	enter := func(value int) {
		if typ.InWords() {
			c.Values.Words = append(c.Values.Words, formats.IntWord(int64(value-values/2)))
		} else {
			c.Values.AppendBytes([]byte(strconv.Itoa(value)))
		}
	}
	if !coded {
		for range rows {
			ok := rng.IntN(9) > 0
			if c.Valid = append(c.Valid, ok); ok {
				enter(rng.IntN(values))
			}
		}
		return c
	}
	for value := range values {
		enter(value)
	}
	for range rows {
		c.Codes = append(c.Codes, uint32(rng.IntN(values+1)))
	}
	return c
}

// What a sorter could not draw it does not give back.
func TestCodedSorterWithoutRoom(t *testing.T) {
	budget := spill.NewBudget(1 << 10)
	s, err := newCodedSorter(&rowForm{words: 1}, budget, 1<<10, 1, 1, nil)
	if !errors.Is(err, spill.ErrBudget) {
		t.Errorf("got %v", err)
	}
	if err := s.close(); err != nil || budget.Used() != 0 {
		t.Errorf("%d bytes are drawn: %v", budget.Used(), err)
	}
}

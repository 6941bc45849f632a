package spill

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// TestSorterAgreesWithSort sorts rows of all lengths, many of them equal, in memory and beyond it,
// from several workers. In the end the sorter has returned all memory.
func TestSorterAgreesWithSort(t *testing.T) {
	for _, c := range []struct {
		rows, length int
		share        int64
		threads      int
		values       int // number of values of a byte
		stored       bool
		short        bool // all rows have the same length
	}{
		{0, 10, 1 << 20, 2, 3, false, false},
		{1, 10, 1 << 20, 1, 3, false, false},
		{50_000, 12, 1 << 30, 3, 3, false, false},
		{30_000, 40, 1 << 30, 2, 1, false, false}, // only zeros
		{100_000, 12, 1 << 20, 2, 256, true, false},
		{400_000, 12, 1 << 20, 1, 256, true, false}, // runs of the store are joined
		{40, 300_000, 1 << 20, 2, 3, true, false},   // rows of several chunks
		{0, 8, 1 << 20, 2, 3, false, true},
		{50_000, 8, 1 << 30, 3, 3, false, true},
		{50_000, 5, 1 << 30, 2, 256, false, true},
		{50_000, 1, 1 << 20, 2, 256, false, true},
		{100_000, 7, 1 << 20, 2, 256, true, true},
		{400_000, 8, 1 << 20, 1, 256, true, true},
	} {
		t.Run(fmt.Sprint(c.rows, "×", c.length, " in ", c.share), func(t *testing.T) {
			budget := NewBudget(64 << 20)
			if c.share > 64<<20 {
				budget = NewBudget(4 << 30)
			}
			store, err := Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
			if err != nil {
				t.Fatal(err)
			}
			before, opened := budget.Used(), false
			sorting := testSorting(budget, c.share, c.threads, func() (*Store, error) {
				opened = true
				return store, nil
			})
			if c.short {
				sorting.Short = c.length
			}
			s, runs := newTestSorter(sorting, c.threads)
			rows := make([][]byte, c.rows)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range rows {
				if rows[i] = make([]byte, c.length); !c.short {
					rows[i] = rows[i][:r.IntN(c.length)]
				}
				for k := range rows[i] {
					rows[i][k] = byte(r.IntN(c.values))
				}
			}
			err = workers.Each(len(rows), c.threads, func(w workers.Worker, i int) error {
				return runs[w.Number].Append(rows[i], 1)
			})
			if err != nil {
				t.Fatal(err)
			}
			sorted, err := s.Merge(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(rows, bytes.Compare)
			for i := 0; i < len(rows); {
				row, n, err := sorted.Next()
				if err != nil || n == 0 || i+int(n) > len(rows) {
					t.Fatalf("row %d of %d, %d times: %v", i, len(rows), n, err)
				}
				for range n {
					if !bytes.Equal(row, rows[i]) {
						t.Fatalf("row %d of %d is another one", i, len(rows))
					}
					i++
				}
			}
			if _, _, err := sorted.Next(); err != io.EOF {
				t.Errorf("after the last row: %v", err)
			}
			sorted.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if budget.Used() != before || opened != c.stored || s.Len() != int64(len(rows)) {
				t.Errorf("%d bytes are drawn of %d before; store opened %t, %d rows", budget.Used(),
					before, opened, s.Len())
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A sorted run keeps its room, so that it does not grow again: both a run whose rows were added to
// the others and a run whose few different rows stay.
func TestRunsKeepTheirRoom(t *testing.T) {
	for _, c := range []struct{ short, values int }{
		{0, math.MaxInt}, {0, 100}, {8, math.MaxInt}, {8, 100},
	} {
		sorting := testSorting(NewBudget(64<<20), 1<<20, 1, nil)
		sorting.Short = c.short
		s, runs := newTestSorter(sorting, 1)
		run := runs[0]
		for i, sorted := 0, 0; sorted < 4; i++ {
			rows, room, bytes := len(run.refs), cap(run.refs), cap(run.Bytes)
			if err := run.Append(binary.BigEndian.AppendUint64(nil, uint64(i%c.values)),
				1); err != nil {
				t.Fatal(err)
			}
			if len(run.refs) > rows {
				continue
			}
			if sorted++; cap(run.refs) < room || cap(run.Bytes) < bytes {
				t.Errorf("rows of %d bytes, %d values: room for %d rows of %d bytes was sorted, "+
					"for %d of %d is left", c.short, c.values, room, bytes, cap(run.refs),
					cap(run.Bytes))
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// More equal rows than 32 bits can count are all counted.
func TestSorterOfManyEqualRows(t *testing.T) {
	s, runs := newTestSorter(testSorting(NewBudget(64<<20), 1<<20, 1, nil), 1)
	want := map[string]int64{"a": 3 * math.MaxUint32, "b": 1<<40 + 1, "": 2}
	for row, n := range want {
		if err := runs[0].Append([]byte(row), n); err != nil {
			t.Fatal(err)
		}
	}
	sorted, err := s.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range want {
		if row, n, err := sorted.Next(); err != nil || n != want[string(row)] {
			t.Errorf("%d times %q, want %d; %v", n, row, want[string(row)], err)
		}
	}
	sorted.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The store returns rows of any length, also those of about a chunk and larger.
func TestSorterOfLargeRows(t *testing.T) {
	budget := NewBudget(256 << 20)
	store, err := Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	before := budget.Used()
	s, runs := newTestSorter(testSorting(budget, 1<<20, 1, func() (*Store, error) {
		return store, nil
	}), 1)
	var want [][]byte
	for _, length := range []int{0, 1, sortedChunk - 8, sortedChunk, largeRow, largeRow + 1,
		9 << 20} {
		for of := range byte(3) {
			row := bytes.Repeat([]byte{of, byte(length), 7}, length/3+1)[:length]
			want = append(want, row)
			if err := runs[0].Append(row, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.SortFunc(want, bytes.Compare)
	sorted, err := s.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for len(want) > 0 {
		row, n, err := sorted.Next()
		if err != nil || !bytes.Equal(row, want[0]) {
			t.Fatalf("a row of %d bytes instead of %d: %v", len(row), len(want[0]), err)
		}
		want = want[n:]
	}
	if store.Stats().Chunks == 0 {
		t.Error("nothing was stored")
	}
	sorted.Close()
	if err := s.Close(); err != nil || budget.Used() != before {
		t.Errorf("%d bytes are drawn of %d before: %v", budget.Used(), before, err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// A sorter without a store fails when memory ends, and returns all memory.
func TestSorterWithoutStore(t *testing.T) {
	budget := NewBudget(1 << 20)
	s, runs := newTestSorter(testSorting(budget, math.MaxInt64, 2, nil), 2)
	var err error
	for i := 0; i < 1<<20 && err == nil; i++ {
		err = runs[i%2].Append([]byte(fmt.Sprint(i)), 1)
	}
	if !errors.Is(err, ErrBudget) {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil || budget.Used() != 0 {
		t.Errorf("%d bytes are drawn: %v", budget.Used(), err)
	}
}

func testSorting(budget *Budget, share int64, threads int, open func() (*Store, error)) Sorting {
	return Sorting{
		Budget:  budget,
		What:    "rows",
		Share:   share,
		Run:     UsualRun(share, threads),
		Readers: share,
		Open:    open,
	}
}

// newTestSorter returns a sorter and a run for each of some workers.
func newTestSorter(sorting Sorting, threads int) (s *Sorter, runs []*RowRun) {
	s = NewSorter(sorting)
	for range threads {
		runs = append(runs, s.NewRun())
	}
	return s, runs
}

// A chunk returns the rows that were appended to it, and an error if its end is missing.
func TestEachRow(t *testing.T) {
	rows := [][]byte{[]byte("a"), {}, bytes.Repeat([]byte{7}, 300)}
	var chunk []byte
	whole := map[int]int{0: 0} // number of rows by the length of their chunk
	for i, row := range rows {
		chunk = AppendRow(chunk, row, int64(i)<<40+1)
		whole[len(chunk)] = i + 1
	}
	for length := range len(chunk) + 1 {
		n := 0
		err := EachRow(chunk[:length], func(row []byte, times int64) error {
			if !bytes.Equal(row, rows[n]) || times != int64(n)<<40+1 {
				t.Errorf("row %d is %q, %d times", n, row, times)
			}
			n++
			return nil
		})
		want, ok := whole[length]
		if ok != (err == nil) || !ok && err != ErrCorrupt || ok && n != want {
			t.Errorf("%d of %d bytes: %d rows, %v", length, len(chunk), n, err)
		}
	}
}

// Rows that agree in many bytes, or in all, are sorted like others.
func TestSorterOfRowsAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := newRun(nil, 0)
	r.room = math.MaxInt64
	var want [][]byte
	for i := range 4000 {
		row := bytes.Repeat([]byte{'a'}, 100*rng.IntN(3))
		if i%20 == 0 {
			row = bytes.Repeat([]byte{'b'}, 20_000)
		}
		for range rng.IntN(3) {
			row = append(append(row, byte(rng.IntN(2))), "0123456789"[:rng.IntN(11)]...)
		}
		want = append(want, row)
		if err := r.Append(row, 1); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(want, bytes.Compare)
	r.sort()
	for i := range r.refs {
		row, n := r.row(&r.refs[i]), r.refs[i].count
		if r.refs[i].prefix != prefixOf(row) ||
			i > 0 && bytes.Compare(want[0], r.row(&r.refs[i-1])) <= 0 {
			t.Fatalf("row %d has another prefix than its own, or comes again", i)
		}
		for range n {
			if !bytes.Equal(row, want[0]) {
				t.Fatalf("row %d is another one", i)
			}
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("%d rows are missing", len(want))
	}
}

// Any bytes decode as rows or as an error, and decoding never reads beyond their end.
func TestDecodeAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		chunk := make([]byte, rng.IntN(60))
		for i := range chunk {
			chunk[i] = byte(rng.Uint32() >> (8 + rng.IntN(24)))
		}
		for rest := chunk; len(rest) > 0; {
			row, n, behind, err := FirstRow(rest)
			if err != nil {
				break
			}
			if head := len(rest) - len(row) - len(behind); n < 1 || head < 2 ||
				!bytes.Equal(rest[head:], append(bytes.Clone(row), behind...)) {
				t.Fatalf("%x has %x, and behind it %x", rest, row, behind)
			}
			rest = behind
		}
	}
}

// Encoded texts have the order of the texts, none is a prefix of another, and they decode to the
// texts.
func TestTextsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() (text []byte) {
		for range rng.IntN(6) {
			text = append(text, []byte{0, 1, 2, 255}[rng.IntN(4)])
		}
		return text
	}
	for range 5000 {
		a, b := draw(), draw()
		x, y := AppendText(nil, a), AppendText(nil, b)
		if bytes.Compare(x, y) != bytes.Compare(a, b) || !bytes.Equal(a, b) &&
			bytes.HasPrefix(y, x) {
			t.Fatalf("%x and %x are %x and %x", a, b, x, y)
		}
		if n := TextLength(append(bytes.Clone(x), y...)); n != len(x) ||
			!bytes.Equal(ParseText(nil, x), a) {
			t.Fatalf("%x comes back as %x, of %d bytes", a, ParseText(nil, x), n)
		}
	}
}

// An error of the store that takes the rows beyond memory keeps its class.
func TestSorterKeepsErrorsOfStore(t *testing.T) {
	broken := fault.New(fault.Transient, "", "the disk does not answer")
	sorting := testSorting(NewBudget(4<<20), math.MaxInt64, 1, func() (*Store, error) {
		return nil, broken
	})
	sorting.Run = leastRun
	s, runs := newTestSorter(sorting, 1)
	for i := range 50_000 {
		must(t, runs[0].Append(fmt.Appendf(nil, "%08d", i), 1))
	}
	err := runs[0].Append(make([]byte, 2<<20), 1)
	if !errors.Is(err, broken) || fault.ClassOf(err) != fault.Transient {
		t.Errorf("class %v: %v", fault.ClassOf(err), err)
	}
	must(t, s.Close())
}

// The memory for reading runs with large rows is drawn.
func TestSorterDrawsLargeRows(t *testing.T) {
	const rows, size = 24, 2 << 20
	budget := NewBudget(64 << 20)
	store, err := Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	s, runs := newTestSorter(testSorting(budget, 16<<20, 1, func() (*Store, error) {
		return store, nil
	}), 1)
	for i := range rows {
		if err := runs[0].Append(append([]byte{byte(rows - i)}, make([]byte, size)...),
			1); err != nil {
			t.Fatal(err)
		}
	}
	sorted, err := s.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row, n, err := sorted.Next()
		if err != nil || n != 1 || row[0] != byte(i+1) {
			t.Fatalf("row %d: %d times, %v", i, n, err)
		}
		held := int64(cap(sorted.row))
		for _, source := range sorted.heap {
			if source.reader != nil {
				held += int64(cap(source.reader.block))
			}
		}
		if held < size || held > sorted.drawn {
			t.Fatalf("%d bytes are held, %d drawn", held, sorted.drawn)
		}
	}
	sorted.Close()
	if err := errors.Join(s.Close(), store.Close()); err != nil {
		t.Error(err)
	}
}

// Where large rows do not fit in a budget, the budget in the hint suffices at once, whichever draw
// failed, and so does every budget above the smallest sufficient one.
func TestSorterNamesEnoughForLargeRows(t *testing.T) {
	const least, most, tooMany = 4, 24, 25 // MiB
	sortIn := func(limit int64) error {
		_, err := sortLargeRows(t, limit, limit/8, 2<<20)
		return err
	}
	fits := 0
	for limit := least; limit <= most; limit += 2 {
		err := sortIn(int64(limit) << 20)
		if err == nil {
			fits = cmp.Or(fits, limit)
			continue
		}
		if fits > 0 {
			t.Errorf("%d MiB are enough, and %d are not: %v", fits, limit, err)
		}
		var named int
		if _, scanned := fmt.Sscanf(fault.HintOf(err), "give at least %d MiB",
			&named); scanned != nil || !errors.Is(err, ErrBudget) {
			t.Fatalf("%v, hint %q", err, fault.HintOf(err))
		}
		if again := sortIn(int64(named) << 20); again != nil || named > tooMany {
			t.Errorf("%d MiB: %d are named (%v): %v", limit, named, err, again)
		}
	}
	if fits <= least || fits > most*3/4 {
		t.Errorf("%d MiB are enough", fits)
	}
}

// sortLargeRows sorts rows of 2 MB in a share of a budget, of which readers hold a part until all
// rows are appended. It returns what was foreseen, too.
func sortLargeRows(t *testing.T, limit, share, read int64) (foreseen, err error) {
	const rows, size = 12, 2_000_000
	budget := NewBudget(limit)
	must(t, budget.HoldRead(read))
	var store *Store
	open := func() (_ *Store, err error) {
		store, err = Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
		return store, err
	}
	s, runs := newTestSorter(testSorting(budget.Part(limit), share, 1, open), 1)
	defer func() {
		_ = s.Close()
		if store != nil {
			must(t, store.Close())
		}
	}()
	foreseen = s.Foresee(rows*size, size)
	for i := range rows {
		if err := runs[0].Append(bytes.Repeat([]byte{byte(i)}, size), 1); err != nil {
			return foreseen, err
		}
	}
	must(t, budget.HoldRead(-read))
	sorted, err := s.Merge(t.Context())
	if err != nil {
		return foreseen, err
	}
	sorted.Close()
	return foreseen, nil
}

// Where sorting of large rows is foreseen to have room, it has room, however large a run is.
func TestForeseenRowsHaveRoom(t *testing.T) {
	accepted := make(map[bool]int)
	for limit := int64(12 << 20); limit < 20<<20; limit += 512 << 10 {
		for _, part := range []int64{2, 4} {
			foreseen, err := sortLargeRows(t, limit, limit/part, 0)
			if accepted[foreseen == nil]++; foreseen == nil && err != nil {
				t.Errorf("%d KiB, of which a %dth is for rows: %v", limit>>10, part, err)
			}
		}
	}
	if accepted[true] < 5 || accepted[false] < 5 {
		t.Errorf("accepted: %v", accepted)
	}
}

// Large rows leave room for the store that they go to where they do not fit.
func TestRowsLeaveRoomForTheStore(t *testing.T) {
	budget := NewBudget(12 << 20)
	var store *Store
	s := NewSorter(Sorting{
		Budget: budget, What: "rows", Share: 12 << 20, Run: 256 << 10, Readers: 1 << 20,
		Open: func() (_ *Store, err error) {
			store, err = Open(t.TempDir(), Options{Budget: budget})
			return store, err
		},
	})
	run, row := s.NewRun(), make([]byte, 300<<10)
	for i := range 100 {
		row[0] = byte(i)
		must(t, run.Append(row, 1))
	}
	rows, err := s.Merge(t.Context())
	must(t, err)
	rows.Close()
	must(t, s.Close())
	must(t, store.Close())
}

package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// numbers returns a dataset of one split whose rows are the numbers from 0 to rows−1.
func numbers(t *testing.T, rows int) *Dataset {
	t.Helper()
	var text strings.Builder
	text.WriteString("n\n")
	for i := range rows {
		text.WriteString(strconv.Itoa(i) + "\n")
	}
	d := openDataset(t, formatstest.WriteTemp(t, "numbers.csv", []byte(text.String())))
	if len(d.Splits()) != 1 {
		t.Fatalf("%d splits, want one", len(d.Splits()))
	}
	return d
}

// adder notes the rows that it gets. Its first block waits until another worker has taken one.
type adder struct {
	seen []atomic.Int32 // by number, over all workers
	took []atomic.Int32 // number of blocks, by worker
	self int
	help context.Context
}

func (a *adder) Batch(b *formats.Batch) error {
	a.take(b, 0, b.Rows)
	return nil
}

func (a *adder) Block(b *formats.Batch, from, to int) error {
	a.took[a.self].Add(1)
	for a.took[0].Load() == 0 || a.took[1].Load() == 0 {
		if a.help.Err() != nil {
			return errors.New("the other worker takes no part")
		}
		time.Sleep(time.Millisecond)
	}
	a.take(b, from, to)
	return nil
}

func (a *adder) take(b *formats.Batch, from, to int) {
	for _, code := range b.Columns[0].Codes[from:to] {
		n, _ := strconv.Atoi(b.Columns[0].Values.Text(int(code - 1)))
		a.seen[n].Add(1)
	}
}

// Every row of the one split is processed once, with or without the help of an idle worker.
func TestScanDividesBatches(t *testing.T) {
	const rows = 4*blockRows + 17
	d := numbers(t, rows)
	help, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, divides := range []bool{true, false} {
		seen, took := make([]atomic.Int32, rows), make([]atomic.Int32, 2)
		workers := []*adder{{seen, took, 0, help}, {seen, took, 1, help}}
		advanced := atomic.Int64{}
		scan := Scan[*adder]
		if divides {
			scan = ScanBlocks
		}
		err := scan(t.Context(), d, []formats.Request{{Coded: true}}, workers, func(rows int64) {
			advanced.Store(rows)
		})
		if err != nil {
			t.Fatalf("divides %v: %v", divides, err)
		}
		for n := range seen {
			if seen[n].Load() != 1 {
				t.Fatalf("divides %v: row %d was taken %d times", divides, n, seen[n].Load())
			}
		}
		if parts := took[0].Load() + took[1].Load(); divides != (parts == 5) ||
			advanced.Load() != rows {
			t.Errorf("divides %v: %d parts, %d rows advanced", divides, parts, advanced.Load())
		}
	}
}

// Workers that share a batch learn the whole lists of its values.
func TestLongListsAreNotDivided(t *testing.T) {
	text := formats.Type{Kind: formats.String}
	short, long := &formats.Values{Type: text}, &formats.Values{Type: text}
	short.AppendBytes([]byte("a"))
	for range 3 {
		long.AppendBytes([]byte("a"))
	}
	for _, tt := range []struct {
		column formats.Column
		want   bool
	}{
		{formats.Column{Values: short}, true}, {formats.Column{Values: long}, false},
		{formats.Column{Leaves: []formats.Leaf{{}}}, false},
	} {
		b := &formats.Batch{Rows: 2, Columns: []*formats.Column{{Values: short}, &tt.column}}
		if isDivided(b) != tt.want {
			t.Errorf("a batch with column %+v: %t, want %t", tt.column, !tt.want, tt.want)
		}
	}
}

func TestBlockScanners(t *testing.T) {
	for _, tc := range []struct{ rows, threads, want int }{
		{10, 4, 1}, {blockRows, 4, 1}, {3 * blockRows, 4, 3}, {4 * blockRows, 2, 2},
	} {
		if got := numbers(t, tc.rows).BlockScanners(tc.threads); got != tc.want {
			t.Errorf("%d rows, %d threads: %d workers, want %d", tc.rows, tc.threads, got, tc.want)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		n, most int
		want    []int
	}{
		{0, 3, []int{}}, {1, 3, []int{0}}, {3, 3, []int{0, 1, 2}}, {9, 3, []int{0, 4, 8}},
		{10, 1, []int{0}}, {5, 4, []int{0, 1, 2, 4}},
	} {
		if got := spread(tt.n, tt.most); !slices.Equal(got, tt.want) {
			t.Errorf("spread(%d, %d) = %v, want %v", tt.n, tt.most, got, tt.want)
		}
	}
}

// peopleFolder writes files of some rows each, below directories of two years.
func peopleFolder(t *testing.T, files, rows, group int) string {
	t.Helper()
	dir := t.TempDir()
	for f := range files {
		var people []personRow
		for i := range rows {
			people = append(people, personRow{fmt.Sprint("name ", i%7), int32(f*rows + i)})
		}
		writeRows(t, dir, fmt.Sprintf("year=%d/%02d.parquet", 2000+f%2, f), people,
			parquet.MaxRowsPerRowGroup(int64(group)))
	}
	return dir
}

func TestSample(t *testing.T) {
	dir := peopleFolder(t, 40, 50, 20)
	d := openDataset(t, dir)
	for _, want := range []int64{1, 15, 16, 100, 400, 800, 5000} {
		var ages []uint64
		read := int64(0)
		err := d.Sample(context.Background(), want, []int{1, 2}, func(b *formats.Batch) error {
			read += int64(b.Rows)
			for i := range b.Rows {
				ages = append(ages, b.Columns[0].Values.Words[b.Columns[0].Codes[i]-1])
			}
			if len(b.Columns) != 2 || len(b.Columns[1].Codes) != b.Rows {
				t.Errorf("a batch of %d rows has other columns", b.Rows)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		most := min(want, 16*50) // of sixteen files
		if want > d.Rows() {
			most = d.Rows()
		}
		if part := d.Part(want); read != most || part.Rows() != most || d.Rows() != 2000 {
			t.Errorf("read %d rows of a part of %d, want %d", read, part.Rows(), most)
		}
		slices.Sort(ages)
		if len(slices.Compact(ages)) != int(read) {
			t.Errorf("%d rows were read twice", int(read)-len(slices.Compact(ages)))
		}
	}
}

func TestDatasetStatistics(t *testing.T) {
	dir := peopleFolder(t, 10, 30, 30)
	d := openDataset(t, dir)
	known, err := d.Statistics(context.Background(), []int{2, 1, 0}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]int64{{2, 2}, {0, 300}, {0, 300}} {
		field := d.Schema().Fields[2-i]
		atLeast, atMost := known[i].Distinct(field.Type)
		if known[i].Rows != 300 || atLeast != want[0] || atMost != want[1] {
			t.Errorf("column %s: %d to %d distinct values in %d rows, want %v in 300", field.Name,
				atLeast, atMost, known[i].Rows, want)
		}
	}
	if few, err := d.Statistics(context.Background(), []int{1}, 3); err != nil ||
		few[0].Rows != 90 || few[0].Within.Known != known[1].Within.Known {
		t.Errorf("of three splits: %+v, %v", few, err)
	}
}

// The statistics of a text file are its number of rows and the sizes of its texts.
func TestStatisticsOfText(t *testing.T) {
	path := formatstest.WriteTemp(t, "a.csv", []byte("name,ready\nann,true\nbob,false\ncid,true\n"))
	known, err := openDataset(t, path).Statistics(context.Background(), []int{0, 1}, 1)
	want := []formats.Statistics{{Rows: 3, AtMost: 3, Spelled: 9, Longest: 3},
		{Rows: 3, AtMost: 2, Spelled: 13, Longest: 5}}
	if err != nil || !slices.Equal(known, want) {
		t.Errorf("%+v, %v, want %+v", known, err, want)
	}
}

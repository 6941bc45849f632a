package writer

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestColumnsAreFilledAtOnce fills the columns of row groups in turn, and each on its own goroutine
// with encoders that the row groups share; the bytes are the same.
func TestColumnsAreFilledAtOnce(t *testing.T) {
	text := formats.Type{Kind: formats.String}
	columns := []Column{
		{Field: formats.Field{Name: "label", Type: text, Nullable: true}, Masked: true},
		{Field: formats.Field{Name: "other", Type: text, Nullable: true}, Masked: true},
		{Field: formats.Field{Name: "few", Type: text}},
		{Field: formats.Field{Name: "many", Type: text}},
	}
	values := labelsOf()
	for i := range 100_000 {
		values.AppendBytes([]byte("value " + strconv.Itoa(i)))
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const rows = 3*pageRows + 11
	batch := make([]*formats.Column, len(columns))
	for c := range columns {
		batch[c] = &formats.Column{Values: values}
		for range rows {
			code := uint32(rng.IntN([]int{5, 300, 20, 100_000}[c]))
			if !columns[c].Field.Nullable {
				code = 1 + min(code, 99_999)
			}
			batch[c].Codes = append(batch[c].Codes, code)
		}
	}
	fill := func(g *RowGroup, c int) error {
		return errors.Join(g.Append(c, batch[c], 0, pageRows/2),
			g.Append(c, batch[c], pageRows/2, rows))
	}
	inTurn := make([]*RowGroup, 2)
	for i := range inTurn {
		inTurn[i] = newGroup(t, Options{}, columns...)
		for c := range columns {
			must(t, fill(inTurn[i], c))
		}
	}
	encoders, err := NewPageEncoders(Options{})
	must(t, err)
	var group sync.WaitGroup
	atOnce := make([]*RowGroup, 2)
	for i := range atOnce {
		if atOnce[i], err = encoders.NewRowGroup(columns); err != nil {
			t.Fatal(err)
		}
		for c := range columns {
			group.Go(func() {
				if err := fill(atOnce[i], c); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	if !bytes.Equal(writeFile(t, columns, nil, atOnce...), writeFile(t, columns, nil, inTurn...)) {
		t.Error("columns that are filled at once give other bytes")
	}
	if n := len(encoders.idle); n < 1 || n > len(atOnce)*len(columns) {
		t.Errorf("%d encoders", n)
	}
}

// A column releases its dictionary once that no longer pays, and has no spare memory when its row
// group is encoded. Extremes of long values are not kept.
func TestRoomIsGivenUp(t *testing.T) {
	const empty = 64 << 10
	for name, tt := range map[string]struct{ rows, size, most int }{
		"words, in a dictionary": {maxDictionaryEntries, 0, 40 * maxDictionaryEntries},
		"words, too many for one": {maxDictionaryEntries + 10, 0,
			8*maxDictionaryEntries + pageBytes + empty},
		"texts, too long for one": {3, 8 << 20, 5 * 8 << 20},
	} {
		values := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}}
		if tt.size > 0 {
			values.Type = formats.Type{Kind: formats.String}
		}
		column := &formats.Column{Values: values}
		for i := range tt.rows {
			if column.Codes = append(column.Codes, uint32(i+1)); tt.size > 0 {
				values.AppendBytes(append(make([]byte, tt.size), byte(i)))
			} else {
				values.Words = append(values.Words, uint64(i))
			}
		}
		g := newGroup(t, Options{Compression: "none"},
			Column{Field: formats.Field{Name: "c", Type: values.Type}})
		must(t, g.Append(0, column, 0, tt.rows))
		if size := g.HeldBy(0); size > int64(tt.most) {
			t.Errorf("%s: %d bytes, want at most %d", name, size, tt.most)
		}
		if kept := cap(g.chunks[0][0].min) + cap(g.chunks[0][0].max); kept > empty {
			t.Errorf("%s: %d bytes of extremes are kept", name, kept)
		}
		_, err := g.Encode()
		must(t, err)
		if held := g.HeldBy(0); held > empty {
			t.Errorf("%s: %d bytes are held of an encoded row group", name, held)
		}
	}
}

// A row group keeps the room of its indexes for the next one, unless it is unusual.
func TestRoomOfIndexesIsKept(t *testing.T) {
	values := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}, Words: []uint64{7}}
	column := Column{Field: formats.Field{Name: "c", Type: values.Type}}
	for rows, kept := range map[int]bool{usualRoom / 2: true, 2 * (1 << 19): false} {
		g := newGroup(t, Options{Compression: "none"}, column, column)
		for i := range g.columns {
			codes := slices.Repeat([]uint32{1}, rows)
			must(t, g.Append(i, &formats.Column{Values: values, Codes: codes}, 0, rows))
			must(t, g.Complete(i))
		}
		if _, err := g.Encode(); err != nil || cap(g.room) >= rows != kept {
			t.Errorf("%d rows, and room for %d is kept: %v", rows, cap(g.room), err)
		}
	}
}

// An encoder that made a very large page releases its memory.
func TestEncoderKeepsLittle(t *testing.T) {
	encoders, err := NewPageEncoders(Options{Compression: "none"})
	must(t, err)
	for _, tc := range []struct {
		size int
		kept bool
	}{{pageBytes, true}, {mostScratch + 1, false}} {
		p, err := encoders.acquire()
		must(t, err)
		p.body = make([]byte, tc.size)
		encoders.release(p)
		if kept := p.body != nil; kept != tc.kept {
			t.Errorf("scratch of %d bytes is kept: %v", tc.size, kept)
		}
	}
}

// BenchmarkEncode encodes a row group of a million rows of ten columns of labels, given in batches
// of 65,536 rows. One column in three has nulls, one is sorted.
func BenchmarkEncode(b *testing.B) {
	const rows, width, batchRows = 1_000_000, 10, 1 << 16
	r := rand.New(rand.NewPCG(1, 1))
	columns := make([]Column, width)
	data := make([]*formats.Column, width)
	for i := range columns {
		columns[i] = Column{Field: formats.Field{
			Name:     fmt.Sprint("c", i),
			Type:     formats.Type{Kind: formats.String},
			Nullable: true,
		}, Masked: true}
		data[i] = labelColumn(r, rows, 2+i*i, i%3 == 0)
	}
	g, err := NewRowGroup(columns, Options{})
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		for from := 0; from < rows; from += batchRows {
			for i, c := range data {
				must(b, g.Append(i, c, from, min(from+batchRows, rows)))
			}
		}
		e, err := g.Encode()
		must(b, err)
		b.ReportMetric(float64(e.Size()), "bytes")
	}
}

// labelColumn returns rows of labels, the frequent ones first as in real tables.
func labelColumn(r *rand.Rand, rows, labels int, nulls bool) *formats.Column {
	c := &formats.Column{
		Values: &formats.Values{Type: formats.Type{Kind: formats.String}},
		Codes:  make([]uint32, rows),
	}
	for i := range labels {
		c.Values.AppendBytes(fmt.Appendf(nil, "label %d", i))
	}
	for i := range c.Codes {
		c.Codes[i] = 1 + uint32(r.ExpFloat64()*float64(labels)/6)%uint32(labels)
		if nulls && r.IntN(20) == 0 {
			c.Codes[i] = 0
		}
	}
	return c
}

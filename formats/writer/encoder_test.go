package writer

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestColumnsAreFilledAtOnce fills the columns of row groups in turn, and each on a goroutine of
// its own with encoders that the row groups share, and demands the same bytes.
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
		return errors.Join(g.Append(c, batch[c], 0, pageRows/2), g.Append(c, batch[c], pageRows/2, rows))
	}
	inTurn := make([]*RowGroup, 2)
	for i := range inTurn {
		inTurn[i] = newGroup(t, Options{}, columns...)
		for c := range columns {
			if err := fill(inTurn[i], c); err != nil {
				t.Fatal(err)
			}
		}
	}
	encoders, err := NewPageEncoders(Options{})
	if err != nil {
		t.Fatal(err)
	}
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

// An encoder that made a very large page gives its memory up.
func TestEncoderKeepsLittle(t *testing.T) {
	encoders, err := NewPageEncoders(Options{Compression: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		size int
		kept bool
	}{{pageBytes, true}, {mostScratch + 1, false}} {
		p, err := encoders.acquire()
		if err != nil {
			t.Fatal(err)
		}
		p.body = make([]byte, tc.size)
		encoders.release(p)
		if kept := p.body != nil; kept != tc.kept {
			t.Errorf("scratch of %d bytes is kept: %v", tc.size, kept)
		}
	}
}

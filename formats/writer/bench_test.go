package writer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/formats"
)

// BenchmarkEncode encodes a row group of a million rows of ten columns of labels, given in
// batches of 65,536 rows. One column in three has nulls, one is sorted.
func BenchmarkEncode(b *testing.B) {
	const rows, width, batchRows = 1_000_000, 10, 1 << 16
	r := rand.New(rand.NewPCG(1, 1))
	columns := make([]Column, width)
	data := make([]*formats.Column, width)
	for i := range columns {
		columns[i] = Column{Field: formats.Field{Name: fmt.Sprint("c", i), Type: formats.Type{Kind: formats.String}, Nullable: true}, Masked: true}
		data[i] = labelColumn(r, rows, 2+i*i, i%3 == 0)
	}
	g, err := NewRowGroup(columns, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for from := 0; from < rows; from += batchRows {
			for i, c := range data {
				if err := g.Append(i, c, from, min(from+batchRows, rows)); err != nil {
					b.Fatal(err)
				}
			}
		}
		e, err := g.Encode()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(e.Size()), "bytes")
	}
}

// labelColumn returns rows of labels, the frequent ones first as in real tables.
func labelColumn(r *rand.Rand, rows, labels int, nulls bool) *formats.Column {
	c := &formats.Column{Values: &formats.Values{Type: formats.Type{Kind: formats.String}}, Codes: make([]uint32, rows)}
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

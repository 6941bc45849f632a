package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// bigTable is a generated table of any size. Every cell is a function of its row and column, so
// that writing the table takes little memory.
type bigTable struct {
	rows     int64
	rowGroup int64
	columns  []bigColumn
}

// bigColumn is a column whose cell in a row is value(r), where r is a random number of that cell.
type bigColumn struct {
	name   string
	typ    formats.Type
	domain int // number of values; 0: as many as rows
	text   func(value uint64) string
	skewed bool // a cell is the smaller of two random values: low values are frequent
	listed bool // the file has a dictionary of the values, of any size
}

var (
	bigText  = formats.Type{Kind: formats.String}
	bigInt   = formats.Type{Kind: formats.Int, Bits: 64}
	bigFloat = formats.Type{Kind: formats.Float, Bits: 64}
)

func numbers(name string, domain int) bigColumn {
	return bigColumn{name: name, typ: bigInt, domain: domain, skewed: true}
}

func words(name string, domain int) bigColumn {
	return bigColumn{name: name, typ: bigText, domain: domain, skewed: true,
		text: func(v uint64) string { return "v" + strconv.FormatUint(v, 10) }}
}

func zips(name string) bigColumn {
	return bigColumn{name: name, typ: bigText, domain: 3000,
		text: func(v uint64) string { return fmt.Sprintf("%05d", v*33) }}
}

// mix is SplitMix64's output function.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// cell returns the number of the value in a row of column i.
func (c *bigColumn) cell(i int, row int64) uint64 {
	z := mix(uint64(row)*0x9e3779b97f4a7c15 + uint64(i+1)*0xd1342543de82ef95)
	if c.domain == 0 {
		return z
	}
	a := uint64(uint32(z)) * uint64(c.domain) >> 32
	if b := z >> 32 * uint64(c.domain) >> 32; c.skewed && b < a {
		return b
	}
	return a
}

// write writes the file, with a class column that depends on the first columns.
func (b *bigTable) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	return errors.Join(b.writeTo(out), out.Flush(), file.Close())
}

func (b *bigTable) writeTo(out io.Writer) error {
	columns := b.output()
	w, err := writer.New(out, columns, nil)
	if err != nil {
		return err
	}
	group, err := writer.NewRowGroup(columns, writer.Options{Compression: "snappy"})
	if err != nil {
		return err
	}
	batch := b.newBatch()
	for row := int64(0); row < b.rows; {
		end := min(row+b.rowGroup, b.rows)
		for ; row < end; row += int64(batch.rows) {
			batch.fill(row, int(min(bigBatch, end-row)))
			for i := range batch.columns {
				if err := group.Append(i, &batch.columns[i], 0, batch.rows); err != nil {
					return err
				}
			}
		}
		encoded, err := group.Encode()
		if err != nil {
			return err
		}
		if err := w.Write(encoded); err != nil {
			return err
		}
	}
	return w.Close()
}

func (b *bigTable) output() (columns []writer.Column) {
	for _, c := range b.columns {
		columns = append(columns,
			writer.Column{Field: formats.Field{Name: c.name, Type: c.typ}, Masked: c.listed})
	}
	return append(columns, writer.Column{Field: formats.Field{Name: "class", Type: bigText}})
}

const bigBatch = 8192

type bigBatchOf struct {
	table   *bigTable
	rows    int
	columns []formats.Column
}

func (b *bigTable) newBatch() *bigBatchOf {
	batch := &bigBatchOf{table: b}
	for _, c := range b.columns {
		values := &formats.Values{Type: c.typ}
		for v := range uint64(c.domain) {
			c.append(values, v)
		}
		batch.columns = append(batch.columns, formats.Column{Values: values})
	}
	classes := &formats.Values{Type: bigText}
	classes.AppendBytes([]byte("no"))
	classes.AppendBytes([]byte("yes"))
	batch.columns = append(batch.columns, formats.Column{Values: classes})
	return batch
}

func (c *bigColumn) append(values *formats.Values, v uint64) {
	switch {
	case c.text != nil:
		values.AppendBytes([]byte(c.text(v)))
	case c.typ.Kind == formats.Float:
		values.Words = append(values.Words, v>>2|1<<63) // positive and finite
	default:
		values.Words = append(values.Words, v>>1|1<<63)
	}
}

func (b *bigBatchOf) fill(first int64, n int) {
	b.rows = n
	for i := range b.table.columns {
		c, to := &b.table.columns[i], &b.columns[i]
		to.Codes = to.Codes[:0]
		if c.domain > 0 {
			for row := range int64(n) {
				to.Codes = append(to.Codes, uint32(c.cell(i, first+row))+1)
			}
			continue
		}
		to.Values = to.Values.Emptied()
		for row := range int64(n) {
			c.append(to.Values, c.cell(i, first+row))
			to.Codes = append(to.Codes, uint32(to.Values.Len()))
		}
	}
	b.class(first, n)
}

// class is "yes" more often if the values of the first three columns are higher.
func (b *bigBatchOf) class(first int64, n int) {
	to := &b.columns[len(b.columns)-1]
	to.Codes = to.Codes[:0]
	for row := first; row < first+int64(n); row++ {
		sum := 0.0
		for i := range min(3, len(b.table.columns)) {
			c := &b.table.columns[i]
			v := c.cell(i, row)
			if c.domain > 0 {
				sum += float64(v) / float64(c.domain)
			} else {
				sum += float64(v>>32) / (1 << 32)
			}
		}
		code := uint32(1)
		if sum/1.5 > float64(mix(uint64(row)+7)>>32)/(1<<32) {
			code = 2
		}
		to.Codes = append(to.Codes, code)
	}
}

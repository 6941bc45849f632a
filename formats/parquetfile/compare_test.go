package parquetfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/fence"
	declared "github.com/kcut/kcut/formats/internal/schema"
)

// The tests of this file hold what is read here against another implementation, arrow-go,
// asked for physical values and levels only: what they mean is worked out a second time.

// physicalColumn is a leaf column as arrow-go reads it.
type physicalColumn struct {
	definition, repetition []int16
	values                 [][]byte // PLAIN bytes without a length
}

const compareBatch = 4096

// readPhysical reads a leaf of all row groups.
func readPhysical(r *file.Reader, leaf int) (c physicalColumn, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arrow-go: %v", p)
		}
	}()
	for g := range r.NumRowGroups() {
		chunk, err := r.RowGroup(g).Column(leaf)
		if err != nil {
			return c, err
		}
		if err := c.readChunk(chunk); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *physicalColumn) readChunk(chunk file.ColumnChunkReader) error {
	defs, reps := make([]int16, compareBatch), make([]int16, compareBatch)
	for chunk.HasNext() {
		var total int64
		var err error
		switch r := chunk.(type) {
		case *file.BooleanColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v bool) []byte {
				if v {
					return []byte{1}
				}
				return []byte{0}
			})
		case *file.Int32ColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) })
		case *file.Int64ColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) })
		case *file.Int96ColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v parquet.Int96) []byte { return v[:] })
		case *file.Float32ColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v float32) []byte {
				return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
			})
		case *file.Float64ColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v float64) []byte {
				return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
			})
		case *file.ByteArrayColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v parquet.ByteArray) []byte { return v })
		case *file.FixedLenByteArrayColumnChunkReader:
			total, err = readTyped(c, r.ReadBatch, defs, reps, func(v parquet.FixedLenByteArray) []byte { return v })
		}
		if err != nil {
			return err
		}
		if total == 0 {
			break
		}
	}
	return chunk.Err()
}

func readTyped[T any](c *physicalColumn, read func(int64, []T, []int16, []int16) (int64, int, error), defs, reps []int16, plain func(T) []byte) (int64, error) {
	values := make([]T, compareBatch)
	total, n, err := read(compareBatch, values, defs, reps)
	for _, v := range values[:n] {
		c.values = append(c.values, bytes.Clone(plain(v)))
	}
	c.definition = append(c.definition, defs[:total]...)
	c.repetition = append(c.repetition, reps[:total]...)
	return total, err
}

// wantText is the text of a physical value by the column's annotation, by way of packages
// time and math/big.
func wantText(col *schema.Column, b []byte) (string, bool) {
	word := func() int64 {
		if len(b) == 4 {
			return int64(int32(binary.LittleEndian.Uint32(b)))
		}
		return int64(binary.LittleEndian.Uint64(b))
	}
	switch logical := col.LogicalType().(type) {
	case *schema.DecimalLogicalType:
		return wantDecimal(col, b, int(logical.Scale()), word), true
	case schema.DateLogicalType:
		return time.Unix(word()*86400, 0).UTC().Format("2006-01-02"), true
	case *schema.TimestampLogicalType:
		var at time.Time
		switch logical.TimeUnit() {
		case schema.TimeUnitMillis:
			at = time.UnixMilli(word())
		case schema.TimeUnitMicros:
			at = time.UnixMicro(word())
		default:
			at = time.Unix(0, word())
		}
		layout := "2006-01-02T15:04:05.999999999"
		if logical.IsAdjustedToUTC() {
			layout += "Z"
		}
		return at.UTC().Format(layout), true
	case *schema.IntLogicalType:
		if !logical.IsSigned() && len(b) == 4 {
			return fmt.Sprint(binary.LittleEndian.Uint32(b)), true
		}
		if !logical.IsSigned() {
			return fmt.Sprint(binary.LittleEndian.Uint64(b)), true
		}
		return fmt.Sprint(word()), true
	case schema.StringLogicalType, schema.JSONLogicalType, schema.EnumLogicalType:
		return string(b), true
	case schema.NoLogicalType, schema.BSONLogicalType:
		return wantPhysical(col, b, word)
	}
	return "", false
}

func wantDecimal(col *schema.Column, b []byte, scale int, word func() int64) string {
	x := new(big.Int)
	switch col.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64:
		x.SetInt64(word())
	default:
		x.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	return new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}

func wantPhysical(col *schema.Column, b []byte, word func() int64) (string, bool) {
	switch col.PhysicalType() {
	case parquet.Types.Boolean:
		return strconv.FormatBool(b[0] == 1), true
	case parquet.Types.Int32, parquet.Types.Int64:
		return fmt.Sprint(word()), true
	case parquet.Types.Float:
		x := math.Float32frombits(binary.LittleEndian.Uint32(b))
		return strconv.FormatFloat(float64(x), 'e', -1, 32), true
	case parquet.Types.Double:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'e', -1, 64), true
	case parquet.Types.Int96:
		nanos := int64(binary.LittleEndian.Uint64(b))
		days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - 2440588
		return time.Unix(days*86400+nanos/1e9, nanos%1e9).UTC().Format("2006-01-02T15:04:05.999999999"), true
	}
	return fmt.Sprintf("%x", b), true
}

// gotColumn is a column as it is read here: texts of a flat column, nil for null, or leaves.
type gotColumn struct {
	texts  []*string
	floats bool
	leaves []physicalColumn
}

// atOnce reads every column on a goroutine of its own.
func atOnce(n int, read func(hand, i int) error) error {
	return fence.Each(n, n, func(i int) error { return read(i, i) })
}

// readColumns reads all columns of a file, its two halves with a reader each, and returns
// the file's columns, too. Columns are read at once when they are coded, else in turn.
func readColumns(t *testing.T, path string, coded bool, batchRows int) ([]gotColumn, *formats.Schema, error) {
	t.Helper()
	ctx := context.Background()
	src, err := Open(ctx, path, formats.ReadOptions{BatchRows: batchRows})
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	columns := &formats.Schema{Fields: src.Fields()}
	got := make([]gotColumn, len(columns.Fields))
	half := len(src.Chunks()) / 2
	for _, part := range [][2]int{{0, half}, {half, len(src.Chunks())}} {
		r, err := src.Read(ctx, part[0], part[1]-part[0], formatstest.EveryColumn(src, coded))
		if err != nil {
			return nil, columns, err
		}
		defer r.Close()
		if coded {
			r.(formats.SharedReader).Share(atOnce)
		}
		row, want := int64(0), int64(0)
		for {
			b, err := r.Next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, columns, err
			}
			if b.Row != row || b.Rows < 1 || batchRows > 0 && b.Rows > batchRows {
				t.Fatalf("batch of %d rows at row %d, want one at row %d", b.Rows, b.Row, row)
			}
			row += int64(b.Rows)
			for i, c := range b.Columns {
				if coded && c.Codes == nil && c.Leaves == nil {
					t.Fatalf("column %d is not coded", i)
				}
				got[i].add(t, c, b.Rows)
			}
		}
		for _, rows := range src.Chunks()[part[0]:part[1]] {
			want += rows
		}
		if row != want {
			t.Fatalf("row groups %d to %d of %d rows brought %d", part[0], part[1]-1, want, row)
		}
	}
	return got, columns, nil
}

func (g *gotColumn) add(t *testing.T, c *formats.Column, rows int) {
	t.Helper()
	switch {
	case c.Leaves != nil:
		g.addLeaves(t, c, rows)
	case c.Codes != nil:
		if len(c.Codes) != rows {
			t.Fatalf("%d codes for %d rows", len(c.Codes), rows)
		}
		for _, code := range c.Codes {
			if code == 0 {
				g.texts = append(g.texts, nil)
				continue
			}
			text := g.text(c.Values, int(code-1))
			g.texts = append(g.texts, &text)
		}
	default:
		if len(c.Valid) != rows {
			t.Fatalf("%d flags for %d rows", len(c.Valid), rows)
		}
		next := 0
		for _, valid := range c.Valid {
			if !valid {
				g.texts = append(g.texts, nil)
				continue
			}
			text := g.text(c.Values, next)
			g.texts = append(g.texts, &text)
			next++
		}
		if next != c.Values.Len() {
			t.Fatalf("%d values for %d valid rows", c.Values.Len(), next)
		}
	}
}

// text is the canonical text, but for floats, which have one form here.
func (g *gotColumn) text(v *formats.Values, i int) string {
	if v.Type.Kind == formats.Float && v.Type.Bits >= 32 {
		return strconv.FormatFloat(v.Float(i), 'e', -1, v.Type.Bits)
	}
	return v.Text(i)
}

func (g *gotColumn) addLeaves(t *testing.T, c *formats.Column, rows int) {
	t.Helper()
	if g.leaves == nil {
		g.leaves = make([]physicalColumn, len(c.Leaves))
	}
	for i := range c.Leaves {
		leaf, to := &c.Leaves[i], &g.leaves[i]
		starts := leaf.Entries
		if leaf.Repetition != nil {
			starts = bytes.Count(leaf.Repetition, []byte{0})
		}
		if starts != rows {
			t.Fatalf("leaf %d has %d rows, batch has %d", i, starts, rows)
		}
		to.definition = appendInt16(to.definition, leaf.Definition, leaf.Entries)
		to.repetition = appendInt16(to.repetition, leaf.Repetition, leaf.Entries)
		for k := range leaf.Values.Len() {
			to.values = append(to.values, bytes.Clone(leaf.Values.Bytes(k)))
		}
	}
}

func appendInt16(dst []int16, levels []byte, n int) []int16 {
	for i := range n {
		level := int16(0)
		if levels != nil {
			level = int16(levels[i])
		}
		dst = append(dst, level)
	}
	return dst
}

// compareColumn compares one column of a file to its leaves as arrow-go reads them.
func compareColumn(t *testing.T, s *schema.Schema, got gotColumn, want []physicalColumn, first int) {
	t.Helper()
	for i, w := range want {
		col := s.Column(first + i)
		if got.leaves != nil {
			compareLeaf(t, col, got.leaves[i], w)
			continue
		}
		if len(got.texts) != len(w.definition) {
			t.Fatalf("column %s: %d rows, want %d", col.Path(), len(got.texts), len(w.definition))
		}
		next := 0
		for row, level := range w.definition {
			defined := level == col.MaxDefinitionLevel()
			if defined != (got.texts[row] != nil) {
				t.Fatalf("column %s: row %d: null %v, want %v", col.Path(), row, got.texts[row] == nil, !defined)
			}
			if !defined {
				continue
			}
			text, known := wantText(col, w.values[next])
			if known && *got.texts[row] != text {
				t.Fatalf("column %s: row %d: %q, want %q", col.Path(), row, *got.texts[row], text)
			}
			next++
		}
	}
}

func compareLeaf(t *testing.T, col *schema.Column, got, want physicalColumn) {
	t.Helper()
	// arrow-go leaves levels that are always 0 as it found them.
	if col.MaxDefinitionLevel() > 0 && fmt.Sprint(got.definition) != fmt.Sprint(want.definition) {
		t.Fatalf("leaf %s: other definition levels", col.Path())
	}
	if col.MaxRepetitionLevel() > 0 && fmt.Sprint(got.repetition) != fmt.Sprint(want.repetition) {
		t.Fatalf("leaf %s: other repetition levels", col.Path())
	}
	if len(got.values) != len(want.values) {
		t.Fatalf("leaf %s: %d values, want %d", col.Path(), len(got.values), len(want.values))
	}
	for i := range got.values {
		if !bytes.Equal(got.values[i], want.values[i]) {
			t.Fatalf("leaf %s: value %d differs", col.Path(), i)
		}
	}
}

// physicalFile reads all leaves with arrow-go, or says that it cannot.
func physicalFile(t *testing.T, path string) (_ *schema.Schema, columns []physicalColumn, err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arrow-go: %v", p)
		}
	}()
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	s := r.MetaData().Schema
	for leaf := range s.NumColumns() {
		column, err := readPhysical(r, leaf)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, column)
	}
	return s, columns, nil
}

func TestAgreesWithArrow(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"parquet-testing/data/*.parquet", "parquet-testing/data/geospatial/*.parquet", "arrow-testing/data/parquet/*.parquet", "adult/*.parquet"} {
		found, _ := filepath.Glob(filepath.Join(formatstest.SharedData(t, "."), pattern))
		paths = append(paths, found...)
	}
	compared := 0
	for _, path := range paths {
		if refused[filepath.Base(path)] != "" { // which another test makes sure of
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, want, err := physicalFile(t, path)
			if err != nil {
				t.Skipf("arrow-go cannot read it: %v", err)
			}
			for _, how := range []struct {
				coded     bool
				batchRows int
			}{{false, 0}, {true, 0}, {true, 7}, {false, 1}, {true, 1}, {false, 7}} {
				if info, _ := os.Stat(path); how.batchRows > 0 && info.Size() > 200_000 {
					continue
				}
				compareFile(t, path, s, want, how.coded, how.batchRows)
			}
			compared++
		})
	}
	if compared < 55 {
		t.Errorf("only %d files compared", compared)
	}
}

func compareFile(t *testing.T, path string, s *schema.Schema, want []physicalColumn, coded bool, batchRows int) {
	t.Helper()
	got, columns, err := readColumns(t, path, coded, batchRows)
	if err != nil {
		t.Fatalf("read (coded %v, batches of %d): %v", coded, batchRows, err)
	}
	leaf := 0
	for i, field := range columns.Fields {
		leaves := 0
		for _, e := range declared.Of(field) {
			if e.Type.Valid {
				leaves++
			}
		}
		if len(want[leaf].definition) > 0 {
			compareColumn(t, s, got[i], want[leaf:leaf+leaves], leaf)
		}
		leaf += leaves
	}
}

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
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/fence"
	declared "github.com/kcut/kcut/formats/internal/schema"
)

// The tests of this file compare this package with another implementation, arrow-go, which only
// reads physical values and levels: the tests interpret these a second time.

// wantCell returns the cell of a physical value by the column's annotation.
func wantCell(col *schema.Column, b []byte) (string, bool) {
	switch col.PhysicalType() {
	case parquet.Types.Boolean:
		return fmt.Sprint(b[0]), true
	case parquet.Types.Int32, parquet.Types.Int64:
		unsigned := binary.LittleEndian.Uint64(append(slices.Clone(b), make([]byte, 8-len(b))...))
		if logical, ok := col.LogicalType().(*schema.IntLogicalType); ok && !logical.IsSigned() {
			return fmt.Sprint(unsigned), true
		}
		unused := 64 - 8*len(b)
		return fmt.Sprint(int64(unsigned<<unused) >> unused), true
	case parquet.Types.Float:
		return wantFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), true
	case parquet.Types.Double:
		return wantFloat(math.Float64frombits(binary.LittleEndian.Uint64(b))), true
	// the day, with its sign flipped so that bytes have the order of times
	case parquet.Types.Int96:
		const ofDay = 24 * time.Hour
		day, nanos := int32(binary.LittleEndian.Uint32(b[8:])),
			time.Duration(binary.LittleEndian.Uint64(b))
		at := time.Unix(int64(day)*86400, 0).Add(nanos.Truncate(ofDay)).Add(nanos % ofDay)
		midnight := at.UTC().Truncate(ofDay)
		return fmt.Sprintf("%08x%016x", uint32(midnight.Unix()/86400)^1<<31,
			at.Sub(midnight).Nanoseconds()), true
	}
	switch col.LogicalType().(type) {
	case *schema.DecimalLogicalType:
		x := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return x.String(), true
	case schema.StringLogicalType, schema.JSONLogicalType, schema.EnumLogicalType:
		return string(b), true
	case schema.NoLogicalType, schema.BSONLogicalType:
		return fmt.Sprintf("%x", b), true
	}
	return "", false
}

func wantFloat(f float64) string {
	if f != f {
		return fmt.Sprintf("%x", math.Float64bits(f))
	}
	return fmt.Sprint(f)
}

// gotColumn is a column as this package reads it: the cells of a flat one, or leaves.
type gotColumn struct {
	cells  []string
	leaves []formatstest.Leaf
}

// atOnce reads every column on its own goroutine.
func atOnce(n int, read func(hand, i int) error) error {
	return fence.Each(n, n, func(i int) error { return read(i, i) })
}

// readColumns reads all columns of a file, its two halves with a reader each, and also returns the
// file's columns. It reads columns in parallel when they are coded, else in turn.
func readColumns(t *testing.T, path string, coded bool, batchRows int) ([]gotColumn,
	*formats.Schema, error) {
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
			r.Share(atOnce)
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
	if c.Leaves != nil {
		g.addLeaves(t, c, rows)
		return
	}
	cells, err := formatstest.CellsOf(c, rows)
	must(t, err)
	g.cells = append(g.cells, cells...)
}

func (g *gotColumn) addLeaves(t *testing.T, c *formats.Column, rows int) {
	t.Helper()
	if g.leaves == nil {
		g.leaves = make([]formatstest.Leaf, len(c.Leaves))
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
		to.Definition = appendLevels(to.Definition, leaf.Definition)
		to.Repetition = appendLevels(to.Repetition, leaf.Repetition)
		for k := range leaf.Values.Len() {
			to.Values = append(to.Values, bytes.Clone(leaf.Values.Bytes(k)))
		}
	}
}

func appendLevels(dst []int16, levels []byte) []int16 {
	for _, level := range levels {
		dst = append(dst, int16(level))
	}
	return dst
}

// compareColumn compares one column of a file to its leaves as arrow-go reads them.
func compareColumn(t *testing.T, s *schema.Schema, got gotColumn, want []formatstest.Leaf,
	first int) {
	t.Helper()
	for i, w := range want {
		col := s.Column(first + i)
		if got.leaves != nil {
			compareLeaf(t, col, got.leaves[i], w)
			continue
		}
		if len(got.cells) != len(w.Definition) {
			t.Fatalf("column %s: %d rows, want %d", col.Path(), len(got.cells), len(w.Definition))
		}
		next := 0
		for row, level := range w.Definition {
			cell, known := formatstest.NullCell, true
			if level == col.MaxDefinitionLevel() {
				cell, known = wantCell(col, w.Values[next])
				next++
			}
			if got := got.cells[row]; known && got != cell ||
				!known && got == formatstest.NullCell {
				t.Fatalf("column %s: row %d: %q, want %q", col.Path(), row, got, cell)
			}
		}
	}
}

func compareLeaf(t *testing.T, col *schema.Column, got, want formatstest.Leaf) {
	t.Helper()
	// arrow-go does not reset levels that are always 0.
	if col.MaxDefinitionLevel() > 0 && !slices.Equal(got.Definition, want.Definition) {
		t.Fatalf("leaf %s: other definition levels", col.Path())
	}
	if col.MaxRepetitionLevel() > 0 && !slices.Equal(got.Repetition, want.Repetition) {
		t.Fatalf("leaf %s: other repetition levels", col.Path())
	}
	if !slices.EqualFunc(got.Values, want.Values, bytes.Equal) {
		t.Fatalf("leaf %s: other values", col.Path())
	}
}

// leavesOf reads all leaves of a file with arrow-go.
func leavesOf(t *testing.T, path string) (*schema.Schema, []formatstest.Leaf, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return formatstest.Leaves(data)
}

// realFiles returns the paths of the readable Parquet files of the Apache project and of the
// papers.
func realFiles(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{
		"parquet-testing/data/*.parquet", "parquet-testing/data/geospatial/*.parquet",
		"arrow-testing/data/parquet/*.parquet", "adult/*.parquet",
	} {
		found, _ := filepath.Glob(filepath.Join(formatstest.SharedData(t, "."), pattern))
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return refused[filepath.Base(path)] != ""
	})
}

func TestAgreesWithArrow(t *testing.T) {
	compared := 0
	for _, path := range realFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, want, err := leavesOf(t, path)
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

func compareFile(t *testing.T, path string, s *schema.Schema, want []formatstest.Leaf, coded bool,
	batchRows int) {
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
		if len(want[leaf].Definition) > 0 {
			compareColumn(t, s, got[i], want[leaf:leaf+leaves], leaf)
		}
		leaf += leaves
	}
}

// TestValues checks values that the files' descriptions state.
func TestValues(t *testing.T) {
	dir := formatstest.SharedData(t, "parquet-testing/data")
	for _, c := range []struct {
		file, column string
		want         []string // "null" is a null
	}{
		{"int96_from_spark", "a", []string{
			"2024-01-01T20:34:56.123456", "2024-01-01T01:00:00", "9999-12-31T03:00:00",
			"2024-12-30T23:00:00", "null",
		}},
		{"float16_zeros_and_nans", "x", []string{"null", "0", "NaN"}},
		{"hadoop_lz4_compressed", "c0", []string{"1593604800", "1593604800", "1593604801",
			"1593604801"}},
		{"rle_boolean_encoding", "datatype_boolean",
			[]string{"true", "false", "null", "true", "true", "false", "false", "true"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := Open(t.Context(), filepath.Join(dir, c.file+".parquet"),
				formats.ReadOptions{})
			must(t, err)
			defer s.Close()
			fields := formats.Schema{Fields: s.Fields()}
			r, err := s.Read(t.Context(), 0, 1,
				[]formats.Request{{Column: fields.Index(c.column), Coded: true}})
			must(t, err)
			defer r.Close()
			b, err := r.Next(t.Context())
			must(t, err)
			for i, want := range c.want {
				text := "null"
				if code := b.Columns[0].Codes[i]; code > 0 {
					text = b.Columns[0].Values.Text(int(code) - 1)
				}
				if text != want {
					t.Errorf("row %d: %s, want %s", i, text, want)
				}
			}
		})
	}
}

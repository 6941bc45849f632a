package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// statisticsOf opens a file and returns the statistics of all columns.
func statisticsOf(t *testing.T, path string) (formats.Source, []formats.Statistics, error) {
	t.Helper()
	s, err := Open(context.Background(), path, formats.ReadOptions{})
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { s.Close() })
	columns := make([]int, len(s.Fields()))
	for i := range columns {
		columns[i] = i
	}
	all, err := s.(formats.Described).Statistics(context.Background(), 0, len(s.Chunks()), columns)
	return s, all, err
}

// checkStatistics compares the statistics of a file with its values.
func checkStatistics(t *testing.T, path string) {
	t.Helper()
	s, all, err := statisticsOf(t, path)
	if err != nil {
		t.Error(err)
		return
	}
	for i, field := range s.Fields() {
		known := all[i]
		if known.Rows != formatstest.Rows(s) || known.Stored <= 0 {
			t.Errorf("column %s: %d rows in %d bytes", field.Name, known.Rows, known.Stored)
		}
		if field.Type.Kind == formats.Nested {
			continue
		}
		distinct, low, high := countDistinct(t, s, i)
		atLeast, atMost := known.Distinct(field.Type)
		if distinct < atLeast || distinct > atMost {
			t.Errorf("column %s of %s has %d distinct values, its statistics say %d to %d",
				field.Name, field.Type, distinct, atLeast, atMost)
		}
		if known.Within.Known && distinct > 0 &&
			(low < known.Within.Low || high > known.Within.High) {
			t.Errorf("column %s of %s has values outside of what its statistics say", field.Name,
				field.Type)
		}
	}
}

// countDistinct reads a column and returns the number of its distinct values, and the least and the
// greatest of them when they are words.
func countDistinct(t *testing.T, s formats.Source, column int) (n int64, low, high uint64) {
	t.Helper()
	reader, err := s.Read(context.Background(), 0, len(s.Chunks()),
		[]formats.Request{{Column: column, Coded: true}})
	must(t, err)
	defer reader.Close()
	words, texts := make(map[uint64]bool), make(map[string]bool)
	low = math.MaxUint64
	for {
		b, err := reader.Next(context.Background())
		if err != nil {
			return int64(len(words) + len(texts)), low, high
		}
		values := b.Columns[0].Values
		for _, code := range b.Columns[0].Codes {
			switch {
			case code == 0:
			case values.Type.InWords():
				w := values.Words[code-1]
				words[w], low, high = true, min(low, w), max(high, w)
			default:
				texts[string(values.Bytes(int(code-1)))] = true
			}
		}
	}
}

func TestStatistics(t *testing.T) {
	const rowGroup = 1500
	rows := sampleRows(formatstest.Rand(t), 5000)
	for name, options := range map[string][]parquet.WriterOption{
		"version 1": {parquet.DataPageVersion(1)},
		"version 2": {parquet.DataPageVersion(2), parquet.Compression(&parquet.Zstd)},
	} {
		path := filepath.Join(t.TempDir(), "sample.parquet")
		writeSample(t, path, rows, rowGroup, options...)
		checkStatistics(t, path)
		s, all, err := statisticsOf(t, path)
		must(t, err)
		fields := formats.Schema{Fields: s.Fields()}
		for column, want := range map[string]formats.Statistics{
			"age":    {AtLeast: 90, AtMost: 90},
			"city":   distinctCities(rows, rowGroup),
			"note":   {AtLeast: 0, AtMost: 5000},
			"ready":  {AtLeast: 0, AtMost: 2},
			"sparse": {AtLeast: 1, AtMost: 4},
		} {
			i := fields.Index(column)
			atLeast, atMost := all[i].Distinct(fields.Fields[i].Type)
			if atLeast != want.AtLeast || atMost != want.AtMost {
				t.Errorf("%s: column %s: %d to %d distinct values, want %d to %d", name, column,
					atLeast, atMost, want.AtLeast, want.AtMost)
			}
		}
	}
}

// distinctCities bounds the number of cities by those in row groups.
func distinctCities(rows []sampleRow, rowGroup int) (s formats.Statistics) {
	for group := range slices.Chunk(rows, rowGroup) {
		cities := make(map[string]bool)
		for _, r := range group {
			if r.City != nil {
				cities[*r.City] = true
			}
		}
		n := int64(len(cities))
		s.AtLeast, s.AtMost = max(s.AtLeast, n), s.AtMost+n
	}
	return s
}

// A writer that leaves a full dictionary reports it, and then the entries only give a lower bound
// of the values.
func TestStatisticsOfFullDictionaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full.parquet")
	file, err := os.Create(path)
	must(t, err)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Float64}}, nil)
	limits := arrowparquet.NewWriterProperties(arrowparquet.WithDictionaryPageSizeLimit(800),
		arrowparquet.WithBatchSize(50), arrowparquet.WithDataPageSize(400))
	w, err := pqarrow.NewFileWriter(schema, file, limits, pqarrow.DefaultWriterProps())
	must(t, err)
	column := array.NewFloat64Builder(memory.DefaultAllocator)
	for i := range 1000 {
		column.Append(float64(i))
	}
	record := array.NewRecord(schema, []arrow.Array{column.NewArray()}, 1000)
	must(t, errors.Join(w.Write(record), w.Close()))
	checkStatistics(t, path)
	_, all, err := statisticsOf(t, path)
	if err != nil || all[0].AtLeast < 50 || all[0].AtLeast >= 500 || all[0].AtMost != 1000 {
		t.Errorf("%+v, %v: want some hundred to a thousand values", all, err)
	}
}

// TestStatisticsOfOtherWriters reads the files of the Apache project and of the papers. Some have
// dictionaries with entries that no row has.
func TestStatisticsOfOtherWriters(t *testing.T) {
	for _, below := range []string{"parquet-testing/data", "adult"} {
		for path := range filesBelow(t, formatstest.SharedData(t, below)) {
			name := filepath.Base(path)
			if filepath.Ext(name) != ".parquet" || refused[name] != "" ||
				strings.Contains(name, "unused") {
				continue
			}
			t.Run(name, func(t *testing.T) { checkStatistics(t, path) })
		}
	}
}

// Damaged files have statistics or an error, and never end the program.
func TestStatisticsOfDamagedFiles(t *testing.T) {
	for _, below := range []string{"parquet-testing/bad_data", "arrow-testing/data/parquet"} {
		for path := range filesBelow(t, formatstest.SharedData(t, below)) {
			if _, all, err := statisticsOf(t, path); err == nil {
				for i, s := range all {
					if s.AtLeast < 0 || s.AtMost < 0 {
						t.Errorf("%s: column %d: %+v", path, i, s)
					}
				}
			}
		}
	}
}

// The memory of a reader that statistics predict is at most the memory that it draws plus the
// usual.
func TestHeldIsForeseen(t *testing.T) {
	const usual = 64 << 10
	type row struct {
		Listed string  `parquet:"listed,dict"`
		Number int64   `parquet:"number"`
		Text   *string `parquet:"text,optional"`
	}
	rows := make([]row, 50_000)
	for i := range rows {
		text := fmt.Sprint("text ", i)
		rows[i] = row{fmt.Sprint("listed ", i%5000), int64(i), &text}
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.PageBufferSize(128<<10))
	_, err := w.Write(rows)
	must(t, errors.Join(err, w.Close()))
	path := formatstest.WriteTemp(t, "t.parquet", file.Bytes())
	told, most := int64(0), int64(0)
	hold := func(bytes int64) error {
		told += bytes
		most = max(most, told)
		return nil
	}
	_, err = readWith(path, false, formats.ReadOptions{Hold: hold, Room: usual, Usual: usual})
	must(t, err)
	s, err := Open(t.Context(), path, formats.ReadOptions{Room: usual, Usual: usual})
	must(t, err)
	defer s.Close()
	held, err := s.(formats.Weighed).Holds(t.Context(), 0, len(s.Chunks()),
		[]formats.Request{{Column: 0}, {Column: 1}, {Column: 2}})
	if all := held.Rows + held.Loading; err != nil || all > most || all < 3*usual {
		t.Errorf("%+v is predicted, %d bytes are reported: %v", held, most, err)
	}
}

package parquetfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// readParquet reads all columns of a Parquet file, in parallel when they are coded, and returns the
// number of rows.
func readParquet(path string, coded bool) (rows int64, err error) {
	return readWith(path, coded, formats.ReadOptions{})
}

func readWith(path string, coded bool, options formats.ReadOptions) (rows int64, err error) {
	ctx := context.Background()
	src, err := Open(ctx, path, options)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	r, err := src.Read(ctx, 0, len(src.Chunks()), formatstest.EveryColumn(src, coded))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if coded && options.Hold == nil {
		r.Share(atOnce)
	}
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += int64(b.Rows)
	}
}

// readBytes writes a file and reads it.
func readBytes(t *testing.T, path string, data []byte, coded bool) error {
	t.Helper()
	must(t, os.WriteFile(path, data, 0o600))
	_, err := readParquet(path, coded)
	return err
}

// checkRefusal checks that an error blames the file, in our own words.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var bug runtime.Error
	switch {
	case errors.As(err, &bug):
		t.Errorf("a panic was caught: %v", err)
	case !errors.Is(err, formats.ErrDamaged) && !errors.Is(err, formats.ErrUnsupported):
		t.Errorf("refused without saying whose fault it is: %v", err)
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// refused are the files of the Apache project's good data that cannot be read, with the reason.
var refused = map[string]string{
	"large_string_map.brotli.parquet":                "more than",
	"datapage_v1-corrupt-checksum.parquet":           "checksum",
	"rle-dict-uncompressed-corrupt-checksum.parquet": "checksum",
}

// accepted are the bad files that are only unusual: a dictionary whose indexes take no bits, all 0,
// which other readers accept, too.
var accepted = map[string]bool{"ARROW-GH-43605.parquet": true}

func TestGoodAndBadFiles(t *testing.T) {
	for path, info := range filesBelow(t, formatstest.SharedData(t, "parquet-testing")) {
		name := filepath.Base(path)
		bad := strings.Contains(path, "bad_data")
		if ext := filepath.Ext(name); ext != ".parquet" && ext != ".encrypted" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var err error
			if size := allocated(func() {
				_, err = readParquet(path, true)
			}); size > 64<<20+uint64(info.Size())*100 {
				t.Errorf("allocated %d bytes for a file of %d", size, info.Size())
			}
			reason, expected := refused[name]
			switch {
			case strings.HasSuffix(name, ".encrypted"):
				if !errors.Is(err, formats.ErrUnsupported) {
					t.Errorf("encrypted file: %v", err)
				}
			case expected || bad && !accepted[name]:
				if err == nil || !strings.Contains(err.Error(), reason) {
					t.Fatalf("got %v, want a refusal that mentions %q", err, reason)
				}
				checkRefusal(t, err)
			case err != nil:
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func filesBelow(t *testing.T, root string) map[string]fs.FileInfo {
	t.Helper()
	files := make(map[string]fs.FileInfo)
	err := filepath.Walk(root, func(path string, info fs.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files[path] = info
		}
		return err
	})
	must(t, err)
	return files
}

func TestFuzzCrashers(t *testing.T) {
	for path, info := range filesBelow(t, formatstest.SharedData(t, "arrow-testing/data/parquet")) {
		for _, coded := range []bool{false, true} {
			var err error
			size := allocated(func() { _, err = readParquet(path, coded) })
			if err != nil {
				checkRefusal(t, err)
			}
			if size > 64<<20+uint64(info.Size())*100 {
				t.Errorf("%s: allocated %d bytes for a file of %d", path, size, info.Size())
			}
		}
	}
}

// TestDamage changes some bytes of a good file, again and again: it is read, correctly or not, or
// refused, and a release of the result has the same content.
func TestDamage(t *testing.T) {
	r := formatstest.Rand(t)
	rows := sampleRows(r, 300)
	path := filepath.Join(t.TempDir(), "damaged.parquet")
	for i, options := range [][]parquet.WriterOption{
		{parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(600)},
		{parquet.DataPageVersion(1), parquet.DictionaryMaxBytes(100)},
		{parquet.Compression(&parquet.Zstd)},
	} {
		writeSample(t, path, rows, 200, options...)
		good, err := os.ReadFile(path)
		must(t, err)
		for range 200 {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(bad))
				if r.IntN(2) == 0 {
					at = len(bad) - 1 - r.IntN(min(2000, len(bad)))
				}
				bad[at] ^= byte(1 + r.IntN(255))
			}
			bad = bad[:len(bad)-r.IntN(2)*r.IntN(20)]
			if err := readBytes(t, path, bad, r.IntN(2) == 0); err != nil {
				checkRefusal(t, err)
			}
			if _, err := releaseOf(t, path); err != nil && !errors.Is(err, formats.ErrSchema) {
				checkRefusal(t, err)
			}
			if t.Failed() {
				t.Fatalf("seed %d: options %d", formatstest.Seed, i)
			}
		}
	}
}

// TestEverySpoiltByte changes each byte of small files: they are read or refused, and take no more
// memory than they may.
func TestEverySpoiltByte(t *testing.T) {
	const budget, beside = 2 << 20, 6 << 20
	errMuch, random := errors.New("too much"), formatstest.Rand(t)
	path := filepath.Join(t.TempDir(), "spoilt.parquet")
	for i, options := range [][]arrowparquet.WriterProperty{
		{arrowparquet.WithCompression(compress.Codecs.Snappy)},
		{arrowparquet.WithDictionaryDefault(false),
			arrowparquet.WithDataPageVersion(arrowparquet.DataPageV2)},
		{arrowparquet.WithDictionaryDefault(false),
			arrowparquet.WithEncodingFor("n", arrowparquet.Encodings.DeltaBinaryPacked),
			arrowparquet.WithEncodingFor("t", arrowparquet.Encodings.DeltaByteArray)},
	} {
		writeWithoutChecksums(t, path, options...)
		good, err := os.ReadFile(path)
		must(t, err)
		for at := range good {
			for _, change := range []byte{0x01, 0x80, 0xff, byte(random.IntN(256))} {
				bad := bytes.Clone(good)
				bad[at] ^= change
				must(t, os.WriteFile(path, bad, 0o600))
				held := int64(0)
				hold := func(bytes int64) error {
					if held += bytes; held > budget {
						held -= bytes
						return errMuch
					}
					return nil
				}
				size := allocated(func() {
					_, err = readWith(path, at%2 == 0, formats.ReadOptions{Hold: hold})
				})
				if err != nil && !errors.Is(err, errMuch) {
					checkRefusal(t, err)
				}
				if size > budget+beside || held != 0 {
					t.Errorf("%d bytes are allocated, %d still held", size, held)
				}
				if t.Failed() {
					t.Fatalf("seed %d: options %d: byte %d of %d, %#x: %v", formatstest.Seed, i, at,
						len(good), change, err)
				}
			}
		}
	}
}

// writeWithoutChecksums writes a file with arrow-go, whose pages have no checksums that would
// reveal changes.
func writeWithoutChecksums(t *testing.T, path string, options ...arrowparquet.WriterProperty) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int32},
		{Name: "t", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)},
	}, nil)
	var rows []string
	for i := range 20 {
		rows = append(rows, fmt.Sprintf(`{"n": %d, "t": "text %d", "b": %t, "l": [%d, 0.5]}`, i*i,
			i%3, i%4 > 1, i%5), `{"n": 7, "l": []}`)
	}
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema,
		strings.NewReader("["+strings.Join(rows, ",")+"]"))
	must(t, err)
	file, err := os.Create(path)
	must(t, err)
	w, err := pqarrow.NewFileWriter(schema, file, arrowparquet.NewWriterProperties(options...),
		pqarrow.DefaultWriterProps())
	must(t, err)
	must(t, errors.Join(w.Write(record), w.Close()))
}

func TestTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "short.parquet")
	writeSample(t, path, sampleRows(formatstest.Rand(t), 50), 50)
	good, err := os.ReadFile(path)
	must(t, err)
	for size := 0; size < len(good); size += 13 {
		if err := readBytes(t, path, good[:size], false); !errors.Is(err, formats.ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", size, len(good), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.parquet")
	for _, options := range [][]parquet.WriterOption{nil,
		{parquet.DataPageVersion(1), parquet.DictionaryMaxBytes(100)}} {
		writeSample(f, path, sampleRows(formatstest.Rand(f), 40), 25, options...)
		seed, err := os.ReadFile(path)
		must(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "fuzz.parquet")
		for _, coded := range []bool{true, false} {
			if err := readBytes(t, path, data, coded); err != nil {
				checkRefusal(t, err)
			}
		}
	})
}

// TestErrorsShowNoValue searches the error of a damaged file for a cell's text.
func TestErrorsShowNoValue(t *testing.T) {
	secret := "a secret nobody may read"
	rows := make([]sampleRow, 4)
	for i := range rows {
		rows[i].Note, rows[i].City = &secret, &secret
	}
	path := filepath.Join(t.TempDir(), "secret.parquet")
	writeSample(t, path, rows, 4)
	good, err := os.ReadFile(path)
	must(t, err)
	for at := 0; at < len(good); at += 3 {
		bad := bytes.Clone(good)
		bad[at] ^= 0xff
		if err := readBytes(t, path, bad, true); err != nil &&
			strings.Contains(fmt.Sprint(err), secret[:8]) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
}

// A file whose last bytes claim a large footer allocates no memory before Hold allows it.
func TestLargeFooterIsHeld(t *testing.T) {
	const length = 5 << 20
	data := make([]byte, 4+length+8)
	binary.LittleEndian.PutUint32(data[4+length:], length)
	copy(data[8+length:], "PAR1")
	path := formatstest.WriteTemp(t, "t.parquet", data)
	held, most := int64(0), int64(0)
	hold := func(bytes int64) error {
		held += bytes
		most = max(most, held)
		return nil
	}
	if _, err := Open(t.Context(), path, formats.ReadOptions{Hold: hold}); !errors.Is(err,
		formats.ErrDamaged) || held != 0 || most < length {
		t.Errorf("held: %v, %d bytes held, %d at most", err, held, most)
	}
	errMuch := errors.New("too much")
	if _, err := Open(t.Context(), path, formats.ReadOptions{Hold: func(int64) error {
		return errMuch
	}}); !errors.Is(err, errMuch) {
		t.Errorf("refused: %v", err)
	}
}

// A footer with lists of very many one-byte elements allocates no memory before Hold allows it.
func TestLongListsAreHeld(t *testing.T) {
	const elements, most = 3 << 20, 32 << 20
	list := append([]byte{0xfc}, binary.AppendUvarint(nil, elements)...)
	list = append(list, make([]byte, elements)...)
	for name, footer := range map[string][]byte{
		"elements of the schema": slices.Concat([]byte{0x29}, list, []byte{0}),
		"metadata of the file":   slices.Concat([]byte{0x59}, list, []byte{0}),
		"chunks of a row group":  slices.Concat([]byte{0x49, 0x1c, 0x19}, list, []byte{0, 0}),
		"metadata of a row group's": slices.Concat([]byte{0x49, 0x1c, 0x19, 0x1c, 0x3c, 0x89}, list,
			[]byte{0, 0, 0, 0}),
	} {
		data := slices.Concat([]byte("PAR1"), footer,
			binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte("PAR1"))
		path := formatstest.WriteTemp(t, "t.parquet", data)
		held := int64(0)
		hold := func(bytes int64) error {
			if held+bytes > most {
				return errors.New("too much")
			}
			held += bytes
			return nil
		}
		var err error
		took := allocated(func() {
			_, err = Open(t.Context(), path, formats.ReadOptions{Hold: hold})
		})
		if err == nil || held != 0 || took > most {
			t.Errorf("%s: %v, %d bytes held, %d allocated", name, err, held, took)
		}
	}
}

// A large text is reported as part of its page, and again before a column holds it.
func TestLargeCellIsHeld(t *testing.T) {
	const size = 8 << 20
	type row struct {
		A string `parquet:"a"`
	}
	type nested struct {
		A []string `parquet:"a"`
	}
	var flat, list bytes.Buffer
	large := strings.Repeat("y", size)
	w := parquet.NewGenericWriter[row](&flat)
	_, err := w.Write([]row{{"x"}, {large}, {"z"}})
	must(t, errors.Join(err, w.Close()))
	v := parquet.NewGenericWriter[nested](&list)
	_, err = v.Write([]nested{{[]string{"x", large}}, {[]string{"z"}}})
	must(t, errors.Join(err, v.Close()))
	for i, coded := range []bool{true, false, false} {
		path := formatstest.WriteTemp(t, "t.parquet",
			[][]byte{flat.Bytes(), flat.Bytes(), list.Bytes()}[i])
		formatstest.CheckHeld(t, 2*size-2<<20, 3*size, coded,
			func(hold func(int64) error) (formats.Source, error) {
				return Open(t.Context(), path, formats.ReadOptions{Hold: hold})
			})
	}
}

// Many texts of a batch, whose memory grows step by step, are reported as what they take now and
// what they move to: not every step that they have taken.
func TestGrowingValuesAreHeldOnce(t *testing.T) {
	const size, each = 8 << 20, 4 << 10
	type row struct {
		A string `parquet:"a"`
	}
	type nested struct {
		A []string `parquet:"a"`
	}
	rows, lists := make([]row, size/each), make([]nested, size/each/2)
	for i := range rows {
		rows[i].A = fmt.Sprintf("%0*d", each, i)
		lists[i/2].A = append(lists[i/2].A, rows[i].A)
	}
	var flat, list bytes.Buffer
	w := parquet.NewGenericWriter[row](&flat, parquet.PageBufferSize(2*size))
	_, err := w.Write(rows)
	must(t, errors.Join(err, w.Close()))
	v := parquet.NewGenericWriter[nested](&list, parquet.PageBufferSize(2*size))
	_, err = v.Write(lists)
	must(t, errors.Join(err, v.Close()))
	for i, coded := range []bool{true, false, false} {
		path := formatstest.WriteTemp(t, "t.parquet",
			[][]byte{flat.Bytes(), flat.Bytes(), list.Bytes()}[i])
		formatstest.CheckHeld(t, 2*size, 9*size/2, coded,
			func(hold func(int64) error) (formats.Source, error) {
				return Open(t.Context(), path, formats.ReadOptions{Hold: hold})
			})
	}
}

// The values of a large dictionary are reported once, and so is its page.
func TestLargeDictionaryIsHeld(t *testing.T) {
	const size, each = 8 << 20, 1 << 10
	type row struct {
		A string `parquet:"a,dict"`
	}
	rows := make([]row, size/each)
	for i := range rows {
		rows[i].A = fmt.Sprintf("%0*d", each, i)
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	_, err := w.Write(rows)
	must(t, errors.Join(err, w.Close()))
	path := formatstest.WriteTemp(t, "t.parquet", file.Bytes())
	formatstest.CheckHeld(t, 3*size/2, 2*size+size/4, true,
		func(hold func(int64) error) (formats.Source, error) {
			return Open(t.Context(), path, formats.ReadOptions{Hold: hold})
		})
}

// A page of very many rows is decoded only as far as a batch needs: as a whole, each column here
// would take 4 MiB or more.
func TestRowsOfLargePagesAreDecodedInPieces(t *testing.T) {
	const rows = 1 << 20
	type row struct {
		Listed int32   `parquet:"listed,dict"`
		Text   *string `parquet:"text,optional,dict"`
		Flag   bool    `parquet:"flag"`
	}
	all, text := make([]row, rows), "text"
	for i := range all {
		all[i] = row{int32(i & i >> 3 & 1), nil, i%3 == 0}
		if i%5 > 0 {
			all[i].Text = &text
		}
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.PageBufferSize(64<<20))
	_, err := w.Write(all)
	must(t, errors.Join(err, w.Close()))
	path := formatstest.WriteTemp(t, "t.parquet", file.Bytes())
	for _, coded := range []bool{false, true} {
		hold := func(bytes int64) error { return fmt.Errorf("%d bytes are more than usual", bytes) }
		n, err := readWith(path, coded, formats.ReadOptions{Hold: hold})
		if err != nil || n != rows {
			t.Errorf("coded %v: %d rows, %v", coded, n, err)
		}
	}
}

// An open file reports the memory of its footer.
func TestFooterIsHeld(t *testing.T) {
	type row struct {
		A int32 `parquet:"a"`
		B int32 `parquet:"b"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file,
		parquet.KeyValueMetadata("note", strings.Repeat("x", 8<<20)))
	if _, err := w.Write(make([]row, 10)); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	path := formatstest.WriteTemp(t, "t.parquet", file.Bytes())
	file = bytes.Buffer{}
	held := int64(0)
	before := live()
	s, err := Open(t.Context(), path, formats.ReadOptions{Hold: func(bytes int64) error {
		held += bytes
		return nil
	}})
	must(t, err)
	if kept := live() - before; kept > held+2<<20 || held > kept+1<<20 {
		t.Errorf("%d bytes are told, %d are kept", held, kept)
	}
	if fields := s.Fields(); fields[0].Name != "a" || fields[1].Name != "b" {
		t.Errorf("columns %v", fields)
	}
	if s.Close(); held != 0 {
		t.Errorf("%d bytes are held when it is closed", held)
	}
}

// live returns the bytes that live objects take.
func live() int64 {
	runtime.GC()
	runtime.GC() // the second collection also frees the memory in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

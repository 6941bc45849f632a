package release

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/parquetfile"
	"github.com/kcut/kcut/formats/writer"
)

// source is a row of a file of another writer, with columns of every shape that is kept.
type source struct {
	Plain  int64    `parquet:"plain,plain"`
	City   *string  `parquet:"city,optional,dict"`
	Note   string   `parquet:"note,plain"`
	Truth  bool     `parquet:"truth"`
	Visits []int32  `parquet:"visits,list"`
	Tags   []string `parquet:"tags,dict"`
}

func sourceRows() (rows []source) {
	for i := range 12 {
		row := source{Plain: int64(i), Note: fmt.Sprint("note ", i), Truth: i%5 < 2}
		if i%3 > 0 {
			city := []string{"Rome", "Oslo"}[i%2]
			row.City = &city
		}
		for j := range int32(i % 4) {
			row.Visits, row.Tags = append(row.Visits, j), append(row.Tags, "tag")
		}
		rows = append(rows, row)
	}
	return rows
}

// released returns a release with the rows of such a file.
func released(t *testing.T, compression string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[source](&b)
	_, err := w.Write(sourceRows())
	must(t, errors.Join(err, w.Close()))
	in, err := parquetfile.Open(t.Context(), formatstest.WriteTemp(t, "source.parquet", b.Bytes()),
		formats.ReadOptions{})
	must(t, err)
	defer in.Close()
	var columns []writer.Column
	var requests []formats.Request
	for i, f := range in.Fields() {
		columns, requests = append(columns, writer.Column{Field: f}),
			append(requests, formats.Request{Column: i})
	}
	group, err := writer.NewRowGroup(columns, writer.Options{Compression: compression})
	must(t, err)
	reader, err := in.Read(t.Context(), 0, 1, requests)
	must(t, err)
	defer reader.Close()
	batch, err := reader.Next(t.Context())
	must(t, err)
	for i := range columns {
		must(t, group.Append(i, batch.Columns[i], 0, batch.Rows))
	}
	encoded, err := group.Encode()
	must(t, err)
	var out bytes.Buffer
	release, err := writer.New(&out, columns, map[string]string{CutKey: "{}"})
	if err == nil {
		err = errors.Join(release.Write(encoded), release.Close())
	}
	must(t, err)
	return out.Bytes()
}

// TestKept reads and checks kept columns of every codec, and flips their bits, one at a time: every
// flip is found.
func TestKept(t *testing.T) {
	for _, compression := range []string{"none", "snappy", "gzip", "zstd"} {
		t.Run(compression, func(t *testing.T) {
			t.Parallel()
			b := released(t, compression)
			path := formatstest.WriteTemp(t, "release.parquet", b)
			r, err := Open(t.Context(), path)
			must(t, err)
			defer r.Close()
			if found, err := r.leaks(t.Context(), nil); len(found) > 0 || err != nil {
				t.Fatalf("found %v, %v", found, err)
			}
			texts, err := r.texts(t.Context(), 0, "plain", "city")
			const cities = "null Oslo Rome null Rome Oslo"
			if got, want := fmt.Sprint(texts),
				"[[0 1 2 3 4 5 6 7 8 9 10 11] ["+cities+" "+cities+"]]"; got != want || err != nil {
				t.Errorf("texts %s, %v, want %s", got, err, want)
			}
			shown, got := []Kept{}, make([]string, 12)
			for _, name := range r.Flat() {
				shown = append(shown, Kept{Name: name, Hash: fnvOf, Null: 1})
			}
			_, err = NewScanners(nil, shown, 1)[0].Rows(t.Context(), r, 0,
				func(_, rows int, _ []Numbers, kept []Hashes) error {
					for row := range rows {
						hash := func(i int) uint64 { return kept[i].List[kept[i].of(row)] }
						got[row] = fmt.Sprintln(hash(0), hash(1), hash(2), hash(3))
					}
					return nil
				})
			must(t, err)
			for i, row := range sourceRows() {
				city := uint64(1)
				if row.City != nil {
					city = hashText(*row.City)
				}
				want := fmt.Sprintln(hashText(fmt.Sprint(row.Plain)), city, hashText(row.Note),
					hashText(fmt.Sprint(row.Truth)))
				if got[i] != want {
					t.Errorf("row %d: hashes %s, want %s", i, got[i], want)
				}
			}
			flipKept(t, r, path, b, nil)
			flipKept(t, r, path, b, shown)
		})
	}
}

func hashText(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func fnvOf(values *formats.Values, i int) uint64 { return hashText(values.Text(i)) }

// flipKept flips bits of columns, some of which are shown.
func flipKept(t *testing.T, r *File, path string, b []byte, shown []Kept) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer file.Close()
	put := func(at int, one byte) {
		if _, err := file.WriteAt([]byte{one}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	s := NewScanners(nil, shown, 1)[0]
	for at := len(meta.Magic); at < footerAt(b); at++ {
		for bit := range 8 {
			put(at, b[at]^1<<bit)
			found, err := s.Kept(t.Context(), r, 0)
			if err == nil {
				var more []Finding
				more, err = s.Rows(t.Context(), r, 0, func(int, int, []Numbers, []Hashes) error {
					return nil
				})
				found = append(found, more...)
			}
			switch {
			case err == nil && len(found) == 0:
				t.Errorf("byte %d, bit %d: nothing found", at, bit)
			case err != nil && !errors.Is(err, formats.ErrDamaged):
				t.Errorf("byte %d, bit %d: %v", at, bit, err)
			}
		}
		put(at, b[at])
	}
}

package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage/storagetest"
)

// upload puts a file into a store under its path below dir.
func upload(t *testing.T, server *storagetest.Server, key, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	server.Put(t, key, data)
}

// TestDiscoverRemote: a pattern finds the same files in an object store and on a disk, whatever
// other files are there.
func TestDiscoverRemote(t *testing.T) {
	server := storagetest.New(t)
	dir := t.TempDir()
	for _, name := range []string{
		"people/b.parquet", "people/a.parquet", "people/sub/c d.parquet",
		"people/sub/ü%20&+.parquet", "people/_SUCCESS", "people/_temporary/x.parquet",
		"people/.crc",
		"people2/z.parquet", "people.parquet", "year=2024/m=1/a.parquet", "year=2025/m=2/b.parquet",
		"[z].parquet", "empty.parquet",
	} {
		upload(t, server, name, writeRows(t, dir, name, []personRow{{"ann", 1}}))
	}
	for _, marker := range []string{"people/", "people/sub/", "people_$folder$", "people",
		"people/sub_$folder$", "year=2024/"} {
		server.Put(t, marker, nil)
	}
	for _, pattern := range []string{
		"people", "people/", "people/*", "people/**", "people*/*.parquet", "p*", "people.parquet",
		"people/sub", "people/s*/", "**/*.parquet", "year=*/*/*.parquet", "**",
		"people/sub/c d.parquet", "people/sub/ü%20&+.parquet", "people/_SUCCESS", "people/_temp*/*",
		"[z].parquet", "[z]*", "?eople.parquet", "none", "none*", "people/sub/c", "",
	} {
		local, localErr := discover(t.Context(), []string{dir + "/" + pattern})
		remote, remoteErr := discover(t.Context(), []string{server.URL(pattern)})
		if errors.Is(localErr, formats.ErrNoInput) != errors.Is(remoteErr, formats.ErrNoInput) ||
			(localErr == nil) != (remoteErr == nil) {
			t.Errorf("%s: %v, %v on a disk", pattern, remoteErr, localErr)
			continue
		}
		describe := func(files []inputFile, root string) (texts []string) {
			for _, f := range files {
				texts = append(texts, strings.TrimPrefix(f.path, root)+
					fmt.Sprint(partitionsOf(f.hive)))
			}
			return texts
		}
		if got, want := describe(remote, server.URL("")),
			describe(local, dir+"/"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, %q on a disk", pattern, got, want)
		}
		for _, path := range []string{"people/a.parquet", "people/_x/a.parquet",
			"year=2024/m=1/new.parquet", "people2", "people.parquet"} {
			onDisk, _ := Finds(dir+"/"+pattern, dir+"/"+path)
			inStore, _ := Finds(server.URL(pattern), server.URL(path))
			if _, err := os.Stat(dir + "/" + pattern); onDisk != inStore && err != nil {
				t.Errorf("%s finds %s: %v, %v on a disk", pattern, path, inStore, onDisk)
			}
		}
	}
	for _, pattern := range []string{"s3://other/people", "s3://other", "s3://bucket/[a-"} {
		if _, err := discover(t.Context(), []string{pattern}); !errors.Is(err, formats.ErrNoInput) {
			t.Errorf("%s: %v, want ErrNoInput", pattern, err)
		}
	}
}

// wideRow has columns of very different sizes.
type wideRow struct {
	ID    int64   `parquet:"id"`
	Age   int32   `parquet:"age,dict"`
	Note  string  `parquet:"note"`
	Score float64 `parquet:"score"`
	Sex   string  `parquet:"sex,dict"`
}

func wideRows(n int) []wideRow {
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]wideRow, n)
	for i := range rows {
		rows[i] = wideRow{int64(r.Uint64()), int32(r.IntN(90)),
			fmt.Sprintf("%x%x%x", r.Uint64(), r.Uint64(), r.Uint64()), r.Float64(),
			"fm"[i%2 : i%2+1]}
	}
	return rows
}

// TestRemoteReadsOnlyWhatIsAsked: of an object only the ranges with the requested columns and the
// footer are fetched, wherever the other columns are.
func TestRemoteReadsOnlyWhatIsAsked(t *testing.T) {
	server := storagetest.New(t)
	path := writeRows(t, t.TempDir(), "wide.parquet", wideRows(120000),
		parquet.MaxRowsPerRowGroup(40000))
	upload(t, server, "wide.parquet", path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, _ := file.Stat()
	footer, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	local, remote := openDataset(t, path), openDataset(t, server.URL("wide.parquet"))
	for _, columns := range [][]int{{1}, {1, 4}, {0, 3}, {2}, {0, 1, 2, 3, 4}, {}} {
		var requests []formats.Request
		stored := int64(0)
		for _, c := range columns {
			requests = append(requests, formats.Request{Column: c, Coded: true})
			for _, g := range footer.Metadata().RowGroups {
				stored += g.Columns[c].MetaData.TotalCompressedSize
			}
		}
		server.Forget()
		if got, want := datasetTexts(t, remote, requests),
			datasetTexts(t, local, requests); !slices.Equal(got, want) {
			t.Fatalf("columns %v are not those of the file", columns)
		}
		sent, requested := int64(0), 0
		for _, r := range server.Requests() {
			sent, requested = sent+r.Sent, requested+1
		}
		// In addition to the columns: the rest of bytes read ahead of their pages, and gaps that
		// cost less than another request.
		const spare = 3 * 5 * (32<<10 + 100)
		if sent > stored+spare {
			t.Errorf("columns %v: %d bytes fetched of %d that they have, in a file of %d", columns,
				sent, stored, info.Size())
		}
		if most := 3*len(columns) + int(stored>>20); requested > most {
			t.Errorf("columns %v: %d requests for %d bytes", columns, requested, stored)
		}
	}
}

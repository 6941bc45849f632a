package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage/storagetest"
	"github.com/kcut/kcut/internal/fault"
)

// TestTablesOfOtherFormats: an input that contains files of a table with a log is refused, on a
// disk and in a store.
func TestTablesOfOtherFormats(t *testing.T) {
	server, dir := storagetest.New(t), t.TempDir()
	for _, name := range []string{"lake/delta/a.parquet", "lake/delta/day=1/b.parquet",
		"lake/ice/data/c.parquet", "lake/hudi/p/d.parquet", "lake/plain/metadata/e.parquet"} {
		upload(t, server, name, writeRows(t, dir, name, []personRow{{"ann", 1}}))
	}
	for _, log := range []string{
		"lake/delta/_delta_log/00000000000000000000.json",
		"lake/ice/metadata/00001-3f.metadata.json", "lake/ice/metadata/snap-1.avro",
		"lake/hudi/.hoodie/hoodie.properties", "lake/plain/metadata/readme.json",
	} {
		path := filepath.Join(dir, log)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte("{}"), 0o600))
		server.Put(t, log, []byte("{}"))
	}
	must(t, os.Symlink(filepath.Join(dir, "lake/delta/day=1"), filepath.Join(dir, "link")))
	for pattern, format := range map[string]string{
		"lake": "Delta Lake", "lake/delta": "Delta Lake", "lake/delta/": "Delta Lake",
		"lake/delta/*.parquet": "Delta Lake", "lake/delta/day=1": "Delta Lake",
		"lake/de*/day=*/*.parquet": "Delta Lake", "lake/delta/a.parquet": "Delta Lake",
		"**/b.parquet": "Delta Lake", "l*/delta/**": "Delta Lake", "link": "Delta Lake",
		"lake/ice/data": "Iceberg", "lake/ice/data/c*": "Iceberg",
		"lake/i*/data/c.parquet": "Iceberg", "lake/ice": "Iceberg",
		"lake/hudi/p/": "Hudi", "lake/hudi/**/*.parquet": "Hudi", "lake/plain/metadata": "",
		"lake/p*/**/*.parquet": "",
	} {
		inputs := []string{dir + "/" + pattern}
		if pattern != "link" {
			inputs = append(inputs, server.URL(pattern))
		}
		for _, input := range inputs {
			_, err := discover(t.Context(), []string{input})
			if format == "" && err != nil {
				t.Errorf("%s: %v", input, err)
			}
			var advised *fault.Error
			if format != "" && (!errors.Is(err, formats.ErrUnsupported) ||
				!errors.As(err, &advised) || advised.Class != fault.Input ||
				!strings.Contains(err.Error(), format) ||
				!strings.Contains(advised.Hint, "current snapshot")) {
				t.Errorf("%s: got %v, want a table of %s refused", input, err, format)
			}
		}
	}
}

// TestListingOfFoldersAbove: a store may deny listing anything above the input.
func TestListingOfFoldersAbove(t *testing.T) {
	server := storagetest.New(t)
	upload(t, server, "a/b/c.parquet", writeRows(t, t.TempDir(), "c.parquet",
		[]personRow{{"ann", 1}}))
	server.Fail(func(_ int, r storagetest.Request) storagetest.Fault {
		if strings.Contains(r.Query, "prefix") && !strings.Contains(r.Query, "prefix=a%2Fb%2F") {
			return storagetest.Denied
		}
		return storagetest.None
	})
	if found, err := discover(t.Context(), []string{server.URL("a/b/")}); err != nil ||
		len(found) != 1 {
		t.Errorf("%d files, %v, want 1", len(found), err)
	}
}

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// tableFormat is a format of tables whose folder says in a log which of its files, and which of
// their rows, are the table. Read without the log, such a folder has rows that were deleted, and
// others several times.
type tableFormat struct {
	name   string
	folder string // that has the log
	suffix string // within the name of a file there; empty: any file
	export string // how to write the current rows; %s is the table's folder
}

var tableFormats = []*tableFormat{
	{name: "Delta Lake", folder: "_delta_log", export: "as DuckDB does with COPY (SELECT * FROM delta_scan('%s')) TO 'current.parquet'"},
	{name: "Hudi", folder: ".hoodie", export: "as Spark does with spark.read.format('hudi').load('%s').write.parquet('current/')"},
	{name: "Iceberg", folder: "metadata", suffix: ".metadata.json", export: "as DuckDB does with COPY (SELECT * FROM iceberg_scan('%s')) TO 'current.parquet'"},
}

// refused returns the error of an input that reaches into a table.
func (f *tableFormat) refused(pattern, dir string) error {
	return fault.Errorf(fault.Input, "export the table's current snapshot and name that as the input, "+fmt.Sprintf(f.export, dir),
		"find input %s: %s is a table of %s, whose files have deleted and outdated rows, too: %w", pattern, dir, f.name, formats.ErrUnsupported)
}

// logs reports whether a folder with files of these names makes a table of the one that it is in.
func (f *tableFormat) logs(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, f.suffix) })
}

// tableFolders remembers which folders of this machine are tables; nil: it is none.
type tableFolders map[string]*tableFormat

// refuse returns an error if a pattern names a table's folder, or if files that it has found lie in one.
func (t tableFolders) refuse(pattern string, found []inputFile) error {
	dirs := []string{filepath.Clean(pattern)} // of a pattern that is a file or a glob it is no folder
	for _, file := range found {
		dirs = append(dirs, filepath.Dir(file.path))
	}
	for _, dir := range slices.Compact(dirs) {
		if format, table := t.above(dir); format != nil {
			return format.refused(pattern, table)
		}
	}
	return nil
}

// above returns the table that a folder is or lies in, where links lead to, and its format.
func (t tableFolders) above(dir string) (format *tableFormat, table string) {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	for ; format == nil; dir = filepath.Dir(dir) {
		known := false
		if format, known = t[dir]; !known {
			format = tableAt(dir)
			t[dir] = format
		}
		if table = dir; dir == filepath.Dir(dir) {
			break
		}
	}
	return format, table
}

// tableAt returns the format of the table that a folder is. Folders that may not be read are none.
func tableAt(dir string) *tableFormat {
	for _, format := range tableFormats {
		entries, err := os.ReadDir(filepath.Join(dir, format.folder))
		if err != nil {
			continue
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if format.logs(names) {
			return format
		}
	}
	return nil
}

// refuseTables is refuse for the objects that a pattern has found among all those that start with a
// prefix. Folders that these do not show are listed; what kcut may not list says nothing.
func refuseTables(ctx context.Context, pattern, prefix string, objects []storage.Entry, found []inputFile) error {
	tables := make(map[string]*tableFormat) // by folder; nil: it is none
	for _, object := range objects {
		folder, name := path.Split(object.Location)
		for _, format := range tableFormats {
			if table, is := strings.CutSuffix(folder, "/"+format.folder+"/"); is && format.logs([]string{name}) {
				tables[table] = format
			}
		}
	}
	bucket, _ := storage.Split(prefix)
	for _, file := range found {
		for dir := parent(file.path); len(dir) >= len(bucket); dir = parent(dir) {
			format, known := tables[dir]
			if !known && !strings.HasPrefix(dir+"/", prefix) {
				var err error
				if format, err = remoteTableAt(ctx, dir); err != nil {
					return err
				}
				tables[dir] = format
			}
			if format != nil {
				return format.refused(pattern, dir)
			}
		}
	}
	return nil
}

// parent returns the folder of an object or a folder of a store.
func parent(location string) string { return location[:max(0, strings.LastIndexByte(location, '/'))] }

// remoteTableAt is tableAt for a folder of a store.
func remoteTableAt(ctx context.Context, dir string) (*tableFormat, error) {
	for _, format := range tableFormats {
		logs, err := storage.List(ctx, dir+"/"+format.folder+"/")
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, storage.ErrDenied):
			continue
		case err != nil:
			return nil, fmt.Errorf("find input: %w", err)
		}
		var names []string
		for _, log := range logs {
			names = append(names, path.Base(log.Location))
		}
		if format.logs(names) {
			return format, nil
		}
	}
	return nil, nil
}

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

// tableFormat is a format of tables whose folder has a log that says which of its files, and which
// of their rows, belong to the table. Without the log, such a folder has deleted rows, and rows in
// several versions.
type tableFormat struct {
	name   string
	folder string // folder with the log
	suffix string // part of the name of a file there; empty: any file
	export string // how to export the current rows; %s is the table's folder
}

var tableFormats = []*tableFormat{
	{
		name:   "Delta Lake",
		folder: "_delta_log",
		export: "as DuckDB does with COPY (SELECT * FROM delta_scan('%s')) TO 'current.parquet'",
	},
	{
		name:   "Hudi",
		folder: ".hoodie",
		export: "as Spark does with spark.read.format('hudi').load('%s').write.parquet('current/')",
	},
	{
		name:   "Iceberg",
		folder: "metadata",
		suffix: ".metadata.json",
		export: "as DuckDB does with COPY (SELECT * FROM iceberg_scan('%s')) TO 'current.parquet'",
	},
}

// refused returns the error of an input that contains files of a table.
func (f *tableFormat) refused(pattern, dir string) error {
	return fault.Errorf(fault.Input, "export the table's current snapshot and name that as the "+
		"input, "+fmt.Sprintf(f.export, dir),
		"find input %s: %s is a table of %s, whose files have deleted and outdated rows, too: %w",
		pattern, dir, f.name, formats.ErrUnsupported)
}

// tables finds out which folders are tables of such formats.
type tables struct {
	known  map[string]*tableFormat // by folder; nil: it is no table
	prefix string                  // of a store: all objects with this prefix were listed
	listed map[string][]string     // their names, by folder
}

// refuse returns an error if a pattern names a table's folder, or if the files that it found are in
// one.
func (t *tables) refuse(ctx context.Context, pattern string, found []inputFile) error {
	var dirs []string
	if !storage.IsRemote(pattern) {
		// a pattern that is no folder is not in a table, either
		dirs = append(dirs, filepath.Clean(pattern))
	}
	for _, file := range found {
		dirs = append(dirs, parent(file.path))
	}
	for _, dir := range slices.Compact(dirs) {
		for dir, below := resolved(dir), ""; dir != below; dir, below = parent(dir), dir {
			format, known := t.known[dir]
			if !known {
				var err error
				if format, err = t.at(ctx, dir); err != nil {
					return fmt.Errorf("find input: %w", err)
				}
				t.known[dir] = format
			}
			if format != nil {
				return format.refused(pattern, dir)
			}
		}
	}
	return nil
}

// parent returns the folder of a file or a folder. Roots and buckets are their own parents.
func parent(location string) string {
	if !storage.IsRemote(location) {
		return filepath.Dir(location)
	}
	if bucket, key := storage.Split(location); key == "" {
		return bucket
	}
	return location[:strings.LastIndexByte(location, '/')]
}

// resolved returns a folder of this machine with its links resolved.
func resolved(dir string) string {
	if storage.IsRemote(dir) {
		return dir
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return dir
}

// at returns the format of a folder's table, if it is one.
func (t *tables) at(ctx context.Context, dir string) (*tableFormat, error) {
	for _, format := range tableFormats {
		names, err := t.names(ctx, dir, storage.Join(dir, format.folder))
		if err != nil {
			return nil, err
		}
		isLog := func(name string) bool { return strings.Contains(name, format.suffix) }
		if slices.ContainsFunc(names, isLog) {
			return format, nil
		}
	}
	return nil, nil
}

// names returns the names in a folder of logs. An unreadable folder counts as empty.
func (t *tables) names(ctx context.Context, dir, folder string) (names []string, err error) {
	switch {
	case !storage.IsRemote(dir):
		entries, _ := os.ReadDir(folder)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	case t.prefix != "" && strings.HasPrefix(dir+"/", t.prefix):
		names = t.listed[folder]
	default:
		objects, err := storage.List(ctx, folder+"/")
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, storage.ErrDenied) {
			return nil, err
		}
		for _, object := range objects {
			names = append(names, path.Base(object.Location))
		}
	}
	return names, nil
}

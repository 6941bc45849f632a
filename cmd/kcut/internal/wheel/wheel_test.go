package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"
	"time"
)

func packed(t *testing.T, platform string, changed time.Time) (map[string][]byte, []*zip.File,
	string, []byte) {
	t.Helper()
	w := wheel{
		version:  "0.1.0",
		platform: platform,
		program:  []byte("\x7fELF"),
		readme:   []byte("# kcut\n"),
		license:  []byte("free"),
		changed:  changed,
	}
	archive, name, err := w.pack()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return files, z.File, name, archive
}

// TestRecord reads RECORD as installers do: it has every file once, with its digest and size.
func TestRecord(t *testing.T) {
	for platform := range tags {
		files, _, _, _ := packed(t, platform, time.Unix(1700000000, 0))
		rows, err := csv.NewReader(bytes.NewReader(files["kcut-0.1.0.dist-info/RECORD"])).ReadAll()
		if err != nil || len(rows) != len(files) {
			t.Fatalf("%s: %d lines of %d files, %v", platform, len(rows), len(files), err)
		}
		for _, row := range rows {
			data, found := files[row[0]]
			digest := sha256.Sum256(data)
			want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(digest[:]),
				fmt.Sprint(len(data))}
			if path.Base(row[0]) == "RECORD" {
				want = []string{row[0], "", ""}
			}
			if !found || strings.Join(row, ",") != strings.Join(want, ",") {
				t.Errorf("%s: %q, want %q", platform, row, want)
			}
		}
	}
}

// TestLinks checks that the links of the description lead to the repository from anywhere.
func TestLinks(t *testing.T) {
	for text, want := range map[string]string{
		"[notebook.ipynb](notebook.ipynb)": "[notebook.ipynb](" + source +
			"/blob/main/docs/notebook.ipynb)",
		"[README.md](../README.md#from-python-and-go)": "[README.md](" + source +
			"/blob/main/README.md#from-python-and-go)",
		"[PyPI](https://pypi.org/) and [a](#b)": "[PyPI](https://pypi.org/) and [a](#b)",
	} {
		if found := string(absoluteLinks([]byte(text))); found != want {
			t.Errorf("%s, want %s", found, want)
		}
	}
}

// TestTags compares the name of a wheel with its tags, and checks that the program is executable.
func TestTags(t *testing.T) {
	for platform, platforms := range tags {
		files, list, name, _ := packed(t, platform, time.Unix(1700000000, 0))
		program := "kcut-0.1.0.data/scripts/kcut"
		if strings.HasPrefix(platform, "windows") {
			program += ".exe"
		}
		for _, f := range list {
			if (f.Mode().Perm() == 0o755) != (f.Name == program) {
				t.Errorf("%s: %s has mode %v", platform, f.Name, f.Mode())
			}
		}
		if want := "kcut-0.1.0-py3-none-" + strings.Join(platforms, ".") + ".whl"; name != want {
			t.Errorf("name %s, want %s", name, want)
		}
		kind := string(files["kcut-0.1.0.dist-info/WHEEL"])
		for _, p := range platforms {
			if !strings.Contains(kind, "\nTag: py3-none-"+p+"\n") {
				t.Errorf("%s is no tag of\n%s", p, kind)
			}
		}
		if about := string(files["kcut-0.1.0.dist-info/METADATA"]); !strings.Contains(about,
			"\nVersion: 0.1.0\n") || !strings.HasSuffix(about, "\n\n# kcut\n") {
			t.Errorf("METADATA:\n%s", about)
		}
		for _, name := range []string{"__init__.py", "_anonymize.py", "_commands.py", "py.typed"} {
			if files["kcut/"+name] == nil {
				t.Errorf("%s: no kcut/%s", platform, name)
			}
		}
		for _, extra := range []string{"pandas", "polars", "pyarrow"} {
			if !bytes.Contains(files["kcut-0.1.0.dist-info/METADATA"],
				[]byte("\nProvides-Extra: "+extra+"\n")) {
				t.Errorf("%s: no extra %s", platform, extra)
			}
		}
	}
	if _, _, err := (&wheel{platform: "plan9/amd64"}).pack(); err == nil {
		t.Error("there is a wheel of plan9")
	}
}

// TestSameBytes packs in two time zones: the bytes depend neither on their clocks nor on the order
// of a map.
func TestSameBytes(t *testing.T) {
	changed := time.Unix(1700000000, 0)
	_, _, _, first := packed(t, "linux/amd64", changed)
	_, _, _, again := packed(t, "linux/amd64", changed.In(time.FixedZone("", 3600)))
	_, _, _, later := packed(t, "linux/amd64", changed.Add(time.Hour))
	if !bytes.Equal(first, again) || bytes.Equal(first, later) {
		t.Errorf("packed again: %v; an hour later: %v", bytes.Equal(first, again),
			bytes.Equal(first, later))
	}
}

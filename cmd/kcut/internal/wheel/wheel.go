package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
)

// module is the Python module.
//
//go:embed kcut/*.py kcut/py.typed
var module embed.FS

// tags are the platforms of Python on which a static program of GOOS/GOARCH runs. Go 1.26 needs
// Linux 3.2, which is older than the kernel of the oldest of these, and macOS 12.
var tags = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// wheel is the content of a wheel, in the form of
// https://packaging.python.org/en/latest/specifications/binary-distribution-format/.
type wheel struct {
	version                  string // in the form of PEP 440
	platform                 string // GOOS/GOARCH
	program, readme, license []byte
	changed                  time.Time
}

// file is a file in a wheel.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// pack returns the wheel and its name.
func (w *wheel) pack() (archive []byte, name string, err error) {
	platforms := tags[w.platform]
	if platforms == nil {
		return nil, "", fmt.Errorf("%s is no platform of wheels", w.platform)
	}
	files, err := w.files(platforms)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: w.changed.UTC()}
		header.SetMode(f.mode)
		to, err := z.CreateHeader(header)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			return nil, "", err
		}
	}
	if err := z.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), "kcut-" + w.version + "-py3-none-" + strings.Join(platforms, ".") + ".whl",
		nil
}

// files returns all files in the order of the archive: metadata comes last, RECORD at the end.
func (w *wheel) files(platforms []string) ([]file, error) {
	about, command := "kcut-"+w.version+".dist-info/", "kcut"
	if strings.HasPrefix(w.platform, "windows/") {
		command += ".exe"
	}
	var files []file
	err := fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := module.ReadFile(name)
		files = append(files, file{name, data, 0o644})
		return err
	})
	if err != nil {
		return nil, err
	}
	kind := "Wheel-Version: 1.0\nGenerator: kcut\nRoot-Is-Purelib: false\n"
	for _, platform := range platforms {
		kind += "Tag: py3-none-" + platform + "\n"
	}
	files = append(files,
		file{"kcut-" + w.version + ".data/scripts/" + command, w.program, 0o755},
		file{about + "licenses/LICENSE", w.license, 0o644},
		file{about + "METADATA", append([]byte(fmt.Sprintf(metadata, w.version)),
			absoluteLinks(w.readme)...), 0o644},
		file{about + "WHEEL", []byte(kind), 0o644},
	)
	return append(files, file{about + "RECORD", record(files, about+"RECORD"), 0o644}), nil
}

const source = "https://github.com/kcut/kcut"

const metadata = `Metadata-Version: 2.4
Name: kcut
Version: %s
Summary: Anonymize big tables, and prove it on the file that goes out
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: anonymization,k-anonymity,parquet,privacy
Project-URL: Source, ` + source + `
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas>=2.0; extra == "pandas"
Requires-Dist: pyarrow>=15; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars>=0.20.31; extra == "polars"
Provides-Extra: pyarrow
Requires-Dist: pyarrow>=15; extra == "pyarrow"
Description-Content-Type: text/markdown

`

// link is a link of Markdown to another file of its folder, or of one above.
var link = regexp.MustCompile(`\]\(([\w./-]+)(#[\w-]+)?\)`)

// absoluteLinks returns a document of docs whose links lead to the repository, since package
// registries show the document without the files next to it.
func absoluteLinks(document []byte) []byte {
	return link.ReplaceAllFunc(document, func(found []byte) []byte {
		parts := link.FindSubmatch(found)
		return fmt.Appendf(nil, "](%s/blob/main/%s%s)", source,
			path.Join("docs", string(parts[1])), parts[2])
	})
}

// record lists the files with their digests and sizes, and itself without.
func record(files []file, itself string) []byte {
	var lines strings.Builder
	for _, f := range files {
		digest := sha256.Sum256(f.data)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", f.name,
			base64.RawURLEncoding.EncodeToString(digest[:]), len(f.data))
	}
	return []byte(lines.String() + itself + ",,\n")
}

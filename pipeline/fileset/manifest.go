package fileset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// ManifestFile is the name of the file that lists the content of a directory of part files: in the
// metadata of a Parquet file with the parts' columns and no rows. Readers of tables skip names that
// begin with _, or find no row in it; some of them accept no directory with files of another
// extension. It is written after the parts and before _SUCCESS.
const ManifestFile = "_manifest.parquet"

// textManifest is the name of an older form of the manifest, which was only the text.
const textManifest = "_manifest.json"

// Manifest lists the content of a directory of part files. All of it follows from the parts.
type Manifest struct {
	Version int    `json:"version"` // of this form: 1
	Rows    int64  `json:"rows"`
	Parts   []Part `json:"parts"`
}

// Part is a part file of a Manifest.
type Part struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"` // of all its bytes
}

// Text returns the manifest in the form of its file.
func (m *Manifest) Text() ([]byte, error) {
	text, err := json.Marshal(m)
	return append(text, '\n'), err
}

// maxManifest is the largest size of a manifest, in bytes.
const maxManifest = 64 << 20

// ReadManifest reads the manifest of a released directory, nil when it has none. A manifest with
// any content that kcut does not write is an error of class Input.
func ReadManifest(ctx context.Context, directory string) (m *Manifest, err error) {
	for _, form := range []struct {
		name string
		read func(ctx context.Context, directory, path string) (string, error)
	}{{ManifestFile, readMetadata}, {textManifest, readText}} {
		path := storage.Join(directory, form.name)
		there, err := storage.Exists(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		if !there {
			continue
		}
		text, err := form.read(ctx, directory, path)
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		if m != nil || text == "" { // there are two of them, or its form is wrong
			return nil, otherForm(path)
		}
		if m, err = parse(text); err != nil {
			return nil, otherForm(path)
		}
	}
	return m, nil
}

func otherForm(path string) error {
	return fault.Errorf(fault.Input, "make the release anew with kcut run --overwrite",
		"read manifest %s: it is not of the form that kcut writes", path)
}

// parse parses a text that Text has written, and nothing else.
func parse(text string) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return nil, err
	}
	again, err := m.Text()
	if err == nil && (string(again) != text || m.Version != 1) {
		err = formats.ErrDamaged
	}
	return m, err
}

func readText(ctx context.Context, _, path string) (string, error) {
	text, err := storage.ReadText(ctx, path, maxManifest)
	return string(text), err
}

// readMetadata returns the text in a manifest's metadata, or "" when the file contains anything
// else.
func readMetadata(ctx context.Context, directory, path string) (text string, err error) {
	parts, err := Parts(ctx, directory)
	if err != nil {
		return "", err
	}
	part, err := release.Open(ctx, parts[0])
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	file, err := release.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if is, err := file.IsManifest(part); err != nil || !is {
		return "", err
	}
	text, _ = file.Metadata(release.ManifestKey)
	return text, nil
}

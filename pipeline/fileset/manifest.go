package fileset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fault"
)

// ManifestFile is the name of the file that says what a directory of part files holds. It is
// written after the parts and before _SUCCESS.
const ManifestFile = "_manifest.json"

// Manifest says what a directory of part files holds. It has nothing that the parts do not tell.
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

// Text returns the manifest as the file has it.
func (m *Manifest) Text() ([]byte, error) {
	text, err := json.Marshal(m)
	return append(text, '\n'), err
}

// maxManifest bounds a manifest that is read.
const maxManifest = 64 << 20

// ReadManifest reads the manifest of a released directory, nil when it has none. One that has
// anything but what Text writes is an error of class Input.
func ReadManifest(ctx context.Context, directory string) (*Manifest, error) {
	path := location.Join(directory, ManifestFile)
	there, err := storage.Exists(ctx, path)
	if err != nil || !there {
		return nil, err
	}
	text, err := storage.ReadText(ctx, path, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	m := &Manifest{}
	if json.Unmarshal(text, m) == nil {
		if again, err := m.Text(); err == nil && bytes.Equal(again, text) && m.Version == 1 {
			return m, nil
		}
	}
	return nil, &fault.Error{Class: fault.Input, Err: fmt.Errorf("read manifest %s: it is not of the form that kcut writes", path)}
}

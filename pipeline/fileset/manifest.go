package fileset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
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

// Sum returns the size of a file and the SHA-256 of all its bytes.
func Sum(ctx context.Context, path string) (size int64, sum string, err error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size = file.Info().Size()
	plan := file.Plan(ctx, []storage.Range{{To: size}})
	defer plan.Close()
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(plan, 0, size), make([]byte, sumBuffer)); err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// sumBuffer is how much is read at a time: less is more calls, more leaves the caches.
const sumBuffer = 256 << 10

// maxManifest bounds a manifest that is read.
const maxManifest = 64 << 20

// ReadManifest reads the manifest of a released directory, nil when it has none. One that has
// anything but what Text writes is an error of class Input.
func ReadManifest(ctx context.Context, directory string) (*Manifest, error) {
	path := storage.Join(directory, ManifestFile)
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

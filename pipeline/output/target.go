package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Target is where a release is written until it is published.
type Target struct {
	*publish.Publication
	directory bool
	upload    *upload // to an object store; nil: it stays on this machine
	uploaded  bool
}

// Open begins a release that is made in a local place, see Local, and goes to an output, of
// which Check has told whether it exists. It goes on with an earlier run's: keep is told the paths
// of that one's files and wants some to stay. Discard or Suspend is owed unless Publish succeeds.
func Open(files publish.FS, local, output string, exists bool, keep func(path string) bool) (*Target, error) {
	publication, err := publish.On(files, filepath.Clean(local), fileset.IsDirectory(local), keep)
	if err != nil {
		return nil, err
	}
	t := &Target{Publication: publication, directory: fileset.IsDirectory(local)}
	if storage.IsRemote(output) {
		t.upload = &upload{from: t.Path(), to: output, fresh: !exists}
	}
	return t, nil
}

// Publish puts the release where it is to be; a directory gets its manifest first.
func (t *Target) Publish(ctx context.Context, threads int) error {
	if t.directory {
		if err := t.writeManifest(ctx, threads); err != nil {
			return err
		}
	}
	if t.upload == nil {
		return t.Publication.Publish()
	}
	if err := t.upload.run(ctx); err != nil {
		return err
	}
	t.uploaded = true
	return t.Discard()
}

// Done reports whether the release is where it is to be.
func (t *Target) Done() bool { return t.uploaded || t.Publication.Done() }

// path returns where a part lies until the release is published.
func (t *Target) path(p Part) string {
	if t.directory {
		return filepath.Join(t.Path(), p.Name)
	}
	return t.Path()
}

// Shown is an output's path or URL as messages have it, without the slash that ends a
// directory's.
func Shown(output string) string {
	if storage.IsRemote(output) {
		return strings.TrimSuffix(output, "/")
	}
	return filepath.Clean(output)
}

// Absolute is the one spelling of a location, without the slash that ends a directory's.
func Absolute(path string) (string, error) {
	if storage.IsRemote(path) {
		return strings.TrimSuffix(path, "/"), nil
	}
	return filepath.Abs(path)
}

// Local returns where the release of a job is made and recounted: in its own place, as far as
// the file system lets it hide there, or, of an output in an object store, in a folder of this
// machine. Of one output it is always the same, so that runs that would disturb each other
// meet there, and find what is left of each other.
func Local(job *job.Job) (string, error) {
	output, folder := job.Output.Path, job.Limits.SpillDir
	if !storage.IsRemote(output) {
		return output, nil
	}
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fault.Errorf(fault.Usage, "name a folder of this machine with limits.spill_dir",
				"find a place to make the release in: %w", err)
		}
		folder = filepath.Join(cache, "kcut")
	}
	shown := Shown(output)
	_, key := storage.Split(shown)
	local := filepath.Join(folder, fmt.Sprintf("%s-%.8x", path.Base(key), sha256.Sum256([]byte(shown))))
	if fileset.IsDirectory(output) {
		local += "/"
	}
	return local, nil
}

// writeManifest writes the manifest of a directory, whose parts are read on so many goroutines.
func (t *Target) writeManifest(ctx context.Context, threads int) error {
	files, err := fileset.Parts(ctx, t.Path())
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	m := &fileset.Manifest{Version: 1, Parts: make([]fileset.Part, len(files))}
	err = workers.Each(len(files), threads, func(_ workers.Worker, i int) (err error) {
		m.Parts[i], err = describePart(ctx, files[i])
		return err
	})
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	for _, part := range m.Parts {
		m.Rows += part.Rows
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	file, err := t.Create(fileset.ManifestFile)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err != nil {
		err = fmt.Errorf("write manifest: %w", err)
	}
	return errors.Join(err, file.Close())
}

// describePart describes a part file.
func describePart(ctx context.Context, path string) (part fileset.Part, err error) {
	opened, err := release.Open(ctx, path)
	if err != nil {
		return part, err
	}
	rows := opened.Rows()
	if err := opened.Close(); err != nil {
		return part, err
	}
	size, sum, err := fileset.Sum(ctx, path)
	return fileset.Part{Name: filepath.Base(path), Bytes: size, Rows: rows, SHA256: sum}, err
}

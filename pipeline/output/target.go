package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Target is where a release is written until it is published.
type Target struct {
	*publish.Publication
	Columns   []writer.Column
	Finished  []fileset.Part // with size and hash once these are known
	directory bool
	upload    *upload // to an object store; nil: it stays on this machine
	uploaded  bool
}

// Open begins a release that is made in a local place, see Local, and goes to an output, of
// which Check has told whether it exists. Discard is owed unless Publish succeeds.
func Open(files *publish.FS, local, output string, exists bool) (t *Target, err error) {
	t = &Target{directory: fileset.IsDirectory(local)}
	if t.Publication, err = publish.On(files, filepath.Clean(local), t.directory); err != nil {
		return nil, err
	}
	if storage.IsRemote(output) {
		t.upload = &upload{from: t.Path(), to: output, fresh: !exists}
	}
	return t, nil
}

// Publish puts the release where it is to be; a directory without partitions gets its manifest first: some readers of partitions take no
// file that is in none.
func (t *Target) Publish(ctx context.Context, threads int) error {
	if t.directory && !t.inPartitions() {
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

// inPartitions reports whether the parts lie in partitions.
func (t *Target) inPartitions() bool {
	return slices.ContainsFunc(t.Finished, func(p fileset.Part) bool { return strings.Contains(p.Name, "/") })
}

// Done reports whether the release is where it is to be.
func (t *Target) Done() bool { return t.uploaded || t.Publication.Done() }

// path returns where a part lies until the release is published.
func (t *Target) path(p *fileset.Part) string {
	if t.directory {
		return filepath.Join(t.Path(), filepath.FromSlash(p.Name))
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

// describe finds the size and the hash of a part, unless they are known.
func (t *Target) describe(ctx context.Context, p *fileset.Part) (err error) {
	if p.SHA256 == "" {
		p.Bytes, p.SHA256, err = fileset.Sum(ctx, t.path(p))
	}
	return err
}

// Restamp replaces the metadata of all finished parts, which they were written with.
func (t *Target) Restamp(was, now map[string]string) error {
	for i := range t.Finished {
		part := &t.Finished[i]
		file, err := t.Reopen(t.path(part))
		if err != nil {
			return fmt.Errorf("open part of the release: %w", err)
		}
		err = writer.Restamp(file, t.Columns, was, now)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("write metadata of the release: %w", err)
		}
		part.Bytes, part.SHA256 = 0, ""
	}
	return nil
}

// writeManifest writes the manifest of a directory, whose parts are read on so many goroutines.
func (t *Target) writeManifest(ctx context.Context, threads int) error {
	err := workers.Each(len(t.Finished), threads, func(_ workers.Worker, i int) error { return t.describe(ctx, &t.Finished[i]) })
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	m := &fileset.Manifest{Version: 1}
	for _, part := range t.Finished {
		m.Rows += part.Rows
		m.Parts = append(m.Parts, part)
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	file, err := t.Create(fileset.ManifestFile)
	if err != nil {
		return err
	}
	w, err := writer.New(file, t.Columns, map[string]string{release.ManifestKey: string(text)})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		err = fmt.Errorf("write manifest: %w", err)
	}
	return errors.Join(err, file.Close())
}

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
	Finished  []fileset.Part // finished parts; their sizes and hashes may not be known yet
	directory bool
	upload    *upload // the upload to an object store; nil: the release stays on this machine
	uploaded  bool
}

// Open begins a release. It is made in the local place that Local returns, and goes to the output.
// Check has reported whether the output exists. The caller must call Discard unless Publish
// succeeds.
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

// Publish moves the release to the output. A directory without partitions gets a manifest first. A
// directory with partitions gets none, because some readers of partitions accept no file outside a
// partition.
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

// inPartitions reports whether the parts are in partitions.
func (t *Target) inPartitions() bool {
	return slices.ContainsFunc(t.Finished, func(p fileset.Part) bool {
		return strings.Contains(p.Name, "/")
	})
}

// Done reports whether the release has been published.
func (t *Target) Done() bool { return t.uploaded || t.Publication.Done() }

// path returns the path of a part before the release is published.
func (t *Target) path(p *fileset.Part) string {
	if t.directory {
		return filepath.Join(t.Path(), filepath.FromSlash(p.Name))
	}
	return t.Path()
}

// Shown returns the path or URL of an output for messages, without the slash at the end of a
// directory.
func Shown(output string) string {
	if storage.IsRemote(output) {
		return strings.TrimSuffix(output, "/")
	}
	return filepath.Clean(output)
}

// Absolute returns the absolute path or the URL of a location, without the slash at the end of a
// directory.
func Absolute(path string) (string, error) {
	if storage.IsRemote(path) {
		return strings.TrimSuffix(path, "/"), nil
	}
	return filepath.Abs(path)
}

// Local returns the place where a job's release is made and recounted: the path of the output or,
// if the output is in an object store, a path in a folder of this machine. One output always has
// the same place. So two runs with the same output notice each other there, and a run finds the
// files that a killed run has left.
func Local(job *job.Job) (string, error) {
	output, folder := job.Output.Path, job.Limits.SpillDir
	if !storage.IsRemote(output) {
		return output, nil
	}
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fault.Errorf(fault.Usage,
				"name a folder of this machine with limits.spill_dir",
				"find a place to make the release in: %w", err)
		}
		folder = filepath.Join(cache, "kcut")
	}
	shown := Shown(output)
	_, key := storage.Split(shown)
	name := fmt.Sprintf("%s-%.8x", path.Base(key), sha256.Sum256([]byte(shown)))
	local := filepath.Join(folder, name)
	if fileset.IsDirectory(output) {
		local += "/"
	}
	return local, nil
}

// describe sets the size and the hash of a part, unless they are known.
func (t *Target) describe(ctx context.Context, p *fileset.Part) (err error) {
	if p.SHA256 == "" {
		p.Bytes, p.SHA256, err = fileset.Sum(ctx, t.path(p))
	}
	return err
}

// Restamp replaces the metadata of all finished parts. The parts were written with the metadata
// was.
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

// writeManifest writes the manifest of a directory. It reads the parts on the given number of
// goroutines.
func (t *Target) writeManifest(ctx context.Context, threads int) error {
	err := workers.Each(len(t.Finished), threads, func(_ workers.Worker, i int) error {
		return t.describe(ctx, &t.Finished[i])
	})
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

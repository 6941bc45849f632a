package output

import (
	"context"
	"path/filepath"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fileset"
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

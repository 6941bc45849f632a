package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// groupsPerPart is the number of row groups in every part file but the last of a release
// that is a directory.
const groupsPerPart = 16

// checkTarget reports whether the output exists, and refuses one that could not be written.
func checkTarget(ctx context.Context, job *jobfile.Job) (exists bool, err error) {
	if location.IsRemote(job.Output.Path) {
		return checkRemote(ctx, job.Output.Path)
	}
	path := filepath.Clean(job.Output.Path)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, fileset.CheckFolder("output", path)
	case err != nil:
		return false, fmt.Errorf("look for output %s: %w", path, err)
	case info.IsDir() != fileset.IsDirectory(job.Output.Path):
		return true, &fault.Error{
			Class: fault.Exists,
			Hint:  "remove it first; a directory is never replaced by a file, nor the other way round",
			Err:   fmt.Errorf("replace output %s: one is a directory, the other a file", path),
		}
	}
	return true, nil
}

// checkReplaced refuses to replace a directory that holds what no release does: that would be
// removed with the old release. In an object store checkRemote does so.
func checkReplaced(output string) error {
	if location.IsRemote(output) || !fileset.IsDirectory(output) {
		return nil
	}
	entries, err := os.ReadDir(output)
	if err != nil {
		return fmt.Errorf("look into output: %w", err)
	}
	for _, entry := range entries {
		if !fileset.Belongs(entry.Name()) {
			return &fault.Error{
				Class: fault.Exists,
				Hint:  "name a directory of its own for the output",
				Err:   fmt.Errorf("replace output %s: it holds %s, which is no part of a release", shown(output), entry.Name()),
			}
		}
	}
	return nil
}

// checkDistinct refuses an output that is one of the inputs or lies where the next run
// would read it as input.
func checkDistinct(job *jobfile.Job, in *dataset.Dataset) error {
	output, err := absolute(job.Output.Path)
	if err != nil {
		return fmt.Errorf("find output %s: %w", job.Output.Path, err)
	}
	real := realPath(output)
	for _, file := range in.Files() {
		input, err := absolute(file)
		if err != nil {
			return fmt.Errorf("find input %s: %w", file, err)
		}
		if input = realPath(input); input == real || strings.HasPrefix(input, location.Join(real, "")) {
			return overlap(job)
		}
	}
	written := output
	if fileset.IsDirectory(job.Output.Path) {
		written = location.Join(output, fileset.PartName(0))
	}
	for _, pattern := range job.Input {
		found, err := dataset.Finds(pattern, written)
		if err != nil {
			return err
		}
		if found {
			return overlap(job)
		}
	}
	return nil
}

// shown is an output's path or URL as messages have it, without the slash that ends a
// directory's.
func shown(output string) string {
	if location.IsRemote(output) {
		return strings.TrimSuffix(output, "/")
	}
	return filepath.Clean(output)
}

// absolute is the one spelling of a location, without the slash that ends a directory's.
func absolute(path string) (string, error) {
	if location.IsRemote(path) {
		return strings.TrimSuffix(path, "/"), nil
	}
	return filepath.Abs(path)
}

// realPath is a path without links, as far as it leads somewhere. A URL is left as it is.
func realPath(path string) string {
	if location.IsRemote(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

func overlap(job *jobfile.Job) error {
	return &fault.Error{
		Class: fault.Usage,
		Hint:  "write the release somewhere else",
		Err:   fmt.Errorf("write output %s: it is among the job's own input", job.Output.Path),
	}
}

// target is where a release is written until it is published.
type target struct {
	*publish.Publication
	directory bool
	upload    *upload // to an object store; nil: it stays on this machine
	uploaded  bool
}

// openTarget begins a release, or goes on with one: keep is told the paths of an earlier
// run's files and wants some to stay.
func (r *run) openTarget(keep func(path string) bool) (*target, error) {
	path := r.local
	publication, err := publish.ContinueOn(r.files(), filepath.Clean(path), fileset.IsDirectory(path), keep)
	if err != nil {
		return nil, err
	}
	t := &target{Publication: publication, directory: fileset.IsDirectory(path)}
	if output := r.job.Output.Path; location.IsRemote(output) {
		t.upload = &upload{from: t.Path(), to: output, fresh: !r.exists}
	}
	return t, nil
}

// publish puts the release where it is to be.
func (t *target) publish(ctx context.Context, threads int) error {
	if err := t.itemize(ctx, threads); err != nil {
		return err
	}
	if t.upload == nil {
		return t.Publish()
	}
	if err := t.upload.run(ctx); err != nil {
		return err
	}
	t.uploaded = true
	return t.Discard()
}

// done reports whether the release is where it is to be.
func (t *target) done() bool { return t.uploaded || t.Done() }

// path returns where a part lies until the release is published.
func (t *target) path(p part) string {
	if t.directory {
		return filepath.Join(t.Path(), p.Name)
	}
	return t.Path()
}

// part is a finished file of a release.
type part struct {
	Name   string        // in the folder where it is written
	Digest string        // once it is durable
	End    masking.Place // behind its last row group
}

// parts writes encoded row groups to the target's one file, or to part files in turn.
type parts struct {
	target   *target
	columns  []writer.Column
	metadata map[string]string
	finished []part
	ended    func() // called when one more is finished

	name   string // of the open part
	groups int    // in it
	file   publish.Handle
	writer *writer.Writer
	footer *spill.Ledger // of the open part
}

// Next returns where the parts that are finished end.
func (p *parts) Next() masking.Place {
	if len(p.finished) == 0 {
		return masking.Place{}
	}
	return p.finished[len(p.finished)-1].End
}

// Add appends a row group, whose copied pages lie in source and behind which is a place.
func (p *parts) Add(source io.ReaderAt, g *writer.EncodedRowGroup, end masking.Place) error {
	if p.writer == nil {
		if err := p.open(); err != nil {
			return err
		}
	}
	if err := p.writer.WriteFrom(source, g); err != nil {
		return err
	}
	if err := p.footer.Draw(p.writer.Held()); err != nil {
		return &fault.Error{Class: fault.Resources, Hint: "set or raise output.row_group_rows, or give more with --memory", Err: err}
	}
	if p.groups++; p.target.directory && p.groups == groupsPerPart {
		return p.finish(end)
	}
	return nil
}

func (p *parts) open() (err error) {
	p.file, p.name = p.target.File(), filepath.Base(p.target.Path())
	if p.target.directory {
		p.name = fileset.PartName(len(p.finished))
		if p.file, err = p.target.Create(p.name); err != nil {
			return err
		}
	}
	p.groups = 0
	p.writer, err = writer.New(p.file, p.columns, p.metadata)
	return err
}

// finish writes the open part's footer.
func (p *parts) finish(end masking.Place) error {
	err := p.writer.Close()
	p.footer.Close()
	if p.target.directory {
		err = errors.Join(err, p.file.Close())
	}
	p.writer = nil
	if err == nil {
		p.finished = append(p.finished, part{Name: p.name, End: end})
		p.ended()
	}
	return err
}

// close ends the last part; after a failure it only lets go of it.
func (p *parts) close(complete bool, end masking.Place) error {
	defer p.footer.Close()
	switch {
	case p.writer != nil && complete:
		return p.finish(end)
	case p.writer != nil && p.target.directory:
		return p.file.Close()
	}
	return nil
}

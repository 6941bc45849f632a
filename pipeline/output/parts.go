package output

import (
	"errors"
	"path"
	"path/filepath"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
)

// GroupsPerPart is the number of row groups in a full part file of a directory. The last part file
// of a folder may have fewer row groups.
const GroupsPerPart = 16

// Parts writes encoded row groups to the single file of the target, or to one part file after
// another.
type Parts struct {
	Target   *Target
	Metadata map[string]string
	Footer   *spill.Account // draws the memory of the open part's footer

	open   fileset.Part
	folder string // the folder of the open part
	groups int    // the number of row groups in the open part
	file   *publish.Handle
	writer *writer.Writer
}

// Add appends a row group. All row groups of a part have the same folder.
func (p *Parts) Add(g *writer.EncodedRowGroup, folder string) error {
	if p.writer != nil && folder != p.folder {
		if err := p.finish(); err != nil {
			return err
		}
	}
	if p.writer == nil {
		if err := p.begin(folder); err != nil {
			return err
		}
	}
	if err := p.writer.Write(g); err != nil {
		return err
	}
	if err := p.Footer.Draw(p.writer.Held()); err != nil {
		return spill.Instead(err, "set or raise output.row_group_rows")
	}
	p.open.Rows += g.Rows
	if p.groups++; p.Target.directory && p.groups == GroupsPerPart {
		return p.finish()
	}
	return nil
}

// begin opens the next part.
func (p *Parts) begin(folder string) (err error) {
	p.folder = folder
	p.file, p.groups = p.Target.File(), 0
	p.open = fileset.Part{Name: filepath.Base(p.Target.Path())}
	if p.Target.directory {
		p.open.Name = path.Join(folder, fileset.PartName(len(p.Target.Finished)))
		if p.file, err = p.Target.Create(p.open.Name); err != nil {
			return err
		}
	}
	p.writer, err = writer.New(p.file, p.Target.Columns, p.Metadata)
	return err
}

// finish writes the footer of the open part and closes the part.
func (p *Parts) finish() error {
	err := p.writer.Close()
	p.Footer.Close()
	if p.Target.directory {
		err = errors.Join(err, p.file.Close())
	}
	p.writer = nil
	if err == nil {
		p.Target.Finished = append(p.Target.Finished, p.open)
	}
	return err
}

// Close finishes the last part. If the release is not complete, Close only closes the file of the
// part.
func (p *Parts) Close(complete bool) error {
	defer p.Footer.Close()
	switch {
	case p.writer != nil && complete:
		return p.finish()
	case p.writer != nil && p.Target.directory:
		return p.file.Close()
	}
	return nil
}

package release

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// Finding is one thing in a released file that has no business there. It holds no value.
type Finding struct {
	Column   string // empty when it concerns the whole file
	RowGroup int    // −1 when it concerns the whole file
	What     string
}

func (f Finding) String() string {
	switch {
	case f.RowGroup < 0 && f.Column == "":
		return f.What
	case f.RowGroup < 0:
		return fmt.Sprintf("column %s: %s", f.Column, f.What)
	case f.Column == "":
		return fmt.Sprintf("row group %d: %s", f.RowGroup, f.What)
	}
	return fmt.Sprintf("column %s, row group %d: %s", f.Column, f.RowGroup, f.What)
}

// FooterLeaks looks for what the file must not hold outside of its pages: in the footer, and
// in bytes that no reader would miss. It returns the findings in the order of the file.
func (r *File) FooterLeaks() ([]Finding, error) {
	s := &leakScan{release: r}
	s.footer()
	if err := s.bytes(); err != nil {
		return nil, fmt.Errorf("scan %s: %w", r.path, err)
	}
	return s.findings, nil
}

// leakScan gathers findings.
type leakScan struct {
	release  *File
	findings []Finding
}

func (s *leakScan) find(column string, rowGroup int, what string) {
	s.findings = append(s.findings, Finding{Column: column, RowGroup: rowGroup, What: what})
}

// footer looks at what the footer says about the whole file.
func (s *leakScan) footer() {
	f := s.release.footer.FileMetaData.FileMetaData
	for _, kv := range f.KeyValueMetadata {
		if kv.Key != CutKey {
			s.find("", -1, "metadata besides "+CutKey)
		}
	}
	if f.GetCreatedBy() != formats.CreatedBy {
		s.find("", -1, "not written by kcut")
	}
	for _, e := range f.Schema {
		if e.IsSetFieldID() {
			s.find(e.Name, -1, "field id of the source")
		}
	}
}

// rowGroup looks at what the footer says about the chunks of a row group.
func (s *leakScan) rowGroup(g *rowGroup) {
	for i, c := range g.RowGroups[0].Columns {
		name := g.column(i).Path()
		if len(c.MetaData.KeyValueMetadata) > 0 {
			s.find(name, g.number, "metadata of a column chunk")
		}
		if c.MetaData.IsSetBloomFilterOffset() {
			s.find(name, g.number, "bloom filter")
		}
		if c.IsSetColumnIndexOffset() || c.IsSetOffsetIndexOffset() {
			s.find(name, g.number, "page index")
		}
	}
}

// bytes looks at the bytes of the footer, and for some that no reader would miss.
func (s *leakScan) bytes() error {
	r := s.release
	used := []extent{{r.footer.at, r.size}, {0, int64(len(magic))}}
	groups := &leakScan{}
	plain, err := r.footer.plain()
	if err != nil {
		return err
	}
	err = r.eachRowGroup(func(g *rowGroup) error {
		for _, e := range g.extents() {
			used = touch(used, e)
		}
		groups.rowGroup(g)
		same, err := g.isPlain()
		plain = plain && same
		return err
	})
	s.gaps(used)
	if !plain {
		s.find("", -1, "a footer that kcut does not write")
	}
	s.findings = append(s.findings, groups.findings...)
	return err
}

// gaps looks for bytes that belong to nothing that the footer accounts for.
func (s *leakScan) gaps(used []extent) {
	end := int64(0)
	for _, e := range join(used) {
		if e.from > end {
			s.find("", -1, fmt.Sprintf("%d bytes that the footer does not account for", e.from-end))
		}
		end = max(end, e.to)
	}
}

package release

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
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
	for g := range r.RowGroups() {
		s.rowGroup(g)
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
	f := s.release.footer.FileMetaData
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
func (s *leakScan) rowGroup(g int) {
	for i, c := range s.release.footer.RowGroups[g].Columns {
		name := s.release.footer.Schema.Column(i).Path()
		if len(c.MetaData.KeyValueMetadata) > 0 {
			s.find(name, g, "metadata of a column chunk")
		}
		if c.MetaData.IsSetBloomFilterOffset() {
			s.find(name, g, "bloom filter")
		}
		if c.IsSetColumnIndexOffset() || c.IsSetOffsetIndexOffset() {
			s.find(name, g, "page index")
		}
	}
}

// extent is a range of bytes of the file.
type extent struct{ from, to int64 }

// bytes looks for bytes that no reader would miss.
func (s *leakScan) bytes() error {
	r := s.release
	var tail [8]byte
	if _, err := r.file.ReadAt(tail[:], r.size-8); err != nil {
		return err
	}
	footer := extent{to: r.size - 8}
	footer.from = footer.to - int64(binary.LittleEndian.Uint32(tail[:]))
	s.gaps(footer)
	return s.form(footer)
}

// gaps looks for bytes that belong to no column chunk and not to the footer.
func (s *leakScan) gaps(footer extent) {
	r := s.release
	used := []extent{{0, int64(len(magic))}, {footer.from, r.size}}
	for g, group := range r.footer.RowGroups {
		for i := range group.Columns {
			from, size := r.extent(g, i)
			used = append(used, extent{from, from + size})
		}
	}
	slices.SortFunc(used, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	end := int64(0)
	for _, e := range used {
		if e.from > end {
			s.find("", -1, fmt.Sprintf("%d bytes that the footer does not account for", e.from-end))
		}
		end = max(end, e.to)
	}
}

// form compares the footer with what its fields look like when they are written again. One
// of other bytes has fields that readers skip.
func (s *leakScan) form(footer extent) (err error) {
	defer fence.Catch(&err)
	raw := make([]byte, footer.to-footer.from)
	if _, err := s.release.file.ReadAt(raw, footer.from); err != nil {
		return err
	}
	if later := s.release.later; later != nil {
		if !later.plain {
			s.find("", -1, "a footer that kcut does not write")
		}
		return nil
	}
	var again bytes.Buffer
	if _, err := s.release.footer.WriteTo(&again, nil); err != nil {
		return fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	if !bytes.Equal(raw, again.Bytes()) {
		s.find("", -1, "a footer that kcut does not write")
	}
	return nil
}

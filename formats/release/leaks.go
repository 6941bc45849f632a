package release

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
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

// Leaks looks for everything that a release must not hold, in the whole file and in the
// pages of the masked columns, given with a function that accepts the labels of their cut,
// and holds the pages of all columns against their checksums. It returns the findings in the
// order of the file; formats.ErrSchema when a masked column is missing; formats.ErrDamaged or
// formats.ErrUnsupported when a page is not as it was written or cannot be read, and so not
// be cleared.
func (r *File) Leaks(ctx context.Context, masked map[string]func(label string) bool) ([]Finding, error) {
	s := &leakScan{release: r, masked: masked}
	s.footer()
	if err := s.bytes(); err != nil {
		return nil, fmt.Errorf("scan %s: %w", r.path, err)
	}
	for g := range r.RowGroups() {
		s.rowGroup(g)
		if err := s.pages(ctx, g); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(masked)) {
		for g := range r.RowGroups() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := s.column(g, name, masked[name]); err != nil {
				return nil, fmt.Errorf("scan column %s of row group %d of %s: %w", name, g, r.path, err)
			}
		}
		if _, err := r.leaf(name); err != nil {
			return nil, fmt.Errorf("scan column %s of %s: %w", name, r.path, err)
		}
	}
	return s.findings, nil
}

// leakScan gathers findings.
type leakScan struct {
	release  *File
	masked   map[string]func(label string) bool
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

// column looks into the chunk of a masked column.
func (s *leakScan) column(g int, name string, accept func(string) bool) error {
	leaf, err := s.release.leaf(name)
	if err != nil {
		return err
	}
	c, err := s.release.chunk(g, leaf)
	if err != nil {
		return err
	}
	pages := &pageScan{accept: accept, form: c.form}
	if err := c.scan(pages); err != nil {
		return err
	}
	if m := s.release.footer.RowGroups[g].Columns[leaf].MetaData.Statistics; m != nil {
		for _, v := range [][]byte{m.Min, m.Max, m.MinValue, m.MaxValue} {
			pages.statistic(v)
		}
	}
	for _, what := range pages.report() {
		s.find(name, g, what)
	}
	return nil
}

// pageScan counts what is wrong with the pages of a chunk.
type pageScan struct {
	accept func(string) bool
	form   form

	entries []string
	used    []bool
	foreign int // dictionary entries that are no labels
	values  int // values in pages that are no labels
	bounds  int // statistics that are no labels
	spare   int // bytes after values
}

func (s *pageScan) dictionary(entries []string, spare int) {
	s.entries, s.used = entries, make([]bool, len(entries))
	s.spare += spare
	for _, e := range entries {
		if !s.accept(e) {
			s.foreign++
		}
	}
}

func (s *pageScan) page(p *page) {
	s.spare += p.spare
	for _, index := range p.indexes {
		s.used[index] = true
	}
	for _, v := range p.values {
		if !s.accept(v) {
			s.values++
		}
	}
	if p.stats.HasMin {
		s.statistic(p.stats.Min)
	}
	if p.stats.HasMax {
		s.statistic(p.stats.Max)
	}
}

// statistic looks at a smallest or largest value; nil is none. The format asks for a
// smallest 0 of floats to be written as -0.
func (s *pageScan) statistic(v []byte) {
	if v == nil {
		return
	}
	if s.form.size > 0 && len(v) != s.form.size {
		s.bounds++
		return
	}
	if text := s.form.text(v); !s.accept(text) && (text != "-0" || !s.accept("0")) {
		s.bounds++
	}
}

// report says in words what was counted.
func (s *pageScan) report() []string {
	unused := 0
	for _, u := range s.used {
		if !u {
			unused++
		}
	}
	var report []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{s.foreign, "dictionary entries that are no labels of the cut"},
		{unused, "dictionary entries that no row uses"},
		{s.values, "values that are no labels of the cut"},
		{s.bounds, "statistics that are no labels of the cut"},
		{s.spare, "bytes after the values of a page"},
	} {
		if c.n > 0 {
			report = append(report, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return report
}

package release

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
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
func (r *File) FooterLeaks() (findings []Finding, err error) {
	find := func(column, what string) { findings = append(findings, Finding{column, -1, what}) }
	for _, kv := range r.footer.KeyValueMetadata {
		if kv.Key != CutKey {
			find("", "metadata besides "+CutKey)
		}
	}
	if r.footer.CreatedBy != formats.CreatedBy {
		find("", "not written by kcut")
	}
	for i := range r.footer.Schema {
		if e := &r.footer.Schema[i]; e.FieldID != 0 {
			find(e.Name, "field id of the source")
		}
	}
	used := []formats.Range{{From: r.footer.at, To: r.size}, {From: 0, To: int64(len(meta.Magic))}}
	plain := r.footer.plain
	var ofGroups []Finding
	err = r.eachRowGroup(func(g *rowGroup) error {
		for _, e := range g.extents() {
			used = touch(used, e)
		}
		plain = plain && g.plain
		ofGroups = append(ofGroups, g.leaks()...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scan %s: %w", r.path, err)
	}
	end := int64(0)
	for _, e := range join(used) {
		if e.From > end {
			find("", fmt.Sprintf("%d bytes that the footer does not account for", e.From-end))
		}
		end = max(end, e.To)
	}
	if !plain {
		find("", "a footer that kcut does not write")
	}
	return append(findings, ofGroups...), nil
}

// leaks looks at what the footer says about the chunks of a row group.
func (g *rowGroup) leaks() (findings []Finding) {
	for i := range g.Columns {
		c := &g.Columns[i]
		var report []string
		if len(c.MetaData.V.KeyValueMetadata) > 0 {
			report = append(report, "metadata of a column chunk")
		}
		if c.MetaData.V.BloomFilterOffset.Valid {
			report = append(report, "bloom filter")
		}
		if c.ColumnIndexOffset.Valid || c.OffsetIndexOffset.Valid {
			report = append(report, "page index")
		}
		findings = g.find(findings, g.leaf(i).Column(), report)
	}
	return findings
}

// find adds what was reported of a column.
func (g *rowGroup) find(findings []Finding, column string, report []string) []Finding {
	for _, what := range report {
		findings = append(findings, Finding{column, g.number, what})
	}
	return findings
}

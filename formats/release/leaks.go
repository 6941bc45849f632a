package release

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// Finding is content of a released file that it must not have. It contains no value.
type Finding struct {
	Column   string // empty if it concerns the whole file
	RowGroup int    // −1 if it concerns the whole file
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

// FooterLeaks looks for content that the file must not have outside of its pages: in the footer,
// and in bytes that no reader needs. It returns the findings in the order of the file.
func (r *File) FooterLeaks() (findings []Finding, err error) { return r.footerLeaks(CutKey) }

// footerLeaks is FooterLeaks for a file with one given metadata key.
func (r *File) footerLeaks(key string) (findings []Finding, err error) {
	find := func(column, what string) { findings = append(findings, Finding{column, -1, what}) }
	for i, kv := range r.footer.KeyValueMetadata {
		switch {
		case kv.Key != key:
			find("", "metadata besides "+key)
		case i > 0:
			find("", "more than one "+key) // readers use different ones
		}
	}
	if r.footer.CreatedBy != formats.CreatedBy {
		find("", "not written by kcut")
	}
	for i := range r.footer.Schema {
		if e := &r.footer.Schema[i]; e.FieldID != 0 {
			find(e.Name, "field id of the source")
		} else if isStray(e) {
			find(e.Name, "digits or a length that its type does not have")
		}
	}
	names := make(map[string]bool)
	for _, name := range r.Columns() {
		if names[name] {
			find(name, "a name that another column has")
		}
		names[name] = true
	}
	used := []formats.Range{{From: r.footerAt, To: r.size}, {From: 0, To: int64(len(meta.Magic))}}
	plain := r.footer.Plain && isOwnFooter(r.footer)
	var ofGroups []Finding
	err = r.eachRowGroup(func(g *rowGroup) error {
		for _, e := range g.extents() {
			used = touch(used, e)
		}
		plain = plain && g.Plain() && g.isOwn()
		ofGroups = append(ofGroups, g.leaks()...)
		return nil
	})
	if err != nil {
		return nil, err
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

// isStray reports whether an element of the schema has digits or a length that its type does not
// have, or wrong ones.
func isStray(e *format.SchemaElement) bool {
	said := format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	is, decimal := e.LogicalType.Value.(*format.DecimalType)
	if !decimal && e.LogicalType.Value == nil && e.ConvertedType == thrift.New(deprecated.Decimal) {
		is, decimal = &said, true
	}
	digits := e.Scale.Valid || e.Precision.Valid
	return digits && !decimal || e.TypeLength.Valid && e.Type.V != format.FixedLenByteArray ||
		decimal && (e.Scale.Valid && said.Scale != is.Scale ||
			e.Precision.Valid && said.Precision != is.Precision)
}

// isOwnFooter reports whether the parts that no reader needs are those that kcut writes: the root
// of the schema, which has a name, and orders.
func isOwnFooter(f *meta.Footer) bool {
	root := format.SchemaElement{Name: "schema", NumChildren: thrift.New(int32(len(f.Columns)))}
	other := func(o format.ColumnOrder) bool {
		_, ok := o.Value.(*format.TypeDefinedOrder)
		return !ok
	}
	return f.Version == 2 && f.Schema[0] == root && len(f.ColumnOrders) == len(f.Leaves) &&
		!slices.ContainsFunc(f.ColumnOrders, other)
}

// isOwn reports whether sums, places and lists that readers do not need are those that kcut writes.
func (g *rowGroup) isOwn() bool {
	unpacked, packed := int64(0), int64(0)
	for i := range g.Columns {
		c := g.Chunk(i)
		unpacked, packed = unpacked+c.TotalUncompressedSize, packed+c.TotalCompressedSize
		if g.Columns[i].FileOffset != 0 || c.Sizes.Valid ||
			!slices.Equal(c.Encoding, encodings(c.EncodingStats)) {
			return false
		}
	}
	return g.TotalByteSize == unpacked && g.TotalCompressedSize == thrift.New(packed) &&
		g.FileOffset == thrift.New(g.Chunk(0).Extent().From) &&
		g.Ordinal == thrift.New(int16(g.Number))
}

// encodings lists the encodings of a chunk's pages, and of the levels of its data pages.
func encodings(pages []format.PageEncodingStats) (list []format.Encoding) {
	for _, p := range pages {
		of := []format.Encoding{p.Encoding, format.RLE}
		if p.PageType == format.DictionaryPage {
			of = of[:1]
		}
		for _, e := range of {
			if !slices.Contains(list, e) {
				list = append(list, e)
			}
		}
	}
	return list
}

// leaks checks the metadata of the chunks of a row group.
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
		if c.ColumnIndexOffset.Valid || c.OffsetIndexOffset.Valid || c.ColumnIndexLength.Valid ||
			c.OffsetIndexLength.Valid {
			report = append(report, "page index")
		}
		findings = g.find(findings, g.leaf(i).Column(), report)
	}
	return findings
}

// find adds findings about a column.
func (g *rowGroup) find(findings []Finding, column string, report []string) []Finding {
	for _, what := range report {
		findings = append(findings, Finding{column, g.Number, what})
	}
	return findings
}

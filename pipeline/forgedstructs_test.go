package pipeline

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// Verification finds structs that are no intervals of the cut, and structs with other content.
func TestVerifyFindsStructs(t *testing.T) {
	dir := numberTable(wholeType, []string{"1", "2", "3", "4", "5", "6"}, 10).folder(t,
		numberJob(", render: interval"), 60)
	mustRun(t, dir, nil)
	cut := cutOf(t, dir)
	if len(cut.Columns[0].Cut) < 3 {
		t.Fatalf("this release tells too little: %+v", cut)
	}
	for name, tt := range map[string]struct {
		change func([]writer.Part) []writer.Part
		want   []string
	}{
		"nothing": {func(p []writer.Part) []writer.Part { return p }, nil},
		"a field more": {func(p []writer.Part) []writer.Part {
			return append(p, writer.Part{Name: "raw", Values: p[0].Values, Codes: p[0].Codes})
		}, []string{"column x has other fields than intervals have"}},
		"fields in disorder": {func(p []writer.Part) []writer.Part {
			return []writer.Part{p[1], p[0], p[2]}
		}, []string{"column x has other fields than intervals have"}},
		"ends of two labels": {func(p []writer.Part) []writer.Part {
			p[0].Codes[0] = p[0].Codes[2]
			return p
		}, []string{"column x: ends that no label of its cut has together"}},
		"other ends belong": {func(p []writer.Part) []writer.Part {
			p[2].Values.Data = []byte("both")
			return p
		}, []string{"column x.closed, row group 0: 1 dictionary entries that are no labels of " +
			"the cut"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "forged.parquet")
			writeStructs(t, path, cut, tt.change)
			mustFind(t, path, tt.want...)
		})
	}
}

// writeStructs writes a release of a cut of column x, with the same number of rows for every
// label, and with changed fields.
func writeStructs(
	t *testing.T, path string, cut *cutfile.File, change func([]writer.Part) []writer.Part,
) {
	t.Helper()
	ends, closed := &formats.Values{Type: wholeType}, &formats.Values{Type: textType}
	closed.AppendBytes([]byte("left"))
	parts, labels := []writer.Part{{Name: "lower", Values: ends}, {Name: "upper", Values: ends},
		{Name: "closed", Values: closed}}, &formats.Values{Type: textType}
	var codes, classes []uint32
	for i, label := range cut.Columns[0].Cut {
		labels.AppendBytes([]byte(label.Label))
		for part, end := range []json.RawMessage{label.Lower, label.Upper} {
			if text, ok := cutfile.EndText(end); ok {
				must(t, ends.Parse(text))
				parts[part].Codes = append(parts[part].Codes, uint32(ends.Len()))
			} else {
				parts[part].Codes = append(parts[part].Codes, 0)
			}
		}
		parts[2].Codes = append(parts[2].Codes, 1)
		for range 60 / len(cut.Columns[0].Cut) {
			codes, classes = append(codes, uint32(i+1)), append(classes, 1)
		}
	}
	claimed := *cut
	claimed.Rows, claimed.Sets = int64(len(codes)), slices.Clone(cut.Sets)
	claimed.Sets[0].Anonymity = uint64(60 / len(cut.Columns[0].Cut))
	columns := []writer.Column{
		{Field: formats.Field{Name: "x", Type: formats.Type{Kind: formats.Nested}, Nullable: true},
			Masked: true, Parts: change(parts)},
		{Field: formats.Field{Name: "class", Type: textType}},
	}
	var b bytes.Buffer
	w, err := writer.New(&b, columns, map[string]string{cutfile.Key: textOf(t, &claimed)})
	must(t, err)
	g, err := writer.NewRowGroup(columns, writer.Options{})
	must(t, err)
	must(t, g.AppendLabels(0, labels, codes))
	must(t, g.Append(1, &formats.Column{Values: closed, Codes: classes}, 0, len(classes)))
	encoded, err := g.Encode()
	must(t, err)
	must(t, w.Write(encoded))
	must(t, w.Close())
	write(t, path, b.String())
}

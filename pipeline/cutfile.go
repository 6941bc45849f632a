package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// CutKey is the one metadata key of a released file.
const CutKey = "kcut.cut"

// cutVersion is the version of the cut's JSON form (docs/metadata.md).
const cutVersion = 1

// CutFile is the cut embedded in a released file: what was done to its columns and how
// anonymous that left them. It holds released labels only.
type CutFile struct {
	Version   int         `json:"version"`
	Kind      string      `json:"kind,omitempty"` // KindRegions; absent: labels depend on their own column alone
	Algorithm string      `json:"algorithm"`
	Class     string      `json:"class,omitempty"`
	Rows      int64       `json:"rows"`
	Sets      []SetReport `json:"quasi_identifiers"`
	Columns   CutColumns  `json:"columns"`
	Regions   []CutRegion `json:"regions,omitempty"`
	Steps     int         `json:"steps"`
	Applied   *Applied    `json:"applied,omitempty"` // the cut was not searched for, but an earlier release's

	Raw []byte `json:"-"` // the JSON it was read from
}

// KindRegions is the kind of a cut that masks several columns together: its regions say
// which labels go together.
const KindRegions = "regions"

// CutRegion is one region: the position of its label in every column's list, columns in
// their order. One past the end of the list is the column's mark of a suppressed value.
type CutRegion []uint32

// Applied says how a release differs from those that its cut was taken from.
type Applied struct {
	Undone     int    `json:"undone"`     // steps of the cut, since it was found
	Suppressed uint64 `json:"suppressed"` // records of this release with marks alone in the masked columns
}

// CutColumns is a JSON object from column names to cuts that keeps its order.
type CutColumns []CutColumn

// CutColumn is the cut of one masked column.
type CutColumn struct {
	Name       string     `json:"-"`
	Mask       string     `json:"mask"`
	Render     string     `json:"render,omitempty"` // bounds or midpoint; absent: labels
	Cut        []CutLabel `json:"cut"`
	Suppressed string     `json:"suppressed,omitempty"` // the mark of a suppressed value
}

// CutLabel is one released label of a column: a JSON string, null, or for an interval an
// object with its label and ends.
type CutLabel struct {
	Label    string
	Null     bool
	Interval bool
	Lower    json.RawMessage // a JSON number, or a string for dates and times; nil: open
	Upper    json.RawMessage
}

type cutInterval struct {
	Label *string         `json:"label"`
	Lower json.RawMessage `json:"lower,omitempty"`
	Upper json.RawMessage `json:"upper,omitempty"`
}

// MarshalJSON writes a string, null or object.
func (l CutLabel) MarshalJSON() ([]byte, error) {
	switch {
	case l.Null:
		return []byte("null"), nil
	case l.Interval:
		return marshalPlain(cutInterval{&l.Label, l.Lower, l.Upper})
	}
	return marshalPlain(l.Label)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *CutLabel) UnmarshalJSON(data []byte) error {
	*l = CutLabel{}
	switch {
	case string(data) == "null":
		l.Null = true
		return nil
	case data[0] != '{':
		return json.Unmarshal(data, &l.Label)
	}
	var interval cutInterval
	if err := json.Unmarshal(data, &interval); err != nil {
		return err
	}
	if interval.Label == nil {
		return errors.New("an interval has no label")
	}
	l.Label, l.Interval, l.Lower, l.Upper = *interval.Label, true, interval.Lower, interval.Upper
	return nil
}

// MarshalJSON writes the columns in their order.
func (c CutColumns) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := range c {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := marshalPlain(c[i].Name)
		if err != nil {
			return nil, err
		}
		column, err := marshalPlain(c[i])
		if err != nil {
			return nil, err
		}
		out.Write(append(append(name, ':'), column...))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads the columns in their order.
func (c *CutColumns) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return errors.New("columns is no JSON object")
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		column := CutColumn{}
		if err := in.Decode(&column); err != nil {
			return err
		}
		column.Name = name.(string)
		*c = append(*c, column)
	}
	return nil
}

// marshalPlain is json.Marshal without the escaping of <, > and &, which labels may hold.
func marshalPlain(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// ParseCut reads a cut's JSON form.
func ParseCut(data []byte) (*CutFile, error) {
	cut := &CutFile{Raw: data}
	if err := json.Unmarshal(data, cut); err != nil {
		return nil, fmt.Errorf("read cut: no valid JSON: %w", formats.ErrDamaged)
	}
	if cut.Version != cutVersion {
		return nil, fmt.Errorf("read cut: version %d, this kcut reads version %d: %w", cut.Version, cutVersion, formats.ErrUnsupported)
	}
	if err := cut.check(); err != nil {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	return cut, nil
}

// check makes sure of what a recount relies on: sets that demand something, of columns that
// have one cut each.
func (c *CutFile) check() error {
	names := make(map[string]bool, len(c.Columns))
	for _, column := range c.Columns {
		if names[column.Name] {
			return fmt.Errorf("column %s has two cuts: %w", column.Name, formats.ErrDamaged)
		}
		names[column.Name] = true
		if !slices.Contains([]string{jobfile.MaskGeneralize, jobfile.MaskDiscretize, jobfile.MaskSuppress}, column.Mask) {
			return fmt.Errorf("column %s has an unknown mask: %w", column.Name, formats.ErrDamaged)
		}
	}
	if err := c.checkRegions(); err != nil {
		return err
	}
	if len(c.Sets) == 0 {
		return fmt.Errorf("no quasi-identifier set: %w", formats.ErrDamaged)
	}
	for i, set := range c.Sets {
		if set.K < 1 || len(set.Columns) == 0 {
			return fmt.Errorf("quasi-identifier set %d demands nothing: %w", i+1, formats.ErrDamaged)
		}
		for _, name := range set.Columns {
			if !names[name] {
				return fmt.Errorf("quasi-identifier set %d has a column without a cut: %w", i+1, formats.ErrDamaged)
			}
		}
	}
	return nil
}

// checkRegions makes sure that a cut has regions if that is its kind, and that these have
// labels of their columns.
func (c *CutFile) checkRegions() error {
	if c.Kind != "" && c.Kind != KindRegions || (c.Kind == KindRegions) != (len(c.Regions) > 0) {
		return fmt.Errorf("its kind is unknown or does not fit: %w", formats.ErrDamaged)
	}
	for i, region := range c.Regions {
		if len(region) != len(c.Columns) {
			return fmt.Errorf("region %d has %d labels for %d columns: %w", i+1, len(region), len(c.Columns), formats.ErrDamaged)
		}
		for a, label := range region {
			if int(label) >= c.Columns[a].labels() {
				return fmt.Errorf("region %d has a label that column %s lacks: %w", i+1, c.Columns[a].Name, formats.ErrDamaged)
			}
		}
	}
	return nil
}

// labels returns the number of labels, the mark of a suppressed value among them.
func (c *CutColumn) labels() int {
	if c.Suppressed != "" {
		return len(c.Cut) + 1
	}
	return len(c.Cut)
}

// ReadCut returns the cut of a released file, of a released directory (its first part's),
// or of a file that holds the JSON alone.
func ReadCut(path string) (*CutFile, error) {
	ctx := context.Background()
	path, err := location.Resolve(path)
	if err != nil {
		return nil, notLocation(path, err)
	}
	parts, err := releaseParts(ctx, path)
	if err != nil {
		return nil, err
	}
	raw, err := embeddedCut(ctx, parts[0])
	if err != nil {
		return nil, err
	}
	cut, err := ParseCut(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parts[0], err)
	}
	return cut, nil
}

// maxCutFile bounds a cut file that is read whole.
const maxCutFile = 1 << 28

func embeddedCut(ctx context.Context, path string) ([]byte, error) {
	if text, err := cutText(ctx, path); err != nil || text != nil {
		return text, err
	}
	release, err := release.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer release.Close()
	text, ok := release.Metadata(CutKey)
	if !ok {
		return nil, &fault.Error{
			Class: fault.Input,
			Hint:  "name a file that kcut run has released",
			Err:   fmt.Errorf("read %s: it has no %s metadata: %w", path, CutKey, formats.ErrDamaged),
		}
	}
	return []byte(text), nil
}

// releaseParts returns the files of a release: itself, or a directory's part files in order.
func releaseParts(ctx context.Context, path string) ([]string, error) {
	if location.IsRemote(path) {
		return remoteParts(ctx, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fault.Error{Class: fault.Input, Err: fmt.Errorf("open release: %w", err)}
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path) // sorted by name, which is the order of the parts
	if err != nil {
		return nil, fmt.Errorf("list release %s: %w", path, err)
	}
	var parts []string
	for _, entry := range entries {
		if isPart(entry.Name()) {
			parts = append(parts, filepath.Join(path, entry.Name()))
		}
	}
	return someParts(path, parts)
}

// someParts refuses a release without part files.
func someParts(path string, parts []string) ([]string, error) {
	if len(parts) == 0 {
		return nil, &fault.Error{Class: fault.Input, Err: fmt.Errorf("open release %s: it has no part files: %w", path, formats.ErrNoInput)}
	}
	return parts, nil
}

// remoteParts is releaseParts in an object store.
func remoteParts(ctx context.Context, path string) (parts []string, err error) {
	if !isDirectory(path) {
		there, err := storage.Exists(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("open release: %w", err)
		}
		if there {
			return []string{path}, nil
		}
		path += "/"
	}
	objects, err := storage.List(ctx, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open release: %w", err)
	}
	for _, object := range objects {
		if isPart(object.Location[len(path):]) {
			parts = append(parts, object.Location)
		}
	}
	return someParts(path, parts)
}

// notLocation is the error of a URL that names no release.
func notLocation(text string, err error) error {
	return &fault.Error{Class: fault.Usage, Err: fmt.Errorf("open release: it is %w", err)}
}

// cutText returns the text of a file that is a cut and nothing else; nil of any other.
func cutText(ctx context.Context, path string) ([]byte, error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	defer file.Close()
	size := file.Info().Size()
	head := make([]byte, 1)
	if n, _ := file.ReadAt(head, 0); n == 0 || head[0] != '{' || size > maxCutFile {
		return nil, nil
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	return text, nil
}

// isPart reports whether a file of a released directory is one of its parts.
func isPart(name string) bool {
	return strings.HasPrefix(name, "part-") && strings.HasSuffix(name, ".parquet") && !strings.Contains(name, "/")
}

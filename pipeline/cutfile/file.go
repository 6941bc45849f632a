// Package cutfile implements the cut of a release in its file form: JSON under the only metadata
// key of a released file, or a file of its own (docs/metadata.md).
//
// Contract: the result of Parse has sets that demand something, with columns that have one cut
// each, and regions only of existing labels; Marshal writes it in the same bytes that a run wrote.
// Any other input is an error of class Input. A cut contains only released labels, so that
// everybody who may see the release may see it. Diff compares two cuts, column by column: its
// relations describe the labels of every possible value, only by the cuts and the job's taxonomies;
// where these do not suffice, the relation is Different or marked as inferred.
//
// Limits: a release may differ from its cut. Package pipeline writes cuts, and its verifier
// compares releases with them. The coarser of two releases need not be safer: two releases of the
// same people together may disclose more than either does.
package cutfile

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the embedded cut, of both kinds.
func Schema() []byte { return schema }

// Key is the only metadata key of a released file.
const Key = release.CutKey

// Version is the version of the cut's JSON form (docs/metadata.md).
const Version = 1

// File is the cut embedded in a released file: the masks of its columns, and the anonymity reached.
// It contains only released labels.
type File struct {
	Version int `json:"version"`
	// KindRegions; absent: labels depend only on their own column
	Kind      string `json:"kind,omitempty"`
	Algorithm string `json:"algorithm"`
	Class     string `json:"class,omitempty"`
	Rows      int64  `json:"rows"`
	Sets      []Set  `json:"quasi_identifiers"`

	// class sizes of rows on all labels; absent: nobody has counted them
	Union *risk.Union `json:"union,omitempty"`

	// the largest average risk of a row in each set that the job allowed; absent: any
	MaxAverageRisk float64 `json:"max_average_risk,omitempty"`

	// k and anonymity count entities, each of which may have several records
	Entity bool `json:"entity,omitempty"`
	// kept columns that are protected in every equivalence class
	Sensitive []Sensitive `json:"sensitive,omitempty"`

	// kept columns with keyed tokens, or replacements, instead of values
	Pseudonyms []string `json:"pseudonyms,omitempty"`
	// the form of the replacements, by column of Pseudonyms; the others have tokens
	Replacements map[string]string `json:"replacements,omitempty"`

	Columns Columns  `json:"columns"`
	Regions []Region `json:"regions,omitempty"`
	Steps   int      `json:"steps"`

	// Records that the search took away: with only the marks in the masked columns, and those that
	// are not in the release.
	Suppressed uint64 `json:"suppressed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`

	// the cut comes from an earlier release, not from a search
	Applied *Applied `json:"applied,omitempty"`

	Raw []byte `json:"-"` // the JSON from which it was parsed
}

// KindRegions is the kind of a cut that masks several columns together: its regions are
// combinations of labels.
const KindRegions = "regions"

// Set is one quasi-identifier set with its anonymity in the release.
type Set struct {
	Columns []string `json:"columns"`
	K       int      `json:"k"`
	// what the run has found of the people of a population in every class: their fewest, and the
	// smallest and the largest share of them who are in the release; 0: it did not ask
	KMap        uint64  `json:"k_map,omitempty"`
	MinPresence float64 `json:"min_presence,omitempty"`
	MaxPresence float64 `json:"max_presence,omitempty"`
	// of the smallest equivalence class: its number of records, or a lower bound of its number of
	// entities
	Anonymity uint64 `json:"anonymity"`
}

// OfPopulation returns the limits on the people of a population in every class of the set.
func (s *Set) OfPopulation() engine.Population {
	return engine.Population{KMap: s.KMap, MinPresence: s.MinPresence, MaxPresence: s.MaxPresence}
}

// Region is one region: the position of its label in every column's list, in the order of columns.
// One past the end of the list is the column's mark of a suppressed value.
type Region []uint32

// Applied describes how a release differs from those from which its cut was taken.
type Applied struct {
	// number of steps of the cut that were undone since it was found
	Undone int `json:"undone"`
	// number of records of this release with only the marks in the masked columns
	Suppressed uint64 `json:"suppressed"`
}

// Marked returns the number of records with only the marks in the masked columns, if the cut has
// it.
func (c *File) Marked() (records uint64, known bool) {
	if c.Applied != nil {
		return c.Applied.Suppressed, true
	}
	return c.Suppressed, c.Suppressed > 0
}

// Column is the cut of one masked column.
type Column struct {
	Name       string  `json:"-"`
	Mask       string  `json:"mask"`
	Render     string  `json:"render,omitempty"` // bounds or interval; absent: labels
	Cut        []Label `json:"cut"`
	Suppressed string  `json:"suppressed,omitempty"` // the mark of a suppressed value
	// suppress: the values that labels name, in the order that the job gives them; absent: bytewise
	Order []string `json:"order,omitempty"`
	// generalize: the nodes come from the values; absent: the job declares them, or an older kcut
	// wrote the cut
	Generated bool `json:"generated,omitempty"`
}

// Parse reads a cut's JSON form.
func Parse(data []byte) (*File, error) {
	cut := &File{Raw: data}
	if err := json.Unmarshal(data, cut); err != nil {
		return nil, fmt.Errorf("read cut: no valid JSON: %w", formats.ErrDamaged)
	}
	if cut.Version != Version {
		return nil, fmt.Errorf("read cut: version %d, this kcut reads version %d: %w", cut.Version,
			Version, formats.ErrUnsupported)
	}
	if err := cut.check(); err != nil {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	return cut, nil
}

// check checks what a recount relies on: sets that demand something, with columns that have one cut
// each.
func (c *File) check() error {
	names := make(map[string]bool, len(c.Columns))
	for _, column := range c.Columns {
		if names[column.Name] {
			return fmt.Errorf("column %s has two cuts: %w", column.Name, formats.ErrDamaged)
		}
		names[column.Name] = true
		if !column.spec().Masked() {
			return fmt.Errorf("column %s has an unknown mask: %w", column.Name, formats.ErrDamaged)
		}
	}
	for _, name := range c.Pseudonyms {
		if names[name] || name == c.Class {
			return fmt.Errorf("column %s has pseudonyms and a cut, or is the class: %w", name,
				formats.ErrDamaged)
		}
	}
	for name := range c.Replacements {
		if !slices.Contains(c.Pseudonyms, name) {
			return fmt.Errorf("column %s has replacements and no pseudonyms: %w", name,
				formats.ErrDamaged)
		}
	}
	if err := c.checkRegions(); err != nil {
		return err
	}
	if err := c.checkSensitive(); err != nil {
		return err
	}
	if len(c.Sets) == 0 {
		return fmt.Errorf("no quasi-identifier set: %w", formats.ErrDamaged)
	}
	for i, set := range c.Sets {
		if set.K < 1 || len(set.Columns) == 0 {
			return fmt.Errorf("quasi-identifier set %d demands nothing: %w", i+1,
				formats.ErrDamaged)
		}
		for _, name := range set.Columns {
			if !names[name] {
				return fmt.Errorf("quasi-identifier set %d has a column without a cut: %w", i+1,
					formats.ErrDamaged)
			}
		}
	}
	return nil
}

// checkRegions checks that a cut has regions if that is its kind, and that these have labels of
// their columns.
func (c *File) checkRegions() error {
	if c.Kind != "" && c.Kind != KindRegions || (c.Kind == KindRegions) != (len(c.Regions) > 0) {
		return fmt.Errorf("its kind is unknown or does not fit: %w", formats.ErrDamaged)
	}
	for i, region := range c.Regions {
		if len(region) != len(c.Columns) {
			return fmt.Errorf("region %d has %d labels for %d columns: %w", i+1, len(region),
				len(c.Columns), formats.ErrDamaged)
		}
		for a, label := range region {
			if int(label) >= c.Columns[a].Labels() {
				return fmt.Errorf("region %d has a label that column %s lacks: %w", i+1,
					c.Columns[a].Name, formats.ErrDamaged)
			}
		}
	}
	return nil
}

// Labels returns the number of labels, including the mark of a suppressed value.
func (c *Column) Labels() int {
	if c.Suppressed != "" {
		return len(c.Cut) + 1
	}
	return len(c.Cut)
}

// Texts returns the texts of the labels without the null, and whether the null is one of them.
func (c *Column) Texts() (texts []string, null bool) {
	for _, label := range c.Cut {
		if label.Null {
			null = true
		} else {
			texts = append(texts, label.Label)
		}
	}
	return texts, null
}

// SetOrder sets the order of the values that the column's labels name, given that of a job. Labels
// of regions are sets of values.
func (c *Column) SetOrder(order []string, regions bool) {
	if c.Order = nil; order == nil {
		return
	}
	for _, label := range c.Cut {
		for _, value := range label.named(regions) {
			if !value.Null {
				c.Order = append(c.Order, value.Text)
			}
		}
	}
	slices.SortFunc(c.Order, job.InOrder(order))
	c.Order = slices.Compact(c.Order)
}

// spec returns the column as a job's.
func (c *Column) spec() *job.Column {
	return &job.Column{Name: c.Name, Mask: c.Mask, Render: c.Render}
}

// Is reports whether the column's labels are of a kind.
func (c *Column) Is(kind engine.Mask) bool { return job.Gives(c.Mask, kind) }

// IsValues reports whether the labels are values of the input, none of which is coarser than
// another one.
func (c *Column) IsValues() bool { return c.Is(engine.Suppress) }

// IsRanges reports whether the labels are intervals.
func (c *Column) IsRanges() bool { return c.Is(engine.Discretize) }

// Released returns the names of the released columns for the column.
func (c *Column) Released() []string { return c.spec().Released() }

// Columns is a JSON object from column names to cuts that keeps its order.
type Columns []Column

// Position returns the position of the column with a name, or -1.
func (c Columns) Position(name string) int {
	return slices.IndexFunc(c, func(column Column) bool { return column.Name == name })
}

// MarshalJSON writes the columns in their order.
func (c Columns) MarshalJSON() ([]byte, error) {
	members := make([][]byte, len(c))
	for i := range c {
		name, bad := text.JSON(c[i].Name)
		column, err := text.JSON(c[i])
		if err = errors.Join(bad, err); err != nil {
			return nil, err
		}
		members[i] = append(append(name, ':'), column...)
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// UnmarshalJSON reads the columns in their order.
func (c *Columns) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return errors.New("columns is no JSON object")
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		column := Column{}
		if err := in.Decode(&column); err != nil {
			return err
		}
		column.Name = name.(string)
		*c = append(*c, column)
	}
	return nil
}

// Label is one released label of a column: a JSON string, null, or for an interval an object with
// its label and ends.
type Label struct {
	Label    string `json:"label"`
	Null     bool   `json:"-"`
	Interval bool   `json:"-"`
	// a JSON number, or a string for dates and times; nil: open
	Lower json.RawMessage `json:"lower,omitempty"`
	Upper json.RawMessage `json:"upper,omitempty"`
}

// MarshalJSON writes a string, null or object.
func (l Label) MarshalJSON() ([]byte, error) {
	type interval Label // without this method
	switch {
	case l.Null:
		return []byte("null"), nil
	case l.Interval:
		return text.JSON(interval(l))
	case isPlain(l.Label):
		return append(append(append(make([]byte, 0, len(l.Label)+2), '"'), l.Label...), '"'), nil
	}
	return text.JSON(l.Label)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Label) UnmarshalJSON(data []byte) error {
	*l = Label{}
	switch {
	case string(data) == "null":
		l.Null = true
		return nil
	case data[0] == '"' && isPlain(data[1:len(data)-1]):
		l.Label = string(data[1 : len(data)-1])
		return nil
	case data[0] != '{':
		return json.Unmarshal(data, &l.Label)
	}
	interval := struct {
		Label        *string
		Lower, Upper json.RawMessage
	}{}
	if err := json.Unmarshal(data, &interval); err != nil {
		return err
	}
	if interval.Label == nil {
		return errors.New("an interval has no label")
	}
	*l = Label{Label: *interval.Label, Interval: true, Lower: interval.Lower, Upper: interval.Upper}
	return nil
}

// isPlain reports whether JSON needs no escapes for a text: there may be very many labels.
func isPlain[T string | []byte](label T) bool {
	for i := range len(label) {
		if c := label[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// EndText returns the text of an interval's end and whether it has one.
func EndText(end json.RawMessage) (string, bool) {
	if len(end) == 0 || string(end) == "null" {
		return "", false
	}
	var text string
	if end[0] == '"' && json.Unmarshal(end, &text) == nil {
		return text, true
	}
	return string(end), true
}

// Plain returns the label without the ends of an interval.
func (l Label) Plain() engine.Label { return engine.Label{Text: l.Label, Null: l.Null} }

// meaning returns the label in the one form that two cuts have in common: an interval as a range.
func (l Label) meaning() engine.Label {
	if l.Interval {
		return engine.Label{Text: l.Ends().Range()}
	}
	return l.Plain()
}

// Ends returns the interval with the texts of its ends.
func (l Label) Ends() engine.Interval {
	lower, _ := EndText(l.Lower)
	upper, _ := EndText(l.Upper)
	return engine.Interval{Label: l.Label, Lower: lower, Upper: upper}
}

// Values returns the values in a label of a suppressed column in a region: one, or those of a set
// {a|b}.
func (l Label) Values() []engine.Label { return engine.Members(l.Plain()) }

// Named returns what a label of a column names in a region: values, nodes, or an interval with the
// null or without.
func (c *Column) Named(l Label) []engine.Label {
	if c.Is(engine.Generalize) {
		return engine.NodesOf(l.Plain())
	}
	return l.Values()
}

// named returns the values that a label of a suppressed column names: in regions, those of a set.
func (l Label) named(regions bool) []engine.Label {
	if regions {
		return l.Values()
	}
	return []engine.Label{l.Plain()}
}

// Read returns the cut of a released file, of a released directory (its first part's), or of a file
// with only the JSON.
func Read(ctx context.Context, path string) (*File, error) {
	cut, _, err := read(ctx, path)
	return cut, err
}

// read is Read. It also returns the parts of the release; a file with only the JSON has none.
func read(ctx context.Context, path string) (cut *File, parts []string, err error) {
	defer func() { err = fileset.Advise(err) }()
	if path, err = fileset.Resolve(path); err != nil {
		return nil, nil, err
	}
	if parts, err = fileset.Parts(ctx, path); err != nil {
		return nil, nil, err
	}
	first := parts[0]
	text, err := textOf(ctx, first)
	switch {
	case text != nil:
		parts = nil
	case err == nil:
		text, err = embedded(ctx, first)
	}
	if err != nil {
		return nil, nil, err
	}
	if cut, err = Parse(text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", first, err)
	}
	return cut, parts, nil
}

// maxFile is the largest size of a cut file, which is read whole.
const maxFile = 1 << 28

func embedded(ctx context.Context, path string) ([]byte, error) {
	release, err := release.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer release.Close()
	text, ok := release.Metadata(Key)
	if !ok {
		return nil, fault.Errorf(fault.Input, "name a file that kcut run has released",
			"read %s: it is not a release of kcut: it has no %s metadata", path, Key)
	}
	return []byte(text), nil
}

// textOf returns the text of a file that is a cut and nothing else; nil for any other.
func textOf(ctx context.Context, path string) ([]byte, error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	defer file.Close()
	size := file.Info().Size()
	head := make([]byte, 1)
	if n, _ := file.ReadAt(head, 0); n == 0 || head[0] != '{' || size > maxFile {
		return nil, nil
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	return text, nil
}

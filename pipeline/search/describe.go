package search

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// drawRecoding draws the memory of regions, or suppressed classes, until the release is written:
// their own, and while their cut is written, that of its labels' positions and twice its text.
func (s *Search) drawRecoding(recoding engine.Recoding) error {
	regions, ok := recoding.(*engine.Regions)
	if !ok {
		return s.Budget.Draw("the equivalence classes that are suppressed", recoding.Bytes())
	}
	need := regions.Bytes() + int64(regions.Len())*int64(positionBytes+
		(4+2*positionText)*len(s.Masked))
	if err := s.Budget.Draw(fmt.Sprintf("the release's %d regions", regions.Len()),
		need); err != nil {
		return spill.Instead(err, "raise k: regions have k records at least")
	}
	return nil
}

// The approximate memory of the positions of a region, and of one position as text.
const (
	positionBytes = 24
	positionText  = 5
)

// largeCut is the number of bytes from which a cut is noted: a reader of the release reads it with
// the footer, however few columns and rows it needs.
const largeCut = 1 << 20

// describer describes a recoding of a bound job.
type describer struct {
	*Search
	recoding engine.Recoding
}

// describe returns the cut that is embedded in the release, with its text.
func (s *Search) describe(recoding engine.Recoding) (*cutfile.File, error) {
	d, report := &describer{s, recoding}, s.Out
	cut := &cutfile.File{
		Version: cutfile.Version, Algorithm: s.algorithm, Class: s.Job.Class,
		Rows: report.Released, Sets: report.Sets, Steps: report.Steps, Applied: report.Applied,
		Entity: s.Job.Entity != "", Sensitive: describeSensitive(s.Job.Sensitive),
	}
	for _, spec := range s.Specs {
		if spec.Mask == job.MaskPseudonym {
			cut.Pseudonyms = append(cut.Pseudonyms, spec.Name)
		}
	}
	if s.requirement.MaxSuppressed > 0 || s.applied != nil {
		cut.Dropped = uint64(s.Dataset.Rows() - report.Released)
	}
	if s.requirement.MaxSuppressed > 0 && s.applied == nil {
		cut.Suppressed = report.Suppressed
	}
	fields := s.Dataset.Schema().Fields
	for a, field := range s.Masked {
		cut.Columns = append(cut.Columns, d.describeColumn(a, s.Specs[field], fields[field].Type))
	}
	if regions, ok := recoding.(*engine.Regions); ok {
		cut.Kind, cut.Regions = cutfile.KindRegions, d.describeRegions(regions)
	}
	var err error
	cut.Raw, err = cutfile.Marshal(cut)
	if n := len(cut.Regions); n > 0 && len(cut.Raw) >= largeCut {
		s.Noted(fmt.Sprintf("the cut has %d regions and takes %d bytes of every released file, "+
			"which are read whenever one is opened: a larger k makes fewer", n, len(cut.Raw)))
	}
	return cut, err
}

// describeSensitive describes the protections of sensitive columns: they hold, or there is no
// release.
func describeSensitive(asked []job.Sensitive) (described []cutfile.Sensitive) {
	for _, s := range asked {
		d := cutfile.Sensitive{
			Column:   s.Column,
			L:        s.L,
			Nulls:    s.Nulls,
			EntropyL: s.EntropyL,
			T:        s.T,
		}
		if s.MaxConfidence > 0 || len(s.Confidences) > 0 {
			d.MaxConfidence = &cutfile.Shares{Every: s.MaxConfidence}
		}
		for _, c := range s.Confidences {
			if d.MaxConfidence.Of == nil {
				d.MaxConfidence.Of = make(map[string]float64)
			}
			d.MaxConfidence.Of[c.Value] = c.Most
		}
		described = append(described, d)
	}
	return described
}

// describeRegions converts label numbers to positions in the described columns: the order is the
// same, except that the mark of suppressed values comes last.
func (d *describer) describeRegions(regions *engine.Regions) []cutfile.Region {
	positions := make([][]uint32, len(d.Masked))
	for a, field := range d.Masked {
		labels, next := regions.Labels(a), uint32(0)
		for _, label := range labels {
			if masking.IsMark(label, d.Specs[field].Mask) {
				positions[a] = append(positions[a], uint32(len(labels)-1))
				continue
			}
			positions[a] = append(positions[a], next)
			next++
		}
	}
	described := make([]cutfile.Region, regions.Len())
	for i := range described {
		described[i] = make(cutfile.Region, 0, len(positions))
		for a, label := range regions.Region(int32(i)) {
			described[i] = append(described[i], positions[a][label])
		}
	}
	// without their labels some bounds are the same
	if suppressed, dropped := regions.Lost(); suppressed+dropped > 0 && d.applied == nil {
		known := make(map[string]bool, len(described))
		described = slices.DeleteFunc(described, func(r cutfile.Region) bool {
			key := fmt.Sprint(r)
			is := known[key]
			known[key] = true
			return is
		})
	}
	return described
}

func (d *describer) describeColumn(a int, spec *job.Column, t formats.Type) cutfile.Column {
	column := cutfile.Column{Name: spec.Name, Mask: spec.Mask}
	if spec.Render != job.RenderLabel {
		column.Render = spec.Render
	}
	column.Generated = spec.Mask == job.MaskGeneralize && d.Taxonomies.Of[spec.Name].Tree == nil
	// Records are suppressed in the column, or some region of the cut consists of marks.
	marked := d.Out.Suppressed > 0 || d.given != nil && d.given.Column(a).Suppressed != ""
	labels := d.recoding.Labels(a)
	intervals := d.recoding.Intervals(a)
	for i, label := range labels {
		if masking.IsMark(label, spec.Mask) {
			if marked {
				column.Suppressed = label.Text
			}
			continue
		}
		described := cutfile.Label{Label: label.Text, Null: label.Null}
		if intervals != nil && !label.Null {
			described.Interval = true
			described.Lower = endJSON(t, intervals[i].Lower)
			described.Upper = endJSON(t, intervals[i].Upper)
		}
		column.Cut = append(column.Cut, described)
	}
	if column.Cut == nil {
		column.Cut = []cutfile.Label{}
	}
	if spec.Mask == job.MaskSuppress {
		column.Suppressed = engine.Suppressed
	}
	return column
}

// endJSON returns the JSON of an interval's end: a number for numbers, else a string; nil when the
// end is open.
func endJSON(t formats.Type, text string) json.RawMessage {
	if text == "" {
		return nil
	}
	switch t.Kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal:
		if json.Valid([]byte(text)) { // an infinity is not valid
			return json.RawMessage(text)
		}
	}
	quoted, _ := json.Marshal(text) // a string can always be marshalled
	return quoted
}

package pipeline

import (
	"encoding/json"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// describe makes the cut that is embedded in the release.
func (r *run) describe() *CutFile {
	cut := &CutFile{
		Version: cutVersion, Algorithm: r.job.Algorithm.Name, Class: r.job.Class,
		Rows: r.report.Released, Sets: r.report.Sets, Steps: r.report.Steps,
	}
	fields := r.dataset.Schema().Fields
	for a, field := range r.prepared.masked {
		cut.Columns = append(cut.Columns, r.describeColumn(a, r.prepared.specs[field], fields[field].Type))
	}
	if regions, ok := r.recoding.(*engine.Regions); ok {
		cut.Kind, cut.Regions = KindRegions, describeRegions(regions)
	}
	return cut
}

// describeRegions translates label numbers to positions in the described columns.
func describeRegions(regions *engine.Regions) []CutRegion {
	positions := make([][]uint32, len(regions.Columns))
	for a := range positions {
		next := uint32(0)
		mark := -1
		for i, label := range regions.Columns[a].Labels {
			if regions.Columns[a].Intervals == nil && label.Text == engine.Suppressed {
				mark = i
			}
		}
		for i := range regions.Columns[a].Labels {
			if i == mark {
				positions[a] = append(positions[a], uint32(len(regions.Columns[a].Labels)-1))
				continue
			}
			positions[a] = append(positions[a], next)
			next++
		}
	}
	described := make([]CutRegion, regions.Len())
	for i := range described {
		for a, label := range regions.Region(int32(i)) {
			described[i] = append(described[i], positions[a][label])
		}
	}
	return described
}

func (r *run) describeColumn(a int, spec *jobfile.Column, t formats.Type) CutColumn {
	column := CutColumn{Name: spec.Name, Mask: spec.Mask}
	if spec.Render == jobfile.RenderBounds || spec.Render == jobfile.RenderMidpoint {
		column.Render = spec.Render
	}
	labels := r.recoding.Labels(a)
	intervals := r.recoding.Intervals(a)
	for i, label := range labels {
		described := CutLabel{Label: label.Text, Null: label.Null}
		if intervals != nil && !label.Null {
			described.Interval = true
			described.Lower = endJSON(t, intervals[i].Lower)
			described.Upper = endJSON(t, intervals[i].Upper)
		}
		if spec.Mask == jobfile.MaskSuppress && !label.Null && label.Text == engine.Suppressed {
			continue
		}
		column.Cut = append(column.Cut, described)
	}
	if column.Cut == nil {
		column.Cut = []CutLabel{}
	}
	if spec.Mask == jobfile.MaskSuppress {
		column.Suppressed = engine.Suppressed
	}
	return column
}

// endJSON is the JSON of an interval's end: a number for numbers, else a string; nil when
// the end is open.
func endJSON(t formats.Type, text string) json.RawMessage {
	if text == "" {
		return nil
	}
	switch t.Kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal:
		if json.Valid([]byte(text)) { // not so for an infinity
			return json.RawMessage(text)
		}
	}
	quoted, _ := json.Marshal(text) // a string always marshals
	return quoted
}

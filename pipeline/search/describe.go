package search

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
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

// describe returns the cut that is embedded in the release, with its text.
func (s *Search) describe(recoding engine.Recoding) (*cutfile.File, error) {
	report := s.Out
	cut := &cutfile.File{
		Version: cutfile.Version, Algorithm: s.algorithm, Class: s.Job.Class,
		Rows: report.Released, Sets: report.Sets, Steps: report.Steps, Applied: report.Applied,
		Entity: s.Job.Entity != "", Sensitive: s.Job.Sensitive,
		Replacements: make(map[string]string),
	}
	cut.Sensitive = slices.Clone(cut.Sensitive)
	for i := range cut.Sensitive {
		if of := &cut.Sensitive[i]; of.THierarchical != nil { // verify knows the cut alone
			of.Taxonomy = job.Taxonomy{Tree: s.Taxonomies.Of[of.Column].Tree}
		}
	}
	for _, spec := range s.Specs {
		if spec.Mask == job.MaskPseudonym {
			cut.Pseudonyms = append(cut.Pseudonyms, spec.Name)
			if spec.With != "" {
				cut.Replacements[spec.Name] = spec.With
			}
		}
	}
	if s.requirement.MaxSuppressed > 0 || s.applied != "" {
		cut.Dropped = uint64(s.Dataset.Rows() - report.Released)
	}
	if s.requirement.MaxSuppressed > 0 && s.applied == "" {
		cut.Suppressed = report.Suppressed
	}
	for a, column := range s.CutColumns() {
		marked, order := s.Out.Suppressed > 0, column.Spec.Order
		if s.given != nil { // some region of its cut may consist of marks
			given := s.given.Column(a)
			marked, order = marked || given.Suppressed != "", given.Order
		}
		cut.Columns = append(cut.Columns, column.Describe(recoding, a, order, marked))
	}
	if regions, ok := recoding.(*engine.Regions); ok {
		cut.Kind, cut.Regions = cutfile.KindRegions, s.describeRegions(regions, cut.Columns)
	}
	var err error
	cut.Raw, err = text.JSON(cut)
	if n := len(cut.Regions); n > 0 && len(cut.Raw) >= largeCut {
		s.Noted(fmt.Sprintf("the cut has %d regions and takes %d bytes of every released file, "+
			"which are read whenever one is opened: a larger k makes fewer", n, len(cut.Raw)))
	}
	return cut, err
}

// describeRegions describes the regions of a recoding, each once: without the labels of records
// that are taken away some bounds are the same.
func (s *Search) describeRegions(regions *engine.Regions, of cutfile.Columns) []cutfile.Region {
	described := domain.DescribeRegions(regions, of)
	if suppressed, dropped := regions.Lost(); suppressed+dropped > 0 && s.applied == "" {
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

package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
)

// OfRelease tells how well the rows of a release hide each other, from its files alone: on its labels and,
// where it has kept columns beside the class, on these and on both. It reads on as many threads as fit
// tells for so many columns.
func OfRelease(ctx context.Context, path string, opt formats.ReadOptions, budget *spill.Budget, advanced func(rows int64), fit func(columns int) int) (_ *Report, err error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	in, err := dataset.Open(ctx, parts, opt)
	if err != nil {
		return nil, fmt.Errorf("open the release: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	report, r := &Report{}, &Request{}
	for _, set := range cut.Sets {
		report.K = max(report.K, set.K)
	}
	var columns, kept, labels, both []int
	for i, field := range in.Schema().Fields {
		if field.Type.Kind == formats.Nested {
			continue
		}
		at := len(columns)
		if columns = append(columns, i); slices.ContainsFunc(cut.Columns, func(c cutfile.Column) bool { return released(&c, field.Name) }) {
			labels = append(labels, at)
		} else {
			kept, report.Columns = append(kept, at), append(report.Columns, field.Name)
		}
		both = append(both, at)
	}
	r.Groupings = [][]int{labels, kept, both}
	if len(kept) == 0 || slices.Equal(report.Columns, []string{cut.Class}) {
		r.Groupings, report.Columns = r.Groupings[:1], nil
	}
	counts, err := Count(ctx, in, r, columns, fit(len(columns)), budget, advanced)
	if err != nil {
		return nil, err
	}
	defer counts.Close()
	report.Labels = counts.Figures(0, report.K)
	if len(r.Groupings) > 1 {
		report.Kept, report.Both = counts.Figures(1, report.K), counts.Figures(2, report.K)
		report.Both.Refine(report.Kept)
		report.Both.Refine(report.Labels)
	}
	return report, nil
}

// released reports whether a column of a release is made of a masked one.
func released(c *cutfile.Column, name string) bool {
	if c.Render == "bounds" {
		return name == c.Name+"_lower" || name == c.Name+"_upper"
	}
	return name == c.Name
}

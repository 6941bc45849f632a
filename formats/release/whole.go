package release

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Leaks looks for everything that a release must not hold, in the whole file and in the
// pages of the masked columns, given with a function that accepts the labels of their cut.
// It returns the findings and errors of FooterLeaks and of a Scanner over all row groups.
func (r *File) Leaks(ctx context.Context, masked map[string]func(label string) bool) ([]Finding, error) {
	var columns []Masked
	for _, name := range slices.Sorted(maps.Keys(masked)) {
		columns = append(columns, Masked{Name: name, Number: func(label string, null bool) (uint32, bool) {
			return 0, null || masked[name](label)
		}})
	}
	findings, err := r.FooterLeaks()
	s := NewScanner(columns)
	nothing := func(int, int, []Numbers) error { return nil }
	for g := range r.RowGroups() {
		for _, part := range []func() ([]Finding, error){
			func() ([]Finding, error) { return s.Kept(ctx, r, g) },
			func() ([]Finding, error) { return s.Rows(ctx, r, g, nothing) },
		} {
			found, failed := part()
			findings, err = append(findings, found...), cmp.Or(err, failed)
		}
	}
	return findings, err
}

// LabelColumn holds one column of a row group as codes of labels.
type LabelColumn struct {
	Labels []string // distinct
	Codes  []uint32 // one a row: 0 is null, c ≥ 1 is Labels[c−1]
}

// Labels reads whole flat columns of a row group, in the order asked for. The labels of
// columns that are not text are canonical texts, as Values.Text gives them. It returns the
// errors of a Scanner.
func (r *File) Labels(ctx context.Context, rowGroup int, columns []string) ([]LabelColumn, error) {
	result := make([]LabelColumn, len(columns))
	masked := make([]Masked, len(columns))
	for i, name := range columns {
		masked[i] = Masked{Name: name, Number: result[i].number(make(map[string]uint32))}
	}
	_, err := NewScanner(masked).Rows(ctx, r, rowGroup, func(_, rows int, numbers []Numbers) error {
		for i := range numbers {
			result[i].append(rows, &numbers[i])
		}
		return nil
	})
	for i := range result { // the bounds of the column were asked for last, and may be no value of it
		result[i].Labels = result[i].Labels[:slices.Max(append(result[i].Codes, 0))]
	}
	return result, err
}

// number returns a function that numbers labels as they come.
func (c *LabelColumn) number(known map[string]uint32) func(string, bool) (uint32, bool) {
	return func(label string, null bool) (uint32, bool) {
		if null {
			return 0, true
		}
		if _, ok := known[label]; !ok {
			c.Labels = append(c.Labels, label)
			known[label] = uint32(len(c.Labels))
		}
		return known[label], true
	}
}

func (c *LabelColumn) append(rows int, n *Numbers) {
	if !n.Same {
		c.Codes = append(c.Codes, n.Every...)
		return
	}
	for range rows {
		c.Codes = append(c.Codes, n.One)
	}
}

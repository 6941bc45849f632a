package release

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// leaks looks for everything that a release must not hold, in the whole file and in the
// pages of the masked columns, given with a function that accepts the labels of their cut.
func (r *File) leaks(ctx context.Context, masked map[string]func(label string) bool) (findings []Finding, err error) {
	var columns []Masked
	for _, name := range slices.Sorted(maps.Keys(masked)) {
		columns = append(columns, Masked{Name: name, Number: func(label string, null bool) (uint32, bool) {
			return 0, null || masked[name](label)
		}})
	}
	findings, err = r.FooterLeaks()
	s := NewScanner(columns)
	for g := range r.RowGroups() {
		kept, failed := s.Kept(ctx, r, g)
		rows, failedToo := s.Rows(ctx, r, g, func(int, int, []Numbers) error { return nil })
		findings, err = slices.Concat(findings, kept, rows), errors.Join(err, failed, failedToo)
	}
	return findings, err
}

// texts reads whole flat columns of a row group as labels, "null" for null.
func (r *File) texts(ctx context.Context, rowGroup int, columns ...string) ([][]string, error) {
	texts, masked := make([][]string, len(columns)), make([]Masked, len(columns))
	labels := []string{"null"}
	for i, name := range columns {
		masked[i] = Masked{Name: name, Number: func(label string, null bool) (uint32, bool) {
			if null {
				return 0, true
			}
			labels = append(labels, label)
			return uint32(len(labels) - 1), true
		}}
	}
	_, err := NewScanner(masked).Rows(ctx, r, rowGroup, func(_, rows int, numbers []Numbers) error {
		for i := range numbers {
			for row := range rows {
				texts[i] = append(texts[i], labels[numbers[i].of(row)])
			}
		}
		return nil
	})
	return texts, err
}

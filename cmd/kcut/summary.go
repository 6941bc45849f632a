package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/figure"
)

// summarize tells what a run has released: in words on a terminal, else as one log record.
func (u *ui) summarize(ctx context.Context, r *pipeline.Report) error {
	if u.quiet || r.AlreadyDone {
		return nil
	}
	if !u.terminal {
		u.log.Info("released", "output", r.Output, "rows", r.Released, "dropped", r.Rows-r.Released, "suppressed", r.Suppressed,
			"quasi_identifiers", r.Sets, "steps", r.Steps)
		return nil
	}
	cut, err := cutfile.Read(ctx, r.Output)
	if err != nil {
		return fmt.Errorf("summarize release: %w", err)
	}
	fmt.Fprintf(u.err, "released %s: %s, %s%s\n\n%s\n%s\n%s%s\n",
		r.Output, figure.Count(r.Released, "row"), extent(cut), lossWords(r), setTable(r.Sets), countTable(cut.Columns), liveRecords(r.Live), stageLine(r))
	return nil
}

// lossWords tells how many records are released without anything about them, and how many
// are not released.
func lossWords(r *pipeline.Report) (words string) {
	if r.Suppressed > 0 {
		words = fmt.Sprintf(", %s of them suppressed", figure.Grouped(int64(r.Suppressed)))
	}
	if dropped := r.Rows - r.Released; dropped > 0 {
		words += fmt.Sprintf("; %s dropped", figure.Count(dropped, "row"))
	}
	return words
}

// setTable lists quasi-identifier sets and how anonymous they are.
func setTable(sets []cutfile.Set) string {
	t := newTable("quasi-identifiers", "k", "anonymity")
	for _, set := range sets {
		t.add(strings.Join(set.Columns, ", "), figure.Grouped(int64(set.K)), figure.Grouped(int64(set.Anonymity)))
	}
	return t.String()
}

// countTable lists masked columns and how much of them is released.
func countTable(columns cutfile.Columns) string {
	t := newTable("column", "mask", "labels")
	for _, c := range columns {
		t.add(c.Name, c.Mask, figure.Grouped(int64(len(labelTexts(c)))))
	}
	return t.String()
}

// liveRecords tells how far the search got: how many records it could still tell apart after
// its first step, and after its last.
func liveRecords(live []uint64) string {
	if len(live) == 0 {
		return ""
	}
	return fmt.Sprintf("live records: %s after the first step, %s after the last\n",
		figure.Grouped(int64(live[0])), figure.Grouped(int64(live[len(live)-1])))
}

func stageLine(r *pipeline.Report) string {
	var parts []string
	for _, stage := range r.Stages {
		parts = append(parts, fmt.Sprintf("%s %.1f s", stage.Stage, stage.Seconds))
	}
	return strings.Join(parts, ", ")
}

package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// reading reads row groups of a release on workers, each with a scanner and a counter.
type reading struct {
	*rules
	scanners []*release.Scanner
	counters []*counter
	open     []int // keys that are counted
	again    bool  // footers, kept columns and marks have been read before
	rows     atomic.Int64
	progress func(rows int64)
}

func (r *rules) newReading(spans []*span, workers int) *reading {
	p := &reading{rules: r, scanners: release.NewScanners(r.masked(), workers), progress: func(int64) {}}
	for range workers {
		p.counters = append(p.counters, newCounter(r, spans))
	}
	for key := range r.keys {
		p.open = append(p.open, key)
	}
	return p
}

// part reads row groups of a part, and its footer when they are the first; a negative end is
// that of the part.
func (p *reading) part(ctx context.Context, w workers.Worker, path string, from, to int) (findings []string, err error) {
	file, err := release.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	defer file.Close() // it was only read
	if to < 0 {
		to = file.RowGroups()
	}
	findings, err = p.rowGroups(ctx, w, file, from, to)
	for i, finding := range findings {
		findings[i] = path + ": " + finding
	}
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	return findings, nil
}

func (p *reading) rowGroups(ctx context.Context, w workers.Worker, file *release.File, from, to int) (findings []string, err error) {
	if from == 0 && !p.again {
		if findings, err = p.footer(file); err != nil {
			return nil, err
		}
	}
	if lacking := p.lackingColumn(file); lacking != "" {
		return append(findings, fmt.Sprintf("the cut speaks of column %s, which is not there", lacking)), nil
	}
	if from < 0 || to > file.RowGroups() || from > to {
		return nil, fmt.Errorf("it has %d row groups, none from %d to %d", file.RowGroups(), from, to)
	}
	groups := make([][]string, to-from)
	err = w.Each(len(groups), func(w workers.Worker, i int) (err error) {
		groups[i], err = p.rowGroup(ctx, w, file, from+i)
		return err
	})
	return append(findings, slices.Concat(groups...)...), err
}

// footer looks at what a part says of itself.
func (p *reading) footer(file *release.File) (findings []string, err error) {
	leaks, err := file.FooterLeaks()
	if text, _ := file.Metadata(cutfile.Key); text != string(p.cut.Raw) {
		findings = append(findings, "its cut differs from the first part's")
	}
	return appendTexts(findings, leaks), err
}

// rowGroup reads a row group.
func (p *reading) rowGroup(ctx context.Context, w workers.Worker, file *release.File, g int) (findings []string, err error) {
	scanner := p.scanners[w.Number]
	scanner.Share(w.Share)
	if !p.again {
		leaks, err := scanner.Kept(ctx, file, g)
		if err != nil {
			return nil, err
		}
		findings = appendTexts(findings, leaks)
	}
	leaks, err := scanner.Rows(ctx, file, g, func(worker, rows int, numbers []release.Numbers) error {
		return p.count(p.counters[worker], rows, numbers)
	})
	p.progress(p.rows.Add(file.RowGroupRows(g)))
	return appendTexts(findings, leaks), err
}

func appendTexts(texts []string, leaks []release.Finding) []string {
	for _, leak := range leaks {
		texts = append(texts, leak.String())
	}
	return texts
}

func (p *reading) count(c *counter, rows int, numbers []release.Numbers) error {
	if p.marks != nil && !p.again {
		c.countMarked(rows, numbers)
	}
	for _, key := range p.open {
		if err := c.count(key, rows, numbers); err != nil {
			return err
		}
	}
	return nil
}

// marked returns how many rows with marks alone were read.
func (p *reading) marked() (rows uint64) {
	for _, c := range p.counters {
		rows += c.marked
	}
	return rows
}

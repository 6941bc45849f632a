package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
)

// reading reads row groups of a release on workers, each with a scanner and a counter.
type reading struct {
	*rules
	shown    []release.Kept // shown kept columns
	scanners []*release.Scanner
	counters []*counter
	shares   []*shareRange // by key
	open     []int         // keys that still must be counted
	again    bool          // footers, kept columns, marks and values have been read
	whole    []*valueRows  // by shown column: its values in all rows; nil: they are not counted
	rows     atomic.Int64
	progress func(rows int64)
}

// newReading returns a reading by the given number of workers, which see the sensitive columns and
// the class first, then other kept columns.
func (r *rules) newReading(kept []string, workers int) *reading {
	shown := r.hashed()
	for _, name := range kept {
		if !slices.ContainsFunc(shown, func(k release.Kept) bool { return k.Name == name }) {
			shown = append(shown, release.Kept{Name: name, Hash: risk.HashValue, Null: risk.Null})
		}
	}
	p := &reading{rules: r, shown: shown, scanners: release.NewScanners(r.masked(), shown, workers),
		progress: func(int64) {}}
	for key := range r.keys {
		p.shares, p.open = append(p.shares, newShareRange(0)), append(p.open, key)
	}
	for range workers {
		p.counters = append(p.counters, newCounter(r, p.shares))
	}
	return p
}

// part reads the footer and all row groups of a part.
func (p *reading) part(
	ctx context.Context, w workers.Worker, path string,
) (findings []string, err error) {
	file, err := release.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	defer file.Close() // it was only read
	p.readFolders(path, file)
	findings, err = p.rowGroups(ctx, w, file)
	for i, finding := range findings {
		findings[i] = path + ": " + finding
	}
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	return findings, nil
}

func (p *reading) rowGroups(
	ctx context.Context, w workers.Worker, file *release.File,
) (findings []string, err error) {
	if !p.again {
		if findings, err = p.footer(file); err != nil {
			return nil, err
		}
	}
	if lacking := p.lackingColumn(file); lacking != "" {
		return append(findings,
			fmt.Sprintf("the cut speaks of column %s, which is not there", lacking)), nil
	}
	groups := make([][]string, file.RowGroups())
	err = w.Each(len(groups), func(w workers.Worker, i int) (err error) {
		groups[i], err = p.rowGroup(ctx, w, file, i)
		return err
	})
	return append(findings, slices.Concat(groups...)...), err
}

// footer checks the metadata of a part.
func (p *reading) footer(file *release.File) (findings []string, err error) {
	leaks, err := file.FooterLeaks()
	if text, stamped := file.Metadata(cutfile.Key); (stamped || !p.unstamped) &&
		text != string(p.cut.Raw) {
		findings = append(findings, "its cut differs from the first part's")
	}
	for _, name := range p.namesakes(file) {
		findings = append(findings,
			fmt.Sprintf("column %s has the name of a masked column that was released under others",
				name))
	}
	for _, name := range p.otherParts(file) {
		findings = append(findings,
			fmt.Sprintf("column %s has other fields than intervals have", name))
	}
	return appendTexts(findings, leaks), err
}

// rowGroup reads a row group.
func (p *reading) rowGroup(
	ctx context.Context, w workers.Worker, file *release.File, g int,
) (findings []string, err error) {
	scanner := p.scanners[w.Number]
	scanner.Share(w.Share)
	if !p.again {
		leaks, err := scanner.Kept(ctx, file, g)
		if err != nil {
			return nil, err
		}
		findings = appendTexts(findings, leaks)
	}
	leaks, err := scanner.Rows(ctx, file, g,
		func(worker, rows int, numbers []release.Numbers, kept []release.Hashes) error {
			return p.count(p.counters[worker], rows, numbers, kept)
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

func (p *reading) count(
	c *counter, rows int, numbers []release.Numbers, kept []release.Hashes,
) error {
	if p.marks != nil && !p.again {
		c.countMarked(rows, numbers)
	}
	if c.labelChanges != nil {
		c.countLabelChanges(rows, numbers)
	}
	c.readLone(rows, kept)
	for _, key := range p.open {
		if err := c.count(key, rows, numbers, kept); err != nil {
			return err
		}
	}
	for i, whole := range p.whole {
		if whole == nil {
			continue
		}
		if err := whole.count(rows, &kept[i]); err != nil {
			return err
		}
	}
	if c.classes != nil {
		c.classes.count(rows, kept)
	}
	return nil
}

// countGroupsOnly makes later passes count groups alone, and read no kept columns except sensitive
// ones and the class.
func (p *reading) countGroupsOnly() {
	for i, c := range p.counters {
		c.classes, c.labelChanges = nil, nil
		p.scanners[i].ShowKept(len(p.hashed()))
	}
}

// marked returns the number of rows that have only marks.
func (p *reading) marked() (rows uint64) {
	for _, c := range p.counters {
		rows += c.marked
	}
	return rows
}

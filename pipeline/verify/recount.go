package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// Recount is what was counted of some row groups of a release, going by its cut.
type Recount struct {
	Cut      [sha256.Size]byte // of the cut's JSON, by which labels are numbered
	Rows     int64
	Marked   uint64    // rows with marks alone, if the cut is an applied one that has marks
	Groups   [][]Group // of every quasi-identifier set, of a cut of regions of all masked columns, and of every set with each sensitive column; by key
	Findings []string  // in the order of the release

	// If an Exposure was asked for: the columns that are kept, and how many rows are alike (risk.Tallies).
	Kept  []string `json:",omitempty"`
	Alike []byte   `json:",omitempty"`
}

// Group is a combination of labels and the records that have it, at least 1. Its key is the numbers
// of the labels as digits of numbers of mixed radix, lowest first, as many in a word as fit; with a sensitive
// column the hash of its value comes last.
type Group struct {
	Key     []uint64
	Records uint64
}

func compareGroups(a, b Group) int { return slices.Compare(a.Key, b.Key) }

// Tally counts the row groups from ≤ number < to of a part of a release, going by the cut that
// all parts must have; a negative end is that of the part. What the part's footer gives away is
// found with the first row group. The groups take so many bytes while they are counted: an
// error that wraps spill.ErrBudget asks for fewer row groups at a time. What the part holds
// that it must not is a finding, and no error. Without an Exposure rows that are alike are not counted.
func Tally(ctx context.Context, cut *cutfile.File, part string, from, to int, memory int64, exposure *Exposure) (*Recount, error) {
	rules := rulesOf(cut)
	var kept []string
	if exposure != nil {
		var err error
		if kept, err = rules.keptColumns(ctx, part); err != nil {
			return nil, err
		}
	}
	spans := make([]*span, len(rules.keys))
	for i := range spans {
		spans[i] = newSpan()
		spans[i].limit = memory / int64(len(spans))
	}
	p, t := rules.newReading(spans, kept, 1), &Recount{Cut: rules.sum, Kept: kept}
	var alike *alike
	var sums *sums
	if exposure != nil {
		of := *exposure
		of.Budget = exposure.Budget.Part(exposure.Budget.Limit())
		defer func() { of.Budget.Return(of.Budget.Used()) }()
		sums = rules.newSums(&of, kept)
		alike = rules.newAlike(&of, sums, kept, p.shown, 1)
		p.counters[0].alike = alike
	}
	err := workers.Each(1, 1, func(w workers.Worker, _ int) (err error) {
		t.Findings, err = p.part(ctx, w, part, from, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Rows, t.Marked = p.rows.Load(), p.marked()
	if alike != nil {
		if t.Alike, err = sums.encode(alike, cut.Rows); err != nil {
			return nil, err
		}
	}
	for i, table := range p.counters[0].tables {
		if spans[i].until.Load() < hashShares {
			return nil, fmt.Errorf("verify %s: %w", part, errManyGroups)
		}
		var groups []Group
		for key, records := range table.all() {
			groups = append(groups, Group{slices.Clone(key), records})
		}
		slices.SortFunc(groups, compareGroups)
		t.Groups = append(t.Groups, groups)
	}
	return t, nil
}

// Merge returns the recount of the row groups of both, those of r first. It returns an error
// when they go by different cuts.
func (r *Recount) Merge(o *Recount) (*Recount, error) {
	if r.Cut != o.Cut || len(r.Groups) != len(o.Groups) {
		return nil, fmt.Errorf("merge recounts: they are of different cuts: %w", formats.ErrSchema)
	}
	sum := &Recount{Cut: r.Cut, Rows: r.Rows + o.Rows, Marked: r.Marked + o.Marked, Findings: slices.Concat(r.Findings, o.Findings), Kept: r.Kept}
	var err error
	if sum.Alike, err = mergeAlike(r.Alike, o.Alike); err != nil {
		return nil, err
	}
	for i := range r.Groups {
		groups := slices.Concat(r.Groups[i], o.Groups[i])
		slices.SortStableFunc(groups, compareGroups)
		merged := groups[:0]
		for _, g := range groups {
			if last := len(merged) - 1; last >= 0 && compareGroups(merged[last], g) == 0 {
				merged[last].Records += g.Records
			} else {
				merged = append(merged, g)
			}
		}
		sum.Groups = append(sum.Groups, merged)
	}
	return sum, nil
}

// encodedRecount is the JSON form of a recount, and its name with its version.
type encodedRecount struct {
	Form string
	*Recount
}

const recountForm = "kcut recount 3"

// Encode returns the recount as bytes, the same for the same recount.
func (r *Recount) Encode() []byte {
	data, err := json.Marshal(encodedRecount{recountForm, r})
	workers.Must(err) // it is numbers and texts
	return data
}

// DecodeRecount reads what Encode returned. Any other bytes are an error of class Input.
func DecodeRecount(data []byte) (*Recount, error) {
	e := encodedRecount{Recount: &Recount{}}
	if json.Unmarshal(data, &e) == nil && e.Form != recountForm && e.Form != "" {
		return nil, fmt.Errorf("read recount: it is of another version: %w", formats.ErrUnsupported)
	}
	r := e.Recount
	if r == nil || r.Rows < 0 || slices.ContainsFunc(r.Groups, areDisordered) || !bytes.Equal(r.Encode(), data) {
		return nil, fmt.Errorf("read recount: %w", formats.ErrDamaged)
	}
	return r, nil
}

// areDisordered reports whether groups are none that Tally makes.
func areDisordered(groups []Group) bool {
	for i, g := range groups {
		if len(g.Key) == 0 || g.Records == 0 || i > 0 && (len(g.Key) != len(groups[0].Key) || compareGroups(groups[i-1], g) >= 0) {
			return true
		}
	}
	return false
}

package verify

import (
	"bytes"
	"fmt"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
)

// Result is what a recount of a release found.
type Result struct {
	Path     string        `json:"path"`
	Rows     int64         `json:"rows"`
	Sets     []cutfile.Set `json:"quasi_identifiers"` // with the anonymity that was counted
	Findings []string      `json:"findings,omitempty"`
	OK       bool          `json:"ok"`

	// By its cut k counts entities, of which each may have several records. Whose a record is is not in the
	// release: the anonymity here is in records.
	Entity    bool       `json:"entity,omitempty"`
	Sensitive []Measured `json:"sensitive,omitempty"` // what was counted of sensitive columns, of every set

	// Union says how well rows hide each other on the labels of all masked columns together; nil: it was not counted.
	Union *risk.Union `json:"union,omitempty"`

	// Records that were too few, going by the cut: with marks alone, and those that are not in the release.
	Suppressed uint64 `json:"suppressed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`
}

// judge compares what is counted of a release with its cut.
type judge struct {
	*rules
	rows      int64
	marked    uint64
	anonymity []uint64     // of every set
	regions   *table       // of a cut of regions, else nil
	found     int          // regions that have records
	strange   uint64       // records that belong to no region
	released  [][]released // of every set
	groups    *groups      // nil: what groups are like is not asked for
	measures  []measures   // of every claim
	union     *risk.Union
	whole     []*table // of every sensitive column, the records that have a value, by its hash

	findings []string
	has      map[string]bool // findings
}

func newJudge(r *rules) *judge {
	j := &judge{rules: r, anonymity: make([]uint64, len(r.cut.Sets)), measures: r.newMeasures(), has: make(map[string]bool)}
	if r.hasRegions() {
		j.regions = r.regions()
	}
	for i := range r.cut.Sets {
		j.released = append(j.released, r.releasedIn(i))
	}
	return j
}

// find records a finding once.
func (j *judge) find(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !j.has[text] {
		j.has[text] = true
		j.findings = append(j.findings, text)
	}
}

// add records a group of a key, and its records.
func (j *judge) add(key int, group []uint64, records uint64) {
	switch {
	case key < len(j.cut.Sets):
		j.anonymity[key] = smaller(j.anonymity[key], records)
		j.see(key, group)
		if j.groups != nil {
			j.groups.add(key, group, records)
		}
	case j.regions.records(group) > 0:
		j.found++
	default:
		j.strange += records
	}
}

// smaller returns the smaller of two counts; 0 is none.
func smaller(a, b uint64) uint64 { return min(a-1, b-1) + 1 }

// result compares all that was counted with what the cut claims.
func (j *judge) result(path string) (*Result, error) {
	if text, err := cutfile.Marshal(j.cut); err != nil || !bytes.Equal(text, j.cut.Raw) {
		j.find("its cut is not of the form that kcut writes")
	}
	for _, flaw := range j.cut.Flaws() {
		j.find("%s", flaw)
	}
	r := &Result{Path: path, Rows: j.rows, Entity: j.cut.Entity, Dropped: j.cut.Dropped, Union: j.union}
	r.Suppressed, _ = j.cut.Marked()
	if j.rows != j.cut.Rows {
		j.find("it has %s, its cut claims %s", text.Count(j.rows, "row"), text.Grouped(j.cut.Rows))
	}
	for i, set := range j.cut.Sets {
		counted := cutfile.Set{Columns: set.Columns, K: set.K, Anonymity: j.anonymity[i]}
		r.Sets = append(r.Sets, counted)
		switch {
		case counted.Anonymity < uint64(set.K):
			j.find("quasi-identifier set %d: anonymity %d is below k = %d", i+1, counted.Anonymity, set.K)
		case counted.Anonymity < set.Anonymity, counted.Anonymity > set.Anonymity && !j.rendered(set) && !j.cut.Entity:
			j.find("quasi-identifier set %d: anonymity %d, its cut claims %d", i+1, counted.Anonymity, set.Anonymity)
		}
	}
	r.Sensitive = j.checkSensitive()
	if claimed := j.cut.Union; claimed != nil && j.union != nil && *claimed != *j.union && !j.cut.Entity {
		j.find("%s and %s of the rows are alone on all labels, and below the smallest k; its cut claims %s and %s",
			text.Percent(j.union.Unique), text.Percent(j.union.BelowK), text.Percent(claimed.Unique), text.Percent(claimed.BelowK))
	}
	if j.strange > 0 {
		j.find("it has labels that are no region of its cut in %s", text.Count(j.strange, "record"))
	}
	if j.regions != nil && j.regions.used > j.found && j.cut.Applied == nil { // else it may be an earlier release's
		j.find("its cut has %s without a record", text.Count(j.regions.used-j.found, "region"))
	}
	j.checkMarks()
	j.checkSeen()
	r.Findings, r.OK = j.findings, len(j.findings) == 0
	if r.OK {
		return r, nil
	}
	return r, fault.Errorf(fault.Privacy, "do not release this file",
		"verify %s: %s, the first: %s", path, text.Count(len(r.Findings), "finding"), r.Findings[0])
}

// checkMarks compares the records with marks alone with what the cut claims.
func (j *judge) checkMarks() {
	switch claimed, claims := j.cut.Marked(); {
	case !claims:
	case j.marks == nil && claimed > 0:
		j.find("its cut claims %d suppressed records, and a column has no mark", claimed)
	case j.marks == nil:
	case j.marked < claimed, j.exact && j.marked > claimed:
		j.find("%d records have marks alone, its cut claims %d", j.marked, claimed)
	}
}

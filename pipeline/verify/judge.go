package verify

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
)

// Result is the result of a release's recount.
type Result struct {
	Path string        `json:"path"`
	Rows int64         `json:"rows"`
	Sets []cutfile.Set `json:"quasi_identifiers"` // with the counted anonymity
	// AverageRisk has, by set, the average risk of a row: the number of classes, divided by the
	// number of rows.
	AverageRisk []float64 `json:"average_risk"`
	Findings    []string  `json:"findings,omitempty"`
	OK          bool      `json:"ok"`

	// Asked has the sets of the job, with the counted anonymity; nil: there is no job.
	Asked []cutfile.Set `json:"job,omitempty"`
	// Uncounted has what the job asks and the files do not show.
	Uncounted []string `json:"uncounted,omitempty"`

	// Entity is true if, by the cut, k counts entities, each of which may have several records. A
	// release does not say whose a record is, so the anonymity here counts records.
	Entity bool `json:"entity,omitempty"`
	// Population has for every set what its classes are in a table of the population, nil for a set
	// that was not counted there; nil: none was.
	Population []*risk.Register `json:"population,omitempty"`
	// Sensitive has the measures of sensitive columns, for every set.
	Sensitive []Measured `json:"sensitive,omitempty"`

	// Homogeneous has every set together with the class and every sensitive column.
	Homogeneous []Homogeneity `json:"homogeneous,omitempty"`

	// Union is the disclosure risk on the labels of all masked columns together; nil: it was not
	// counted.
	Union *risk.Union `json:"union,omitempty"`

	// Records that, by the cut, were too few: those that have only marks, and those that are not in
	// the release.
	Suppressed uint64 `json:"suppressed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`
}

// find adds a finding, once.
func (v *verifier) find(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !v.has[text] {
		v.has[text] = true
		v.findings = append(v.findings, text)
	}
}

// uncounted adds something that the job asks and the files do not show, once.
func (r *Result) uncounted(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Uncounted, text) {
		r.Uncounted = append(r.Uncounted, text)
	}
}

// add adds an entry of a key: a group, and its lone values; and its number of records.
func (v *verifier) add(key int, entry []uint64, records uint64) error {
	group := entry[:v.keys[key].size]
	switch {
	case key < len(v.sets):
		v.anonymity[key] = smaller(v.anonymity[key], records)
		v.classes[key]++
		v.addLone(key, entry[len(group):], records)
		v.see(key, group)
		if v.groups != nil {
			v.groups.add(key, group, records)
		}
		if v.population != nil && key < len(v.cut.Sets) {
			return v.addClass(key, group, records)
		}
	case v.regions.records(group) > 0:
		v.found++
	default:
		v.outside += records
	}
	return nil
}

// smaller returns the smaller of two counts; 0 means no count.
func smaller(a, b uint64) uint64 { return min(a-1, b-1) + 1 }

// result compares all counts with the claims of the cut.
func (v *verifier) result(path string) (*Result, error) {
	if text, err := text.JSON(v.cut); err != nil || !bytes.Equal(text, v.cut.Raw) {
		v.find("its cut is not of the form that kcut writes")
	}
	for _, flaw := range v.cut.Flaws() {
		v.find("%s", flaw)
	}
	r := &Result{Path: path, Rows: v.rows, Entity: v.cut.Entity, Dropped: v.cut.Dropped,
		Union: v.union, Population: v.registers, Homogeneous: v.homogeneous()}
	r.Suppressed, _ = v.cut.Marked()
	if v.rows != v.cut.Rows {
		v.find("it has %s, its cut claims %s", text.Count(v.rows, "row"), text.Grouped(v.cut.Rows))
	}
	for i, set := range v.cut.Sets {
		counted := set
		counted.Anonymity = v.anonymity[i]
		r.Sets = append(r.Sets, counted)
		if v.registers != nil {
			v.checkPopulation(i)
		}
		switch {
		case counted.Anonymity < uint64(set.K):
			v.find("quasi-identifier set %d: anonymity %d is below k = %d", i+1, counted.Anonymity,
				set.K)
		case counted.Anonymity < set.Anonymity,
			counted.Anonymity > set.Anonymity && !v.rendered(set) && !v.cut.Entity:
			v.find("quasi-identifier set %d: anonymity %d, its cut claims %d", i+1,
				counted.Anonymity, set.Anonymity)
		}
	}
	v.checkAverageRisk(r)
	r.Sensitive = v.checkSensitive()
	if claimed := v.cut.Union; claimed != nil && v.union != nil && *claimed != *v.union &&
		!v.cut.Entity {
		v.find("%s and %s of the rows are alone on all labels, and below the smallest k; "+
			"its cut claims %s and %s",
			text.Percent(v.union.Unique), text.Percent(v.union.BelowK),
			text.Percent(claimed.Unique), text.Percent(claimed.BelowK))
	}
	if v.outside > 0 {
		v.find("it has labels that are no region of its cut in %s", text.Count(v.outside, "record"))
	}
	// In an applied cut, the region may be that of an earlier release.
	if v.regions != nil && v.regions.used > v.found && v.cut.Applied == nil {
		v.find("its cut has %s without a record", text.Count(v.regions.used-v.found, "region"))
	}
	v.checkMarks()
	v.checkSeen()
	if v.asked != nil {
		v.checkAsked(r)
	}
	r.Findings, r.OK = v.findings, len(v.findings)+len(r.Uncounted) == 0
	switch {
	case r.OK:
		return r, nil
	case len(r.Findings) == 0:
		return r, fault.Errorf(fault.Usage, "run the job, which counts it",
			"hold %s to the job: %s", path, r.Uncounted[0])
	}
	return r, fault.Errorf(fault.Privacy, "do not release this file",
		"verify %s: %s, the first: %s", path, text.Count(len(r.Findings), "finding"), r.Findings[0])
}

// IsRisky reports whether an average risk exceeds a limit, if there is one: 0 is none.
func IsRisky(risk, most float64) bool { return most > 0 && risk > most+engine.Slack }

// IsAbove reports whether a share of the rows exceeds a limit. The tolerance is relative: any share
// but 0 exceeds a limit of 0, however many rows there are.
func IsAbove(share, most float64) bool { return share > most*(1+engine.Slack) }

// checkAverageRisk compares the average risk of every set with the cut's claim.
func (v *verifier) checkAverageRisk(r *Result) {
	most := v.cut.MaxAverageRisk
	for i, classes := range v.classes[:len(v.cut.Sets)] {
		risk := float64(classes) / float64(max(1, v.rows))
		if r.AverageRisk = append(r.AverageRisk, risk); IsRisky(risk, most) {
			v.find("quasi-identifier set %d: the average risk of a row is %s, its cut claims at "+
				"most %s", i+1, text.Percent(risk), text.Percent(most))
		}
	}
}

// checkMarks compares the number of records that have only marks with the cut's claim.
func (v *verifier) checkMarks() {
	switch claimed, claims := v.cut.Marked(); {
	case !claims:
	case v.marks == nil && claimed > 0:
		v.find("its cut claims %d suppressed records, and a column has no mark", claimed)
	case v.marks == nil:
	case v.marked < claimed, v.exact && v.marked > claimed:
		v.find("%d records have marks alone, its cut claims %d", v.marked, claimed)
	}
}

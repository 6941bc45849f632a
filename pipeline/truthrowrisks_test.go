package pipeline

import (
	"strconv"

	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

// checkRowRisks: the risks of rows by their weights, and of households, are those of plain counts:
// before masking on the values of all masked columns, after it on their labels.
func (c *truthCase) checkRowRisks(a *audit, r *Report) {
	a.Helper()
	if (r.Weighted != nil) != (a.job.Weight != "") ||
		(r.Households != nil) != (a.job.Household != "") {
		a.Errorf("the report has weights %v, households %v", r.Weighted, r.Households)
		return
	}
	var masked []string
	for i := range a.cut.Columns {
		masked = append(masked, a.cut.Columns[i].Name)
	}
	rows := c.housed(a)
	for row, class := range a.source.keys(masked, plainValue) {
		rows[row].class = class
	}
	if r.Weighted != nil {
		checkWeighted(a, "before", r.Weighted.Raw, weightedOf(rows))
	}
	if r.Households != nil {
		checkHouseholds(a, "before", r.Households.Raw, rows, a.job.Entity != "", r.Weighted != nil)
	}
	if !c.hasID() && (len(a.of) < a.source.rows || a.marked()) {
		return // nothing shows which of several rows are those of the release
	}
	if of := a.job.Algorithm; of.Partitioning == job.PartitioningRelaxed ||
		of.Name == job.AlgorithmKACTUS {
		return // equal rows of a divided cell get labels in another order: see docs/risk.md
	}
	after := make([]housed, len(a.of))
	for class, released := range a.classes(masked) {
		for _, row := range released {
			after[row] = rows[a.of[row]]
			after[row].class = class
		}
	}
	if r.Weighted != nil {
		checkWeighted(a, "after", r.Weighted.Labels, weightedOf(after))
	}
	if r.Households != nil {
		checkHouseholds(a, "after", r.Households.Labels, after, a.job.Entity != "",
			r.Weighted != nil)
	}
}

// housed returns the rows of the source with their households, people and weights.
func (c *truthCase) housed(a *audit) []housed {
	rows := make([]housed, a.source.rows)
	household, person := a.source.column(householdColumn), a.source.column(personColumn)
	weight := a.source.column(samplingColumn)
	for row := range rows {
		if household != nil && household.codes[row] > 0 {
			rows[row].household = household.at(row)
		}
		if person != nil {
			rows[row].person = person.at(row)
		}
		if weight == nil {
			continue
		}
		var err error
		if rows[row].weight, err = strconv.ParseFloat(weight.at(row), 64); err != nil ||
			rows[row].weight <= 0 {
			a.Errorf("row %d has the weight %s", row, weight.at(row))
		}
	}
	return rows
}

// weightedOf computes the risks of rows by their weights.
func weightedOf(rows []housed) *risk.Weighted {
	var classes []string
	var weights []float64
	for _, row := range rows {
		classes, weights = append(classes, row.class), append(weights, row.weight)
	}
	return naiveWeighted(classes, weights)
}

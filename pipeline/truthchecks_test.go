package pipeline

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// checkSensitive: every measure of the job holds in every class of every set.
func (a *audit) checkSensitive() {
	a.Helper()
	for i := range a.job.Sensitive {
		s := &a.job.Sensitive[i]
		column, all := a.release.column(s.Column), make([]string, a.release.rows)
		for row, code := range column.codes {
			if all[row] = null; code > 0 {
				all[row] = column.texts[code]
			}
		}
		whole := sharesOf(all)
		for number, set := range listedSets(a.job) {
			for _, rows := range a.classes(set.Columns) {
				var values []string
				for _, row := range rows {
					values = append(values, all[row])
				}
				if broken := brokenMeasure(s, sharesOf(values), whole); broken != "" {
					a.Errorf("set %d, column %s: %s does not hold in a class of %d rows",
						number+1, s.Column, broken, len(rows))
					break
				}
			}
		}
	}
}

// brokenMeasure returns a measure that a class breaks, from the shares of values in the class and
// in the whole table.
func brokenMeasure(s *job.Sensitive, class, whole map[string]float64) string {
	null := null
	figures := naiveMeasures(class, whole, null)
	if s.Nulls == job.NullsCount && class[null] > 0 {
		figures["l"]++
	}
	every := 1.0
	if shares := s.MaxConfidence; shares != nil && shares.Of == nil {
		every = shares.Every
	} else if shares != nil {
		for value, most := range shares.Of {
			if value != null && class[value] > most+1e-9 {
				return "max_confidence of a value"
			}
		}
	}
	far := 1.0
	if s.T != nil {
		far = *s.T
	}
	for measure, bound := range map[string]float64{
		"l": float64(s.L), "entropy_l": s.EntropyL, "max_confidence": every, "t": far,
	} {
		if !figures.meets(measure, bound) {
			return measure
		}
	}
	for measure, bound := range map[string]float64{
		"basic_beta": s.BasicBeta, "enhanced_beta": s.EnhancedBeta, "delta": s.Delta,
	} {
		if bound > 0 && !figures.meets(measure, bound) {
			return measure
		}
	}
	if s.TOrdered != nil && naiveOrdered(class, whole, null) > *s.TOrdered+2e-9 {
		return "t_ordered"
	}
	if s.THierarchical != nil &&
		naiveHierarchical(class, whole, s.Taxonomy.Tree) > *s.THierarchical+2e-9 {
		return "t_hierarchical"
	}
	if s.Nulls == job.NullsCount {
		null = "no text is the null"
	}
	if s.C > 0 && naiveRecursive(class, null, s.L) >= s.C-1e-10 {
		return "c"
	}
	return ""
}

// checkLimits: bounds are as round as the job demands, and labels neither finer nor coarser.
func (a *audit) checkLimits() {
	a.Helper()
	for i := range a.cut.Columns {
		column := &a.cut.Columns[i]
		spec := a.spec(column.Name)
		for k := range column.Cut {
			if spec.Round != "" && !isRound(&column.Cut[k], &spec) {
				a.Errorf("column %s: a bound is not round", column.Name)
			}
		}
		if column.Mask == job.MaskGeneralize && spec.AtMost == "1" {
			a.checkFinest(column)
		}
		if column.Mask == job.MaskDiscretize && spec.AtMost != "" && a.cut.Kind == "" {
			a.checkWidths(column, spec.AtMost)
		}
		if column.Mask == job.MaskGeneralize && spec.AtLeast != "" {
			a.checkCoarsest(column)
		}
	}
}

// isRound reports whether the ends of a label are multiples of the step in the job, or declared.
func isRound(l *cutfile.Label, spec *job.Column) bool {
	i, ok := parseInterval(l.Label)
	if l.Null || !ok {
		return true
	}
	for _, end := range []string{i.lower, i.upper} {
		declared := end == "" || end == spec.Bounds.Lower || end == spec.Bounds.Upper
		if !declared && !isMultiple(end, spec.Round) {
			return false
		}
	}
	return true
}

// isMultiple reports whether a number is a multiple of another number, or a date or time the
// start of a unit.
func isMultiple(end, step string) bool {
	if number, ok := new(big.Rat).SetString(end); ok {
		of, ok := new(big.Rat).SetString(step)
		return ok && number.Quo(number, of).IsInt()
	}
	day, time, both := strings.Cut(strings.TrimSuffix(end, "Z"), "T")
	if !both && strings.Contains(day, ":") {
		day, time = "", day
	}
	switch step {
	case "year", "month", "day":
		start := map[string]string{"year": "-01-01", "month": "-01"}[step]
		return strings.HasSuffix(day, start) && (time == "" || time == "00:00:00")
	}
	start := map[string]string{"hour": ":00:00", "minute": ":00"}[step]
	isMidnight := day != "" && time == "" // in a plain label
	return isMidnight || strings.HasSuffix(time, start) && !strings.Contains(time, ".")
}

// checkWidths: intervals between two numbers or dates have a least width, except an only
// interval.
func (a *audit) checkWidths(column *cutfile.Column, least string) {
	a.Helper()
	for _, label := range column.Cut {
		width, ok := spanOf(label.Label)
		want, err := strconv.Atoi(strings.TrimSuffix(least, "d"))
		if err != nil {
			a.Fatal(err)
		}
		if !label.Null && ok && width < want && label.Label != a.full(column) {
			a.Errorf("column %s: %s is narrower than at_most", column.Name, label.Label)
		}
	}
}

// spanOf returns the width of an interval, in days for dates.
func spanOf(label string) (width int, ok bool) {
	i, ok := parseInterval(label)
	if !ok {
		return 0, false
	}
	lower, err := strconv.Atoi(i.lower)
	upper, err2 := strconv.Atoi(i.upper)
	if err == nil && err2 == nil {
		return upper - lower, true
	}
	from, err := time.Parse(time.DateOnly, i.lower)
	to, err2 := time.Parse(time.DateOnly, i.upper)
	return int(to.Unix()-from.Unix()) / 86_400, err == nil && err2 == nil
}

// checkFinest: labels are the root or its children.
func (a *audit) checkFinest(column *cutfile.Column) {
	a.Helper()
	root := "*" // of generated trees
	if tree := a.taxonomy(column.Name).Tree; tree != nil {
		root = tree.Name
	}
	was, is := a.source.column(column.Name), a.release.column(column.Name)
	for row, of := range a.of {
		value, label := was.at(of), is.at(row)
		if label != a.widest(column) && label != root && label != "(,)" &&
			label != a.topmost(column.Name, value) {
			a.Errorf("column %s: %q is released as %q, which is below level 1",
				column.Name, value, label)
			return
		}
	}
}

// topmost returns the child of the root above a value.
func (a *audit) topmost(name, value string) string {
	path := a.path(name, value)
	if t := a.taxonomy(name); t.Tree != nil {
		return path[max(0, len(path)-2)]
	}
	top := value
	for _, label := range path { // prefixes get shorter, units and ranges longer
		if label != value && label != "*" && label != "(,)" && label != null {
			top = label
		}
	}
	return top
}

// checkCoarsest: among rows with a value, only suppressed rows have the root as label.
func (a *audit) checkCoarsest(column *cutfile.Column) {
	a.Helper()
	marked, _ := a.cut.Marked()
	widest := uint64(0)
	was, is := a.source.column(column.Name), a.release.column(column.Name)
	for row, of := range a.of {
		if was.at(of) != null && is.at(row) == a.widest(column) {
			widest++
		}
	}
	if widest > marked {
		a.Errorf("column %s: %d rows have the root, %d are suppressed", column.Name, widest, marked)
	}
}

package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// jobKeys draw the keys of a job besides its sets and the masks of its columns. Each adds lines,
// columns, and the reasons for which a run with them may be refused. Every new key of jobs needs
// a new function here.
var jobKeys = []func(*rand.Rand, *truthCase){
	drawOutput, drawOrder, drawSteps, drawSuppressed, drawEntity, drawSensitive,
	drawTimes, drawBalance, drawRound, drawLimits, drawClassless, drawUnique,
	drawToken, drawNested, drawGone, drawOther, drawDetermined, drawWeights, drawBounds,
	drawChoice, drawUnaccepted, drawAverageRisk, drawHousehold, drawSampling, drawPopulation,
	drawLabels,
}

// drawOutput draws a file, a folder, or one with partitions.
func drawOutput(rng *rand.Rand, c *truthCase) {
	options := "compression: " + []string{"zstd", "snappy", "gzip", "none"}[rng.IntN(4)]
	if strings.Contains(options, "zstd") && rng.IntN(3) == 0 {
		options += fmt.Sprint(", level: ", 1+rng.IntN(9))
	}
	if rows := c.numbers[rowsReleased]; rows > 0 {
		options += fmt.Sprint(", row_group_rows: ", rows)
	} else if rng.IntN(3) == 0 {
		options += fmt.Sprint(", row_group_rows: ", 1+rng.IntN(c.rows))
		if c.rows > 20_000 { // tens of thousands of row groups take their time
			options = strings.Replace(options, "row_group_rows: ", "row_group_rows: 1", 1)
		}
	}
	switch path := "out.parquet"; {
	case rng.IntN(6) == 0 && !c.large() && c.columns[0].isLabelled():
		c.folder, c.folders, c.ordered = true, true, true
		c.may(fault.Usage, "labels that are no folders")
		c.may(fault.Input, "labels that are no folders")
		folders := []string{strconv.Quote(c.columns[0].Name)}
		if second := &c.columns[1]; c.masked > 1 && second.isLabelled() && rng.IntN(2) == 0 {
			folders = slices.Insert(folders, rng.IntN(2), strconv.Quote(second.Name))
		}
		c.job = append(c.job, "output: {path: out/, partition_by: ["+strings.Join(folders, ", ")+
			"], "+options+"}")
	default:
		if c.folder = rng.IntN(4) == 0; c.folder {
			path = "out/"
		}
		c.job = append(c.job, "output: {path: "+path+", "+options+"}")
	}
}

// isLabelled reports whether a masked column is released as one column of texts.
func (c *truthColumn) isLabelled() bool {
	return !strings.Contains(c.mask, "render") || strings.Contains(c.mask, "render: label")
}

func drawOrder(rng *rand.Rand, c *truthCase) {
	if c.ordered = c.ordered || rng.IntN(3) > 0; !c.ordered {
		c.job = append(c.job, "order: "+job.OrderInput)
	}
}

func drawLabels(rng *rand.Rand, c *truthCase) {
	if rng.IntN(3) == 0 {
		c.job = append(c.job, "labels: "+job.LabelsPlain)
	}
}

// drawSteps limits the steps, always for cases that may have tens of thousands of steps.
func drawSteps(rng *rand.Rand, c *truthCase) {
	if c.topDown() && (c.large() || rng.IntN(4) == 0) {
		c.job = append(c.job, fmt.Sprint("max_steps: ", rng.IntN(12)))
	}
	if strings.HasPrefix(c.searches, "td") && rng.IntN(3) == 0 {
		c.job = append(c.job, "score: "+[]string{"tdr", "tds", "infogain"}[rng.IntN(3)])
	}
}

func (c *truthCase) suppresses() bool { return strings.Contains(c.searches, "max_suppressed") }

func drawSuppressed(rng *rand.Rand, c *truthCase) {
	if rng.IntN(5) == 0 && !c.suppresses() && c.topDown() {
		c.searches += fmt.Sprintf("\nmax_suppressed: %d%%", 1+rng.IntN(9))
		if rng.IntN(2) == 0 {
			c.searches += "\nsuppressed: drop"
		}
	}
}

// protects reports whether the search knows other protections than k.
func (c *truthCase) protects() bool {
	for _, name := range []string{"bottom-up", "iac", "relaxed", "auto"} {
		if strings.Contains(c.searches, name) {
			return false
		}
	}
	return true
}

func drawEntity(rng *rand.Rand, c *truthCase) {
	if rng.IntN(6) == 0 && c.protects() {
		person := c.addKept(personColumn, 1+rng.IntN(c.rows))
		if person.mask = "drop"; rng.IntN(2) == 0 { // the rows of a person are similar
			for i := range c.masked {
				person.by = append(person.by, c.columns[i].Name)
			}
		}
		c.job = append(c.job, "entity: "+personColumn)
		c.may(fault.Privacy, "fewer people than k")
	}
}

// drawSensitive limits the values of a kept column, which may be the class, by one or two measures.
func drawSensitive(_ *rand.Rand, c *truthCase) {
	rng := c.apart(44)
	if rng.IntN(3) > 0 || !c.protects() {
		return
	}
	secret := c.column(classColumn)
	if rng.IntN(4) > 0 || !c.says("class: ") {
		c.addColumn("", func() truthColumn { return keptColumn(rng, 2+rng.IntN(8), 0) })
		secret = &c.columns[len(c.columns)-1]
		secret.Name = secretColumn
	}
	measures := c.measuresOf(rng, secret)[:1+rng.IntN(2)]
	c.job = append(c.job, "sensitive: [{column: "+secret.Name+", "+
		strings.Join(slices.Compact(measures), ", ")+"}]")
	c.may(fault.Privacy, "too few sensitive values")
}

// measuresOf returns two measures or more of a sensitive column, in random order, which may be the
// same.
func (c *truthCase) measuresOf(rng *rand.Rand, secret *truthColumn) (measures []string) {
	least := fmt.Sprint("l: ", 2+rng.IntN(2)) + []string{"", ", nulls: count"}[rng.IntN(2)]
	if c.suppresses() {
		return []string{least, least}
	}
	most := "max_confidence: 0.8"
	if rng.IntN(2) == 0 {
		most = fmt.Sprintf("max_confidence: {%q: 0.6}", secret.texts[0])
		c.may(fault.Input, "no row has the value that is named")
	}
	measures = []string{least + []string{"", ", c: 2.5"}[rng.IntN(2)], most, "entropy_l: 1.5"}
	if !strings.Contains(c.searches, job.AlgorithmKACTUS) ||
		strings.Contains(c.searches, "recruit") {
		measures = append(measures, "t: 0.3", "basic_beta: 1.5", "enhanced_beta: 1.2", "delta: 1.5")
		switch half := len(secret.texts) / 2; {
		case secret.Type.Kind == formats.Int || secret.Type.Kind == formats.Uint ||
			secret.Type.Kind == formats.Float || secret.Type.Kind == formats.Date:
			measures = append(measures, "t_ordered: 0.2")
		case secret.Type.Kind == formats.String && half > 0:
			inner, outer := quoted(secret.texts[:half]), quoted(secret.texts[half:])
			measures = append(measures, fmt.Sprintf("t_hierarchical: 0.3, taxonomy: {the root: "+
				"[{the node: [%s]}, %s]}", inner, outer))
		}
	}
	rng.Shuffle(len(measures), func(i, j int) {
		measures[i], measures[j] = measures[j], measures[i]
	})
	return measures
}

// drawTimes gives rows counts of records.
func drawTimes(rng *rand.Rand, c *truthCase) {
	if rng.IntN(8) == 0 && !c.large() || c.column(personColumn) != nil && rng.IntN(3) == 0 {
		column := truthColumn{inCSV: "integer", spread: shuffled}
		column.Name, column.Type, column.texts = timesColumn, wholeType, []string{"1", "2", "3"}
		c.columns = append(c.columns, column)
		c.job = append(c.job, "count: "+timesColumn)
	}
}

func drawBalance(rng *rand.Rand, c *truthCase) {
	if rng.IntN(5) == 0 && c.topDown() {
		c.job = append(c.job, fmt.Sprint("balance: ", rng.IntN(3)))
	}
}

// drawRound demands round bounds.
func drawRound(rng *rand.Rand, c *truthCase) {
	for i := range c.masked {
		column := &c.columns[i]
		mask, ok := strings.CutSuffix(column.mask, "}")
		if steps := roundSteps(column.Type); ok && strings.Contains(mask, "discretize") &&
			len(steps) > 0 && rng.IntN(2) == 0 {
			column.mask = mask + ", round: " + steps[rng.IntN(len(steps))] + "}"
		}
	}
}

// roundSteps returns steps for the bounds of a type.
func roundSteps(of formats.Type) []string {
	switch of.Kind {
	case formats.Int:
		return []string{"5"}
	case formats.Float:
		return []string{"0.25", "5"}
	case formats.Decimal:
		if of.Scale > 1 {
			return []string{"0.25", "5"}
		}
	case formats.Date:
		return []string{"year", "month", "day"}
	case formats.Timestamp:
		return []string{"year", "month", "day", "hour", "minute", "second"}
	case formats.Time:
		return []string{"hour", "minute", "second"}
	}
	return nil
}

// drawBounds declares bounds that contain all values.
func drawBounds(rng *rand.Rand, c *truthCase) {
	for i := range c.masked {
		column := &c.columns[i]
		mask, ok := strings.CutSuffix(column.mask, "}")
		if !ok || !strings.Contains(mask, "discretize") || strings.Contains(mask, ", bounds: ") ||
			rng.IntN(3) > 0 {
			continue
		}
		switch {
		case column.isNarrow():
			ends := []string{"null", "null"}
			for e, best := range []func(a, b int) bool{
				func(a, b int) bool { return a < b }, func(a, b int) bool { return a > b },
			} {
				end, _ := strconv.Atoi(column.texts[0])
				for _, text := range column.texts {
					if n, _ := strconv.Atoi(text); best(n, end) {
						end = n
					}
				}
				if rng.IntN(3) > 0 {
					ends[e] = strconv.Itoa(end + rng.IntN(2)*(2*e-1)*rng.IntN(50))
				}
			}
			if ends[0] != ends[1] || ends[0] != "null" { // else there are none
				column.mask = mask + ", bounds: [" + strings.Join(ends, ", ") + "]}"
			}
		case column.Type == dateType:
			column.mask = mask + `, bounds: ["0001-01-01", "9999-12-31"]}`
		}
	}
}

// drawChoice draws the keys by which an algorithm is chosen.
func drawChoice(rng *rand.Rand, c *truthCase) {
	if !strings.Contains(c.searches, job.AlgorithmAuto) {
		return
	}
	if rng.IntN(2) == 0 {
		c.job = append(c.job, "limits: {time: 100h}")
	}
	if list := []string{job.ObjectiveQueries, job.ObjectiveBalanced,
		job.ObjectiveClassification}; !strings.Contains(c.searches, "objective") {
		n := 1
		if c.says("class: ") {
			n = len(list)
		}
		c.job = append(c.job, "objective: "+list[rng.IntN(n)])
	}
}

// drawOther draws a column that is kept without an entry.
func drawOther(rng *rand.Rand, c *truthCase) {
	if rng.IntN(12) > 0 || c.says("unlisted: ") {
		return
	}
	other := c.addKept(otherColumn, 1+rng.IntN(5))
	other.mask, other.unlisted = "keep", true
	c.job = append(c.job, "unlisted: keep")
	c.may(fault.Privacy, "a column that tells rows apart")
	c.recount = true // it may follow from masked ones
}

// drawDetermined draws a kept column that masked columns determine, and a masked column that kept
// columns determine.
func drawDetermined(rng *rand.Rand, c *truthCase) {
	if rng.IntN(5) == 0 {
		c.addText(determinedColumn, accepted, "t", 1+rng.IntN(20))
		column := &c.columns[len(c.columns)-1]
		for i := range min(c.masked, 1+rng.IntN(2)) {
			column.by = append(column.by, c.columns[i].Name)
		}
	}
	if kept := []string{"k0" + c.suffix, "k1" + c.suffix}; rng.IntN(3) == 0 && !c.large() &&
		c.column(kept[1]) != nil {
		c.columns[0].by = kept
	}
}

// drawLimits draws the finest labels of columns.
func drawLimits(rng *rand.Rand, c *truthCase) {
	for i := range c.masked {
		column := &c.columns[i]
		mask, ok := strings.CutSuffix(column.mask, "}")
		switch {
		case !ok || rng.IntN(3) > 0:
		case strings.Contains(mask, "generalize"):
			column.mask = mask + ", at_most: 1}"
		case column.Type == dateType && c.topDown() && strings.Contains(mask, "discretize"):
			column.mask = mask + ", at_most: 30d}"
		case column.Type == wholeType && c.topDown():
			column.mask = mask + ", at_most: 10}"
		}
	}
}

// drawClassless sometimes drops the class column of a job without a class.
func drawClassless(rng *rand.Rand, c *truthCase) {
	if !strings.Contains(strings.Join(c.job, "\n"), "class: ") && rng.IntN(3) == 0 {
		c.column(classColumn).mask = "drop"
	}
}

// drawUnique draws the share of rows that may be alone on the labels of all sets together: any,
// none, or some.
func drawUnique(rng *rand.Rand, c *truthCase) {
	switch some := rng.IntN(8); {
	case some == 0:
		c.unique = []float64{0, 0.01, 0.3}[rng.IntN(3)]
		if c.unique != 0.01 { // which is that of a job without
			c.job = append(c.job, fmt.Sprintf("max_unique: %g%%", 100*c.unique))
		}
		c.recount = true
		c.may(fault.Privacy, "rows that are alone on the labels of all sets")
	case some == 1 && !strings.Contains(c.searches, job.AlgorithmIACc): // which is asked for no k
		k := 2 + rng.IntN(4)
		c.set = append(c.set, fmt.Sprintf("- {k: %d, columns: all}", k))
		c.unique = 0.01 // no rows are alone
		if k > c.rows {
			c.may(fault.Privacy, "fewer rows than k")
		}
	default:
		c.job = append(c.job, "max_unique: 100%")
		c.unique = 1
	}
}

// replacedForms are the forms of replacements.
var replacedForms = []string{"name", "street", "city", "phone", "email"}

// drawToken draws a column of pseudonyms.
func drawToken(rng *rand.Rand, c *truthCase) {
	if rng.IntN(6) > 0 {
		return
	}
	c.addColumn("", func() truthColumn { return keptColumn(rng, 1+rng.IntN(50), 0) })
	column := &c.columns[len(c.columns)-1]
	column.Name, column.mask = tokenColumn, "{mask: pseudonym, key_file: token.key, identifying: "+
		"accepted}"
	if form := c.rows % (2 * len(replacedForms)); form < len(replacedForms) {
		column.mask = strings.Replace(column.mask, "pseudonym",
			"replace, with: "+replacedForms[form], 1)
	}
}

// drawNested draws a kept column of lists, structs or maps, which only arrow-go can write.
func drawNested(rng *rand.Rand, c *truthCase) {
	if rng.IntN(8) > 0 || c.large() || c.column(timesColumn) != nil || c.writer == byCSV {
		return
	}
	for i := range c.columns {
		if !formatstest.ArrowTakes(c.columns[i].Type) {
			return
		}
	}
	column := truthColumn{nested: formatstest.NewNested(rng.IntN(formatstest.NestedKinds),
		1+rng.IntN(30))}
	column.Name, column.Type, column.mask, column.texts = nestedColumn,
		formats.Type{Kind: formats.Nested}, "{keep: {identifying: accepted}}", column.nested.Texts
	column.draw(rng)
	c.columns = append(c.columns, column)
}

// drawGone draws a dropped column, with or without an entry.
func drawGone(rng *rand.Rand, c *truthCase) {
	if rng.IntN(4) > 0 {
		return
	}
	c.addColumn("", func() truthColumn { return keptColumn(rng, 1+rng.IntN(c.rows), 0) })
	column := &c.columns[len(c.columns)-1]
	column.Name, column.mask, column.unlisted = goneColumn, "drop", rng.IntN(2) == 0
	if column.unlisted {
		c.job = append(c.job, "unlisted: drop")
	}
}

// drawWeights draws weights and coarsest labels of columns.
func drawWeights(rng *rand.Rand, c *truthCase) {
	if !c.topDown() {
		return
	}
	for i := range c.masked {
		column := &c.columns[i]
		mask, ok := strings.CutSuffix(column.mask, "}")
		if !ok || rng.IntN(5) > 0 {
			continue
		}
		if rng.IntN(3) == 0 && strings.Contains(mask, "generalize") {
			mask += ", at_least: 1"
			c.may(fault.Privacy, "labels are coarser than at_least")
		} else {
			mask += fmt.Sprint(", weight: ", 1+rng.IntN(20))
		}
		column.mask = mask + "}"
	}
}

// drawUnaccepted draws a kept column or a class that a run must refuse if it identifies rows.
func drawUnaccepted(rng *rand.Rand, c *truthCase) {
	for i := c.masked; i < len(c.columns); i++ {
		if column := &c.columns[i]; strings.Contains(column.mask, "identifying") &&
			rng.IntN(20) == 0 {
			column.mask = strings.NewReplacer("{keep: {identifying: accepted}}",
				"keep", ", identifying: accepted", "").Replace(column.mask)
			c.may(fault.Privacy, "a column that tells rows apart")
			c.recount = true // it may follow from masked ones
		}
	}
}

// drawAverageRisk limits the average risk. Only top-down searches without suppression look for it.
func drawAverageRisk(rng *rand.Rand, c *truthCase) {
	if rng.IntN(5) > 0 || c.column(personColumn) != nil {
		return
	}
	c.job = append(c.job, fmt.Sprintf("max_risk: {average: %d%%}", 1+rng.IntN(30)))
	c.recount = c.recount || !c.topDown() || c.suppresses()
	c.may(fault.Privacy, "an average risk that is too high")
}

// drawHousehold draws the households of rows or people.
func drawHousehold(rng *rand.Rand, c *truthCase) {
	const manyMembers = 20_000 // which may not fit in the memory of a case
	if rng.IntN(10) == 0 && c.rows < manyMembers {
		c.addKept(householdColumn, 1+rng.IntN(c.rows)).mask = "drop"
		c.job = append(c.job, "household: "+householdColumn)
	}
}

// drawSampling draws the sampling weights of rows, some of which are none.
func drawSampling(_ *rand.Rand, c *truthCase) {
	rng := c.apart(45)
	if rng.IntN(6) > 0 || c.large() || c.column(personColumn) != nil {
		return
	}
	column := truthColumn{spread: skewed}
	column.Name, column.mask = samplingColumn, "drop"
	column.Type, column.inCSV, column.texts = floatType, "number",
		[]string{"0.125", "1", "2.75", "17", "850.5", "1e+06"}
	if rng.IntN(2) == 0 {
		column.Type, column.inCSV, column.texts = wholeType, "integer", []string{"1", "3", "70"}
	}
	if rng.IntN(8) == 0 {
		column.texts = append(column.texts, "0")
		c.may(fault.Input, "weights of 0")
	}
	c.columns = append(c.columns, column)
	c.job = append(c.job, "weight_of_row: "+samplingColumn)
}

package pipeline

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// jobKeys draw what a job may say beside its sets and the masks of its columns. Each adds lines, columns, and why a run with
// them may be refused. A new key of jobs is a new function here.
var jobKeys = []func(*rand.Rand, *truthCase){
	drawOutput, drawOrder, drawSteps, drawSuppressed, drawEntity, drawSensitive, drawTimes, drawBalance, drawRound, drawLimits, drawClassless, drawUnique,
}

// drawOutput draws a file, a folder, or one with partitions.
func drawOutput(rng *rand.Rand, c *truthCase) {
	options := "compression: " + []string{"zstd", "snappy", "gzip", "none"}[rng.IntN(4)]
	if rows := c.numbers[rowsReleased]; rows > 0 {
		options += fmt.Sprint(", row_group_rows: ", rows)
	} else if rng.IntN(3) == 0 {
		options += fmt.Sprint(", row_group_rows: ", 1+rng.IntN(c.rows))
		if c.rows > 20_000 { // tens of thousands of row groups take their time
			options = strings.Replace(options, "row_group_rows: ", "row_group_rows: 1", 1)
		}
	}
	switch path := "out.parquet"; {
	case rng.IntN(6) == 0 && !c.large() && strings.HasPrefix(c.columns[0].mask, "suppress"):
		c.folder, c.folders, c.ordered = true, true, true
		c.may(fault.Usage, "labels that are no folders")
		c.may(fault.Input, "labels that are no folders")
		c.job = append(c.job, "output: {path: out/, partition_by: [c0], "+options+"}")
	default:
		if c.folder = rng.IntN(4) == 0; c.folder {
			path = "out/"
		}
		c.job = append(c.job, "output: {path: "+path+", "+options+"}")
	}
}

func drawOrder(rng *rand.Rand, c *truthCase) {
	if c.ordered = c.ordered || rng.IntN(3) > 0; !c.ordered {
		c.job = append(c.job, "order: "+job.OrderInput)
	}
}

// drawSteps bounds the steps, always where there may be tens of thousands of them.
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

// protects reports whether the search knows protections beside k.
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
		c.addText(personColumn, "drop", "p", 1+rng.IntN(c.rows))
		c.columns[len(c.columns)-1].draw(rng)
		c.job = append(c.job, "entity: "+personColumn)
		c.may(fault.Privacy, "fewer people than k")
	}
}

func drawSensitive(rng *rand.Rand, c *truthCase) {
	if rng.IntN(6) > 0 || !c.protects() {
		return
	}
	c.addText(secretColumn, "keep", "s", 2+rng.IntN(8))
	measure := fmt.Sprint("l: ", 2+rng.IntN(2))
	if !c.suppresses() {
		measure = []string{measure, "max_confidence: 0.8", "entropy_l: 1.5", "max_confidence: {s0: 0.6}"}[rng.IntN(4)]
	}
	c.job = append(c.job, "sensitive: [{column: "+secretColumn+", "+measure+"}]")
	c.may(fault.Privacy, "too few sensitive values")
}

// drawTimes lets rows stand for several records.
func drawTimes(rng *rand.Rand, c *truthCase) {
	if rng.IntN(8) == 0 && !c.large() && c.column(personColumn) == nil {
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

// drawRound lets bounds be round.
func drawRound(rng *rand.Rand, c *truthCase) {
	for i := range c.masked {
		column := &c.columns[i]
		if mask, ok := strings.CutSuffix(column.mask, "}"); ok && strings.Contains(mask, "discretize") && column.Type == wholeType && rng.IntN(3) == 0 {
			column.mask = mask + ", round: 5}"
		}
	}
}

// drawLimits draws the finest labels that a column may have.
func drawLimits(rng *rand.Rand, c *truthCase) {
	for i := range c.masked {
		column := &c.columns[i]
		if mask, ok := strings.CutSuffix(column.mask, "}"); ok && strings.Contains(mask, "generalize") && rng.IntN(6) == 0 {
			column.mask = mask + ", at_most: 1}"
		}
	}
}

// drawClassless drops the class column where it is none, now and then.
func drawClassless(rng *rand.Rand, c *truthCase) {
	if !strings.Contains(strings.Join(c.job, "\n"), "class: ") && rng.IntN(3) == 0 {
		c.column(classColumn).mask = "drop"
	}
}

// drawUnique draws how many rows may be alone on the labels of all sets together: any, none, or some.
func drawUnique(rng *rand.Rand, c *truthCase) {
	switch some := rng.IntN(8); {
	case some == 0:
		c.alone = true
		c.may(fault.Privacy, "rows that are alone on the labels of all sets")
	case some == 1 && !strings.Contains(c.searches, job.AlgorithmIACc): // which is asked for no k
		c.set = append(c.set, "- {k: 2, columns: all}")
	default:
		c.job = append(c.job, "max_unique: 100%")
	}
}

package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/risk"
)

// CheckOptions say which columns of which table Check examines. Absent limits are those of the
// machine.
type CheckOptions struct {
	Input   []string // files, directories, globs, URLs: one table
	Columns []string // columns whose values an attacker may know together
	Count   string   // column with the number of records that a row stands for; empty: one record
	// Entity names the column that says to whom a row belongs: Check counts people, then. Empty:
	// Check counts rows.
	Entity    string
	Sensitive []string // columns whose values Check examines in every class
	Household string   // column that identifies the household of a row; empty: none
	K         int      // the k that must hold; 0: every k does
	// MaxAverageRisk bounds the number of classes, divided by the number of rows, or people: a
	// prosecutor's average risk. 0: it does not.
	MaxAverageRisk Share
	// PopulationSize is the number of people from whom those of the table were drawn: Check
	// estimates the share of them who are unique. 0: it does not.
	PopulationSize int64
	Weight         string // column with the sampling weight of a row; empty: none
	// Subsets searches the minimal sample uniques of up to that number of columns; 0: none.
	Subsets int
	// Population are the files of a table of all people from whom those of the table come, with the
	// same columns; PopulationCount is its column with the number of people of a row; empty: one.
	Population      []string
	PopulationCount string
	KMap            int // the people of the population that every class must have; 0: any
	// MinPresence and MaxPresence bound the share of a class's people who are in the table; 0: they
	// do not.
	MinPresence, MaxPresence Share

	CSV CSV // how CSV is read
	// MissingNull makes a column null in the files that lack it; without it that is an error.
	MissingNull bool
	// Limits without a SpillDir spill to a hidden folder in the current one.
	Limits Limits
	Events Events
}

// Checked is the result of a check. The other types are its parts.
type (
	Checked          = check.Result
	CheckedSensitive = check.Sensitive // a sensitive column, in the classes where it is worst
	CheckedUniques   = check.Uniques   // rows that are unique in few columns
	CheckedRegister  = risk.Register   // the classes in a table of the population
)

// Check counts how many rows of a table share each combination of values of some columns. The
// table may be a release, an input or the output of another program. Check needs no job and writes
// nothing but spilled data. If K does not hold it returns its result and an error of ErrPrivacy.
func Check(ctx context.Context, opt CheckOptions) (*Checked, error) {
	return guarded(func() (*Checked, error) {
		return check.Table(ctx, check.Options{
			Input: opt.Input, Columns: opt.Columns, Count: opt.Count, Entity: opt.Entity,
			Sensitive: opt.Sensitive, Household: opt.Household, Weight: opt.Weight,
			Subsets: opt.Subsets, K: opt.K,
			MaxAverageRisk: float64(opt.MaxAverageRisk),
			PopulationSize: opt.PopulationSize, Population: opt.Population,
			PopulationCount: opt.PopulationCount, KMap: opt.KMap,
			MinPresence: float64(opt.MinPresence), MaxPresence: float64(opt.MaxPresence),
			CSV:         opt.CSV,
			MissingNull: opt.MissingNull, Limits: opt.Limits, Events: opt.Events.below(),
		})
	})
}

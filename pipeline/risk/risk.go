// Package risk measures disclosure risk: how many rows of a table are equal on some columns and so
// hide each other. The columns are those that a release keeps, its labels, or both together.
//
//	Request ──NewCounts, Scanner, Join──▶ Counts ──Figures, Determines──▶ Report
//
// Rows are counted by 64-bit hashes of their values in a table of bounded size. If there are more
// classes than the table holds, the classes whose hashes begin with enough zero bits represent all.
//
// Contract: figures depend on the values and on the size of the hash tables alone, not on the order
// of rows or splits. The size of the hash tables is the same for all budgets above a modest one.
// Nothing here holds a value. Hashes have no key: they distinguish rows, but hide nothing.
package risk

// Report is the disclosure risk of a table or a release. Unknown figures are nil.
type Report struct {
	K       int      `json:"k"` // the smallest k of the sets
	Columns []string `json:"kept_columns,omitempty"`

	Kept *Figures `json:"kept,omitempty"` // on the kept columns
	// Labels are the figures on the released labels of all sets together: the risk after masking.
	Labels *Figures `json:"labels,omitempty"`
	// Both are the figures on these labels and the kept columns, except the class and accepted
	// columns.
	Both *Figures `json:"kept_and_labels,omitempty"`
	// Raw are the figures on the quasi-identifiers' values in the input: the risk before masking.
	Raw *Figures `json:"raw,omitempty"`

	// Pairs are pairs of sets, that which leaves most rows in small classes first: of a run the two
	// worst, of an inspection all that were counted.
	Pairs []Pair `json:"pairs,omitempty"`

	// Determines are the masked columns that kept columns determine, and Members the kept columns
	// that masked columns determine.
	Determines []Determined `json:"determines,omitempty"`
	Members    []Member     `json:"members,omitempty"`
}

// Figures are figures about the classes of rows that are equal on some columns.
type Figures struct {
	Unique  float64 `json:"unique"`  // share of rows without an equal row
	Below   float64 `json:"below_k"` // share of rows in classes of fewer than k rows
	Classes int64   `json:"classes"`

	// The risks follow ARX's model for samples (RiskModelSampleSummary, after El Emam: Guide to the
	// De-Identification of Personal Health Information, 2013), with the table itself as the
	// population: a row's risk is 1 divided by the size of its class, and a journalist's risk is a
	// prosecutor's.
	// A prosecutor knows that a person is in the table, a journalist does not: for a journalist,
	// classes are those of the population.
	Prosecutor Risk `json:"prosecutor"`
	Journalist Risk `json:"journalist"`
	// Marketer is the mean share of rows that a marketer, who links all rows, gets right.
	Marketer float64 `json:"marketer"`

	// Population is the estimated number of people who are unique in the population; nil: not
	// requested.
	Population *Population `json:"population,omitempty"`

	// Part is the share of the classes that was counted and represents all; 0: all were counted.
	// Error is twice the standard error of Unique or of Below that results, whichever is larger.
	Part  float64 `json:"part_counted,omitempty"`
	Error float64 `json:"error,omitempty"`
}

// Risk is the risk that somebody who knows some columns finds the right row.
type Risk struct {
	Highest float64 `json:"highest"` // 1 divided by the size of the smallest class
	// Average is the mean over the rows: the number of classes divided by the number of rows.
	Average float64 `json:"average"`
}

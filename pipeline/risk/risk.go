// Package risk tells how many rows of a table are alike in some of its columns, and how well they
// hide each other: of columns that a release keeps, of its labels, and of both together.
//
//	Request ──NewCounts, Scanner, Join──▶ Counts ──Figures, Determines──▶ Report
//	Counts of a part ──Encode──▶ bytes ──Merge──▶ Counts
//
// Rows are counted by 64-bit hashes of their values in a table of bounded size. Where a table has more
// classes than that, those whose hash begins with enough zero bits stand for all.
//
// Contract: figures depend on the values and the size of the tables alone, which is the same from a
// modest memory budget on, and not on the order of rows or splits. Nothing here holds a value. Hashes have
// no key: they tell rows apart, they hide nothing.
package risk

// Report tells how well rows hide each other. What is not known is nil.
type Report struct {
	K       int      `json:"k"` // the smallest of the sets
	Columns []string `json:"kept_columns,omitempty"`

	Kept   *Figures `json:"kept,omitempty"`            // on the kept columns
	Labels *Figures `json:"labels,omitempty"`          // on the released labels of all sets together: the risks after
	Both   *Figures `json:"kept_and_labels,omitempty"` // on these and the kept columns that nobody has accepted, without the class
	Raw    *Figures `json:"raw,omitempty"`             // on the quasi-identifiers as the input has them: the risks before

	Pairs []Pair `json:"pairs,omitempty"` // the two pairs of sets that leave most rows in small classes, the worst first

	// Determines are masked columns whose values kept ones tell, and Members kept columns whose values
	// masked ones tell.
	Determines []Determined `json:"determines,omitempty"`
	Members    []Member     `json:"members,omitempty"`
}

// Figures tell of the classes of rows that are alike in some columns.
type Figures struct {
	Unique  float64 `json:"unique"`  // share of rows that no other row is like
	Below   float64 `json:"below_k"` // share of rows whose class has fewer rows than k
	Classes int64   `json:"classes"`

	// The risks are those of ARX's model for samples (RiskModelSampleSummary, after El Emam: Guide to the
	// De-Identification of Personal Health Information, 2013), where the table itself is the population: a
	// row's risk is 1 by the size of its class, and a journalist's is a prosecutor's.
	Prosecutor Risk    `json:"prosecutor"` // of who knows that somebody is in the table
	Journalist Risk    `json:"journalist"` // of who does not: classes are those of the population
	Marketer   float64 `json:"marketer"`   // share of the rows that who links all of them gets right, on average

	// Part is the share of the classes that was counted and stands for all; 0: they all were. Error is
	// twice the standard error of Unique or of Below that comes from this, whichever is larger.
	Part  float64 `json:"part_counted,omitempty"`
	Error float64 `json:"error,omitempty"`
}

// Risk is that of being found by who knows some columns.
type Risk struct {
	Highest float64 `json:"highest"` // 1 by the size of the smallest class
	Average float64 `json:"average"` // over the rows: classes by rows
}

package pipeline

// Report says what a run did; it is what `kcut run --json` prints and --run-json keeps.
// It is not for release: it may tell more than the released file.
type Report struct {
	Output   string `json:"output"`
	Rows     int64  `json:"rows"`
	Released int64  `json:"released"` // rows that are not dropped
	// Suppressed is how many of them are released with nothing but the widest labels, since
	// too few records were like them.
	Suppressed uint64      `json:"suppressed,omitempty"`
	Sets       []SetReport `json:"quasi_identifiers"`
	Steps      int         `json:"steps"`
	Applied    *Applied    `json:"applied,omitempty"` // of kcut apply: what became of the cut
	Live       []uint64    `json:"live,omitempty"`    // top-down, after each step: records that later steps may still tell apart, summed over the sets
	Tuples     []int       `json:"distinct_tuples"`   // of every grouping, before the search
	Nulls      []NullCount `json:"nulls,omitempty"`
	Notices    []string    `json:"notices,omitempty"`
	Inputs     []string    `json:"inputs"`
	Stages     []StageTime `json:"stages"`
	PeakDraw   int64       `json:"peak_budget_bytes"`
	Spilled    int64       `json:"spilled_bytes"` // written to disk
	// SpilledPeak is the most disk space that was taken at one time, in bytes.
	SpilledPeak int64 `json:"spilled_peak_bytes"`
	PeakRSS     int64 `json:"peak_resident_bytes"`
}

// SetReport is one quasi-identifier set and the anonymity it has in the release.
type SetReport struct {
	Columns   []string `json:"columns"`
	K         int      `json:"k"`
	Anonymity uint64   `json:"anonymity"`
}

// NullCount is the number of nulls of a masked column.
type NullCount struct {
	Column string `json:"column"`
	Rows   uint64 `json:"rows"`
}

// StageTime is how long a stage took.
type StageTime struct {
	Stage   Stage   `json:"stage"`
	Seconds float64 `json:"seconds"`
}

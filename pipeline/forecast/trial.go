package forecast

import "github.com/kcut/kcut/pipeline/risk"

// Trial is the result of running a job on some rows of its input.
type Trial struct {
	Rows        int64
	Steps       int      // steps of the search
	Information float64  // the part of the information that is kept, as in the report of a run
	Lost        []string // masked columns with only one label, which has no information
	Masked      int      // the number of masked columns
	// the part of each masked column's information that is kept in rows whose label is no null
	Parts       map[string]float64
	Single      map[string]float64 // the share of these rows whose label is one value
	Union       *risk.Union        // the disclosure risk of the rows for the labels of all columns
	Members     []risk.Member
	AverageRisk []float64 // by set, if the job limits it; 0: not known
}

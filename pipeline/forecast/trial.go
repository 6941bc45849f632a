package forecast

import "github.com/kcut/kcut/pipeline/risk"

// Trial is what a job makes of some rows of its input.
type Trial struct {
	Rows        int64
	Steps       int         // of the search
	Information float64     // kept, as a run's report says it
	Lost        []string    // masked columns of which one label is left, which tells nothing
	Masked      int         // columns
	Union       *risk.Union // how well these rows hide each other on all labels
}

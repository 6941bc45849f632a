package spill

// Phase is a part of a run that holds memory. A grant with several phases is given anew in each of
// them.
type Phase string

// The phases. A run counts in one reading, or in a survey and a reading that counts tuples.
const (
	Planning     Phase = "planning"
	Counting     Phase = "counting in one reading"
	Surveying    Phase = "survey"
	Tuples       Phase = "counting tuples"
	TuplesOnDisk Phase = "counting tuples on disk"
	Ordering     Phase = "ordering records on disk"
	Searching    Phase = "search"
	Masking      Phase = "masking"
	Verifying    Phase = "verifying"
	Trying       Phase = "trials of an evaluation"
)

// Of is the amount of which a grant is a fraction.
type Of int

// Whole is the budget's limit, Left the bytes that nobody has drawn when the holder asks for the
// grant.
const (
	Whole Of = iota
	Left
)

// Grant is the largest fraction of a budget that one holder may take. Some holders draw it, so that
// others may use the rest; some only derive their number of threads or entries from it.
type Grant struct {
	Name   string
	Holder string // the holder and its purpose
	Phases []Phase
	Of     Of
	Within *Grant // the grant that this is a fraction of; nil: a fraction of the budget
	Drawn  bool   // drawn at once, so it is no longer in Left
	Num    int64
	Den    int64
}

// The grants of a run. In every phase they add up to at most 1, where fractions of Left apply after
// the grants that are drawn at once. Memory that is not listed here is drawn as it grows.
var (
	Reading = Grant{
		Name:   "reading",
		Holder: "readers: as many threads read as have room for their columns",
		Num:    1, Den: 2,
		Phases: []Phase{Planning, Counting, Surveying, Tuples, TuplesOnDisk, Masking, Verifying},
	}
	Remembering = Grant{
		Name:   "remembered values",
		Holder: "readers: values that are known from one batch to the next",
		Num:    1, Den: 8,
		Phases: Reading.Phases, Within: &Reading,
	}
	Fetching = Grant{
		Name:   "fetching ahead",
		Holder: "readers: pages that are fetched from an object store before they are read",
		Num:    1, Den: 4,
		Phases: Reading.Phases, Within: &Reading,
	}
	StoreBuffers = Grant{
		Name:   "store",
		Holder: "the store: what is not yet written, and what writes it, up to 64 MiB",
		Num:    1, Den: 32, Drawn: true,
		Phases: []Phase{Surveying, TuplesOnDisk, Ordering, Searching, Masking, Trying},
	}
	Sample = Grant{
		Name:   "sample",
		Holder: "the plan: hashes of the rows of a sample",
		Num:    1, Den: 4,
		Phases: []Phase{Planning},
	}
	Exposure = Grant{
		Name: "kept columns", Holder: "hashes of the rows' values in kept columns and labels",
		Num: 1, Den: 16,
		Phases: []Phase{Counting, Surveying, Verifying},
	}
	KeptValues = Grant{
		Name:   "kept values",
		Holder: "the values of kept columns that have few, until rows are in order",
		Num:    1, Den: 4,
		Phases: []Phase{Counting, Surveying}, Within: &Exposure,
	}
	Counts = Grant{
		Name:   "counts",
		Holder: "counting: distinct values and tuples in memory",
		Num:    7, Den: 16,
		Phases: []Phase{Counting},
	}
	SurveyedValues = Grant{
		Name:   "surveyed values",
		Holder: "the survey: values that are not yet in sorted runs",
		Num:    3, Den: 16,
		Phases: []Phase{Surveying},
	}
	SurveyedCodes = Grant{
		Name:   "surveyed codes",
		Holder: "the survey: counts of short lists of values by their codes",
		Num:    1, Den: 16,
		Phases: []Phase{Surveying},
	}
	MergedRuns = Grant{
		Name:   "merged runs",
		Holder: "the survey: what is read of the runs of one column",
		Num:    1, Den: 16,
		Phases: []Phase{Surveying},
	}
	CountedTuples = Grant{
		Name:   "tuples",
		Holder: "counting: distinct tuples in memory",
		Num:    1, Den: 2, Of: Left,
		Phases: []Phase{Tuples},
	}
	// SpilledTuples leaves room for readers and the store: 3/7 of the remaining 7/8 are 3/8 of the
	// whole.
	SpilledTuples = Grant{
		Name: "spilled tuples",
		Holder: "counting: distinct tuples that are not yet in the store; as much again for " +
			"the table that joins them, when readers are done",
		Num: 3, Den: 7, Of: Left,
		Phases: []Phase{TuplesOnDisk},
	}
	OrderedRecords = Grant{
		Name:   "ordered records",
		Holder: "an evaluation: records that are sorted at a time",
		Num:    1, Den: 4, Of: Left,
		Phases: []Phase{Ordering},
	}
	Search = Grant{
		Name:   "search",
		Holder: "the search: records and its tables, in addition to the tuples that it begins with",
		Num:    1, Den: 1, Of: Left,
		Phases: []Phase{Searching},
	}
	MaskedTuples = Grant{
		Name:   "masked tuples",
		Holder: "masking: tuples whose regions are remembered",
		Num:    1, Den: 32,
		Phases: []Phase{Masking},
	}
	ReleasedRows = Grant{
		Name:   "released rows",
		Holder: "masking: rows of the release that are put in order",
		Num:    1, Den: 4,
		Phases: []Phase{Masking},
	}
	Recount = Grant{
		Name:   "recount",
		Holder: "the recount: groups of all sets",
		Num:    7, Den: 16, Of: Left,
		Phases: []Phase{Verifying},
	}
	Trials = Grant{
		Name:   "trials",
		Holder: "trials: all that are made at the same time",
		Num:    1, Den: 1, Of: Left,
		Phases: []Phase{Trying},
	}
	TrialTuples = Grant{
		Name:   "tuples of a trial",
		Holder: "trials: tuples that are not yet in the store",
		Num:    1, Den: 2,
		Phases: []Phase{Trying}, Within: &Trials,
	}
)

// Grants returns all grants of a run.
func Grants() []*Grant {
	return []*Grant{
		&Reading, &Remembering, &Fetching, &StoreBuffers, &Sample, &Exposure, &KeptValues,
		&Counts, &SurveyedValues, &SurveyedCodes, &MergedRuns, &CountedTuples, &SpilledTuples,
		&OrderedRecords, &Search, &MaskedTuples, &ReleasedRows, &Recount, &Trials, &TrialTuples,
	}
}

// Part returns the grant's fraction of an amount: of the containing grant's amount, if there is a
// containing grant.
func (g *Grant) Part(bytes int64) int64 { return bytes/g.Den*g.Num + bytes%g.Den*g.Num/g.Den }

// Grant returns the number of bytes of the budget that a grant allows.
func (b *Budget) Grant(g *Grant) int64 {
	switch {
	case g.Within != nil:
		return g.Part(b.Grant(g.Within))
	case g.Of == Left:
		return g.Part(b.Left())
	}
	return g.Part(b.limit)
}

package boost

import "context"

// Classifier is a model that was fitted to all records. It is not safe for concurrent use.
type Classifier struct {
	binning
	fit    *Model
	bins   []uint16
	leaves []uint64
	scores []float64
}

// Learn fits one model to all records, whose Hash is not looked at. Options.Deals means nothing
// to it.
func Learn(ctx context.Context, r *Records, o Options) (*Classifier, error) {
	b := newBinned(r)
	fit, err := b.fit(ctx, r.Counts, o)
	if err != nil {
		return nil, err
	}
	return &Classifier{
		binning: b.binning, fit: fit, bins: make([]uint16, len(r.Columns)),
		leaves: make([]uint64, fit.words), scores: make([]float64, fit.trees),
	}, nil
}

// Logs writes the logarithm of how likely each class of a tuple is, less a number that is the same
// for all.
func (c *Classifier) Logs(tuple []uint32, logs []float64) {
	for column, code := range tuple {
		c.bins[column] = uint16(c.first[column]) + uint16(c.of[column][code])
	}
	c.fit.score(c.bins, c.leaves, c.scores)
	if len(c.scores) == 1 { // the log-odds of the second class
		logs[0] = 0
		logs = logs[1:]
	}
	copy(logs, c.scores)
}

// LearnBytes returns what Learn takes of a number of records, besides these.
func LearnBytes(columns []Column, classes, records int, o Options) int64 {
	o.Deals = 1
	return Bytes(columns, classes, records, 1, o)
}

package risk

import (
	"cmp"
	"math"
	"slices"
)

// ValueCount is how many rows of a class, and of the table, have a value of a column.
type ValueCount struct {
	Value   uint64 // which one: of no meaning but to who counts
	Records uint64 // of the class, above 0
	Whole   uint64 // of the table
}

// Spread tells how the values of a class are spread: their entropy in nats, and the share of the class's rows that
// have to be moved until it has the values of a table of so many rows (t-closeness with equal distances). Values are
// put into an order that does not depend on what they are called: sums of floats do on theirs.
func Spread(values []ValueCount, rows uint64) (entropy, moved float64) {
	slices.SortFunc(values, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(a.Records, b.Records), cmp.Compare(a.Whole, b.Whole))
	})
	all, there := uint64(0), uint64(0)
	for _, v := range values {
		all += v.Records
	}
	for _, v := range values {
		share := float64(v.Records) / float64(all)
		entropy -= float64(share * math.Log(share))
		moved += math.Abs(share - float64(v.Whole)/float64(rows))
		there += v.Whole
	}
	moved += float64(rows-there) / float64(rows) // values that the class lacks
	return entropy, moved / 2
}

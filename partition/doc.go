// Package partition holds the compressed table and what is made of it: counts of distinct tuples
// of codes, value × class histograms, chunks of records outside a table, and the division of
// records among the children of a value. Its packages search: tips has the leaf partitions of
// top-down specialization, cells the parts of recursive partitioning.
//
//	rows ──▶ Counter ──▶ Table ──▶ tips or cells, or Aggregate ──▶ Table
//	           │ full      │ above its share   │ evicted from the Pool, largest first
//	           ▼           ▼                   ▼
//	       chunks of records in a spill.Store, read once more and freed
//
// A Space says how much memory each of them may draw from the budget, and where the store
// is for what exceeds it.
//
// Contract: it knows coded records and counts, no values, files or algorithms. Codes are
// packed into as few bits as their domains need. Counts are integers and sums do not
// depend on the order of additions, so every result is the same whatever the workers, the
// budget and the chunks were.
// Not promised: any order of the records of a table or of a partition.
package partition

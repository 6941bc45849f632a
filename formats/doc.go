// Package formats is the only part of kcut that knows files: it reads Parquet,
// Arrow IPC and CSV, reads taxonomy files, writes Parquet, and publishes what it
// wrote in one step.
//
// Everything above it sees one picture of a table, whatever it came from:
//
//	Dataset ── Schema: the columns all files agree on
//	   │
//	   └── Split (a file and a range of its row groups, with an ordinal)
//	          │
//	          └── Batch ── Column: codes into the distinct Values, or plain Values
//
// Contract: reading never panics on a damaged file and never allocates more than
// the file's own sizes justify; what cannot be read right is refused with an error
// that wraps ErrDamaged, ErrUnsupported or ErrSchema. Errors name files, columns,
// row groups and rows, never a cell's value. Equal inputs give equal bytes: nothing
// written depends on a clock, a worker or a map's order.
//
// Not promised: that a Batch outlives the next call of its reader, and that codes
// mean the same in two batches with different Values.
package formats

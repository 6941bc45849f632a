// Package arrowfile reads Arrow IPC files and streams: a formats.Source whose chunks are
// record batches. Arrow's own library reads the schema; the lengths and offsets of
// everything else are checked here before they are believed.
//
// Contract: a dictionary column keeps its dictionary, also while deltas extend it; nested
// columns come as the leaves that Parquet would make of them. Either byte order, LZ4 and
// Zstandard are read. A column of a type that cannot be read is refused when it is asked
// for, not before.
//
// Not promised: unions and run-end encoded columns. They are refused.
package arrowfile

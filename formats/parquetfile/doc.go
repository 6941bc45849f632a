// Package parquetfile reads Parquet files: a formats.Source whose chunks are row groups.
// Pages are read column by column, straight into codes where they have a dictionary.
//
// Contract: a dictionary-encoded column keeps the dictionary of its pages, so that work is
// done per distinct value; nested columns come as leaves with their levels. Encryption and
// codecs outside the format are formats.ErrUnsupported. The footer, every page header and every
// dictionary index are checked before they are believed, and what is to be unpacked or decoded is
// told to formats.ReadOptions.Hold before it takes memory.
//
// What is decoded by parquet-go: Thrift, deltas, split streams and packed bits. Our own is what
// parquet-go does not do for files that nobody trusts, or not as fast:
//
//	footer, page   the checks; only what a reader of whole columns needs is kept of a footer
//	deltas         a walk over the headers; the library takes its sizes from them
//	cells          byte strings of the delta encodings, whose sizes are added up before they are
//	               made: a shared prefix may make megabytes out of a byte
//	flat           dictionary indexes as codes, some thousand at a time, which the library's
//	               readers give for whole pages only and do not check
//	raw            chunks that are copied as they are, with what must be known of them
//
// Structs are found by package meta, pages unpacked by codec and runs decoded by rle, for the same
// reasons.
//
// Not promised: that page indexes, bloom filters and statistics are looked at. They are not,
// but for estimates of columns (formats.Described).
package parquetfile

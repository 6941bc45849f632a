// Package release reads a released Parquet file back and looks for what it must not hold.
//
// Contract: it shares no code with the package that writes releases: of the packages that both
// import, the writer has what encodes, and this one what decodes. The structs of footers and page
// headers are written again, to see whether there is more in them than in their fields. Pages are
// read and decoded by package page, as those of sources are; here every page is asked for its
// checksum, and the bytes are counted that no value needs: no library looks at every byte.
//
// Of a footer, what concerns row groups is read one by one: a release of very many column chunks
// takes no more memory than others.
//
// All columns are decoded to the last byte of every page: what no level and no value needs is a
// finding, and so are pages whose codec or encoding leaves room that cannot be told from values.
// What the footer and headers say of values is held against these. Of masked columns every value is
// looked at, of kept ones the dictionary, which rows must use, and, where the footer names a
// smallest and a largest value, values.
//
// Not promised: that it decodes every Parquet column. It decodes what kcut writes: PLAIN and
// dictionary encoding, packed with zstd, snappy, gzip or not at all; masked columns are flat, or
// structs of flat fields.
package release

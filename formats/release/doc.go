// Package release reads a released Parquet file back and looks for content that it must not have.
//
// Contract: it shares no code with the package that writes releases: in the packages that both
// import, the writer uses the encoders, and this one the decoders. It encodes the decoded structs
// of footers and page headers again, to see whether their bytes contain more than their fields.
// Package page reads and decodes pages, as it does for sources; here every page must have its
// checksum, and bytes that no value needs are counted: no library looks at every byte.
//
// The parts of a footer about row groups are read one by one: a release with very many column
// chunks takes no more memory than others.
//
// All columns are decoded to the last byte of every page: bytes that no level and no value needs
// are a finding, and so are pages whose codec or encoding leaves room that cannot be distinguished
// from values. The statements of footer and headers about values are checked. In masked columns
// every value is checked; in kept ones the dictionary, whose entries rows must use, and, if the
// footer names a smallest and a largest value, the values.
//
// Limits: it does not decode every Parquet column, only the forms that kcut writes: PLAIN and
// dictionary encoding, packed with zstd, snappy, gzip or not at all; masked columns are flat, or
// structs of flat fields.
package release

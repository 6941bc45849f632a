// Package csvfile reads CSV files, plain, gzip or Zstandard: a formats.Source whose chunks
// are ranges of whole records. RFC 4180 in UTF-8, with a header; an empty field without
// quotes is a null.
//
// Contract: opening reads the file once from end to end, to count its rows and to infer the
// types that are not declared: block by block on several goroutines, unless it is
// compressed. The file is not held open. A type is inferred only when every text of the
// column stands for a value of it; what only looks like a number, such as a code with
// leading zeros, stays a text.
//
// Not promised: that the text of a value comes back as it was written.
package csvfile

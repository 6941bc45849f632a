// Package release reads a released Parquet file back and looks for what it must not hold.
//
// Contract: it shares no code with the package that writes releases: of the packages that both
// import, the writer has what encodes, and this one what decodes. The structs of footers and page
// headers are written again, to see whether there is more in them than in their fields. Pages are
// read by package page, as those of sources are; here every page is asked for its checksum, and the
// bytes are counted that no value needs: no library looks at every byte.
//
// Of a footer, what concerns row groups is read one by one: a release of very many column
// chunks takes no more memory than others.
//
// Masked columns are decoded to their last value. Of kept columns, whatever their codec and
// encoding are, the pages are checked as bytes: checksums, headers of no other form than
// kcut's, and numbers of pages, entries, nulls and bytes that add up to what the footer says.
// Unpacked are only their dictionaries, to count the values.
//
// Not promised: that it decodes every Parquet column. It decodes what a masked column may
// be: flat, in PLAIN or dictionary encoding.
package release

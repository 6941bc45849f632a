// Package release reads a released Parquet file back and looks for what it must not hold.
//
// Contract: it shares no code with the package that writes releases, and decodes them by
// another library, so that what it finds in a file is what other readers find in it.
//
// Not promised: that it reads every Parquet file. It reads what a release may hold: flat
// columns in PLAIN or dictionary encoding.
package release

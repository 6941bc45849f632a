// Package formatstest helps tests of files: it finds the real data, reads the cells of any
// source, and gives all bytes of a Parquet file for a search.
//
// Contract: it imports no reader and no writer of its own project, so that their tests can
// use it.
//
// Not promised: speed.
package formatstest

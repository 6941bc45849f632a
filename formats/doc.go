// Package formats defines tables for all of kcut, independent of the format of a file:
//
//	Type, Unit   the meaning of a column's values
//	Values       a list of values in an encoding whose order is that of numbers or bytes
//	Distinct     codes of values
//	Batch        rows as columns of codes into Values, or of plain Values
//	Field        a column of a Schema, with a handle to its declaration in Parquet
//	Split        a part of a table, the unit of work
//	Source       the contract of a reader of one file
//
// The packages below it handle files:
//
//	dataset      many files as one table, in any format
//	parquetfile  reading Parquet
//	arrowfile    reading Arrow IPC
//	csvfile      reading CSV
//	writer       writing Parquet
//	release      reading a released file back, to check it
//	publish      putting an output in its place in one step
//	taxonomy     reading taxonomy files
//	yaml         YAML with the places of its values, and errors with these places
//
// Contract of all of them: reading never panics on a damaged file and never allocates more than the
// file's own sizes justify; content that cannot be read correctly is refused with an error that
// wraps ErrDamaged, ErrUnsupported or ErrSchema. Errors name files, columns, row groups and rows,
// never a cell's value. Equal inputs give equal bytes: the output depends on no clock, worker or
// order of a map.
//
// Limits: a Batch is valid only until the next call of its reader, and codes may differ between two
// batches with different Values.
package formats

import "github.com/kcut/kcut/internal/fault"

var (
	// ErrDamaged is returned when a file's bytes contradict its own format.
	ErrDamaged = fault.New(fault.Input, "write the file anew, or leave it out", "damaged file")
	// ErrEncoding is returned for CSV that is neither UTF-8 nor in a declared encoding.
	ErrEncoding = fault.New(fault.Input, "say in csv.encoding how it is written", "invalid UTF-8")
	// ErrBlank is returned for a text file without content.
	ErrBlank = fault.New(fault.Input, "leave the file out", "empty file")
	// ErrUnsupported is returned when a file is sound but uses a feature that kcut does not read
	// (encryption, an unknown codec, a nested column where a flat one is needed).
	ErrUnsupported = fault.New(fault.Input,
		"write the file anew, as Parquet with codec zstd or snappy and without encryption, or "+
			"set columns aside with drop", "unsupported")
	// ErrSchema is returned when files of one input disagree, or a named column is missing.
	ErrSchema = fault.New(fault.Input, "name files with the same columns, of the same types, in "+
		"input", "schema mismatch")
	// ErrNoInput is returned when an input path, directory or glob names no file.
	ErrNoInput = fault.New(fault.Input,
		"check the name; relative paths in a job file start from the job file's folder",
		"no such file")
	// ErrChanged is returned when the input has changed since it was first read.
	ErrChanged = fault.New(fault.Input, "run again when nobody writes to the input",
		"the input was changed during the run")
	// ErrBusy is returned when another run is writing the same output.
	ErrBusy = fault.New(fault.Transient, "", "output is being written by another run")
)

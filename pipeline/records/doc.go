// Package records lets programs that hold a table as record batches of Arrow anonymize it, and read
// releases as record batches.
//
//	array.RecordReader ──Input──▶ Job ──kcut.Run──▶ release ──Open──▶ array.RecordReader
//
// Contract: both directions take one batch at a time, whatever the size of the table, and every
// type that kcut reads from Arrow files. The bytes of a release are those of the same rows in any
// file. All errors are a *kcut.Error.
//
// Limits: a run reads its input twice or more, so Input writes the batches to a private file on
// disk, as large as the table. kcut.RunOptions.Resume does not know such an input again.
package records

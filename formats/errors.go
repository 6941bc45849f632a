package formats

import "errors"

var (
	// ErrDamaged is returned when a file's bytes contradict its own format.
	ErrDamaged = errors.New("damaged file")
	// ErrUnsupported is returned when a file is sound but uses something kcut does not read
	// (encryption, an unknown codec, a nested column where a flat one is needed).
	ErrUnsupported = errors.New("unsupported")
	// ErrSchema is returned when files of one input disagree, or a named column is missing.
	ErrSchema = errors.New("schema mismatch")
	// ErrNoInput is returned when an input path, directory or glob names no file.
	ErrNoInput = errors.New("no input file")
	// ErrBusy is returned when another run is writing the same output.
	ErrBusy = errors.New("output is being written by another run")
	// ErrLeak is returned when a released file holds something that it must not give away.
	ErrLeak = errors.New("leak")
)

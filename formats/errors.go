package formats

import "github.com/kcut/kcut/internal/fault"

var (
	// ErrDamaged is returned when a file's bytes contradict its own format.
	ErrDamaged = fault.New(fault.Input, "damaged file")
	// ErrUnsupported is returned when a file is sound but uses something kcut does not read
	// (encryption, an unknown codec, a nested column where a flat one is needed).
	ErrUnsupported = fault.New(fault.Input, "unsupported")
	// ErrSchema is returned when files of one input disagree, or a named column is missing.
	ErrSchema = fault.New(fault.Input, "schema mismatch")
	// ErrNoInput is returned when an input path, directory or glob names no file.
	ErrNoInput = fault.New(fault.Input, "no input file")
	// ErrBusy is returned when another run is writing the same output.
	ErrBusy = fault.New(fault.Transient, "output is being written by another run")
	// ErrLeak is returned when a released file holds something that it must not give away.
	ErrLeak = fault.New(fault.Privacy, "leak")
)

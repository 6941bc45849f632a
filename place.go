package kcut

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
)

// Place is a file or a directory that a program reads or writes beside a release, and what it is
// called in messages: a trace, a report. One without a path is nowhere.
type Place = fileset.Place

// CheckPlaces refuses files to write of which one would replace another, or something that is
// read besides or, of a job that is not nil, that it reads or makes; or that the job's next run
// would read as input. It is an error of ErrUsage: whoever names such a file has mistyped.
func CheckPlaces(job *Job, written []Place, read ...Place) error {
	if job == nil {
		return fault.Advised(fileset.CheckApart(written, read...))
	}
	return fault.Advised(output.CheckBeside(job, written, read...))
}

// CheckFolder refuses the path of a file to write whose folder is not there (ErrUsage), before
// any work is done for it.
func CheckFolder(what, path string) error { return fault.Advised(fileset.CheckFolder(what, path)) }

// CheckFile refuses the path of a file that could not be written: its folder is not there, it is
// a directory (ErrUsage), or it exists and is not to be replaced (ErrExists).
func CheckFile(what, path string, overwrite bool) error {
	return fault.Advised(fileset.CheckFile(what, path, overwrite))
}

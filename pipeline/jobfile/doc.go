// Package jobfile reads the job file: what a run reads, what must hold in its release, how
// every column is masked, and where the release goes.
//
//	text ──▶ YAML ──▶ overrides ──▶ check ──▶ defaults ──▶ Job ──▶ rules
//
// One table of fields defines the file. Decoding, checks, defaults, flags and environment
// variables, the JSON Schema and the reference in docs/job-file.md all come from it. Every
// value of a Job knows where it came from, so that a job can be shown as it would run.
//
// Contract: a Job that was loaded without an error holds together, as far as that can be
// known without the input. What is wrong comes back as one *Error, all of it at once, each
// problem with its place. No file is opened but the job file and the taxonomy files that
// its columns need.
//
// Not promised: that the job fits its input; whether columns exist and their types allow
// their masks and bounds is known only with the input's schema.
package jobfile

// Package job is what a run is asked to do: what it reads, what must hold in its release, how
// every column is masked, and where the release goes.
//
//	a program ─────────────────────────────▶ Job ─Resolve─▶ Job
//	text ─▶ YAML ─overrides─▶ nodes by path ─▶ Job ─Resolve─▶ Job
//
// One table of fields defines a job: a row says where the value lies in a Job and what it may be.
// Reading, checks, defaults, flags and environment variables, printing, the JSON Schema and the
// reference in docs/job-file.md all come from it. A new key is a row and a field.
//
// Contract: a Job that was resolved without an error holds together, as far as that can be
// known without the input. What is wrong comes back as one *Error, all of it at once, each
// problem with its place: in the file, or the path of the key in a Job that a program filled in.
// No file is opened but the job file and the taxonomy files that its columns need. Where a value
// came from is kept beside the Job, and nothing depends on it but what is shown to people.
//
// Not promised: that the job fits its input; whether columns exist and their types allow
// their masks and bounds is known only with the input's schema.
package job

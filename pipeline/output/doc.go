// Package output checks the output of a job, makes the release in another place, and publishes the
// finished release as the output.
//
//	Check…         check whether the output exists and whether a release may replace it
//	Local          the place for making the release: next to the output or, if the output is in an
//	               object store, a folder of this machine
//	Open, Publish  write row groups to part files; rename or upload them once all are written
//
// Contract: before Publish, and after a failure, the output is unchanged. An object store cannot
// replace a directory in one step. So a directory there is whole if and only if it has _SUCCESS.
//
// Not promised: that the published release is right. The caller recounts the release before it
// publishes the release.
package output

// Package publish puts an output, a file or a directory, in its place in one step.
//
// Contract: until then the output lies beside its target under a hidden name, readable by
// its owner alone; afterwards it is complete and durable. After a failure, a kill or a
// power loss the target is what it was before, or absent, and the next run sweeps what is
// left. Two runs with one target exclude each other with formats.ErrBusy.
//
// Not promised: exclusion on systems without file locks, nor one step for a directory that
// replaces another where the system cannot exchange names. The next run repairs that, too.
package publish

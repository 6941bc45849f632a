// Package forecast predicts the number of distinct values and tuples in a run, the memory that they
// need, the data that goes to disk, and the time of the run.
//
//	Range         a lower and an upper bound of a number
//	Sample        some rows, in which values and tuples are counted
//	Occurrences   how often the values of a sample occur; Extrapolate predicts the number of
//	              distinct values of all rows
//	Grouping      columns whose tuples are counted together
//	Trial         the result of running the job on some rows
//	Load          the work of a run; its methods predict the memory, the disk space and the time
//	Forecast      the answer of kcut plan
//
// The numbers of rows are exact. The numbers of distinct values come from the statistics in the
// files. They are bounds. For tuples of several columns the bounds are wide, because no file counts
// tuples. A sample makes the bounds narrow. All other numbers are estimates. Their factors were
// measured on one machine (docs/performance.md).
package forecast

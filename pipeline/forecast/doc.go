// Package forecast tells beforehand what a run takes: how many distinct values and tuples
// there will be, the memory they need, what goes to disk, and how long it lasts.
//
//	Range      what a number lies between
//	Excerpt    some rows, to count the values and tuples in
//	Sighting   how often the values of an excerpt occur; Extrapolate tells of all rows
//	Grouping   columns whose tuples are counted together
//	Trial      what the job makes of some rows
//	Load       what has to be done; its methods tell what that takes
//	Forecast   the answer of kcut plan
//
// Numbers of rows are exact. Distinct values come from statistics that files keep of
// themselves: bounds, and wide ones for tuples of several columns, which no file counts.
// An excerpt makes them narrow. What follows from them is an estimate: factors in it were
// measured on one machine (docs/performance.md).
package forecast

// Package parallel deals work out to goroutines without its result telling who did what: a
// reading of the whole input, split by split, and the making of results that are used in order.
//
// Contract: a function returns when all its goroutines have ended, with the first error. A
// panic on one of them is an error of its own (package fault), and ends the work of the others.
//
// Not promised: which worker reads which split, nor in what order. What a worker keeps from
// split to split must not depend on either.
package parallel

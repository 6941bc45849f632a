// Package workers runs functions on a bounded number of goroutines, the only such code of the
// project: a loop whose iterations are dealt out, loops inside loops, and results used in order.
//
// Contract: a function returns when all its goroutines have ended. Of several errors it returns
// that of the smallest iteration, whichever came first, so it does not depend on the number of
// workers. A panic in an iteration is a *PanicError of that iteration, never a crash. Nobody
// spins: a worker without work sleeps.
//
// Not promised: which worker makes which iteration, nor in what order. What a worker keeps from
// one iteration to the next must not depend on either.
package workers

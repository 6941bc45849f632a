// Package fault says what kinds of failure there are: which class an error belongs to, what
// to do next, and how a bug becomes an error instead of a crash.
//
// Contract: ClassOf gives every error one Class, whichever package below made it; an Error
// anywhere in its chain decides. The class is all that a caller needs to choose an exit code
// and to know whether another try may help. No text of this package holds a cell's value.
//
// Not promised: that a class is the same on every machine. What the operating system says of
// a full disk or a missing folder differs.
package fault

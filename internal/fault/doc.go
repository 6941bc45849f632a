// Package fault says what kinds of failure there are: which class an error belongs to, and what
// to do next.
//
// Contract: ClassOf gives every error one Class, whichever package made it: errors carry their
// class where they arise (New, Error), and those of the operating system are told apart here. An
// Error anywhere in its chain decides. The class is all that a caller needs to choose an exit code
// and to know whether another try may help. No text of this package holds a cell's value.
//
// Not promised: that a class is the same on every machine. What the operating system says of
// a full disk or a missing folder differs.
package fault

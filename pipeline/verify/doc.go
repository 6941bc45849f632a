// Package verify finds out from a release alone whether it keeps what its cut promises.
//
// It reads the released files back and counts every quasi-identifier set, measures the values of sensitive
// columns in all equivalence classes, checks whether each
// label is one of the cut's, and looks for what must not be given away: other values in
// dictionaries, pages and statistics, foreign metadata, files that are no parts. A run lets
// nothing be published that does not pass, and kcut verify asks the same of any release.
//
// Contract: it shares no code with what searches, masks and writes, so that a mistake there
// shows here. In common with them it has the form of the cut (cutfile), the names of parts
// (fileset) and how rows that are alike are counted (risk), which judges nothing; its reader is
// formats/release, which has none of the writer's code either. Groups are counted within the memory
// that it is given, in several readings if they must be, with the same result. A release that does not hold is an error of class Privacy, together with all
// that was found; no finding holds a cell's value.
//
// Not promised: that classes have k entities where the cut says that k counts these: a release does not tell
// whose a record is, and so records are counted; that the cut is a good one, that columns which were kept are harmless, or that a
// release is safe beside other releases of the same people.
package verify

// Package verify checks, from a release alone, whether it keeps the promises of its cut.
//
// It reads the released files again and counts every quasi-identifier set, measures the values of
// sensitive columns in all equivalence classes, and checks whether each label is one of the cut's.
// It also looks for information that must not be released: other values in dictionaries, pages and
// statistics, unknown metadata, and files that are no parts. A run publishes only releases that
// pass, and kcut verify checks any release in the same way.
//
// Contract: it shares no code with the search, masking and the writer, so that a mistake there
// shows here. It shares with them only the form of the cut (cutfile), the names of parts (fileset)
// and the counting of class sizes (risk), which decides nothing. Its reader is formats/release,
// which has none of the writer's code either. It counts groups within the given memory, in several
// passes if necessary, with the same result. For a release that breaks its promises it returns an
// error of class Privacy, together with all findings; no finding holds a cell's value.
//
// Not promised: that classes have k entities if k counts entities, since a release does not say
// whose a record is, and so records are counted; that classes have people of a population, unless
// the caller's Population counts these; that the cut is a good one; that kept columns are
// harmless; or that a release is safe together with other releases of the same people.
package verify

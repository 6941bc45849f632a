// Package sql writes the statements that another engine runs over a table that kcut may not read: those that count it for a
// search (Count), the one that masks it with a cut (Mask), and those that count what came out again (Verify).
//
// Contract: a statement says what kcut does, or there is none: what a dialect cannot say is an error of class Usage that names the
// column. Names are quoted, texts escaped, and every value is cast to the type that kcut knows of its column, so that nothing hangs
// on what an engine casts by itself. A value that the cut has no label for stops the statement. One table of dialects says how
// each quotes, casts and fails; expressions are the same in all of them.
//
// Not promised: that an engine's own table is as its counts say. The types are those of the files of counts; a table that changed
// since is counted again by what Verify prints, as any release is.
package sql

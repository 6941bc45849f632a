// Package sql writes the statements that another engine runs on a table that kcut may not read:
// those that count it for a search (Count), the one that masks it with a cut (Mask), and those that
// count the result again (Verify). CountJob, MaskJob and VerifyCut first read the job's input, or
// the cut.
//
// Contract: a statement does exactly what kcut does, or there is none: if a dialect cannot express
// something, an error of class Usage names the column. Names are quoted, texts escaped, and every
// value is cast to the column's type in kcut, so that nothing depends on implicit casts of an
// engine. A value for which the cut has no label stops the statement. One table of dialects has the
// quoting, casting and failing of each; the expressions are the same in all of them.
//
// Limits: an engine's table may differ from its counts. The types are those of the files of counts;
// the statements of Verify count a table again that has changed since, like any release.
package sql

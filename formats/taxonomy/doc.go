// Package taxonomy reads the trees that values are generalized along, from YAML and from
// CSV hierarchies as ARX writes them.
//
// Contract: a tree has one root and unique, non-empty names; everything that is wrong with
// a file is reported at once, each with its place, and never by a name, which is a value of
// the data.
//
// Not promised: that the values of any data are among the leaves.
package taxonomy

// Package taxonomy holds the trees that generalized attributes climb.
//
//	texts ──Generator──▶ paths ──Grower──▶ Tree ──Finder──▶ codes of leaves
//	nested Node ──NewTree──▶ Tree
//
// A Tree is given, or generated from the values that occur: prefixes, dates, ranges of numbers.
// A Grower takes values in the order of their texts and forgets what no search refines, so that
// it holds no more than a node for every K records, however many values there are. A CutFinder
// finds the nodes of an earlier cut without a tree.
//
// Trees, generators and cuts are safe for concurrent use; growers and finders belong to one
// goroutine. The package knows neither attributes nor algorithms.
package taxonomy

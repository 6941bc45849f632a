// Package kactus is kACTUS, k-anonymity by multidimensional suppression along a decision
// tree (Kisilevich, Rokach, Elovici and Shapira, TKDE 2010).
//
//	records ──engine/induce──▶ tree of tests ──from the leaves up──▶ groups ──▶ engine.Regions
//
// A tree is grown that predicts the class. From its leaves up, the children of a node with
// k records or more become groups, released with what the tests on the path to them say;
// the records of its other children are left at the node itself. If these are fewer than k,
// and the groups have so many to spare, then some of the groups' records are moved to the
// node, so that it has k. At the root, k records or more are released with nothing but the
// widest labels, and fewer are dropped, or completed by what all groups have to spare.
//
// Readings of what the paper's figure 5 leaves open or contradicts in its text:
//   - When k records or more are left at a node by themselves, its groups keep all of theirs.
//   - When no record is left at a node, none is moved there.
//   - A tested attribute is released as the value, or the interval that the tests leave of
//     it, not as a mean, which would be untrue; one that was not tested as its widest label.
//   - Nulls are a branch of their own.
//
// Which records move is drawn by keys that depend on the seed, the node of the tree that
// they are at, and the record alone: of every group the ones with the smallest keys, and
// never one of its last k. A record that has moved is in a node of just k, and stays there.
// Of records that are alike, those that come first in the input are released as they were.
//
// Several quasi-identifier sets are reduced to one: the union of their columns and the
// largest k. Without a class nothing is tested, and everything suppressed.
package kactus

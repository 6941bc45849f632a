// Package bottomup is Bottom-Up Generalization (Wang, Yu and Chakraborty, 2004): start with
// the raw values, then repeatedly replace all children of a node by the node, the one that
// loses the least information for the anonymity it brings, until every quasi-identifier
// set is k-anonymous.
//
// What a generalization loses depends on the value × class histogram of its own attribute
// alone, and never changes: it is computed once. What it brings depends on the smallest
// equivalence classes, the anonymity vids. The paper keeps all of them in an index (TEA)
// that every step updates. Here they are counted anew under the current cut, and only when
// something has to be known of them, by the paper's Theorem 1: a generalization raises
// A(QID) only if it merges every anonymity vid with another. Two of them that no one
// generalization has in common, or one that it merges with nothing, show that it does not,
// for as long as both are what they were. On real data such witnesses answer for nearly
// all steps, so that tables of any size are read a few times, in memory or in a store.
package bottomup

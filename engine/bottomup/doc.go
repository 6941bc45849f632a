// Package bottomup is Bottom-Up Generalization (Wang, Yu and Chakraborty, 2004): start with
// the raw values, then repeatedly replace all children of a node by the node, the one that
// loses the least information for the anonymity it brings, until every quasi-identifier
// set is k-anonymous.
//
// What a generalization loses depends on the value × class histogram of its own attribute
// alone, and never changes: it is computed once. What it brings depends on the smallest
// equivalence classes, the anonymity vids. By the paper's Theorem 1 a generalization is
// critical, which is to raise A(QID), only if it merges every anonymity vid with another, and
// at most one of an attribute does.
//
// The paper finds these by an index of all vids (TEA, section 5), whose segments every step
// merges. That is done here, too, from the moment on at which the vids of the current cut are
// few enough for it (maxIndexed, and the budget).
//
// While there are more, or the table is in a store, a survey takes its place: the table as it
// was counted under some earlier cut, and a few anonymity vids as witnesses. Two that no one
// generalization has in common, or one that it merges with nothing, show that it is not
// critical, for as long as no step touches them. Vids are counted anew, under the cut of that
// moment, only when no witness is left, or when they leave a generalization, at most one an
// attribute, to be examined. On real data that is seldom, so that large tables are read a few
// times instead of being merged in every step. BenchmarkCrossover measures where one overtakes
// the other; a naive search holds every step of both to the definitions.
package bottomup

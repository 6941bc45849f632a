// Package iac is Information based Anonymization for Classification (Li, Liu, Baig and
// Wong, 2011): IACk, for a given k, and IACc, for a given change of the data.
//
// Every attribute is generalized as a whole to one level of its hierarchy, the one that
// tells most of the class for what it tells at all (normalized mutual information), k or
// no k. Then whole records are suppressed: their values of all attributes, not their
// class. IACk suppresses those in equivalence classes below k, which makes other sets'
// classes smaller, until none is left. IACc suppresses the smallest classes, size by size,
// as long as no attribute's distribution and information change by more than they may; k
// is its outcome.
//
// Levels follow from the histograms alone, so tuples are counted generalized: there are
// few, and what remains to be done takes little.
package iac

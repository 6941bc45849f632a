// Package mondrian is multidimensional recoding: Mondrian (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006) and InfoGain Mondrian (KDD 2006; TODS 33(3), 2008).
//
//	all records ──cut──▶ parts ──cut──▶ … ──▶ regions ──▶ engine.Regions
//	               widest dimension, median;          labels of the values of a region;
//	               or the split of least entropy      the tree of cuts locates records
//
// A part is cut as long as a cut leaves every side k records. Several quasi-identifier sets
// are reduced to one: the union of their columns and the largest k. That is sound, since a
// region's records agree on every set, and asks for more than was required.
//
// What the papers leave open:
//   - Ties: of candidates within 1e-9 of the best, the first in the attributes' order.
//   - Nulls: a discretized attribute with nulls and values in a part is cut between them
//     before anything else. Everywhere else a null is a value, the last one.
//   - A relaxed cut shares the records of the median among both sides. Which of them go
//     left is drawn by keys that depend on the seed, the part and the record alone.
//
// Labels. Discretized: the interval that the cuts have left; of relaxed regions, which may
// overlap, the values present, up to the next value of the domain; nulls beside values: the
// full interval. Generalized: the lowest node above the values present, the root when a
// null is among them. Suppressed: the value; several as {a|b}, in domain order, in which \,
// |, { and } are escaped by \ and the null is \N; all of the domain as *. A single value
// that starts with { is written as a set of one. The rest of a domain, which Plan asks for, is
// one value in the search, and * in labels, whatever is beside it: so no label names a value
// of too few records, and * is true of all. More values than the largest K of the sets with
// the attribute are *, too.
package mondrian

// Package engine holds what all anonymization algorithms share: the attributes, whose taxonomy
// trees are those of engine/taxonomy, the requirement, the table of counts they search, and the
// Recoding they return. The algorithms are the packages below it: engine/topdown, engine/bottomup,
// engine/kactus, engine/iac and engine/mondrian. Package engine/classify judges their releases.
//
// An Engine decides; it opens no file and writes none, and knows values only as codes
// and as the texts that order them. Every engine is a pure function of its Table, its
// Requirement and its Options: the same counts give the same Recoding, whatever the
// order of the rows was.
//
// A protection beside k is added in these steps:
//
//  1. Its type implements Protection. It must be monotone, as is said there.
//  2. What it judges by, if not Records, becomes a field of Stats, and what must be counted for
//     that a field of Needs. Set.Grouping asks for it, so that the plans of all engines do.
//  3. The job's field becomes an element of Set.Others. Sets are then reduced and united by
//     Implies, values are pruned by Prunable, before and while tuples are counted.
//  4. Wherever an engine makes Stats, it fills in the new field. These are its only places that
//     know of sizes; that of the top-down engines is tips.TIPS.
//  5. The naive searches of the tests get it by enginetest.Holds, and so test it in every engine.
package engine

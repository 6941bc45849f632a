// Package engine holds what all anonymization algorithms share: the attributes and their
// taxonomy trees, the requirement, the table of counts they search, and the Recoding they
// return. The algorithms are the packages below it: engine/topdown, engine/bottomup,
// engine/kactus, engine/iac and engine/mondrian. Package engine/classify judges their releases.
//
// An Engine decides; it opens no file and writes none, and knows values only as codes
// and as the texts that order them. Every engine is a pure function of its Table, its
// Requirement and its Options: the same counts give the same Recoding, whatever the
// order of the rows was.
package engine

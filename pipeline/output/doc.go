// Package output is the place of a release: what may be put there, where it is made, and how it
// gets there when it is finished.
//
//	Check…         what is there, and whether a release may take its place
//	Local          where it is made: beside the output, or on this machine for an object store
//	Open, Publish  row groups to part files, renamed or uploaded once all of them are written
//
// Contract: until Publish the output is what it was; after a failure, too. What an object store
// cannot do in one step is ordered so that _SUCCESS tells whether a directory is whole.
//
// Not promised: that what is published is right. Whoever publishes has recounted it.
package output

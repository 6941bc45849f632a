// Package report lays out what is known of a release as one HTML page, for those who decide
// whether it may go out.
//
// Contract: the page needs nothing but itself: no script, no image, no font, no network. What
// comes from the data or the job file is escaped. Equal arguments give equal bytes. No
// equivalence class of the release below k is shown: there is no page of a release with one.
//
// The page is not for release: with a trace it tells values that the release does not.
package report

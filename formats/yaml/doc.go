// Package yaml reads YAML files that people write, jobs and taxonomies, with the places of
// all keys and values, and describes what is wrong at such a place, as a Problem.
//
// Contract: time and memory are bounded by limits that people's files are far below. Keys
// are unique texts.
//
// Not promised: all of YAML. Anchors, aliases, merge keys, tags and directives are refused.
package yaml

package engine

import "github.com/kcut/kcut/engine/taxonomy"

// The names of package taxonomy under which those know them who bind columns to attributes.
type (
	Tree      = taxonomy.Tree
	Node      = taxonomy.Node
	Generator = taxonomy.Generator
	Grower    = taxonomy.Grower
	Finder    = taxonomy.Finder
	CutFinder = taxonomy.CutFinder
	Pruning   = taxonomy.Pruning
	Frequency = taxonomy.Frequency
)

// See package taxonomy.
var (
	NewTree        = taxonomy.NewTree
	NewFinder      = taxonomy.NewFinder
	NewGrower      = taxonomy.NewGrower
	AddFrequencies = taxonomy.AddFrequencies

	NewCutFinder = taxonomy.NewCutFinder
	Ancestry     = taxonomy.Ancestry
	Takes        = taxonomy.Takes
	Above        = taxonomy.Above

	Dates      = taxonomy.Dates
	DateLevels = taxonomy.DateLevels
	Flat       = taxonomy.Flat
	Prefixes   = taxonomy.Prefixes
	Ranges     = taxonomy.Ranges
)

// FrequencyBytes is what one frequency takes.
const FrequencyBytes = taxonomy.FrequencyBytes

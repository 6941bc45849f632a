package engine

import "github.com/kcut/kcut/engine/taxonomy"

// The types of package taxonomy that other packages need to bind columns to attributes.
type (
	Tree      = taxonomy.Tree
	Node      = taxonomy.Node
	Generator = taxonomy.Generator
	Grower    = taxonomy.Grower
	Finder    = taxonomy.Finder
	Pruning   = taxonomy.Pruning
	Frequency = taxonomy.Frequency
)

// The functions of package taxonomy that go with them.
var (
	NewTree        = taxonomy.NewTree
	NewFinder      = taxonomy.NewFinder
	NewGrower      = taxonomy.NewGrower
	AddFrequencies = taxonomy.AddFrequencies

	ErrUnmapped = taxonomy.ErrUnmapped
	ErrRoot     = taxonomy.ErrRoot

	Ancestry = taxonomy.Ancestry
	Takes    = taxonomy.Takes
	Fits     = taxonomy.Fits
	Above    = taxonomy.Above

	Dates      = taxonomy.Dates
	DateLevels = taxonomy.DateLevels
	Flat       = taxonomy.Flat
	Given      = taxonomy.Given
	MonthFirst = taxonomy.MonthFirst
	Prefixes   = taxonomy.Prefixes
	Ranges     = taxonomy.Ranges
	Spellings  = taxonomy.Spellings

	SpellingLevels = taxonomy.SpellingLevels
)

// FrequencyBytes is the memory of one frequency.
const FrequencyBytes = taxonomy.FrequencyBytes

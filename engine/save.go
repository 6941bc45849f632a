package engine

// NumberWriter takes whole numbers that are to be read again in the same order.
type NumberWriter interface{ Uint(v uint64) }

// NumberReader gives back what a NumberWriter took, and zeros after an error. Loops that the
// numbers bound ask for it.
type NumberReader interface {
	Uint() uint64
	Err() error
}

// SavedLocator is a Locator that can be written down.
type SavedLocator interface {
	Locator
	// Save writes what its engine's LoadLocator makes the same Locator of.
	Save(to NumberWriter)
}

// LocatorLoader is an Engine whose regions have SavedLocators.
type LocatorLoader interface {
	Engine
	// LoadLocator reads what Save of a Locator has written that this engine found. It is of
	// no use after an error.
	LoadLocator(from NumberReader) Locator
}

// SampledLoader is a LocatorLoader whose regions may have records that are drawn.
type SampledLoader interface {
	LocatorLoader
	// LoadSampled is LoadLocator for what tells the regions of a table's cells, given the loaded
	// Locator of the same regions. It needs the table's attributes and classes alone.
	LoadSampled(from NumberReader, of Locator, table *Table) Locator
}

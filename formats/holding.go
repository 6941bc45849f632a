package formats

import "fmt"

// usualBytes is how much of what Holding counts is not told: whoever reads leaves room for
// that of every column.
const usualBytes = 1 << 20

// Holding keeps the books of what one reader, or one column of it, holds of an input whose
// pages and dictionaries may have any size. The zero value tells nobody.
type Holding struct {
	Tell func(bytes int64) error // ReadOptions.Hold
	told int64
}

// Hold says that so many bytes are held from now on, or returns an error when they must not
// be. Whoever needs more says so before it is allocated.
func (h *Holding) Hold(bytes int64) error {
	more := max(0, bytes-usualBytes) - h.told
	if h.Tell == nil || more == 0 {
		return nil
	}
	if err := h.Tell(more); err != nil {
		return fmt.Errorf("hold %d bytes of what is read: %w", bytes, err)
	}
	h.told += more
	return nil
}

// Release says that nothing is held any more.
func (h *Holding) Release() {
	if h.told > 0 {
		_ = h.Tell(-h.told) // giving back is not refused
		h.told = 0
	}
}

// MemoryBytes returns the memory that the values take.
func (v *Values) MemoryBytes() int64 {
	return int64(cap(v.Words))*8 + int64(cap(v.Ends))*4 + int64(cap(v.Data))
}

// MemoryBytes returns the memory that the table takes beside its Values.
func (d *Distinct) MemoryBytes() int64 {
	bytes := int64(len(d.slots)) * 8
	if d.keys != d.Values {
		bytes += d.keys.MemoryBytes()
	}
	return bytes
}

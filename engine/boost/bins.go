package boost

// maxBins is the largest number of bins of a column.
const maxBins = 256

// binned are records with the codes of every column replaced by few bins.
type binned struct {
	*Records
	binning
	bins []uint16 // by record and column, numbered over all columns
}

// binning maps the codes of every column to bins.
type binning struct {
	of [][]uint8 // by column and code: the bin
	// by column: number of its first bin over all columns; the last element is the number of all
	// bins
	first []int
}

func newBinned(r *Records) *binned {
	b := &binned{
		Records: r,
		binning: binning{first: []int{0}},
		bins:    make([]uint16, len(r.Class)*len(r.Columns)),
	}
	for c, column := range r.Columns {
		of, n := r.binsOf(c, column.Domain)
		b.of, b.first = append(b.of, of), append(b.first, b.first[c]+n)
	}
	b.binning.translate(r.Codes, b.bins)
	return b
}

// translate writes the bins of codes, which are given by column, record after record.
func (b *binning) translate(codes [][]uint32, bins []uint16) {
	for c, of := range b.of {
		for row, code := range codes[c] {
			bins[row*len(b.of)+c] = uint16(b.first[c]) + uint16(of[code])
		}
	}
}

// binsOf returns the bin of every code of a column, and the number of bins. If there are more codes
// than bins, adjacent codes share a bin, so that bins have about equal numbers of records.
func (r *Records) binsOf(column, domain int) (of []uint8, n int) {
	of = make([]uint8, domain)
	if domain <= maxBins {
		for code := range of {
			of[code] = uint8(code)
		}
		return of, domain
	}
	sizes, all, below := make([]uint64, domain), uint64(0), uint64(0)
	for row, code := range r.Codes[column] {
		sizes[code] += r.Counts[row]
		all += r.Counts[row]
	}
	for code, size := range sizes { // codes after the last one that records have share its bin
		of[code] = uint8(min(below, max(all, 1)-1) * maxBins / max(all, 1))
		below += size
	}
	return of, maxBins
}

package boost

// Column is a column of codes, 0 ≤ code < Domain.
type Column struct {
	Domain  int
	Ordered bool // codes ascend as values do
}

// maxBins is how many bins a column has at most.
const maxBins = 256

// Records are tuples of codes, given by column, that have a class, and how many records each is.
type Records struct {
	Columns []Column
	Classes int
	Codes   [][]uint32
	Class   []uint32
	Counts  []uint64
	Hash    []uint64 // of every tuple: in which folds its records are
}

// recordBytes returns what a record of some columns takes in Records.
func recordBytes(columns int) int { return 4*columns + 4 + 8 + 8 }

// binned are records with the codes of every column in few bins.
type binned struct {
	*Records
	binning
	bins []uint16 // by record and column, among those of all columns
}

// binning says in which bin the codes of every column are.
type binning struct {
	of    [][]uint8 // by column and code
	first []int     // by column: of its bins among those of all; then how many there are
}

func newBinned(r *Records) *binned {
	b := &binned{Records: r, binning: binning{first: []int{0}}, bins: make([]uint16, len(r.Class)*len(r.Columns))}
	for c, column := range r.Columns {
		of, n := r.binsOf(c, column.Domain)
		b.of, b.first = append(b.of, of), append(b.first, b.first[c]+n)
	}
	b.binning.translate(r.Codes, b.bins)
	return b
}

// translate writes the bins of codes that are given by column, record after record.
func (b *binning) translate(codes [][]uint32, bins []uint16) {
	for c, of := range b.of {
		for row, code := range codes[c] {
			bins[row*len(b.of)+c] = uint16(b.first[c]) + uint16(of[code])
		}
	}
}

// binsOf returns the bin of every code of a column, and how many there are. Where there are more codes, adjacent
// ones share a bin, of about as many records each.
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
	for code, size := range sizes { // codes after the last that records have are with it
		of[code] = uint8(min(below, max(all, 1)-1) * maxBins / max(all, 1))
		below += size
	}
	return of, maxBins
}

package risk

// tupleRows are the rows of samples, sorted by their tuples: their values in one column, or in two.
// So rows that contradict a dependency come early, and a few of them refute most candidates.
type tupleRows struct {
	*dependencies
	total  uint64 // number of rows that the sampled rows represent
	rows   []tupleRow
	tuples []uint32 // tuples of the rows, in the order of the samples
	starts []uint32 // by tuple: where its next row goes
	counts pairCounts
}

// tupleRow is a distinct row and its number of equal rows.
type tupleRow struct {
	values []uint32
	rows   uint64
	tuple  uint32
}

// tupleRowBytes is the largest size of a row: the row, its tuple, where that starts, and two slots.
const tupleRowBytes = 40 + 4 + 4 + 2*2*24

// newTupleRows returns tupleRows with room for the rows of any two columns.
func newTupleRows(d *dependencies) *tupleRows {
	most := len(d.all.hashes)
	for _, s := range d.by {
		most = max(most, len(d.all.hashes)+2*len(s.hashes))
	}
	slots := 1
	for slots < 2*most {
		slots *= 2
	}
	return &tupleRows{
		dependencies: d, rows: make([]tupleRow, most), tuples: make([]uint32, 0, most),
		starts: make([]uint32, 0, most),
		counts: pairCounts{slots: make([]pairCount, slots)},
	}
}

// order sorts the rows of the samples of columns by their tuples in these columns. It reports
// whether enough rows have the same tuple to determine anything.
func (t *tupleRows) order(columns []int) (mayDetermine bool) {
	t.total, t.tuples, t.starts = 0, t.tuples[:0], t.starts[:0]
	t.counts.clear()
	samples := t.samples(columns)
	for _, s := range samples {
		for i, n := range s.counts {
			row := s.row(i)
			number := t.counts.at(row[columns[0]], row[columns[len(columns)-1]])
			if *number == 0 {
				t.starts = append(t.starts, 0)
				*number = uint64(len(t.starts))
			}
			tuple := uint32(*number - 1)
			t.tuples, t.total = append(t.tuples, tuple), t.total+n
			t.starts[tuple]++
		}
	}
	end := uint32(0)
	for tuple, rows := range t.starts {
		t.starts[tuple], end = end, end+rows
	}
	tuples := t.tuples
	t.rows = t.rows[:end]
	for _, s := range samples {
		for i, n := range s.counts {
			at := &t.starts[tuples[i]]
			t.rows[*at] = tupleRow{s.row(i), n, tuples[i]}
			*at++
		}
		tuples = tuples[len(s.counts):]
	}
	return !t.accidental(columns)
}

// others counts the rows whose value in a column is not the most frequent one with their tuple. It
// stops when they are more than most.
func (t *tupleRows) others(of int, most uint64) (others uint64) {
	tuple := uint32(0)
	frequent := uint64(0) // number of rows of the tuple with its most frequent value
	t.counts.clear()
	for i := range t.rows {
		row := &t.rows[i]
		if row.tuple != tuple {
			tuple, frequent = row.tuple, 0
			t.counts.clear()
		}
		n := t.counts.at(0, row.values[of])
		*n += row.rows
		if others += row.rows; *n > frequent {
			others -= *n - frequent
			frequent = *n
		}
		if others > most {
			break
		}
	}
	return others
}

// pairCounts are counts of pairs of values, of fewer pairs than there are slots. Clearing all
// counts takes no time.
type pairCounts struct {
	slots []pairCount // open addressing by the low bits of a pair's hash
	turn  uint64
}

// pairCount is a count. It is zero in all turns except its own.
type pairCount struct{ pair, turn, n uint64 }

func (c *pairCounts) clear() { c.turn++ }

// at returns the count of a pair.
func (c *pairCounts) at(a, b uint32) *uint64 {
	pair, mask := uint64(a)<<32|uint64(b), uint64(len(c.slots)-1)
	for i := Scatter(pair) & mask; ; i = (i + 1) & mask {
		s := &c.slots[i]
		if s.turn != c.turn {
			*s = pairCount{pair: pair, turn: c.turn}
		}
		if s.pair == pair {
			return &s.n
		}
	}
}

package pipeline

import "github.com/kcut/kcut/formats"

// piece is a range of a split's rows.
type piece struct {
	split    formats.Split
	from, to int64
}

// planRowGroups cuts the rows of all splits, in order, into output row groups of about the
// given number of rows: splits are joined while the group stays within it, and a split
// that is larger alone is cut. Groups that need the same split are one task, since a split is
// read from its start. The result depends on the splits' sizes alone.
func planRowGroups(splits []formats.Split, rows int64) (tasks [][][]piece) {
	var open []piece // the group being filled
	var filled int64
	flush := func() {
		if len(open) > 0 {
			tasks = append(tasks, [][]piece{open})
			open, filled = nil, 0
		}
	}
	for _, s := range splits {
		if s.Rows == 0 {
			continue
		}
		if filled+s.Rows > rows {
			flush()
		}
		if s.Rows > rows {
			tasks = append(tasks, cutSplit(s, rows))
			continue
		}
		open = append(open, piece{s, 0, s.Rows})
		filled += s.Rows
	}
	flush()
	return tasks
}

// cutSplit cuts one split into groups of equal size, the first ones a row larger where
// the rows do not divide, none above the given number of rows.
func cutSplit(s formats.Split, rows int64) (groups [][]piece) {
	n := (s.Rows + rows - 1) / rows
	for i := range n {
		groups = append(groups, []piece{{s, i * s.Rows / n, (i + 1) * s.Rows / n}})
	}
	return groups
}

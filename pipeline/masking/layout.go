package masking

import "github.com/kcut/kcut/formats"

// piece is a range of a split's rows.
type piece struct {
	split    formats.Split
	from, to int64
}

// Task is a run of the release's row groups that one worker makes, since they need the same
// splits and a split is read from its start.
type Task struct {
	groups  [][]piece
	follows bool // the one group is a row group of the input, whose kept columns can be copied
}

const (
	// UsualGroup is the number of rows of a row group that follows none of the input.
	UsualGroup = 1 << 18
	// LeastFollowed is from how many rows a row group of the input is followed. Smaller ones
	// are joined: many make readers slow, and the release of a small table shall not tell how it
	// was stored.
	LeastFollowed = 1 << 16
	// Of row groups of more than mostFollowed rows not even the labels fit a modest memory.
	mostFollowed = 1 << 24
	// A release of more row groups than maxFollowing follows none: a Parquet file cannot number
	// them.
	maxFollowing = 1 << 15
)

// PlanRowGroups lays out the row groups of the release over all splits, in order. Where the
// job does not ask for a number of rows (0), a split that is one row group of Parquet, of at
// least as many rows as given and not too many, is one of the release. All others are joined,
// while the group stays within the number of rows, and one that is larger alone is cut. The
// result depends on the splits' sizes alone.
func PlanRowGroups(splits []formats.Split, rows, least int64) (tasks []Task) {
	var open []piece // the group being filled
	var filled int64
	flush := func() {
		if len(open) > 0 {
			tasks = append(tasks, Task{groups: [][]piece{open}})
			open, filled = nil, 0
		}
	}
	follow := rows == 0
	if follow {
		rows = UsualGroup
	}
	for _, s := range splits {
		followed := follow && s.Raw && s.Rows >= least && s.Rows <= mostFollowed
		if followed || filled+s.Rows > rows {
			flush()
		}
		switch {
		case followed:
			tasks = append(tasks, Task{groups: [][]piece{{{s, 0, s.Rows}}}, follows: true})
		case s.Rows > rows:
			tasks = append(tasks, Task{groups: cutSplit(s, rows)})
		case s.Rows > 0:
			open = append(open, piece{s, 0, s.Rows})
			filled += s.Rows
		}
	}
	flush()
	if follow && len(tasks) > maxFollowing {
		return PlanRowGroups(splits, UsualGroup, least)
	}
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

// Place is a place among the row groups that mask makes: before so many of a task's.
type Place struct{ Task, Group int }

// before reports whether a place comes before another.
func (p Place) before(q Place) bool { return p.Task < q.Task || p.Task == q.Task && p.Group < q.Group }

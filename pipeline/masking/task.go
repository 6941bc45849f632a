package masking

import "github.com/kcut/kcut/formats"

// Task is what one worker makes row groups of: splits whose rows share a row group, or one that has rows for several.
type Task struct {
	splits []formats.Split
	limit  groupLimit
}

// UsualGroup is the number of rows of a row group where the job does not ask for one.
const UsualGroup = 1 << 18

// mostGroups is how many row groups a release has at most by their rows alone: a file numbers
// twice as many.
const mostGroups = 1 << 14

// usualGroup returns how many rows a row group has where the job does not ask for a number, and the
// input has records.
func usualGroup(records int64) int64 { return max(UsualGroup, (records+mostGroups-1)/mostGroups) }

// PlanRowGroups lays out the row groups of the release over all splits, in order. Splits are joined
// while a row group has room for all of their rows; of one that is larger alone, row groups of equal
// size are made. Where the job does not ask for a number of rows (0), a row group may end before it
// has as many, if rows are large. The result depends on the splits' sizes alone.
func PlanRowGroups(splits []formats.Split, rows int64) (tasks []Task) {
	limit := groupLimit{rows: rows}
	if rows == 0 {
		limit = groupLimit{usualGroup(recordsOf(splits)), usualHeld}
	}
	filled := int64(0)
	for _, s := range splits {
		last := len(tasks) - 1
		switch {
		case s.Rows == 0:
		case last >= 0 && filled+s.Rows <= limit.rows:
			tasks[last].splits = append(tasks[last].splits, s)
			filled += s.Rows
		default:
			own := limit
			if groups := (s.Rows + limit.rows - 1) / limit.rows; groups > 1 {
				own.rows = (s.Rows + groups - 1) / groups
			}
			tasks = append(tasks, Task{[]formats.Split{s}, own})
			filled = s.Rows
		}
	}
	return tasks
}

// recordsOf returns how many records splits have.
func recordsOf(splits []formats.Split) (records int64) {
	for _, s := range splits {
		records += s.Rows
	}
	return records
}

// foreseen returns how many rows a row group will have that has some rows and their bytes now, if
// the next rows are as large.
func (t *Task) foreseen(rows, bytes int64) int64 {
	return t.end(rows, func(end int64) int64 { return bytes * end / rows })
}

// end returns how many rows a row group will have, so many at least, whose first rows take some
// bytes.
func (t *Task) end(rows int64, bytes func(rows int64) int64) int64 {
	end, most := rows-1, t.most()
	for end < rows || end < most && !t.limit.ends(end, bytes(end)) {
		end += t.limit.untilLook(end)
	}
	return min(end, most)
}

// most returns how many rows a row group has at most.
func (t *Task) most() int64 {
	total := int64(0)
	for _, s := range t.splits {
		total += s.Rows
	}
	return min(total, t.limit.rows)
}

package formats

import "context"

// Statistics is what a file says of one column of some chunks without any of its values
// being read.
type Statistics struct {
	Rows int64
	// AtLeast and AtMost bound the number of distinct values, nulls left out, by the entries of
	// dictionaries and by the type. Writers may put entries into a dictionary that no row
	// has, so that AtLeast can be a little too large.
	AtLeast, AtMost int64
	Within          Span  // of columns of whole numbers, dates and times
	Stored          int64 // bytes in the file; 0: not known
	// Spelled is how many bytes the values of all rows have, each by itself: at most, by and large. 0: not known.
	Spelled    int64
	Dictionary int64 // bytes of memory that a reader holds of the largest dictionary, beyond the usual
	Held       int64 // bytes of memory that a reader holds of the column at a time, at least; 0: not known
}

// Described is a Source that knows statistics of its columns.
type Described interface {
	Source
	// Statistics returns those of chunks first to first+count−1, one for each column asked
	// for. It may be called from several goroutines at a time.
	Statistics(ctx context.Context, first, count int, columns []int) ([]Statistics, error)
}

// UnknownStatistics bounds a column of some rows by its type alone.
func UnknownStatistics(t Type, rows int64) Statistics {
	return Statistics{Rows: rows, AtMost: min(rows, t.values())}
}

// values returns the number of values that a type has, or a very large number.
func (t Type) values() int64 {
	switch {
	case t.Kind == Null:
		return 0
	case t.Kind == Boolean:
		return 2
	case (t.Kind == Int || t.Kind == Uint || t.Kind == Float) && t.Bits <= 16:
		return 1 << t.Bits
	}
	return 1 << 62
}

// Join returns the statistics of two runs of chunks together.
func (s Statistics) Join(other Statistics) Statistics {
	if s.Rows == 0 {
		return other
	}
	return Statistics{
		Rows:       s.Rows + other.Rows,
		AtLeast:    max(s.AtLeast, other.AtLeast),
		AtMost:     s.AtMost + other.AtMost,
		Within:     s.Within.join(other.Within),
		Stored:     s.Stored + other.Stored,
		Spelled:    s.Spelled + other.Spelled,
		Dictionary: max(s.Dictionary, other.Dictionary),
		Held:       max(s.Held, other.Held),
	}
}

// Distinct returns the bounds of the number of distinct values of a column of the type, with
// regard to everything that is known.
func (s Statistics) Distinct(t Type) (atLeast, atMost int64) {
	atMost = min(s.AtMost, s.Rows, t.values(), s.Within.values())
	return min(s.AtLeast, atMost), atMost
}

// Span is a range of whole numbers, as words of Values.
type Span struct {
	Low, High uint64
	Known     bool
}

func (s Span) join(other Span) Span {
	if !s.Known || !other.Known {
		return Span{}
	}
	return Span{min(s.Low, other.Low), max(s.High, other.High), true}
}

// values returns how many whole numbers lie in the range, or a very large number.
func (s Span) values() int64 {
	if !s.Known || s.High-s.Low >= 1<<62 {
		return 1 << 62
	}
	return int64(s.High-s.Low) + 1
}

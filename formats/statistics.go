package formats

import "context"

// Statistics describe one column of some chunks, from a file's metadata.
type Statistics struct {
	Rows int64
	// AtLeast and AtMost bound the number of distinct values without nulls, by the entries of
	// dictionaries and by the type. Writers may put entries into a dictionary that no row has, so
	// that AtLeast can be a little too large.
	AtLeast, AtMost int64
	Within          Span  // for columns of whole numbers, dates and times
	Stored          int64 // bytes in the file; 0: unknown
	// Spelled is an approximate upper bound of the bytes of the values of all rows, each counted by
	// itself. 0: unknown.
	Spelled int64
	// mean number of bytes of a value in the chunk where that is largest, a lower bound of the
	// longest value; 0: unknown
	Longest int64
}

// Described is a Source that has statistics of its columns.
type Described interface {
	Source
	// Statistics returns the statistics of chunks first to first+count−1, one for each requested
	// column. It may be called from several goroutines at a time.
	Statistics(ctx context.Context, first, count int, columns []int) ([]Statistics, error)
}

// Held is the memory of a reader, in bytes.
type Held struct {
	Rows    int64 // while rows of a batch are taken
	Loading int64 // in addition, while a page or a dictionary is loaded
}

// Max returns the larger one of each part.
func (h Held) Max(other Held) Held {
	return Held{Rows: max(h.Rows, other.Rows), Loading: max(h.Loading, other.Loading)}
}

// Weighed is a Source that knows the memory that reading it takes.
type Weighed interface {
	Source
	// Holds returns about the most bytes that a reader of columns of chunks first to first+count−1
	// reports to ReadOptions.Hold at a time, as far as the file says it. It may be called from
	// several goroutines at a time.
	Holds(ctx context.Context, first, count int, columns []Request) (Held, error)
}

// UnknownStatistics bounds a column of some rows only by its type.
func UnknownStatistics(t Type, rows int64) Statistics {
	return Statistics{Rows: rows, AtMost: min(rows, t.values())}
}

// values returns the number of values of a type, or a very large number.
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
		Rows:    s.Rows + other.Rows,
		AtLeast: max(s.AtLeast, other.AtLeast),
		AtMost:  s.AtMost + other.AtMost,
		Within:  s.Within.join(other.Within),
		Stored:  s.Stored + other.Stored,
		Spelled: s.Spelled + other.Spelled,
		Longest: max(s.Longest, other.Longest),
	}
}

// Distinct returns the bounds of the number of distinct values of a column of the type, from all
// that is known.
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

// values returns the number of whole numbers in the range, or a very large number.
func (s Span) values() int64 {
	if !s.Known || s.High-s.Low >= 1<<62 {
		return 1 << 62
	}
	return int64(s.High-s.Low) + 1
}

package masking

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
)

// middles makes numbers of a column's intervals. An open or infinite end stands for the outermost bound that any interval of
// the column has, so that a middle tells nothing that the labels do not.
type middles struct {
	of       formats.Type // dates, or 64-bit floats
	min, max float64      // of all bounds, days of dates; +Inf and -Inf when there are none
}

// middlesOf returns what makes numbers of intervals as values of a type.
func middlesOf(intervals []engine.Interval, of formats.Type) (m middles, err error) {
	m = middles{of: of, min: math.Inf(1), max: math.Inf(-1)}
	for _, i := range intervals {
		for _, text := range []string{i.Lower, i.Upper} {
			end, finite, err := m.parse(text)
			if err != nil {
				return m, err
			}
			if finite {
				m.min, m.max = min(m.min, end), max(m.max, end)
			}
		}
	}
	return m, nil
}

// parse returns an end as a number: of dates the days, which floats hold, of all else the float nearest to its text.
func (m *middles) parse(text string) (end float64, finite bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	if m.of.Kind == formats.Date {
		day := &formats.Values{Type: m.of}
		if err := day.Parse(text); err != nil {
			return 0, false, err
		}
		return float64(formats.WordInt(day.Words[0])), true, nil
	}
	end, err = strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false, fmt.Errorf("the end of an interval is no float: %w", err)
	}
	return end, !math.IsInf(end, 0), nil
}

// add appends the middle of an interval: halfway between its ends, of dates rounded down to a day. There is none when no
// interval of the column has a bound.
func (m *middles) add(values *formats.Values, i engine.Interval) error {
	lower, below, err := m.parse(i.Lower)
	if err != nil {
		return err
	}
	upper, above, err := m.parse(i.Upper)
	if err != nil || m.min > m.max {
		return err
	}
	if !below {
		lower = m.min
	}
	if !above {
		upper = m.max
	}
	middle := lower + (upper-lower)/2
	switch {
	case m.of.Kind == formats.Date:
		values.Words = append(values.Words, formats.IntWord(int64(math.Floor(middle))))
		return nil
	case math.IsInf(middle, 0): // the ends are further apart than floats go
		middle = lower/2 + upper/2
	}
	values.Words = append(values.Words, formats.FloatWord(math.Float64bits(middle)))
	return nil
}

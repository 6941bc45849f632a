package taxonomy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// DateLevels are the levels of dates, finest first.
var DateLevels = []string{"day", "month", "quarter", "year", "decade", "century"}

// dates generates a taxonomy of dates or timestamps in ISO form. Above a date stand its
// "1990-05-03" (of a timestamp), "1990-05", "1990-Q2", "1990", "1990s" and "19XX", as the
// levels say, and at the top a star.
type dates struct {
	textual
	levels []string // coarsest first
}

// Dates returns the generator of the given levels of dates, in any order.
func Dates(levels []string) (Generator, error) {
	d := &dates{}
	for _, level := range levels {
		if !slices.Contains(DateLevels, level) {
			return nil, fmt.Errorf("generate date taxonomy: unknown level %q", level)
		}
	}
	for _, level := range slices.Backward(DateLevels) {
		if slices.Contains(levels, level) {
			d.levels = append(d.levels, level)
		}
	}
	return d, nil
}

func (d *dates) root() string { return "*" }

// path is without a day that is the whole text.
func (d *dates) path(text string, to []step) (path []step, ok bool) {
	if !isDate(text) {
		return to, false
	}
	for _, level := range d.levels {
		if s := period(level, text); !s.named(text) {
			to = append(to, s)
		}
	}
	return to, true
}

func (d *dates) misfits(texts, all int) error {
	return fmt.Errorf("generate date taxonomy: %d of %d values are no dates", texts, all)
}

// isDate reports whether a text starts with a date: alone, or with a time after it.
func isDate(text string) bool {
	const length = len("2006-01-02")
	if len(text) < length || len(text) > length && text[length] != 'T' && text[length] != ' ' {
		return false
	}
	_, err := time.Parse(time.DateOnly, text[:length])
	return err == nil
}

// quarters are the suffixes of the quarters by month.
var quarters = [...]string{1: "-Q1", "-Q1", "-Q1", "-Q2", "-Q2", "-Q2", "-Q3", "-Q3", "-Q3", "-Q4", "-Q4", "-Q4"}

// period returns the period of a level in which the date at the start of a text lies.
func period(level, text string) step {
	switch level {
	case "century":
		return step{text[:2], "XX"}
	case "decade":
		return step{text[:3], "0s"}
	case "year":
		return step{stem: text[:4]}
	case "quarter":
		return step{text[:4], quarters[(text[5]-'0')*10+text[6]-'0']}
	case "month":
		return step{stem: text[:7]}
	}
	return step{stem: text[:10]}
}

// below returns the first date of a period.
func (d *dates) below(node string) (text string, inner bool) {
	for _, level := range d.levels {
		for _, end := range periodStarts[level] {
			stem, ok := strings.CutSuffix(node, end.suffix)
			if text := stem + end.date; ok && isDate(text) && period(level, text).named(node) {
				return text, true
			}
		}
	}
	return node, false
}

// periodStarts are what the names of a level's periods end in, and what makes the period's
// first date of what is before it.
var periodStarts = map[string][]struct{ suffix, date string }{
	"century": {{"XX", "00-01-01"}},
	"decade":  {{"0s", "0-01-01"}},
	"year":    {{"", "-01-01"}},
	"quarter": {{"-Q1", "-01-01"}, {"-Q2", "-04-01"}, {"-Q3", "-07-01"}, {"-Q4", "-10-01"}},
	"month":   {{"", "-01"}},
	"day":     {{"", "T00:00:00"}},
}

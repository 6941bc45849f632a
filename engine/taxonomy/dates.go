package taxonomy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// DateLevels are the levels of dates, finest first.
var DateLevels = []string{"day", "month", "quarter", "year", "decade", "century"}

// period is a level of dates.
type period struct {
	stem   int           // how many of a date's characters name a period
	starts []periodStart // of the periods with the same stem
}

// periodStart is what the name of a period ends in, and what makes the period's first date of
// what is before it.
type periodStart struct{ suffix, date string }

// periods are the levels of DateLevels, in their order.
var periods = []period{
	{10, []periodStart{{"", "T00:00:00"}}},
	{7, []periodStart{{"", "-01"}}},
	{4, []periodStart{{"-Q1", "-01-01"}, {"-Q2", "-04-01"}, {"-Q3", "-07-01"}, {"-Q4", "-10-01"}}},
	{4, []periodStart{{"", "-01-01"}}},
	{3, []periodStart{{"0s", "0-01-01"}}},
	{2, []periodStart{{"XX", "00-01-01"}}},
}

// of returns the period in which the date at the start of a text lies.
func (p *period) of(text string) step {
	start := 0
	if len(p.starts) > 1 {
		month := (text[5]-'0')*10 + text[6] - '0'
		start = int(month-1) / 3
	}
	return step{text[:p.stem], p.starts[start].suffix}
}

// dates generates a taxonomy of dates or timestamps in ISO form. Above a date stand its
// "1990-05-03" (of a timestamp), "1990-05", "1990-Q2", "1990", "1990s" and "19XX", as the
// levels say, and at the top a star.
type dates struct {
	textual
	levels []period // coarsest first
}

// Dates returns the generator of the given levels of dates, in any order.
func Dates(levels []string) (Generator, error) {
	d := &dates{}
	for _, level := range levels {
		if !slices.Contains(DateLevels, level) {
			return nil, fmt.Errorf("generate date taxonomy: unknown level %q", level)
		}
	}
	for i, level := range slices.Backward(DateLevels) {
		if slices.Contains(levels, level) {
			d.levels = append(d.levels, periods[i])
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
		if s := level.of(text); !s.named(text) {
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

// below returns the first date of a period.
func (d *dates) below(node string) (text string, inner bool) {
	for _, level := range d.levels {
		for _, start := range level.starts {
			stem, ok := strings.CutSuffix(node, start.suffix)
			if text := stem + start.date; ok && isDate(text) && level.of(text).named(node) {
				return text, true
			}
		}
	}
	return node, false
}

package engine

import (
	"fmt"
	"slices"
	"time"
)

// DateLevels are the levels that DateTree knows, finest first.
var DateLevels = []string{"day", "month", "quarter", "year", "decade", "century"}

// DateTree generates a taxonomy of dates or timestamps in ISO form. Above a date stand its
// "1990-05-03" (of a timestamp), "1990-05", "1990-Q2", "1990", "1990s" and "19XX", as the levels say, and at the top a
// star. It is an error if a text is no date; the error says how many.
func DateTree(levels []string, texts []string) (Node, error) {
	for _, level := range levels {
		if !slices.Contains(DateLevels, level) {
			return Node{}, fmt.Errorf("generate date taxonomy: unknown level %q", level)
		}
	}
	texts = distinct(texts)
	root := &branch{name: "*"}
	failed := 0
	for _, text := range texts {
		date, ok := parseDate(text)
		if !ok {
			failed++
			continue
		}
		root.insert(append(periods(levels, date, text), text)...)
	}
	if failed > 0 {
		return Node{}, fmt.Errorf("generate date taxonomy: %d of %d values are no dates", failed, len(texts))
	}
	tree := root.node()
	return tree, distinguish(tree, texts)
}

// parseDate reads the date at the start of a text: alone, or with a time after it.
func parseDate(text string) (date time.Time, ok bool) {
	const length = len("2006-01-02")
	if len(text) < length || len(text) > length && text[length] != 'T' && text[length] != ' ' {
		return time.Time{}, false
	}
	date, err := time.Parse(time.DateOnly, text[:length])
	return date, err == nil
}

// periods returns the names of the periods that a date lies in, coarsest first, without a
// day that is the whole text.
func periods(levels []string, date time.Time, text string) []string {
	year, month := date.Year(), int(date.Month())
	names := map[string]string{
		"century": fmt.Sprintf("%02dXX", year/100),
		"decade":  fmt.Sprintf("%03d0s", year/10),
		"year":    fmt.Sprintf("%04d", year),
		"quarter": fmt.Sprintf("%04d-Q%d", year, (month+2)/3),
		"day":     date.Format(time.DateOnly),
		"month":   fmt.Sprintf("%04d-%02d", year, month),
	}
	var path []string
	for _, level := range slices.Backward(DateLevels) {
		if slices.Contains(levels, level) && names[level] != text {
			path = append(path, names[level])
		}
	}
	return path
}

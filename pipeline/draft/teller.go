package draft

import (
	"slices"
	"strings"
)

// dropShowing drops columns that show the class, which no model knows when it predicts, and which
// would be all that a search for the class divides by, and columns that show a dropped one. If all
// columns do so it drops none, and one that an acquaintance knows only if the class decides who has
// a value.
func (d *draft) dropShowing() {
	if d.class == nil {
		return
	}
	why := make(map[*Profile]string)
	for shown := []*Profile{d.class}; len(shown) > 0; shown = shown[1:] {
		for _, p := range d.profiles {
			if !p.role.masked() || why[p] != "" || p.isBasic() &&
				(!d.goesWith(p, d.class) || p.isNearlyFilled()) {
				continue
			}
			if reason := d.shows(p, shown[0]); reason != "" {
				why[p], shown = reason, append(shown, p)
			}
		}
	}
	for _, p := range d.profiles {
		if p.role.masked() && why[p] == "" && !p.isBasic() && d.isFilledWith(p, why) {
			why[p] = goesWithClass
		}
	}
	if !slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.masked() && why[p] == ""
	}) {
		return
	}
	for p, reason := range why {
		p.role = drop("%s; to mask it: %s (%s)", reason, d.entry(p), p.role.Reason)
	}
}

// isFilledWith reports whether a column has values in mostly the rows in which two others with the
// first part of its name have theirs, which show the class.
func (d *draft) isFilledWith(p *Profile, why map[*Profile]string) bool {
	prefix := func(p *Profile) string { return p.name[:max(0, strings.IndexAny(p.name, "_. "))] }
	return prefix(p) != "" && p.place >= 0 && p.Field.Rows < p.Rows &&
		numberOf(d.profiles, func(of *Profile) bool {
			return why[of] != "" && of.Field.Rows < of.Rows && prefix(of) == prefix(p) &&
				(d.sample.Lacking([]int{of.place})-d.sample.Lacking([]int{of.place, p.place}))*
					resumed <= p.Field.Rows
		}) > 1
}

// isNearlyFilled reports whether only few rows have no value: these may be an exception, as some
// rows of another source are, whatever the class is.
func (p *Profile) isNearlyFilled() bool {
	return float64(p.Rows-p.Field.Rows) <= mostUnknown*float64(p.Rows)
}

// shows returns the reason why a column shows the class, or another column; empty: it does not. A
// column may determine the class, as rejected does where the class is approved, or have two values
// that the class determines, as very happy of happy. It may have a value, or none, only in rows of
// one class, as the date of a new offence, or one of two values, as hospdead where the class is
// death. It may have a part of the name and most of the information, as is_recid of two_year_recid.
func (d *draft) shows(p, class *Profile) string {
	switch {
	case p == class || p.place < 0 || class.place < 0:
		return ""
	case d.determinesReliably(p, class):
		switch {
		case d.determines(class, p):
			return sameAsClass
		case d.goesWith(p, class) && d.isGuess():
			return ""
		}
		return givesClass
	case p.Field.Distinct == 2 && class.Field.Distinct <= mostOutcomes &&
		!d.isNearlyConstant(p) && d.determines(class, p):
		return sameAsClass
	case (d.goesWith(p, class) || d.isPaid(p, class)) && !d.isGuess() && !d.endsWithClass(p):
		return goesWithClass
	case p.isCalledLike(class) && (d.information(p, class, d.k()) >= mostOfClass*d.entropy(class) ||
		d.limitSays(p, class, mostOfClass)):
		return sameAsClass
	case p.isDated() && !d.endsWithClass(p) && d.limitSays(p, class, likeClass):
		return sameAsClass
	case (p.isVersionOf(class) ||
		p.Field.Distinct == 2 && (p.isCalledLike(class) || p.hasHappened())) &&
		!past.has(p.words) && d.shownBy(p, class) > 0:
		return "a value shows the class: no model knows it when it predicts"
	}
	return ""
}

// isGuess reports whether the class is an answer that seldom is one, as vote: what those were asked
// who have one of its values may be what the table is about.
func (d *draft) isGuess() bool { return d.Class == "" && polled.has(d.class.words) }

const (
	// fewestShown is the least number of rows with a value that only one class has, and partShown
	// the least part of the rows of that class, from which it is no chance.
	fewestShown = 100
	partShown   = 0.1
)

// shownBy returns the number of rows with a value of a column of few that only rows of one class
// have, if that says something; 0: none has.
func (d *draft) shownBy(p, class *Profile) int {
	if class == nil || p == class || p.place < 0 || class.place < 0 || p.Field.Distinct < 2 ||
		p.Field.Distinct > mostOutcomes {
		return 0
	}
	return d.sample.Shown(p.place, class.place, fewestShown, partShown)
}

// isVersionOf reports whether a column is called like another one with digits, a letter or a word
// for edits behind it, as chd01 of chd.
func (p *Profile) isVersionOf(other *Profile) bool {
	rest, found := strings.CutPrefix(strings.ToLower(p.name), strings.ToLower(other.name))
	return found && len(strings.Trim(rest, "_. -")) == 1 || p.recodes(other)
}

// hasHappened reports whether a part of a name says what came of somebody, as hospdead.
func (p *Profile) hasHappened() bool {
	name := strings.Join(p.words, "")
	return !(&words{alone: earlier}).has(p.words) &&
		slices.ContainsFunc(happened.alone, func(word string) bool {
			return len(word) >= leastWord && strings.Contains(name, word)
		})
}

// goesWith reports whether a column has a value, or none, only in rows of one value of another.
func (d *draft) goesWith(p, other *Profile) bool {
	return p.place >= 0 && p.Field.Rows < p.Rows &&
		d.sample.PresenceDetermines(p.place, other.place)
}

// entropy returns the information that a column has.
func (d *draft) entropy(p *Profile) float64 {
	return d.sample.Information(p.place, nil, p.place, 1)
}

// limitSays reports whether a limit of a number has a part of the information about a column, as
// that of a test has where it found something.
func (d *draft) limitSays(by, of *Profile, part float64) bool {
	return by.typ.Ordered() && !by.isCode() && by.Field.Distinct > fewCodes &&
		d.sample.LimitInformation(by.numbers, of.place) >= part*d.entropy(of)
}

// mostOfClass is the part of the information about the class from which a column that is called
// like it says most of it.
const mostOfClass = 0.5

// isCalledLike reports whether the names of two columns have a long word in common, as
// TermReason and Termd, but not one for a degree, as anxiety_level and stress_level.
func (p *Profile) isCalledLike(other *Profile) bool {
	return slices.ContainsFunc(p.words, func(word string) bool {
		return slices.ContainsFunc(other.words, func(of string) bool {
			return min(len(word), len(of)) >= 4 && isAlike(word, of) &&
				!slices.Contains(degrees, word)
		})
	})
}

// goesWithClass is why a column is dropped of which the class decides who has a value.
const goesWithClass = "whether it has a value goes with the class: no model knows it when it " +
	"predicts"

// givesClass is why a column is dropped that determines the class.
const givesClass = "it determines the class: no model knows it when it predicts"

// sameAsClass is why a column is dropped that says what the class says.
const sameAsClass = "it says about the same as the class"

const (
	// muchOfClass is the part of the information about the class from which a column says much of
	// it, and fewTellers the largest number of such columns that are not just measurements from
	// which a model is to predict.
	muchOfClass = 0.45
	fewTellers  = 6
)

// findTellers finds the masked columns that determine the class, and those that say much about it,
// if they are few, apart from what an acquaintance knows and from times that end with it.
func (d *draft) findTellers() {
	if d.class != nil {
		d.classGivers = namesOf(d.class.givenBy)
	}
	for _, p := range d.profiles {
		switch {
		case d.class == nil || !p.role.masked():
		case slices.Contains(d.class.givenBy, p):
		case d.determinesReliably(p, d.class) && p.isBasic():
			d.classGivers = append(d.classGivers, p.name)
		case d.determinesReliably(p, d.class):
			d.classTellers = append(d.classTellers, p.name)
		case p.isBasic() || d.endsWithClass(p):
		case d.limitSays(p, d.class, muchOfClass),
			d.information(p, d.class, d.k()) >= muchOfClass*d.entropy(d.class):
			d.classHints = append(d.classHints, p.name)
		}
	}
	if len(d.classHints) > fewTellers {
		d.classHints = nil
	}
}

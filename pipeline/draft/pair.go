package draft

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// chooseRoles proposes a role for every column: first by itself, and then together with the others.
func (d *draft) chooseRoles(ctx context.Context, in *dataset.Dataset, budget *spill.Budget) error {
	for _, p := range d.profiles {
		if p == d.class {
			p.role = &Role{Mask: job.MaskKeep, Reason: "the class, " + distinctValues(p)}
			if p == d.number {
				p.role.Reason += ": a number that a model may predict, which stays exact"
			}
			apart, _ := p.role.withSpellings(p)
			p.role.Reason += apart
		} else if d.isOfCrowd(p) {
			p.role = drop("a tool that asked people made it")
		} else {
			p.role = roleOf(p)
			if len(p.givenBy) > 0 {
				p.role.Reason += "; it follows from " + quotedList(namesOf(p.givenBy))
			}
		}
	}
	d.dropNames()
	d.dropParts()
	d.takeSurnames()
	d.dropNumbersOfNames()
	d.dropNumbersOfFacts()
	if err := d.dropReferences(ctx, in); err != nil {
		return err
	}
	d.dropRare()
	if err := d.dropCopies(ctx, in, budget); err != nil {
		return err
	}
	d.dropWeights()
	d.dropAges()
	d.dropTwins()
	d.dropMarks()
	d.dropEnds()
	d.dropComposites()
	d.dropSums()
	d.dropIndexes()
	d.noteRatios()
	d.dropShowing()
	d.noteDurations()
	d.dropConstants()
	d.dropHardly()
	d.dropMany()
	d.dropProjected()
	d.dropNested()
	d.dropCoordinates()
	for _, of := range d.profiles {
		for _, by := range d.profiles {
			if by == of || !of.role.masked() || !by.role.masked() || !d.determinesReliably(by, of) {
				continue
			}
			if err := d.settle(ctx, in, by, of); err != nil {
				return fmt.Errorf("look at the input: %w", err)
			}
		}
	}
	d.dropCommon()
	d.nameReleased()
	d.dropCrowd()
	return nil
}

// rareShare is the least ratio of different texts to rows of a column that is dropped since hardly
// a text has several rows, such as the number of a ticket or of a cabin.
const rareShare = 0.6

// dropRare drops columns of texts of which hardly one has several rows.
func (d *draft) dropRare() {
	for _, p := range d.profiles {
		if p.role.Mask == job.MaskSuppress && p.typ.Kind == formats.String &&
			p.Field.Distinct > fewCodes && p.distinctShare() >= rareShare {
			p.role = drop("hardly a value has several rows: %s in %s rows",
				text.Grouped(p.Field.Distinct), text.Grouped(p.Field.Rows))
		}
	}
}

// isEpoch reports whether a column has numbers that may stand for times, as seconds since 1970.
func isEpoch(p *Profile) bool {
	return p.typ.Ordered() && !p.isTime() && p.Field.Distinct > fewCodes
}

// renamed is the share of rows, one in these, whose person has another name than before.
const renamed = 100

// dropTwins drops columns that say what another one says: one with the same value in each row in
// which both have one; times that are near those of another one; numbers that are another one
// and a constant; and months of years, recoded values and codes of texts, though a few rows have
// another one by mistake.
func (d *draft) dropTwins() {
	for _, of := range d.profiles {
		for _, by := range d.profiles {
			if by == of || by.place < 0 || of.place < 0 || !by.role.masked() || !of.role.masked() ||
				d.crowd != nil && d.crowd.hardly[by.name] == tooFine {
				continue
			}
			switch {
			case d.copies(by, of):
				of.role = dropBy(by, "has the same values")
			case by.isTime() && of.isTime() && of.Field.Distinct > fewCodes &&
				areNear(by, of) && by.goesBefore(of):
				of.role = dropBy(by, "has nearly the same times in most rows; to mask it: "+
					d.entry(of))
			case by.isTime() && isEpoch(of) && by.Field.Distinct == of.Field.Distinct &&
				d.determines(by, of) && goTogether(by.numbers, of.numbers):
				of.role = dropBy(by, isDetermined)
			case by.countsYearsOf(of):
				if by.Field.Distinct <= fewCodes {
					by.role = dropBy(of, isDetermined+" in nearly all rows")
				} else {
					of.role = dropBy(by, "says it in a larger unit")
				}
			case of.isShifted(by) && cmp.Or(of.computedOf(by)-by.computedOf(of),
				by.wordy()-of.wordy(), of.place-by.place) > 0:
				of.role = dropBy(by, "and a constant give it")
			case d.nearlyRecodes(by, of) && !d.determines(by, of),
				d.areNearlyOne(by, of) && d.staysBefore(by, of):
				of.role = dropBy(by, isDetermined+" in nearly all rows")
			}
		}
	}
}

// differ returns the number of rows in which two columns have numbers further apart than by, or
// only one has a number.
func differ(a, b *Profile, by float64) (n int) {
	for row, x := range a.numbers {
		if y := b.numbers[row]; !(math.Abs(x-y) <= by) && !(math.IsNaN(x) && math.IsNaN(y)) {
			n++
		}
	}
	return n
}

// copies reports whether of has no value that by does not have, and by no accident.
func (d *draft) copies(by, of *Profile) bool {
	return of.typ == by.typ && of.Field.Distinct > fewCodes &&
		d.sample.Copies(of.place, by.place, 0) && cmp.Or(cmp.Compare(by.Field.Rows, of.Field.Rows),
		by.wordy()-of.wordy(), of.place-by.place) > 0
}

// recodes reports whether a column is called like another one with a digit or a word for codes,
// groups or edits behind it: state2, age_cat, agegrp2, race_edit, but no race in words like codes.
func (p *Profile) recodes(of *Profile) bool {
	rest, found := strings.CutPrefix(strings.ToLower(p.name), strings.ToLower(of.name))
	word := strings.Trim(rest, "_. -0123456789")
	return found && rest != "" && len(of.name) >= 3 && !treatments.has(p.words) &&
		(p.typ.Kind == of.typ.Kind || !p.isCompared()) &&
		(word == "" || slices.Contains(edited, word))
}

// edited are words behind the name of a column for the same in other spellings, codes or groups,
// and tidied those for the former.
var (
	edited = append(slices.Clone(tidied), shortened...)
	tidied = strings.Fields("edit edited recode recoded coded clean cleaned processed")
)

// nearlyRecodes reports whether a column has the values of another one in other codes or groups,
// apart from mistakes.
func (d *draft) nearlyRecodes(by, of *Profile) bool {
	return of.recodes(by) && of.Field.Distinct > 1 && of.Field.Distinct < by.Field.Distinct &&
		d.nearlyDetermines(by, of)
}

// nearlyDetermines reports whether a column determines another one apart from mistakes, and by no
// accident.
func (d *draft) nearlyDetermines(by, of *Profile) bool {
	return by.Field.Distinct*rowsToTell <= by.Rows &&
		d.sample.Determines(by.place, of.place, by.Rows/renamed) &&
		d.sample.Information(by.place, nil, of.place, 1) >= nearlyAll*d.entropy(of)
}

// areNearlyOne reports whether two columns of texts or codes, of about as many values, determine
// each other apart from mistakes, as a department and its number, but not those of two times, a
// race or a treatment.
func (d *draft) areNearlyOne(a, b *Profile) bool {
	isNominal := func(p *Profile) bool {
		return (p.typ.Kind == formats.String || p.isCode()) && p.Field.Distinct > 2 &&
			!p.isCompared()
	}
	least := min(a.Field.Distinct, b.Field.Distinct)
	most := max(a.Field.Distinct, b.Field.Distinct)
	return isNominal(a) && isNominal(b) && (most-least)*otherwise <= most && !areTwoTimes(a, b) &&
		d.nearlyDetermines(a, b) && d.nearlyDetermines(b, a) &&
		!(d.determines(a, b) && d.determines(b, a))
}

// staysBefore reports whether a column stays, and not another one that determines it: words before
// codes, then one whose name the other one has in its own, then one with a word in its name.
func (d *draft) staysBefore(p, of *Profile) bool {
	return cmp.Or(p.readable()-of.readable(), of.computedOf(p)-p.computedOf(of),
		p.wordy()-of.wordy(), slices.Index(d.profiles, of)-slices.Index(d.profiles, p)) > 0
}

// determines reports whether rows with the same value of a column have the same of another.
func (d *draft) determines(by, of *Profile) bool {
	return by.place >= 0 && of.place >= 0 && d.sample.Determines(by.place, of.place, 0)
}

const (
	// rowsToTell is how many rows a value must have on average to determine another by no accident,
	// and rowsOfDate of dates and numbers; rowsOfTwins is that of columns that have as many values.
	rowsToTell  = 20
	rowsOfTwins = 5
	rowsOfDate  = 2
	// mostCompared is the number of rows whose texts are compared.
	mostCompared = 10_000
)

// determinesReliably reports whether a column determines another one, and by no accident. Intervals
// of one coordinate do not say what the other one is.
func (d *draft) determinesReliably(by, of *Profile) bool {
	least, computable := int64(rowsToTell), false
	if of.typ.Ordered() && !of.isCode() {
		if computable = !by.isTime(); !computable {
			least = rowsOfDate
		}
	}
	if by.Field.Distinct == of.Field.Distinct {
		least = min(least, rowsOfTwins)
	}
	repeated := by.Field.Distinct*least <= by.Rows
	if of.Field.Distinct < 2 || by.Field.Distinct < 2 || by.isCoordinate() && of.isCoordinate() ||
		!repeated && !computable && of.Field.Distinct > mostOutcomes || !d.determines(by, of) {
		return false
	}
	// hardly a date of few rows says anything but a part of it, or a time up to or from some day
	if repeated && least == rowsOfDate && by.Field.Distinct*rowsToTell > by.Rows {
		repeated = of.isTime() || periods.has(of.words) || goTogether(by.numbers, of.numbers)
	}
	return repeated && d.repeatsWithPeople(by, of, least) || computable && d.computed(by, of) ||
		d.cuts(by, of) && !(of == d.class && d.endsWithClass(by))
}

// repeatsWithPeople reports whether the values of a column that determines another one, which is a
// fact about people, have several people each. Where these have several rows, and are few, their
// ages or their visits determine everything about them by accident, but not the same values, or
// those of a column that is called like it.
func (d *draft) repeatsWithPeople(by, of *Profile, least int64) bool {
	if of.computedOf(by)+by.computedOf(of) > 0 || d.sample.Copies(of.place, by.place, 0) {
		return true
	}
	for _, id := range d.profiles {
		// the tuples are at least as many as the values of each column
		if id.place >= 0 && id != by && id != of && id.Field.Distinct < by.Field.Distinct*least &&
			(id.entityRank() >= 0 || ofPersons.has(id.words)) && d.determines(id, of) &&
			by.Field.Distinct*least > d.sample.Tuples([]int{by.place, id.place}).Distinct {
			return false
		}
	}
	return true
}

// computed reports whether a number is a function of another one that rises or falls, such as its
// square or its logarithm, which no accident makes of many values.
func (d *draft) computed(by, of *Profile) bool {
	return by.typ.Ordered() && !by.isCode() && !of.isTime() && by.place >= 0 && of.place >= 0 &&
		by.Field.Distinct > fewCodes && of.Field.Distinct > fewCodes &&
		d.sample.Intervals(by.numbers, of.place, 0) && goTogether(by.numbers, of.numbers)
}

// cuts reports whether limits of a number of many values make another column of few, as that of 37
// weeks makes premature births. No accident does, where each of the few has several rows.
func (d *draft) cuts(by, of *Profile) bool {
	return by.typ.Ordered() && !by.isCode() && by.Field.Distinct > fewCodes && by.place >= 0 &&
		of.place >= 0 && of.Field.Distinct <= mostOutcomes && of.alone == 0 &&
		d.sample.Intervals(by.numbers, of.place, 0)
}

// goTogether reports whether the second numbers never fall, or never rise, in the order of the
// first ones.
func goTogether(by, of []float64) bool {
	order := make([]int, 0, len(by))
	for row := range by {
		if !math.IsNaN(by[row]) && !math.IsNaN(of[row]) {
			order = append(order, row)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(of[a], of[b]))
	})
	rises, falls := false, false
	for i, row := range order[min(1, len(order)):] {
		rises = rises || of[row] > of[order[i]]
		falls = falls || of[row] < of[order[i]]
	}
	return !rises || !falls
}

// isTime reports whether a column has dates or times.
func (p *Profile) isTime() bool { return p.isDay() || p.typ.Kind == formats.Time }

// isDay reports whether a column has dates, or times on some day.
func (p *Profile) isDay() bool { return ofKind(formats.Date, formats.Timestamp)(p) }

// settle decides about two masked columns of which one determines the other. Of two that determine
// each other the readable one stays. A sex, a race, a treatment and whether there is a time stay.
// One of few values stays without its dummies, and without one whose labels are those of it when
// they are coarse. Rare texts go next to a tidied copy. Else both stay: where a value of the one is
// too rare, that of the other may not be.
func (d *draft) settle(ctx context.Context, in *dataset.Dataset, by, of *Profile) error {
	switch {
	case d.determines(of, by):
		if d.staysBefore(of, by) {
			by, of = of, by
		}
	case by.role.Mask != job.MaskSuppress && of.isCompared():
		of.role.stays = append(of.role.stays, by)
		return nil
	case by.isTime() && of.Field.Distinct == 2 && !by.isNearlyFilled() && of.isNearlyFilled():
		return nil // where both are in a group, no interval shows whether there is a time
	case d.areDummies(by, of) || of.isHeightOf(by):
	case by.isCode() && of.computedOf(by) > 0 && descriptions.has(of.words):
		by.role = dropBy(of, "has words for its codes")
		return nil
	case by.role.Mask == job.MaskSuppress:
		length, err := d.prefix(ctx, in, by, of)
		if err != nil {
			return err
		}
		// most values of one that is only recoded are frequent
		isCopy := of.recodes(by) && !d.mayBeOutcome(of)
		switch isRecoded := by.Field.Distinct*rowsOfName*int64(d.k()) <= by.Rows; {
		case length > 0:
			by.role = prefixes("begins with "+job.Quoted(of.name), length)(by)
		case isCopy && isRecoded:
		case isCopy && slices.Contains(tidied, of.words[len(of.words)-1]):
			by.role = dropBy(of, "says it in fewer values")
			return nil
		default:
			by.role.shows = append(by.role.shows, of)
			return nil
		}
	case by.role.Mask == job.MaskDiscretize && !by.isTime():
		apart := 0
		if of.Field.Distinct == 2 { // an indicator: one value is an interval, the other around it
			apart = 1
		}
		if !d.sample.Intervals(by.numbers, of.place, apart) {
			return nil
		}
		// a text says more than a number with hardly more values, and than limits of another one
		isWord := of.typ.Kind == formats.String &&
			(by.Field.Distinct < 2*of.Field.Distinct || !of.isRangeOf(by))
		// an interval seldom shows which of both a row has, but those of ages do
		isLimit := of.Field.Distinct == 2 && d.sample.Intervals(by.numbers, of.place, 0) &&
			!(d.isAge(by) && of.isBasic() && rank(of) == 0)
		if isWord || isLimit || d.mayBeOutcome(of) {
			of.role.stays = append(of.role.stays, by)
			return nil
		}
		// few numbers may be a code of what people know, as smoke
		if of.fact && !by.isBasic() && by.Field.Distinct <= fewCodes && !d.mayBeOutcome(by) {
			by.role = dropBy(of, "says it in fewer values, and is known")
			return nil
		}
	}
	of.role = dropBy(by, isDetermined)
	return nil
}

// isRangeOf reports whether texts are those of ranges of a number, by their names, or as each has a
// digit.
func (p *Profile) isRangeOf(number *Profile) bool {
	ranges := append(strings.Fields("band range bracket category bin"), shortened...)
	isRange := func(word string) bool { return slices.Contains(ranges, word) }
	hasDigit := func(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }
	haveDigits := true
	for text := range p.texts.few {
		haveDigits = haveDigits && hasDigit(text)
	}
	return haveDigits || p.computedOf(number) > 0 || p.isCalledLike(number) ||
		slices.ContainsFunc(withoutEnds(p.words), isRange)
}

// areDummies reports whether a column of two values is one of several different ones that one of
// few values determines, as those for kinds of injuries: the kind says what all of them say.
func (d *draft) areDummies(by, of *Profile) bool {
	isDummy := func(p *Profile) bool {
		return p != by && p != d.class && p.Field.Distinct == 2 && !p.isCompared() &&
			!d.mayBeOutcome(p) && d.determinesReliably(by, p)
	}
	return by.Field.Distinct > 2 && by.Field.Distinct <= fewCodes && isDummy(of) &&
		slices.ContainsFunc(d.profiles, func(p *Profile) bool {
			return isDummy(p) && !d.determines(p, of)
		})
}

// compared are the names of columns by whose few values nearly every analysis compares people.
var compared = words{
	alone: slices.Concat(sexes.alone, strings.Fields("race ethnicity ethnic eth hispanic")),
	whole: sexes.whole,
}

// isCompared reports whether a column has a sex, a race or a treatment.
func (p *Profile) isCompared() bool {
	name := p.words
	return p.Field.Distinct <= mostOutcomes &&
		(called(&compared, name) || p.hasSexes() || treatments.has(name))
}

// rowsOfName is the number of rows, in units of k, that a name of a place needs on average so that
// most names are released.
const rowsOfName = 5

// leastWord is the number of letters of a name that is a word, and no number of a question.
const leastWord = 4

// wordy is 1 of a column with a word in its name, or with that of a fact, else 0.
func (p *Profile) wordy() int {
	isWord := func(word string) bool { return len(strings.Trim(word, "0123456789")) >= leastWord }
	if slices.ContainsFunc(p.words, isWord) || p.isBasic() {
		return 1
	}
	return 0
}

// computedOf is 1 if a column has the name of another one with something in front of or behind it,
// as logwage and age_squared, or before digits behind it, as expsq76 of exp76, else 0.
func (p *Profile) computedOf(other *Profile) int {
	name, part := strings.ToLower(p.name), strings.ToLower(other.name)
	if stem := strings.TrimRight(part, "0123456789"); strings.HasSuffix(name, part[len(stem):]) {
		name, part = strings.TrimSuffix(name, part[len(stem):]), stem
	}
	if len(name) > len(part) && part != "" && strings.Contains(name, part) {
		return 1
	}
	return 0
}

// descriptions are names of columns of texts for codes.
var descriptions = words{last: strings.Fields("desc description descr name label text")}

// readable ranks columns that determine each other: words before codes, and longer ones first.
func (p *Profile) readable() int {
	name := p.words
	length := int(p.texts.length / max(1, p.Field.Rows)) // 0 of numbers
	if p.share(code) >= most || len(name) > 0 && slices.Contains(numbered, name[len(name)-1]) {
		return length - mostMatched
	}
	return length
}

// prefix returns the number of characters that one column has of another, from the first on; 0: it
// has others, or not always as many.
func (d *draft) prefix(ctx context.Context, in *dataset.Dataset, by, of *Profile) (length int,
	err error) {
	if by.typ.Kind != formats.String || of.typ.Kind != formats.String ||
		of.texts.longest >= by.texts.longest {
		return 0, nil
	}
	length = of.texts.longest
	columns := []int{slices.Index(d.profiles, by), slices.Index(d.profiles, of)}
	err = in.Sample(ctx, min(d.looked, mostCompared), columns, func(b *formats.Batch) error {
		whole, part := b.Columns[0], b.Columns[1]
		for row, code := range part.Codes {
			if code == 0 || whole.Codes[row] == 0 {
				continue
			}
			begin := part.Values.Bytes(int(code) - 1)
			if !bytes.HasPrefix(whole.Values.Bytes(int(whole.Codes[row])-1), begin) ||
				len([]rune(string(begin))) != length {
				length = 0
			}
		}
		return nil
	})
	return length, err
}

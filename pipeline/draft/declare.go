package draft

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// absent are texts that often stand for no value, the mark of suppressed values first.
var absent = append([]string{engine.Suppressed, "", " ", ".", "?", "-", "NA", "N/A", "n/a", "NaN",
	"nan", "null", "NULL", "None", "none", "Unknown", "unknown", "missing"}, absentElsewhere...)

// absentElsewhere are those that mean something in columns of other texts, as DNF in one that says
// who finished, and those of spreadsheets and surveys.
var absentElsewhere = []string{"--", "'--", "---", "..", "–", "na", "N.A.", "n.a.", "#N/A", "<NA>",
	"NaT", "Null", "(null)", `\N`, "NONE", "nil", "UNKNOWN", "unk", "Unk", "UNK", "Missing", "MISSING",
	"(Missing)", "0000", "Not Asked", "Not asked", "not asked", "Not Available", "Not available",
	"[Not Available]", "[Not Applicable]", "[Unknown]",
	"not available", "Not Applicable",
	"Not applicable", "not applicable", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?", "#NULL!",
	"Not Recorded", "Not recorded", "not recorded", "Not Known", "Not known", "not known",
	"No Data", "No data", "no data", "undefined", "blank", "(blank)", "TBD", "0000-00-00",
	"0000-00-00 00:00:00", "00/00/0000", "9999-99-99", "99/99/9999",
	"DNS", "DNF", "DNQ", "DSQ", "DQ"}

// ofPrograms are those that programs write for no value, in columns of texts, too.
var ofPrograms = []string{"'--", "NaN", "nan", "null", "NULL", "#N/A", "<NA>", "NaT",
	"(null)", `\N`, "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?", "#NULL!"}

// declare declares what CSV does not say of itself: texts that stand for no value, where all others
// of a column are numbers or times, a type where nearly all of these have one form, and the signs
// in numbers. It reports whether there is something that was not declared before.
func (d *draft) declare(fields []formats.Field) bool {
	if d.declareHeader() {
		return true
	}
	before, types := len(d.CSV.Nulls), len(d.types)
	for i, p := range d.profiles {
		if typ := p.timesAsNumbers(); fields[i].Text.Found && typ != "" {
			d.types = append(d.types, job.Column{Name: p.name, Type: typ + job.OrNull,
				Mask: job.MaskDiscretize})
		}
		if p.typ.Kind != formats.String || p.Field.Rows == 0 || !fields[i].Text.Found {
			continue
		}
		rows := p.filled(func(g gap) bool { return !d.meansElsewhere(g) })
		typ := fields[i].Text.Type
		if fields[i].Text.Number && !p.isNumbered() {
			typ = "number"
		}
		sign, of := p.between()
		if sign != "" && of == rows && d.readsGroups() {
			typ = "number(" + sign + ")"
		}
		for _, w := range p.texts.writings() {
			isHeight := w.typ == inFeet && statures.has(p.words)
			isDate := (w.several || rows < p.Field.Rows && hasShortYears(w.typ)) && w.swapped < rows
			isZoned := strings.HasSuffix(w.typ, "+00)")
			isShort := w.typ == "timestamp(YYYY-M-D hh:mm:ss)" && // some lack a 0 in front
				p.share(isoDate) == 1 && p.usually(rows) != "timestamp"
			// no reader finds it
			if w.rows == rows && (isClock(w.typ) || isHeight || isDate || isZoned || isShort) {
				typ = w.typ
			}
		}
		usual := ""
		// a text for no value here may mean something elsewhere
		all := p.filled(func(gap) bool { return true })
		for _, of := range []int64{rows, all} {
			if usual == "" && (of == rows || 2*of >= p.Field.Rows) {
				usual = p.usually(of)
			}
			odd := of - p.texts.forms[number] - p.texts.forms[spaced]
			if usual == "" && odd > 0 && !p.isCoded() && (odd*mistaken <= of ||
				odd == 1 && (d.oddColumns() > 0 || of > 5*manyValues)) {
				usual = p.plain()
			}
		}
		if typ == "" && usual != "" && len(fields[i].Text.Numerals) == 0 {
			typ, d.filled[p.name] = usual+job.OrNull, rows
		}
		if hasShortYears(typ) && births.has(p.words) {
			typ = strings.Replace(typ, ")", bornFrom+")", 1)
		}
		gaps := p.texts.gaps()
		// programs of statistics write NA for no value, however many rows have none
		hasNA := len(gaps) == 1 && gaps[0].text == "NA" && p.isRegular(rows)
		enough := 2*rows >= p.Field.Rows || rows >= fewestDates &&
			(hasNA || p.hasDates(rows) || of == rows && sign != "")
		regular := enough && (p.isRegular(rows) || typ != "")
		isName := directMeaning(p.words).meaning == namesOfPeople // there are people called Null
		for _, g := range gaps {
			always := g.text == engine.Suppressed || strings.Trim(g.text, " _") == "" ||
				slices.Contains(ofPrograms, g.text) && !isName
			// other columns may have a word among ages, which need no null
			g.elsewhere = g.elsewhere || strings.HasSuffix(typ, job.OrNull) && p.areAges()
			if (regular && !d.meansElsewhere(g) || always) &&
				!slices.Contains(d.CSV.Nulls, g.text) {
				d.CSV.Nulls = append(d.CSV.Nulls, g.text)
			}
		}
		if typ != "" && enough {
			d.types = append(d.types, job.Column{Name: p.name, Type: typ, Mask: job.MaskDiscretize})
		}
	}
	return d.declareNumerals(fields) || len(d.CSV.Nulls) > before || len(d.types) > types ||
		d.declareMissing(fields) || d.declareUnsaid(fields)
}

// readsGroups reports whether commas in numbers with signs around them separate groups of digits,
// as they do if nothing else is declared.
func (d *draft) readsGroups() bool {
	return d.CSV.Decimal == 0 && (d.CSV.Thousands == 0 || d.CSV.Thousands == ',')
}

// timesAsNumbers returns the type of whole numbers that are days, as 20200131, or times in seconds
// or milliseconds since 1970, if they are called so; empty: they are none. Each percent of them is
// one since 1900, or from 1990 to 2040.
func (p *Profile) timesAsNumbers() string {
	n := len(p.quantiles)
	if p.typ.Kind != formats.Int && p.typ.Kind != formats.Uint || n == 0 {
		return ""
	}
	first, last := p.quantiles[0], p.quantiles[n-1]
	since, until := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	switch {
	case stamped.has(p.words) && first >= float64(since.Unix()) && last < float64(until.Unix()):
		return "timestamp(" + formats.UnixSeconds + ")"
	case stamped.has(p.words) && first >= float64(since.UnixMilli()) &&
		last < float64(until.UnixMilli()):
		return "timestamp(" + formats.UnixMillis + ")"
	case first < 1900_00_00 || slices.ContainsFunc(p.quantiles, func(x float64) bool {
		_, err := time.Parse("20060102", strconv.FormatFloat(x, 'f', 0, 64))
		return err != nil
	}):
		return ""
	}
	return "date(YYYYMMDD)"
}

// hasShortDays reports whether whole numbers are days by their name and their digits, as 12597 of
// January 25, 1997.
func (p *Profile) hasShortDays() bool {
	areDays := func(layout string) bool {
		return !slices.ContainsFunc(p.quantiles, func(x float64) bool {
			_, err := time.Parse(layout, fmt.Sprintf("%06.0f", x))
			return err != nil
		})
	}
	return p.typ.Ordered() && !p.isTime() && slices.Contains(p.words, "date") && !p.broken &&
		p.Field.Distinct > fewCodes && len(p.quantiles) > 0 && p.least >= 1_01_00 &&
		slices.ContainsFunc([]string{"010206", "020106", "060102"}, areDays)
}

// stamped are words for times of day.
var stamped = words{alone: strings.Fields("time date datetime timestamp ts at on created updated")}

// mistaken is the number of rows of which at most one has another text than a number by mistake.
const mistaken = 1000

// mostDates is the share of the texts that must be dates in one form for the others to be null:
// people who write dates make more mistakes than clocks do.
const mostDates = 0.9

// usually returns the type of nearly all texts of a number of rows, with which the others are null;
// empty: there is none, or many of the others mean something, as parts of dates do. Where all are
// dates by their form, some are no days of the calendar.
func (p *Profile) usually(rows int64) string {
	n := &p.texts.forms
	are := func(of, but int64, least float64) bool {
		return p.Field.Distinct > fewCodes && float64(of) >= least*float64(rows) && 2*but <= rows-of
	}
	least := most
	if p.areAges() {
		least = mostAges
	}
	if of := n[number] + n[spaced]; of < rows && are(of, p.texts.meant, least) &&
		p.texts.different > fewCodes && !p.isCoded() {
		return p.plain()
	}
	// numbers with signs between their digits mean something only among others
	if sign, of := p.between(); of < rows && (sign != "N" && are(of, 0, most) ||
		sign == "N" && are(of, p.texts.meant-n[numeral], most) && !p.isCoded()) {
		return "number(" + sign + ")"
	}
	for _, w := range p.texts.writings() {
		but, least := n[partDate]-n[isoDate], mostDates
		switch {
		case isClock(w.typ): // a few take longer than a day
			but, least = n[timing]-w.rows, most
		case w.typ == inFeet && !statures.has(p.words):
			continue
		}
		if are(w.rows, but, least) && (w.rows < rows || rows == p.Field.Rows) &&
			w.swapped < w.rows {
			return w.typ
		}
	}
	return ""
}

// mostAges is the share of the texts that must be whole numbers in a column of ages, whose others
// are a few words, as Juvenile, and oldest the greatest of them.
const (
	mostAges = 0.8
	oldest   = 120
)

// areAges reports whether a column has ages, by its name and its numbers, and hardly another text
// than a few.
func (p *Profile) areAges() bool {
	if !slices.Contains(p.words, "age") || p.texts.fractions > 0 || p.texts.low < 0 ||
		p.texts.high > oldest || len(p.texts.few) > mostAlike {
		return false
	}
	var others []int64
	rows := p.Field.Rows
	for text, n := range p.texts.few {
		if !forms[number](text) {
			others = append(others, n)
			rows -= n
		}
	}
	slices.Sort(others)
	for _, n := range others[max(0, len(others)-mostOutcomes):] {
		rows += n
	}
	return float64(rows) >= most*float64(p.Field.Rows)
}

// statures are the names of columns of heights of people, and inFeet is the type of those in feet
// and inches.
var statures = words{alone: heights}

const inFeet = "number(" + formats.Feet + ")"

// plain returns the type of numbers without signs, of which some have blanks around them.
func (p *Profile) plain() string {
	switch {
	case p.texts.forms[spaced] > 0:
		return "number(N)"
	case p.texts.fractions > 0:
		return "number"
	}
	return "integer"
}

// dayFirst replaces a type of dates with the month first by that of the same with the day first,
// and the other way round: most dates of a column have one form only if some day is above 12.
var dayFirst = strings.NewReplacer("M/D", "D/M", "D/M", "M/D", "M-D", "D-M", "D-M", "M-D")

// writing is a type of dates or times in one form, or of dates in several forms with one order of
// days and months, with the number of rows that have it. Where days and months may also change
// places, or the year may be first, they are swapped.
type writing struct {
	typ           string
	several       bool
	rows, swapped int64
}

// writings returns the types in which some texts are dates or times, those of several forms first.
func (t *textProfile) writings() (all []writing) {
	rows := make(map[string]int64)
	for i, n := range t.written {
		rows[written[i].typ] = n
	}
	for i, n := range t.written {
		w := writing{typ: written[i].typ, rows: n}
		if other := dayFirst.Replace(w.typ); other != w.typ {
			w.swapped = rows[other]
		}
		if strings.HasSuffix(w.typ, "-YY)") { // the year may be first
			w.swapped = n
		}
		if n > 0 {
			all = append(all, w)
		}
	}
	for _, order := range []string{"date(M", "date(D"} {
		var dates []string
		of := writing{several: true}
		for _, w := range all {
			switch {
			case strings.HasPrefix(w.typ, order):
				dates = append(dates, w.typ[len("date("):len(w.typ)-1])
			case w.typ == "date":
				dates, w.swapped = append(dates, "YYYY-M-D"), w.rows
			default:
				continue
			}
			of.rows, of.swapped = of.rows+w.rows, of.swapped+w.swapped
		}
		if of.typ = "date(" + strings.Join(dates, formats.Or) + ")"; len(dates) > 1 {
			all = slices.Insert(all, 0, of)
		}
	}
	return all
}

// between returns the signs, blanks or brackets around most numbers, with N for their digits, and
// the number of rows with these; 0: they have none, they stand for something, most are in brackets,
// or they have commas that may be before a fraction.
func (p *Profile) between() (sign string, rows int64) {
	if p.texts.commas > 0 && p.texts.plains == 0 && !p.isGrouped() ||
		p.isNumbered() && !p.isPadded() {
		return "", 0
	}
	for _, of := range slices.Sorted(maps.Keys(p.texts.around)) {
		if n := p.texts.around[of]; n > rows {
			sign, rows = of, n
		}
	}
	if sign == "N" && p.texts.padded+p.texts.bracketed == 0 || 2*p.texts.bracketed > rows {
		return "", 0
	}
	if strings.ContainsFunc(sign, isCurrency) { // sums without the sign are read, too
		rows += p.texts.around["N"]
	}
	return sign, rows
}

// fewestDates is the least number of dates, or of numbers with signs, in a column with more texts
// that stand for no value, as of the days on which few people died.
const fewestDates = 20

// gap is a text that may stand for no value, with its rows.
type gap struct {
	text      string
	rows      int64
	elsewhere bool // it may mean something in columns of other texts
}

// gaps returns the texts of a column that may stand for no value: those that often do, and others
// without a letter and a digit, as -   -.
func (t *textProfile) gaps() (all []gap) {
	for at, n := range t.absent {
		if n > 0 {
			all = append(all, gap{absent[at], n, slices.Contains(absentElsewhere, absent[at])})
		}
	}
	if len(t.blanks) > mostBlanks {
		return all
	}
	for _, text := range slices.Sorted(maps.Keys(t.blanks)) {
		isStars := strings.Trim(text, "*") == "" // they mean nothing elsewhere, as * alone
		all = append(all, gap{text, t.blanks[text], !isStars})
	}
	return all
}

// filled returns the number of rows of texts but those of some that stand for no value.
func (p *Profile) filled(but func(g gap) bool) int64 {
	rows := p.Field.Rows
	for _, g := range p.texts.gaps() {
		if but(g) {
			rows -= g.rows
		}
	}
	return rows
}

// isRegular reports whether all texts, of a number of rows, are numbers, times, or dates in one
// order.
func (p *Profile) isRegular(rows int64) bool {
	n := &p.texts.forms
	return n[number]+n[numeral] == rows || n[timing] == rows || n[halved] == rows ||
		p.hasDates(rows)
}

// isClock reports whether a type is one of times by a clock.
func isClock(typ string) bool { return strings.HasPrefix(typ, "time(") }

// isOrderly reports whether the same is true of nearly all texts, of a number of rows, or all are
// numbers with the same sign, or dates or times in one form.
func (p *Profile) isOrderly(rows int64) bool {
	_, of := p.between()
	return p.isRegular(rows) || of == rows || p.usually(rows) != "" ||
		slices.ContainsFunc(p.texts.writings(), func(w writing) bool { return w.rows == rows })
}

// hasDates reports whether all texts, of a number of rows, are dates in one order.
func (p *Profile) hasDates(rows int64) bool {
	n := &p.texts.forms
	return n[isoDate] == rows || n[usDate] == rows || n[euroDate] == rows
}

// meansElsewhere reports whether a text that stands for no value in a column of numbers or times
// may mean something in another column, of other texts, where a null would replace it, too.
func (d *draft) meansElsewhere(g gap) bool {
	return g.elsewhere && slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return slices.ContainsFunc(p.texts.gaps(), func(o gap) bool { return o.text == g.text }) &&
			!p.isOrderly(p.filled(func(gap) bool { return true }))
	})
}

// declareNumerals declares the signs in numbers if all columns of texts that are numbers with some
// can be read with the same ones, and no other number changes. Signs as in 1,234 separate groups of
// digits if a column has numbers without them, too, or some number of the table has a point before
// its fraction, or commas are also between fields and many values have the form: fractions would
// hardly all have three digits. It reports whether it declares any.
func (d *draft) declareNumerals(fields []formats.Field) bool {
	if d.CSV.Decimal != 0 || d.CSV.Thousands != 0 {
		return false
	}
	var signs []formats.Numerals
	points, grouped, alone, first := false, false, true, true
	for i, p := range d.profiles {
		points = points || p.isFractional() ||
			fields[i].Text.Number
		of := fields[i].Text.Numerals
		if len(of) == 0 {
			continue
		}
		if p.isNumbered() || p.share(phone) > 0 || p.share(card) > 0 {
			return false
		}
		grouped = grouped || p.texts.forms[number] > 0
		alone = alone && p.isGrouped()
		if first {
			signs, first = of, false
		}
		signs = slices.DeleteFunc(slices.Clone(signs), func(n formats.Numerals) bool {
			return !slices.Contains(of, n)
		})
	}
	withPoint := slices.DeleteFunc(slices.Clone(signs), func(n formats.Numerals) bool {
		return n.Decimal == ','
	})
	unclear := len(withPoint) > 0 && len(withPoint) < len(signs) // 1,234
	if points || unclear && (grouped || alone) {
		signs, unclear = withPoint, false
	}
	if len(signs) == 0 || unclear {
		return false
	}
	d.signed = true
	d.CSV.Decimal, d.CSV.Thousands = signs[0].Decimal, signs[0].Thousands
	if d.CSV.Decimal == '.' {
		d.CSV.Decimal = 0
	}
	return true
}

// fewestGrouped is the least number of distinct numbers as 1,234 that show what a comma means.
const fewestGrouped = 20

// isGrouped reports whether commas in numbers that all are as 1,234 separate groups of digits.
func (p *Profile) isGrouped() bool { return p.parted == ',' && p.Field.Distinct >= fewestGrouped }

// isPadded reports whether few texts are numbers that differ from their usual form by blanks alone.
func (p *Profile) isPadded() bool {
	for text := range p.texts.few {
		trimmed := strings.TrimSpace(text)
		if n, err := strconv.Atoi(trimmed); err != nil || strconv.Itoa(n) != trimmed {
			return false
		}
	}
	return p.texts.padded > 0 && int64(len(p.texts.few)) == p.Field.Distinct
}

// isNumbered reports whether the numbers of a column stand for something by its name, or identify
// somebody: their texts matter. Fractions of which some are below 1, as shares are, stand for
// nothing.
func (p *Profile) isNumbered() bool {
	name := p.words
	areShares := 2*p.texts.fractions > p.texts.forms[number] && p.texts.low >= 0 && p.texts.low < 1
	return !areShares && !places.has(name) && (categories.has(name) || postal.has(name) ||
		directMeaning(name).meaning != "")
}

// isCoded reports whether the numbers of a column are codes by its name, which may be that of ages
// at a diagnosis.
func (p *Profile) isCoded() bool {
	return p.isNumbered() || diagnoses.has(p.words) && !slices.Contains(p.words, "age") ||
		tracts.has(p.words)
}

// typeOf returns the type that is declared of a column that is masked, or the class, as an option
// of its mask, or "".
func (d *draft) typeOf(p *Profile) string {
	at := slices.IndexFunc(d.types, func(c job.Column) bool { return c.Name == p.name })
	if at < 0 || !p.role.masked() && p != d.class {
		return ""
	}
	if typ := d.types[at].Type; strings.Contains(typ, ",") { // it divides options of a mask
		return "type: " + strconv.Quote(typ)
	}
	return "type: " + d.types[at].Type
}

// bornFrom makes years of birth of two digits those from 1930 to 2029. With those of other dates,
// 1969 to 2068, people born before 1969 would not be born yet.
const bornFrom = " from 1930"

// hasShortYears reports whether a type is one of dates of which some have years of two digits.
func hasShortYears(typ string) bool {
	return strings.Contains(strings.ReplaceAll(typ, "YYYY", ""), "YY")
}

// warnOfShortYears says of dates of birth with years of two digits what these mean.
func (d *draft) warnOfShortYears() {
	for _, p := range d.profiles {
		if hasShortYears(d.typeOf(p)) && births.has(p.words) {
			p.role.Reason += "; years of two digits mean 1930 to 2029: if somebody is older, " +
				"declare an earlier one in the type"
		}
	}
}

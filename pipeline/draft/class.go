package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
)

// mostClasses is the largest number of values of a class that is asked for, and usualClasses of one
// that is proposed, namedClasses of one whose name says that it is the class.
const (
	mostClasses  = 1000
	usualClasses = 20
	namedClasses = 50
)

// predicted are the names of columns that models are usually trained to predict, the likeliest
// first; perhaps are names that often mean something else, unless a column is at an end of the
// table; marking are last words that say only that a column has yes and no, or which
// codes.
var (
	predicted = strings.Fields("class label target outcome churn churned default defaulted " +
		"survived readmitted fraud attrition recid recidivism approved converted exited " +
		"subscribed canceled cancelled expire expired deceased delinquent noshow termd " +
		"terminated turnover loanstatus actiontaken defaultpaymentnextmonth seriousdlqin2yrs")
	perhaps = strings.Fields("y income response deposit salary result results diagnosis status " +
		"vote voted segment segmentation effect effects buy buys bought")
	// answered are names of a class of two values, in any place
	answered = strings.Fields("response output y")
	// offices are words for where people work, whose classes are known
	offices = []string{"department", "dept"}
	// ambiguous are those of the first that name seats, debts or texts, too, before another class
	ambiguous = strings.Fields("class default label")
	// suffered are last words of names of such columns
	suffered = strings.Fields("disease disorder diabetes diabetic stroke cancer malignant " +
		"malignancy tumor tumour cardio chd cvd dementia autism sepsis hypertension risk success " +
		"satisfaction satisfied attack infarction depression anxiety illness infection infected " +
		"obesity obese anemia anaemia anemic anaemic asd ckd biopsy addiction abuse insurance " +
		"vaccine injury")
	// deeds are last words of names of what somebody did or did not do
	deeds = append(strings.Fields("fail taken bought booked complete done achieved"),
		finished...)
	// finished are those of two values that no other column has, in any place
	finished = []string{"completed", "completion"}
	// shown are words behind them
	shown = strings.Fields("trait traits present presence detected found positive likelihood " +
		"occurrence")
	// finals are names of such columns in the last place, but not parts of names
	finals = strings.Fields("nsp nobeyesdad prognosis classification condition output " +
		"performance quality stage admit pass placement placed revenue creditscore risklevel " +
		"riskcategory stresslevel fetalhealth severity affair num gradeclass notfullypaid " +
		"loanpaidback dataset selector category level risk1yr")
	// passing are first words of names of such columns
	passing = strings.Fields("pass passed predicted")
	marking = strings.Fields("flag fl ind indicator yn binary 01 012")
	// kinds are names of a class, behind words that say of what: often of a service or of people
	kinds = strings.Fields("class label target y")
	// observed are words in front of them that say that it is no guess
	observed = strings.Fields("true actual gold observed")
)

// kinded matches names of such columns that end in a word without a sign in front, as custcat.
var kinded = matches(`\w(cat|status)$`)

// manifold are names of classes that may have many values in the last place, such as diseases.
var manifold = words{whole: strings.Fields("class label target prognosis")}

// mostOutcomes is the largest number of values of an outcome that only a part of the name shows.
const mostOutcomes = 5

// groups are the names of columns with the groups of people that a study compares, which may have
// been found or made.
var groups = words{
	whole: append(pairs([]string{"", "dx", "diagnosis", "diag", "disease"},
		[]string{"group", "grp", "cohort"}), "dx", "diagnosis"),
}

// chooseClass finds the column that models predict: the one that is asked for, or one of few values
// that has one of the likeliest names, or a name that ends like one, or that has a word for what
// came of somebody or, in the last or the first column, such a word; or else, if no purpose needs
// classes, the number that the table is about, unless a run refuses it.
func (d *draft) chooseClass() error {
	d.pairTimes()
	d.findEnds()
	if d.Class != "" {
		return d.takeClass()
	}
	for again := true; again; again = d.class != nil && len(d.class.givenBy) > 0 {
		d.class = nil
		for _, p := range d.profiles {
			rank := d.classRank(p)
			better := d.class == nil || rank < d.classRank(d.class) ||
				rank == d.classRank(d.class) && d.isAtEnd(p)
			if rank >= 0 && better {
				d.class = p
			}
		}
		d.findGivers()
	}
	if d.class = d.readableClass(); d.class != nil && d.isRemembered(d.class) {
		d.class.remembered, d.class = true, nil
	}
	if d.class != nil {
		return nil
	}
	if d.For == ForClassify || d.For == ForBoth {
		return d.noClass("draft for %s: no column looks like the class", d.For)
	}
	// the one row with a high pay is that of somebody whom others know
	if d.findNumber(); d.number != nil && d.number.Field.Distinct <= mostClasses &&
		d.number.alone <= guard.MostUnique &&
		(!pay.has(d.number.words) || d.sample.Figures([]int{d.number.place}, 1).Unique == 0) {
		d.class = d.number
	}
	return nil
}

// readableClass returns the texts that go with the numbers of the class, one with each, or the
// class.
func (d *draft) readableClass() *Profile {
	if d.class == nil || !d.class.typ.Ordered() {
		return d.class
	}
	for _, p := range d.profiles {
		if p.typ.Kind == formats.String && p.couldBeClass() && !p.isBasic() &&
			d.determines(p, d.class) && d.determines(d.class, p) {
			return p
		}
	}
	return d.class
}

// takeClass takes the column that is asked for.
func (d *draft) takeClass() error {
	cause := ""
	i := slices.IndexFunc(d.profiles, func(p *Profile) bool { return p.name == d.Class })
	switch {
	case i < 0:
		cause = "the input has no such column"
	case d.profiles[i].typ.Kind == formats.Nested:
		cause = "it is nested"
	case d.profiles[i].Field.Distinct > mostClasses:
		cause = fmt.Sprintf("it has more than %d distinct values", mostClasses)
	default:
		d.class = d.profiles[i]
		d.findGivers()
		return nil
	}
	return d.noClass("take column %s as class: %s", job.Quoted(d.Class), cause)
}

// mostGiven is the part of the information about the class from which ten ranges of a number nearly
// give it: each limit between two classes is within one of them.
const mostGiven = 0.75

// findGivers finds the numbers that people know about others and that nearly give the class, as a
// level of obesity follows from weight and height, but not what came of somebody: such a class is
// a fact that they know.
func (d *draft) findGivers() {
	of := d.class
	if of == nil || of.place < 0 || d.isOutcome(of) {
		return
	}
	gives := func(p *Profile, numbers []float64) bool {
		return max(d.sample.Information(p.place, numbers, of.place, 1),
			d.sample.LimitInformation(numbers, of.place)) >= mostGiven*d.entropy(of)
	}
	for _, p := range d.profiles {
		if p == of || !p.typ.Ordered() || p.isCode() || p.Field.Distinct <= fewCodes ||
			!p.isNearlyFilled() {
			continue
		}
		if (p.isBasic() || d.isWeightOfHeight(p)) && gives(p, p.numbers) {
			of.givenBy = []*Profile{p}
			return
		}
		if height := d.heightOf(p); height != nil && height.typ.Ordered() {
			index := make([]float64, len(p.numbers)) // the body mass index, in any unit
			for row, weight := range p.numbers {
				index[row] = weight / (height.numbers[row] * height.numbers[row])
			}
			if gives(p, index) {
				of.givenBy = []*Profile{height, p}
				return
			}
		}
	}
}

// isRefused reports whether a run refuses the proposed class, because it identifies people whom k
// counts: it is none then. Of one that is asked for, it notes why.
func (d *draft) isRefused() bool {
	if d.class == nil || d.class.place < 0 {
		return false
	}
	figures, who := d.sample.Figures([]int{d.class.place}, 1), "rows"
	if d.entity != nil && d.entity.place >= 0 {
		figures, who = d.sample.FiguresOfPeople(d.class.place, d.entity.place), "entities"
	}
	found := guard.FoundOnClass(figures, who, job.Quoted(d.class.name), d.class.typ)
	if d.Class != "" {
		d.classFound = found
		return false
	}
	if found != "" {
		d.class.alone = 1
	}
	return found != ""
}

// noClass returns an error with a hint that names columns that could be the class.
func (d *draft) noClass(format string, args ...any) error {
	hint := "name a column with few distinct values with --class"
	var names []string
	for _, name := range d.classCandidates() {
		names = append(names, job.Quoted(name))
	}
	if len(names) > 0 {
		hint += ", as " + strings.Join(names, ", ")
	}
	return fault.Errorf(fault.Usage, hint, format, args...)
}

// classRank returns a rank for how much a column looks like the class, 0 for the most; −1: it does
// not. First are the names that are predicted; then the last column, if it has a name that is often
// predicted; then, those of two values first, the ones that end with such a word, or say who died;
// then the ones that say what came of somebody; then the one that is called like the file; then the
// last one with a name that classes have there; then those that have a word that is predicted at an
// end of the table; then facts that may be what came of somebody; then the last column if it has
// two values and is called by what was done, as transported, or has yes and no, and the first one
// with such values; then a group of people, by its texts, how a case or somebody was judged or
// marked, the last one of a table whose names say nothing, who had the only disease of a table with
// the time up to an event, or a treatment, in a table of opinions; and then an ambiguous name
// before another class.
//
// One of which less than one in a hundred rows has another value comes behind others, unless its
// whole name is predicted, and is none if it has more than two values.
func (d *draft) classRank(p *Profile) int {
	rank := d.rankByName(p)
	switch {
	case rank < len(predicted) || p.place < 0 || d.entropy(p) >= leastEntropy:
		return rank
	case p.Field.Distinct > 2:
		return -1
	}
	return rank + 8*usualClasses
}

// leastEntropy is the information, in nats, of a column of which one in a hundred rows has another
// value.
const leastEntropy = 0.08

// rankByName returns the rank of a column by its name, its values and its place.
func (d *draft) rankByName(p *Profile) int {
	words := withoutMarks(p.name)
	isPredicted := func(word string) bool { return slices.Contains(predicted, word) }
	mayBe := func(word string) bool { return isPredicted(word) || slices.Contains(perhaps, word) }
	rank, name, last := len(predicted)+int(p.Field.Distinct), strings.Join(words, ""), d.last
	whole := slices.Index(predicted, name)
	if of, isStatus := strings.CutSuffix(name, "status"); isStatus && whole < 0 {
		whole = slices.Index(predicted, of)
	}
	switch n := len(words); {
	case n == 0 || !d.isPredictable(p) || p.share(marital) >= most || d.isOfCrowd(p),
		p.Field.Distinct > usualClasses && p != last,
		pay.has(p.words) && p.Field.Distinct > mostOutcomes,
		// the class stays exact: texts of one row, of which one may be a mistake, are none, and
		// neither are sources of the rows
		p.typ.Kind == formats.String && (name == "dataset" ||
			!mayBe(name) && p.alone*float64(p.Rows) > 1.5),
		name == "default" && !d.isAtEnd(p) && !d.isOfDebts(),
		name == "status" && p.Field.Distinct > 2 && d.hasRare(p):
	case slices.Contains(ambiguous, name) && d.isOutdone(p):
		return rank + 7*usualClasses
	case p == last && (d.isSubject(p) ||
		p.Field.Distinct == 2 && planned(strings.Join(words, " "))):
		return 0
	case whole >= 0:
		return whole
	case d.isItem(p), name == "status" && d.isSurvey():
	case p == last && slices.Contains(perhaps, name) && !d.isPay(p),
		slices.Contains(answered, name) && p.Field.Distinct == 2:
		return len(predicted)
	case isPredicted(words[n-1]) && (!slices.Contains(kinds, words[n-1]) ||
		n == 2 && slices.Contains(observed, words[0])),
		d.isOutcome(p) && (p.saysWhoDied() || d.isLikeliestStatus(p)):
		return rank
	case d.isOutcome(p) && !p.isBasic():
		return rank + usualClasses
	case d.isSubject(p):
		return rank + 2*usualClasses
	case p == last && (slices.Contains(finals, name) || slices.Contains(passing, words[0]) ||
		kinded(name) && !p.isBasic() && !d.isContextual(p)) &&
		(p.Field.Distinct <= mostOutcomes || p.typ.Kind == formats.String):
		return rank + 3*usualClasses
	case d.isAtEnd(p) && n <= mostWords && words[n-1] != "name" &&
		!slices.Contains(offices, words[0]) &&
		(slices.ContainsFunc(words, mayBe) || isSuffered(words) || isDeed(p) ||
			p == last && contented.has(words)) &&
		(!p.isBasic() || words[n-1] != "status") && !p.hasPartsOfDays():
		return rank + 3*usualClasses
	case d.isOutcome(p), // a fact, such as who was hired to do a job
		p.Field.Distinct == 2 && slices.Contains(finished, words[n-1]) && !p.isBasic():
		return rank + 4*usualClasses
	case p == last && (n == 1 || n == 2 && words[0] == "is") &&
		(p.Field.Distinct == 2 && strings.HasSuffix(name, "ed") || d.isOnlyAnswer(p)) &&
		!p.isBasic() && !d.isContextual(p),
		d.isFirstAnswer(p), d.isLastMark(p), d.isLikelihood(p):
		return rank + 5*usualClasses
	case d.isGroup(p), d.isJudged(p), d.isMark(p), d.isLastOfNameless(p), d.isOnlyDisease(p),
		d.isSubjectAlone(p),
		name == "treatment" && p.share(answer) >= most && d.asksForOpinions:
		return rank + 6*usualClasses
	}
	return -1
}

// hasRare reports whether several values of a column have fewer than k rows.
func (d *draft) hasRare(p *Profile) bool {
	return d.sample.Frequent(p.place, uint64(d.K), d.looked).AtLeast+1 < p.Field.Distinct
}

// isLastMark reports whether a column of two values is the last one, and is called like a mark
// where all others are numbers of many values, as is_large, or has the only yes and no behind items
// of a questionnaire.
func (d *draft) isLastMark(p *Profile) bool {
	isOther := func(of *Profile) bool {
		return of != p && of.place >= 0 && (!of.typ.Ordered() || of.Field.Distinct <= fewCodes)
	}
	return p == d.last && p.Field.Distinct == 2 && !p.isBasic() && !treatments.has(p.words) &&
		(isAux(p.words[0]) && !slices.ContainsFunc(d.profiles, isOther) ||
			d.isOnlyAnswer(p) && slices.ContainsFunc(d.profiles, d.isItem))
}

// isLikelihood reports whether a column at an end of the table says how likely somebody does
// something, as no other one does.
func (d *draft) isLikelihood(p *Profile) bool {
	is := func(p *Profile) bool {
		n := p.textsLike(likelihoods)
		return n > 2 && n == len(p.texts.few)
	}
	return d.isAtEnd(p) && is(p) && numberOf(d.profiles, is) == 1
}

// isSurvey reports whether software of surveys wrote the table, with how each answer was given.
func (d *draft) isSurvey() bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return strings.EqualFold(p.name, "RecordedDate")
	})
}

// isPay reports whether a column has a pay of some levels, in a table with what came of somebody:
// who left a company is predicted rather than the salary.
func (d *draft) isPay(p *Profile) bool {
	return pay.has(p.words) && p.Field.Distinct > 2 &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			return of != p && of.Field.Distinct == 2 && d.isOutcome(of) && !of.isBasic()
		})
}

// isOutdone reports whether a column with an ambiguous name is not the class, as another one has a
// name that is predicted, or may be the class in the last place.
func (d *draft) isOutdone(p *Profile) bool {
	last := d.last
	return !d.isAtEnd(p) && d.classRank(last) >= 0 || p != last &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			name := strings.Join(withoutMarks(of.name), "")
			return of.couldBeClass() && (slices.Contains(predicted, name) ||
				slices.Contains(answered, name) && of.Field.Distinct == 2) &&
				!slices.Contains(ambiguous, name)
		})
}

// debts are parts of names of columns of those who owe something: elsewhere a default is not what
// came of them, but what they had without a choice.
var debts = strings.Fields("loan credit debt payment bill balance mortgage borrow repay")

// isOfDebts reports whether a column of the table is about debts, by its name.
func (d *draft) isOfDebts() bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return slices.ContainsFunc(debts, func(part string) bool {
			return strings.Contains(strings.ToLower(p.name), part)
		})
	})
}

// isSuffered reports whether a column has the name of a disease or the like that nobody had before,
// alone or with a word behind it that says no more than that somebody has it.
func isSuffered(name []string) bool {
	if n := len(name); n > 1 && slices.Contains(shown, name[n-1]) {
		name = name[:n-1]
	}
	return !past.has(name) && slices.Contains(suffered, name[len(name)-1])
}

// findEnds finds the first and the last column that could be a class: lines may begin and end with
// identifiers, weights or texts that differ in each row, and end with a sign too many, with who
// agreed to an interview, or with what hardly anybody has.
func (d *draft) findEnds() {
	isNone := func(p *Profile) bool { return p.isWeightOfRow() || roleOf(p).Mask == job.MaskDrop }
	d.first, d.last = nil, d.profiles[0]
	for _, p := range d.profiles {
		if p.distinctShare() < uniqueShare[formats.String] && !isNone(p) {
			d.first = p
			break
		}
	}
	for _, p := range slices.Backward(d.profiles) {
		if !isNone(p) && (!d.isNearlyConstant(p) || d.mayBeOutcome(p)) &&
			(p.position == 0 || d.headless) &&
			!strings.HasPrefix(p.name, "Unnamed: ") { // pandas calls it so
			d.last = p
			return
		}
	}
}

// manyItems is the number of columns with the same scale that are a questionnaire.
const manyItems = 12

// isItem reports whether a column is one of a questionnaire's many answers on the same scale.
func (d *draft) isItem(p *Profile) bool {
	if !p.typ.Ordered() || p.Field.Distinct <= 2 {
		return false
	}
	return d.hasMany(p)
}

// isGroup reports whether a column has the groups of people that a study compares, without a
// treatment among them: texts in a table with what everybody knows of people, which may be many
// diagnoses, or two values before many items.
func (d *draft) isGroup(p *Profile) bool {
	isKnown := func(of *Profile) bool { return of != p && of.isBasic() }
	few := p.Field.Distinct <= mostOutcomes || diagnoses.has(p.words)
	isText := p.typ.Kind == formats.String && few && slices.ContainsFunc(d.profiles, isKnown)
	isFirst := p.Field.Distinct == 2 && p != d.last && d.isAtEnd(p) &&
		slices.ContainsFunc(d.profiles, d.hasMany)
	return (isText || isFirst) && groups.has(p.words) && !p.isBasic() &&
		p.texts.forms[treatment] == 0
}

var (
	// judged are names of columns with the disposition of a case, with how content somebody is, or
	// with how badly somebody was hurt.
	judged = words{
		alone: slices.Concat([]string{"disposition", "finding", "findings"}, polled.alone,
			pairs(strings.Fields("injury accident casualty crash collision"),
				[]string{"severity"})),
		not: append(strings.Fields("date dt time day year month count number num id"),
			past.alone...),
	}
	// judgedLast are such names in the last place, or those with what somebody chose.
	judgedLast = words{
		alone: strings.Fields("methoduse methodused contraceptivemethod"),
		last:  strings.Fields("choice severity grade stage level category"),
		not:   judged.not,
	}
)

// isJudged reports whether a column says how a case or somebody was judged, as hardly another one
// does, or in the last place what somebody chose, in a table with the age or the sex of people. In
// the midst of a poll such an answer is one of many.
func (d *draft) isJudged(p *Profile) bool {
	is := func(p *Profile) bool {
		isLast := p == d.last
		return (judged.has(p.words) || isLast && judgedLast.has(p.words)) &&
			(isLast || !polled.has(p.words) || !d.isPoll()) && p.couldBeClass() &&
			!p.isBasic() && !d.isContextual(p)
	}
	last := d.last
	isScore := last.typ.Ordered() && last.Field.Distinct > longestScale && scores.has(last.words)
	return is(p) && !isScore && numberOf(d.profiles, is) <= mostVerdicts &&
		slices.ContainsFunc(d.profiles,
			func(of *Profile) bool { return of.isBasic() && rank(of) < 2 })
}

// polled are names of columns of whom somebody voted for, and of how content somebody is.
var polled = words{alone: append(strings.Fields("vote voted rating"), contented.alone...)}

// contented are those of the latter that score it, not those of before.
var contented = words{alone: strings.Fields("satisfaction satisfied nps csat"), not: past.alone}

// isPoll reports whether a table has the answers to many questions, also in words, or weights of
// those who gave them.
func (d *draft) isPoll() bool {
	return d.asksForOpinions || slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.isWeightOfRow() || d.isItem(p)
	})
}

// isLastOfNameless reports whether a column is the last one of a table whose names say nothing,
// where most tables have the class, and has no fact and not the scale of most columns.
func (d *draft) isLastOfNameless(p *Profile) bool {
	stem := func(p *Profile) string { return strings.TrimRight(p.name, "0123456789") }
	isNamedLike := func(of *Profile) bool { return nameless(of.name) && stem(of) == stem(p) }
	isOnScale := func(of *Profile) bool {
		return of.typ == p.typ && of.Field.Distinct == p.Field.Distinct
	}
	n := float64(len(d.profiles))
	return p == d.last && !p.isBasic() && !strings.HasPrefix(strings.ToLower(p.name), "q") &&
		float64(numberOf(d.profiles, isNamedLike)) >= most*n &&
		float64(numberOf(d.profiles, isOnScale)) <= n/2
}

// isAtEnd reports whether a column is the first or the last one that could be a class.
func (d *draft) isAtEnd(p *Profile) bool { return p == d.first || p == d.last }

// isGiven reports whether known numbers nearly give a column that is called like a class, or people
// remember it.
func (p *Profile) isGiven() bool { return len(p.givenBy) > 0 || p.remembered }

// rowsOfFate is the number of rows, in units of k, that died and that did not from which hardly a
// row loses that in a set.
const rowsOfFate = 100

// isRemembered reports whether a class says who died, which acquaintances remember, in a table with
// enough rows of each value for k to count it as it is, and for no model and no trial, of which it
// is the endpoint.
func (d *draft) isRemembered(p *Profile) bool {
	isTreatment := func(p *Profile) bool {
		return p.Field.Distinct > 1 && p.Field.Distinct <= mostOutcomes && treatments.has(p.words)
	}
	return p.saysWhoDied() && d.For != ForClassify && d.For != ForBoth &&
		!slices.ContainsFunc(d.profiles, isTreatment) &&
		d.sample.Frequent(p.place, uint64(rowsOfFate*d.K), d.rows).AtLeast >= p.Field.Distinct
}

// isPredictable reports whether a column could be the class, at least k rows have another value
// than the most frequent one, most rows have a value, or enough if it says who left or stayed, or
// in the last place what came of somebody, where null may be a refusal, or how content somebody is,
// and it is no option of several.
func (d *draft) isPredictable(p *Profile) bool {
	return p.couldBeClass() && !d.isNearlyConstant(p) && !p.isOption && (2*p.Field.Rows >= p.Rows ||
		p.Field.Rows >= fewNulls && (left.has(withoutEnds(p.words)) ||
			p == d.last && (d.hasVerdicts(p) || judged.has(p.words))))
}

// couldBeClass reports whether a column has few values, with several rows each, and so few rows
// have a value of their own that a run takes it as class, and nothing that people know gives it.
func (p *Profile) couldBeClass() bool {
	if p.isGiven() {
		return false
	}
	switch p.typ.Kind {
	case formats.Float, formats.Decimal: // pandas writes 1.0 where a column had a null once
		if p.Field.Distinct > mostOutcomes {
			return false
		}
		fallthrough
	case formats.String, formats.Boolean, formats.Int, formats.Uint:
		most := int64(usualClasses)
		if manifold.has(p.words) {
			most = namedClasses
		}
		return p.Field.Distinct >= 2 && p.Field.Distinct <= most &&
			p.Field.Distinct*2 <= p.Field.Rows && p.alone <= guard.MostUnique &&
			p.texts.broken == 0
	}
	return false
}

// mostCandidates is the largest number of columns that are named if none looks like the class.
const mostCandidates = 6

// classCandidates names columns that could be the class: first those with a name that is likely,
// then the last one, since most tables have it there, then those with the fewest values, and at the
// end what everybody knows of somebody.
func (d *draft) classCandidates() (names []string) {
	last := d.last
	var could []*Profile
	for _, p := range d.profiles {
		if d.isPredictable(p) && !d.isOfCrowd(p) {
			could = append(could, p)
		}
	}
	place := func(p *Profile) int {
		switch {
		case p.isBasic():
			return 3
		case d.mayBeOutcome(p):
			return 0
		case p == last:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(could, func(a, b *Profile) int {
		return cmp.Or(place(a)-place(b), cmp.Compare(a.Field.Distinct, b.Field.Distinct))
	})
	for _, p := range could[:min(mostCandidates, len(could))] {
		names = append(names, p.name)
	}
	return names
}

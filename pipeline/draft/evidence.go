package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// evidence is a property that speaks for a column as the class, or against it.
type evidence struct {
	points int
	has    func(d *draft, p *Profile) bool
}

// fewestPoints is the least sum of points from which a column is the class.
const fewestPoints = 10

// ofClass is the evidence of the class. The points are the weights, rounded, of a logistic model of
// which column a table is about, if any, fitted to what experts said of a thousand public tables.
var ofClass = []evidence{
	{14, func(_ *draft, p *Profile) bool { return p.isPredicted() }},
	{13, (*draft).isOutcome},
	{9, (*draft).isOfFile},
	{9, func(_ *draft, p *Profile) bool { return p.isPerhaps() }},
	{8, func(_ *draft, p *Profile) bool { return p.isSuffered() || judged.has(p.words) }},
	{7, (*draft).isOneOfFewAnswers},
	{7, func(d *draft, p *Profile) bool { return p == d.last && p.isFinal() }},
	{5, func(_ *draft, p *Profile) bool {
		return p.typ.Kind == formats.String && p.share(answer) < most
	}},
	{4, func(d *draft, p *Profile) bool { return p.isYesOrNo() && d.isAtEnd(p) }},
	{3, (*draft).isAtEnd},
	{1, func(_ *draft, p *Profile) bool { return p.saysWhoDied() }},
	{-3, func(_ *draft, p *Profile) bool { return (&words{alone: earlier}).has(p.words) }},
	{-5, func(_ *draft, p *Profile) bool { return past.has(p.words) }},
	{-5, (*draft).isOneOfSeveral},
	{-6, func(d *draft, p *Profile) bool {
		return p.amongItems || p.Field.Distinct > 2 && d.hasMany(p)
	}},
	{-8, func(_ *draft, p *Profile) bool { return p.isOfExperiment() }},
	{-8, func(d *draft, p *Profile) bool {
		return !d.isAtEnd(p) && slices.Contains(kinds, strings.Join(p.words, ""))
	}},
	{-10, func(d *draft, p *Profile) bool {
		isFew := p.Field.Distinct <= 2 || p == d.last && p.Field.Distinct <= mostOutcomes
		return pay.has(p.words) && !isFew
	}},
	{-10, func(d *draft, p *Profile) bool {
		return p.isBasic() || d.isContextual(p) || formerly.has(withoutEnds(p.words))
	}},
}

// classPoints returns the sum of the evidence that a column is the class; 0: it cannot be. The
// class stays exact: texts of one row, of which one may be a mistake, are none but by their name.
func (d *draft) classPoints(p *Profile) (points int) {
	isRare := d.isRare(p) || p.typ.Kind == formats.String && p.alone*float64(p.Rows) > 1.5
	if len(p.words) == 0 || !d.isPredictable(p) || p.share(marital) >= most || d.isOfCrowd(p) ||
		isRare && p.Field.Distinct > 2 && !p.isPredicted() && !p.isPerhaps() ||
		p.Field.Distinct > mostInMidst && p != d.last {
		return 0
	}
	for _, e := range ofClass {
		if e.has(d, p) {
			points += e.points
		}
	}
	if d.isRare(p) {
		return min(points, fewestPoints) // it is the class if no other one is
	}
	return points
}

// mostInMidst is the largest number of values of a class that is not the last column.
const mostInMidst = 10

// leastEntropy is the information, in nats, of a column of which one in a hundred rows has another
// value.
const leastEntropy = 0.08

// isRare reports whether less than one in a hundred rows has another value of a column.
func (d *draft) isRare(p *Profile) bool { return p.place >= 0 && d.entropy(p) < leastEntropy }

var (
	// predicted are names of columns that models are usually trained to predict, alone or behind
	// other words.
	predicted = strings.Fields("class label target outcome churn churned default defaulted " +
		"survived readmitted fraud attrition recid recidivism approved converted exited " +
		"subscribed canceled cancelled expire expired deceased delinquent noshow termd " +
		"terminated turnover loanstatus actiontaken defaultpaymentnextmonth seriousdlqin2yrs")
	// kinds are those of them that often name a group of people or a service in the midst of a
	// table or behind other words, and observed are words in front that say that they do not.
	kinds    = strings.Fields("class label target y")
	observed = strings.Fields("true actual gold observed")
	// suffered are words for what people suffer or fear, or reach.
	suffered = strings.Fields("disease disorder diabetes diabetic stroke cancer malignant " +
		"malignancy tumor tumour cardio chd cvd dementia autism sepsis hypertension risk success " +
		"satisfaction satisfied attack infarction depression anxiety illness infection infected " +
		"obesity obese anemia anaemia anemic anaemic asd ckd biopsy addiction abuse insurance " +
		"vaccine injury ill dyslexia")
	// perhaps are words of names that often mean something else.
	perhaps = strings.Fields("y income response deposit salary result results diagnosis status " +
		"vote voted segment segmentation effect effects buy buys bought output")
	// finals are names of columns that are the class in the last place.
	finals = strings.Fields("nsp nobeyesdad prognosis classification condition output " +
		"performance quality stage admit pass placement placed revenue creditscore risklevel " +
		"riskcategory stresslevel fetalhealth severity affair num gradeclass notfullypaid " +
		"loanpaidback dataset selector category level risk1yr transported")
	// deeds are last words of names of what somebody did or did not do.
	deeds = strings.Fields("fail taken bought booked complete done achieved completed completion")
	// passing are first words of names of such columns.
	passing = strings.Fields("pass passed predicted")
	marking = strings.Fields("flag fl ind indicator yn binary 01 012")
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
	// polled are names of columns of whom somebody voted for, and of how content somebody is.
	polled = words{alone: strings.Fields("vote voted rating satisfaction satisfied nps csat")}
)

// kinded matches names of columns of a kind that end in a word without a sign in front, as custcat.
var kinded = matches(`\w(cat|status)$`)

// isPredicted reports whether models usually predict what a column has, by its name.
func (p *Profile) isPredicted() bool {
	words := withoutMarks(p.name)
	n := len(words) - 1
	name := strings.Join(words, "")
	isKind := n >= 0 && slices.Contains(kinds, words[n])
	return slices.Contains(predicted, name) ||
		slices.Contains(predicted, strings.TrimSuffix(name, "status")) ||
		n >= 0 && slices.Contains(predicted, words[n]) &&
			(!isKind || n == 1 && slices.Contains(observed, words[0]))
}

// isSuffered reports whether a word of a column's name is one for what people suffer or reach, but
// not before.
func (p *Profile) isSuffered() bool {
	return !past.has(p.words) && slices.ContainsFunc(withoutEnds(p.words), func(word string) bool {
		return slices.Contains(suffered, word) || ofHeart(word)
	})
}

// ofHeart matches names of diseases of the heart in short, with what defines them behind.
var ofHeart = matches(`^(cvd|chd|ihd)[a-z]*$`)

// isPerhaps reports whether models may predict what a column has, by its name.
func (p *Profile) isPerhaps() bool {
	return slices.ContainsFunc(p.words, func(word string) bool {
		return slices.Contains(perhaps, word)
	}) || scored.has(p.words) || coarse.has(p.words) || groups.has(p.words)
}

// isFinal reports whether models may predict what a last column has, by its name.
func (p *Profile) isFinal() bool {
	words := withoutMarks(p.name)
	n, name := len(words), strings.Join(words, "")
	return n > 0 && (slices.Contains(finals, name) && (name != "dataset" || p.typ.Ordered()) ||
		slices.Contains(passing, words[0]) || slices.Contains(deeds, words[n-1])) ||
		kinded(name) && !p.isBasic() || judgedLast.has(p.words)
}

// isOfFile reports whether a word of a column's name is one of the name of the file: stroke of
// stroke.csv, Churned of customer_churn.csv. The file of a survey has the name of its questions.
func (d *draft) isOfFile(p *Profile) bool {
	file := d.subjects()
	isWord := func(word string) bool {
		return slices.ContainsFunc(file, func(of string) bool { return isAlike(word, of) })
	}
	return d.isCalledLikeFile(p) || slices.ContainsFunc(withoutMarks(p.name), isWord)
}

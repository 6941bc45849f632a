package draft

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// hidden are names of columns that an acquaintance hardly knows, by theme.
var hidden = words{alone: slices.Concat(
	// money, and contracts on it
	strings.Fields("account accounts bank credit debtors debtor installment savings checking "+
		"default contract contracts bill billing payment pay payer paid paperless policy "+
		"insurance insured insurer premium coverage claim claims "+
		"supplements suppliments plan plans tariff subscription card "+
		"cards balance bonus grant medicaid medicare mortgage wealth"),
	// what somebody buys, and is offered
	strings.Fields("purchase purchases order orders product products item items campaign "+
		"cmp promo promotion coupon discount "+
		"offer lead leads tag tags notable contact channel source device browser internet "+
		"online phone telephone telephony "+
		"mobile call calls line lines streaming service services support backup security "+
		"protection session website profile media app email sms response responded complain "+
		"complains complaint complaints interaction interactions lastactivity segment poutcome "+
		"ticket tickets resolution meal repeated bullied weapon drunk"),
	// health
	strings.Fields("health hlth goodhealth goodhlth mental suicidal suicide depressed fear legal "+
		"partners contraception contraceptive diet dietary eating allergies "+
		"exercise exercises habit habits "+
		"illness depression anxiety disease disorder condition procedure chronic "+
		"symptom symptoms consequence consequences pain therapy treatment treat treated "+
		"placebo intervention trt arm arms "+
		"premie premature preterm lbw lowbirthweight "+
		"rx dose drug drugs medication "+
		"medications medicine vaccine vaccinated screening allergy blood stage severity status "+
		"complication complications heroin cocaine fentanyl oxycodone methadone opioid opioids "+
		"opiate benzodiazepine ethanol morphine amphetamine amphet tramadol tramad hydrocodone "+
		"survived survival censor censored event effect effects"),
	// what somebody thinks, and answers
	strings.Fields("answer answers interest motivation knowledge worry vote votes voted voting "+
		"party partyid polint intention intentions judgment judgement abortion political "+
		"ideology govt therm thermometer distrust test tests result results proficient "+
		"proficiency stimulus scale value text"),
	// offences
	strings.Fields("incident collision damage police report authorities fraud offence offense "+
		"charged charge sentence verdict plea arrest recidivism recid searched citation"),
	// how a table is made
	strings.Fields("type kind category code reason flag level group sample split set fold batch "+
		"version wave round form mode quality visit referral weight control random "+
		"randomized assigned train training cohort study trial imputed missing label "+
		"predicted prediction selected identified prelaunch postlaunch"),
)}

// recorded are names of times at which a table was made, or rows of it.
var recorded = words{
	alone: strings.Fields("interview interviewed survey surveyed questionnaire updated modified " +
		"created published inserted submitted submission extracted recorded reported report " +
		"issue entry load effective loaded login signup seen active due expiry expires " +
		"expiration issued timestamp datetime transaction subscribed registered lastmodified " +
		"odate fdate applied retrieved raised input release"),
	whole: strings.Fields("dt year yr month day week date time quarter wave weekday hour start " +
		"stop"),
}

// mayBeKnown reports whether an acquaintance may know a column: one of words, codes, two values,
// dates or years that is no item of a questionnaire, and whose name has more than a letter and does
// not say that others hardly know it.
func (d *draft) mayBeKnown(p *Profile) bool {
	name := withoutEnds(p.words)
	isDay := p.isOfDays()
	return (p.role.Mask != job.MaskDiscretize || isDay) && len(name) <= mostWords &&
		len(p.name) > 1 && !d.isOfOthers(p) && !inWindow(strings.Join(p.words, " ")) &&
		!hidden.has(name) && !recorded.has(name) && !unknown.has(name) && !formerly.has(name) &&
		!isOfMissing(name) && !isOfInterview(p.name) &&
		!p.isPartial() && !p.isNoSize() && d.times[p] == nil && !d.isOutcome(p) && !p.amongItems &&
		!working.has(name) && !d.isAnswer(p) && !d.isOnlyCandidate(p) && !p.isOption &&
		!p.isOfMoney() && !d.isOfForm(p) && !d.isOfThing(p) && !d.isOfDesign(p) &&
		!(d.asksForOpinions && p.hasOpinions())
}

// working are the names of columns that spreadsheets and programs give, or that somebody computes
// with.
var working = words{whole: strings.Fields("column col field unnamed recalc helper")}

// inWindow is the form of names of columns about what somebody did in a time up to a day, which
// others seldom see as a whole: visits_30d, active_last_week.
var inWindow = matches(`\b(last|past|previous|prev) ?(\d|(day|week|month|year)s?\b)|` +
	`\w \d+ ?(d|w|m|mo|day|week|month)s?$`)

// ofAskers are names of columns about those who ask people.
var ofAskers = words{alone: []string{"enum", "enumerator", "interviewer", "surveyor"}}

// isOfOthers reports whether a column that is called like a fact about people has one about others,
// or about a part of the body, or the day on which somebody became a customer.
func (d *draft) isOfOthers(p *Profile) bool {
	return d.isOfCustomer(p) || d.isOfTeacher(p) || d.isOfSecond(p) || p.isOfBody() ||
		d.isLoan(p) || ofAskers.has(p.words)
}

// isLoan reports whether a column says who has a loan for a home, as those with as many values next
// to it say who has another one, and who did not repay one.
func (d *draft) isLoan(p *Profile) bool {
	isCalled := func(p *Profile, name string) bool { return strings.Join(p.words, "") == name }
	others := numberOf(d.profiles, func(of *Profile) bool {
		return isCalled(of, "loan") && of.Field.Distinct == p.Field.Distinct ||
			isCalled(of, "default")
	})
	return isCalled(p, "housing") && others == 2
}

// isOfSecond reports whether a column is about whom the entity meets, as a client: its name ends
// like those of several facts that differ where the entity's own do not, as age_cl next to age.
func (d *draft) isOfSecond(p *Profile) bool {
	n := len(p.words) - 1
	return d.entity != nil && n > 0 && numberOf(d.profiles, func(fact *Profile) bool {
		return fact.fact && d.determines(d.entity, fact) &&
			slices.ContainsFunc(d.profiles, func(of *Profile) bool {
				return slices.Equal(of.words, append(slices.Clone(fact.words), p.words[n])) &&
					!d.determines(d.entity, of)
			})
	}) > 1
}

// ofTeachers are facts about those who teach the pupils of a table.
var ofTeachers = words{whole: strings.Fields("degree experience exp ladder tenure certification")}

// ofTeacher are names of columns of the numbers of such people.
var ofTeacher = words{alone: pairs([]string{"teacher", "tch"}, numbered)}

// isOfTeacher reports whether a column has a fact about those who teach the people of a table, by
// its name next to that of the same fact about these, as teacher_race with race and tethnicity with
// ethnicity, or next to the number of a teacher, as t_experience. Next to such a column, degrees
// and experience are those of teachers, too.
func (d *draft) isOfTeacher(p *Profile) bool {
	who := []string{"teacher", "tch", "t"}
	isTeacher := func(of *Profile) bool {
		return of.repeats() && ofTeacher.has(of.words) && of != d.entity && of != d.uncounted
	}
	isCalled := func(p *Profile) bool {
		name := strings.Join(p.words, "")
		if len(p.words) > 1 && slices.Contains(who, p.words[0]) &&
			slices.ContainsFunc(d.profiles, isTeacher) {
			return true
		}
		return slices.ContainsFunc(who, func(who string) bool {
			fact, found := strings.CutPrefix(name, who)
			return found && slices.ContainsFunc(d.profiles, func(of *Profile) bool {
				end, found := strings.CutPrefix(fact, strings.Join(of.words, ""))
				return found && of.fact && len(end) <= longestOfSeries
			})
		})
	}
	return isCalled(p) ||
		ofTeachers.has(withoutEnds(p.words)) && slices.ContainsFunc(d.profiles, isCalled)
}

// experiments is the form of names of columns that say who was treated how in an experiment, and
// treated that of texts of such columns.
var (
	experiments = matches(`treat|intervention|\binterv\b|randomi[sz]|\bassign|` +
		`\bcompl(y|ier|iance)|adheren|\b(tx|trt|rx|arms?|cue|cond|condition|grp|strat\w*)\b`)
	treated = matches(`^(?i:(un|non)?[ _-]?treat(ed|ment)|(no|the)[ _-]treatment|controls?|` +
		`placebo|sham)\b`)
)

// isOfExperiment reports whether a column has such a name, or few texts with such a one.
func (p *Profile) isOfExperiment() bool {
	for text := range p.texts.few {
		if p.Field.Distinct <= mostOutcomes && treated(text) {
			return true
		}
	}
	return experiments(strings.Join(withoutEnds(p.words), " "))
}

// fewestOpinions is the least number of columns with opinions from which a table has answers to
// questions about these.
const fewestOpinions = 3

// hasOpinions reports whether a column of few texts has one that says how sure, how often or how
// much, as people answer.
func (p *Profile) hasOpinions() bool {
	for text := range p.texts.few {
		if p.Field.Distinct <= usualClasses && opinion(text) {
			return true
		}
	}
	return false
}

// opinion matches such texts.
var opinion = matches(`^(?i:(i )?don['’]?t know|(i am |i'm )?not sure|unsure|maybe|sometimes|` +
	`often|rarely|seldom|(somewhat|very|quite|not at all|strongly)\b.*)$`)

// begun and completed are names of columns of times at which somebody filled in a form.
var (
	begun     = words{whole: strings.Fields("start started startdate starttime")}
	completed = words{whole: strings.Fields("end ended enddate endtime")}
)

// isOfForm reports whether a column has times at which forms were begun or completed: another one
// has the other ones, and nearly all forms took less than a day, or both are texts of dates with
// times, which days of jobs do not have.
func (d *draft) isOfForm(p *Profile) bool {
	isBeginning := begun.has(p.words)
	hasTime := func(p *Profile) bool {
		return p.share(someDate) >= most && p.texts.longest > len("12/31/2020")
	}
	return (isBeginning || completed.has(p.words)) &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			isOther := isBeginning && completed.has(of.words) || !isBeginning && begun.has(of.words)
			return isOther && of.typ == p.typ && (hasTime(p) && hasTime(of) ||
				p.typ.Kind == formats.Timestamp &&
					differ(p, of, p.unitsOfDay())*resumed <= len(p.numbers))
		})
}

// isOfDesign reports whether people have nearly all values of a column, as each one who is asked
// reads all stories of an experiment, or has a headache on some days: it is nobody's own.
func (d *draft) isOfDesign(p *Profile) bool {
	if d.entity == nil || p.Field.Distinct < 2 || p.Field.Rows < p.Rows {
		return false
	}
	both := []int{d.entity.place, p.place}
	classes := func(in []int) float64 { return float64(d.sample.Figures(in, 1).Classes) }
	return classes(both) >= nearlyAll*classes(both[:1])*classes(both[1:])
}

// likeThings are names of what a thing is like that somebody bought.
var likeThings = words{whole: strings.Fields("size color colour season brand style model " +
	"material fabric category subcategory shipmode")}

// isOfThing reports whether a column says what a thing is like that somebody bought, by its name
// and by those of others.
func (d *draft) isOfThing(p *Profile) bool {
	return likeThings.has(p.words) && slices.ContainsFunc(d.profiles, isCalled(bought))
}

var (
	// joining are names of days on which somebody became a customer, in a table with one of the
	// names of sold, and none of those of people who meet each other, or with one of loyal
	joining = words{alone: strings.Fields("customer client join joined joining enrol enrolled " +
		"enroll enrolment enrollment cancellation registration signup booking booked")}
	sold = words{alone: append(slices.Clone(bought.alone), strings.Fields("subscription "+
		"subscriptions subscriber plan revenue payment payments purchase purchases mnt hotel "+
		"checkin")...)}
	loyal   = words{alone: []string{"loyalty", "clv"}}
	meeting = words{alone: append(slices.Clone(atWork.alone), strings.Fields("club clubs "+
		"student students pupil pupils school team experience leaveornot")...), not: atWork.not}
)

// isOfCustomer reports whether a column has the day on which somebody became a customer, or a part
// of it.
func (d *draft) isOfCustomer(p *Profile) bool {
	gives := func(day *Profile) bool {
		return joining.has(day.words) && day.isDated() && d.determines(day, p)
	}
	return (joining.has(p.words) && (p.isDated() || periods.has(p.words)) ||
		periods.has(p.words) && slices.ContainsFunc(d.profiles, gives)) &&
		(slices.ContainsFunc(d.profiles, isCalled(loyal)) ||
			slices.ContainsFunc(d.profiles, isCalled(sold)) &&
				!slices.ContainsFunc(d.profiles, isCalled(meeting)))
}

const (
	// fewestFilled is the least share of the rows that have a value of a column in doubt.
	fewestFilled = 0.1
	// listed is the least share of the values that are lists of several.
	listed = 0.3
)

// isPartial reports whether hardly a row has a value, or values are lists of several, of which an
// acquaintance knows one at most.
func (p *Profile) isPartial() bool {
	return float64(p.Field.Rows) < fewestFilled*float64(p.Rows) ||
		p.Field.Distinct > fewCodes && p.share(list) >= listed
}

// The years that people remember.
const firstYear, lastYear = 1900, 2035

// isOfDays reports whether a column has days, or years as numbers.
func (p *Profile) isOfDays() bool {
	isYear := p.typ.Ordered() && !p.isTime() && !p.broken && len(p.numbers) > 0 &&
		p.least >= firstYear && p.high <= lastYear
	return p.isDated() && p.typ.Kind != formats.Time || isYear
}

// isOnlyCandidate reports whether a last column of two values may be the class of a table in which
// no name says which column it is.
func (d *draft) isOnlyCandidate(p *Profile) bool {
	return d.class == nil && p == d.last && p.Field.Distinct == 2 && p.couldBeClass() &&
		!slices.ContainsFunc(d.profiles, d.mayBeOutcome)
}

// isAnswer reports whether many columns have the type and the number of values of a column, which
// is no dummy of a kind, such as an industry.
func (d *draft) isAnswer(p *Profile) bool {
	return d.kindOf(p) == nil &&
		(p.Field.Distinct > 2 && d.hasMany(p) || d.isNumberedLike(p) || d.hasTextsOfMany(p))
}

// hasTextsOfMany reports whether many columns have all texts of one, but yes and no, of which some
// may lack rare ones.
func (d *draft) hasTextsOfMany(p *Profile) bool {
	return len(p.texts.few) > 1 && p.share(answer) < most &&
		numberOf(d.profiles, func(of *Profile) bool {
			for text := range p.texts.few {
				if of.texts.few[text] == 0 {
					return false
				}
			}
			return true
		}) >= manyItems
}

// money is the form of texts with amounts of money, in small letters.
var money = regexp.MustCompile(`\d.*(\p{Sc}|บาท|zł|\b(usd|eur|gbp|inr|baht)\b)|` +
	`(\p{Sc}|\b(usd|eur|gbp|inr|rs)\b).*\d`)

// isOfMoney reports whether most texts of a column are amounts of money, or ranges of them.
func (p *Profile) isOfMoney() bool { return 2*p.textsLike(money) > len(p.texts.few) }

// fewestNumbered is the least number of columns that are numbered answers to questions.
const fewestNumbered = 5

// isNumberedLike reports whether many columns with as many values have the first word of one, apart
// from its digits, or some columns if all have digits, as A1 to A10, or two values: others are
// marks of different things.
func (d *draft) isNumberedLike(p *Profile) bool {
	if len(p.words) == 0 {
		return false
	}
	stem := withoutEnds(p.words)[0]
	all, numbered := 0, 0
	for _, of := range d.profiles {
		if of.Field.Distinct == p.Field.Distinct && len(of.words) > 0 &&
			withoutEnds(of.words)[0] == stem {
			all++
			if of.words[0] != stem {
				numbered++
			}
		}
	}
	return all >= manyItems || p.Field.Distinct == 2 && len(p.words) > 1 && all >= fewestNumbered ||
		numbered >= fewestNumbered && p.words[0] != stem
}

// hasMany reports whether many columns have the type and the number of values of a column.
func (d *draft) hasMany(p *Profile) bool {
	return numberOf(d.profiles, func(other *Profile) bool {
		return other.typ == p.typ && other.Field.Distinct == p.Field.Distinct
	}) >= manyItems
}

// clinical are names of columns of patients, in whose tables most others are findings.
var clinical = words{alone: strings.Fields("patient patients diagnosis diagnoses hospital icu " +
	"sbp dbp sysbp diabp bp systolic diastolic pulse heartrate bmi chol cholesterol hdl ldl " +
	"glucose hemoglobin haemoglobin hgb hb creatinine creat bilirubin albumin platelet platelets " +
	"wbc rbc sodium potassium lymph nodes tumor tumour stage histology histol metastasis gleason " +
	"psa biopsy surgery dose rx trt arm treatment chemo chemotherapy recurrence relapse " +
	"remission survival comorbidity symptom symptoms fever infection icd apache nyha ecog " +
	"karnofsky ecg ejection diabetes hypertension cancer stroke hiv aids cd4 polyuria polydipsia " +
	"polyphagia itching alopecia nausea vomiting cough dizziness fatigue headache hypertens " +
	"anemia anaemia asthma copd dead fdead ddead stype gcs meno eyes thyroid pathology " +
	"trestbps thalach restecg oldpeak fbs exang heroin cocaine fentanyl methadone opioid apoe " +
	"rs itch lesion lesions inflammatory rash dysuria " +
	"adenopathy paramcd saffl ittfl trt01p trt01a armcd actarm aedecod aesev aeser usubjid tsh " +
	"allergies t3 tt4 fti htn hbp ef ldlc hdlc tgrade tsize pnodes cvd hormone menopause frailty " +
	"admitdate")}

// vitals are the names of columns of vital signs and laboratory values in short, each of which
// may mean something else.
var vitals = words{whole: strings.Fields("meanbp map hrt hr resp rr temp spo sao wblc wbc paco " +
	"pao pafi ph alb hema hct bili crea cre bun sod na pot k plt ast alt alp crp ldh inr " +
	"gfr egfr lact bicarb")}

const (
	// fewestClinical is the least number of clinical columns of a table of patients, and
	// fewestVitals that of vital signs and laboratory values in short.
	fewestClinical = 2
	fewestVitals   = 3
)

// isClinical reports whether a table is one of patients, by the names of its columns, or by texts
// about a placebo or a bed in a hospital.
func (d *draft) isClinical() bool {
	n, values := 0, 0
	for _, p := range d.profiles {
		for text := range p.texts.few {
			if p.Field.Distinct <= mostOutcomes && ofPatients(text) {
				return true
			}
		}
		switch name := withoutEnds(p.words); {
		case clinical.has(name):
			n++
		case p.typ.Ordered() && p.Field.Distinct > 2 && vitals.has(name):
			values++
		}
	}
	return n >= fewestClinical || values >= fewestVitals
}

// ofPatients matches texts that only tables of patients have.
var ofPatients = matches(`(?i)placebo|\b(in|out)-?patient`)

// withoutEnds returns the words of a name without the digits behind them.
func withoutEnds(name []string) []string {
	words := make([]string, len(name))
	for i, word := range name {
		words[i] = strings.TrimRight(word, "0123456789")
	}
	return words
}

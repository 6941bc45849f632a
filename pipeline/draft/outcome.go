package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
)

// coarse are names of outcomes that a limit of a number makes.
var coarse = words{
	alone: strings.Fields("premie premature preterm lbw lowbirthweight obese obesity"),
	whole: []string{"low"},
}

// mostEndings is the largest number of ways in which a time ends.
const mostEndings = 3

var (
	// happened are words for what came of somebody, wherever they are in the name, but not for how
	// hard something is to somebody.
	happened = words{
		alone: strings.Fields("died dead death alive deceased survived survive survival " +
			"mortality relapse relapsed recur recurrence recurred recurrent progression " +
			"progressed remission cured recovered event arrest arrested rearrest rearrested " +
			"reoffend reoffended reconvicted reincarcerated recidivated readmission readmitted " +
			"rehospitalized rehospitalised reinfection reinfected reinfarction released " +
			"paroled hired promoted accepted admitted granted rejected reject deny denied " +
			"refused approve approved approval decision verdict callback churn churned " +
			"attrition fatal murder won elected fraud fraudulent converted purchase purchased " +
			"conversion conversions clicked dropout violator defaulter absconder reoffender " +
			"censor censored cens custody imprisoned incarcerated closed takeup uptake retained " +
			"struck responded replied gotresponse gotreply"),
		whole: slices.Concat(pairs(append([]string{""}, people...), gone), intended,
			pairs(strings.Fields("claim application case admission"), []string{"status"}),
			strings.Fields("leaveornot "+
				"bad success switch switched personalloan ploan bankaccount adopted adoption "+
				"winner enrolled participated participation match matched suicideattempt "+
				"attemptsuicide fate call claim claimed claimflag claimind claimindicator")),
		not: append(strings.Fields("problems trouble by override threshold hesitation skill"),
			earlier...),
	}
	// gone are words for the end of a job.
	gone = strings.Fields("resigned quit left fired")
	// intended are names of columns of who wants to end a job.
	intended = append(
		pairs(strings.Fields("intent intention intentions"),
			strings.Fields("toleave toquit tostay")),
		pairs(strings.Fields("leave leaving quit quitting turnover stay"),
			strings.Fields("intent intention intentions"))...)
	// left are names of columns of who left or stayed, which only some may have been asked.
	left = words{whole: gone, alone: []string{"retained"}, not: happened.not}
	// decided are words of happened that name kinds of these where texts say neither yes and no nor
	// what came of somebody.
	decided = words{alone: []string{"event", "decision"}}
	// earlier are words that make a column with another word of happened one that says when, why or
	// how often, what was before, or what somebody else has.
	earlier = strings.Fields("pre prior previous prev past last history hist earlier before " +
		"baseline family mother father parent sibling days day time date dt dtc year years " +
		"month months week weeks hour hours age cause causes reason manner type place site " +
		"location region code " +
		"id cert certificate frequency rate score risk prob probability count num number nr no " +
		"n total plan amount item")
	// past are words in front of a disease that somebody had before.
	past = words{alone: strings.Fields("prior previous prev past last history hist earlier " +
		"before baseline family")}
	// endings are names of columns that say whether a time, in another column, ended with an event.
	endings = words{
		whole: strings.Fields("status stat event cens fustat fstat dstat delta fail failed " +
			"failure"),
		alone: pairs(followed, []string{"status", "stat", "event", "cens"}),
	}
	// durations are names of columns with such a time.
	durations = words{
		alone: slices.Concat(pairs(followed, []string{"time", "days", "weeks", "months", "years"}),
			strings.Fields("time futime survtime stime ttime rtime dtime duration spell followup "+
				"tstop tte")),
		whole: append(pairs(pairs(lasted, []string{"to"}), slices.Concat(deaths.alone, followed)),
			strings.Fields("t days weeks week months stop survival death los lengthofstay "+
				"lenfol")...),
	}
	// ended are last words of the status of a time, whose name is that of the time, alone or with
	// one of lasted behind it: srv.s with srv, with.status with with.time.
	ended  = strings.Fields("s status stat event cens d delta")
	lasted = strings.Fields("t time days weeks months years")
	// followed are words for what people are followed up for.
	followed = strings.Fields("vital survival surv os pfs dfs rfs efs death follow fu censor event")
)

// isOutcome reports whether a column of few values says what came of somebody, by its name, or by
// how a time ended that another column has.
func (d *draft) isOutcome(p *Profile) bool {
	name := withoutEnds(p.words) // censor1 is a censor
	return p.couldBeClass() && p.Field.Distinct <= mostOutcomes &&
		(happened.has(name) && len(name) <= mostWords && !d.hasKinds(p) ||
			endings.has(name) && p.Field.Distinct <= mostEndings &&
				slices.ContainsFunc(d.profiles, (*Profile).isDuration) ||
			d.isLikeliestStatus(p) || d.endsLastTime(p) || d.isMatchedCase(p) ||
			d.hasVerdicts(p) || d.goesWithOther(p))
}

// endsLastTime reports whether a column of 0 and 1 and the time up to an event are the last two,
// in any order, as studies of survival write both: it is the event, whatever its name. A number
// that is only called days or weeks may be of work.
func (d *draft) endsLastTime(p *Profile) bool {
	last := d.last
	i := slices.Index(d.profiles, last)
	if i < 1 || p != last && p != d.profiles[i-1] || !p.isYesOrNo() || p.isBasic() ||
		treatments.has(p.words) || past.has(p.words) {
		return false
	}
	time := last
	if p == last {
		time = d.profiles[i-1]
	}
	return len(time.words) == 1 && slices.Contains(durations.alone, time.words[0]) &&
		time.isDuration()
}

// isMatchedCase reports whether a column says who is a case, and who a control of one, in a table
// with the sets of people that were matched.
func (d *draft) isMatchedCase(p *Profile) bool {
	matched := words{alone: strings.Fields("stratum strata set pair matched matchedset")}
	return (&words{whole: strings.Fields("case casecontrol")}).has(p.words) &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool { return matched.has(of.words) })
}

// hasKinds reports whether a column called like an outcome has kinds of events or decisions, in a
// table without the time up to one.
func (d *draft) hasKinds(p *Profile) bool {
	n := &p.texts.forms
	return p.typ.Kind == formats.String && decided.has(p.words) && n[answer]+n[verdict] == 0 &&
		!slices.ContainsFunc(d.profiles, (*Profile).isDuration)
}

// mostVerdicts is the largest number of columns with outcomes as values of which one may be the
// class.
const mostVerdicts = 2

// hasVerdicts reports whether the values of a column say what came of somebody, as hardly those of
// another one, or whether something was found, if the name may be that of a class.
func (d *draft) hasVerdicts(p *Profile) bool {
	name := p.words
	if (&words{alone: earlier}).has(name) {
		return false
	}
	isVerdict := func(p *Profile) bool { return p.share(verdict) >= most }
	return isVerdict(p) && numberOf(d.profiles, isVerdict) <= mostVerdicts ||
		p.share(finding) >= most && slices.ContainsFunc(name, func(word string) bool {
			return slices.Contains(perhaps, word)
		})
}

// numberOf returns the number of columns with a property.
func numberOf[T any](profiles []T, has func(p T) bool) (n int) {
	for _, p := range profiles {
		if has(p) {
			n++
		}
	}
	return n
}

// leaving are names of marks of who left, next to days on which they did.
var leaving = strings.Fields("active inactive isactive terminated")

// goesWithOther reports whether a column has a vague name that a class may have, and another one
// has a value, or none, only in rows of one of its values, as a salary next to the status of who is
// placed, or has 0 nearly only there.
func (d *draft) goesWithOther(p *Profile) bool {
	name := strings.Join(withoutMarks(p.name), "")
	isVague := !polled.has(p.words) && slices.Contains(perhaps, name) ||
		p.Field.Distinct == 2 && slices.Contains(leaving, name)
	return isVague && slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return of != p && of.place >= 0 &&
			(d.goesWith(of, p) || d.isPaid(of, p))
	})
}

// nearlyAll is the part of the information about a column from which another one says nearly all.
const nearlyAll = 0.9

// isPaid reports whether a number of many values is more than 0 in rows with one value of another
// column, and 0 or none in those with the other, apart from few.
func (d *draft) isPaid(number, of *Profile) bool {
	if !number.typ.Ordered() || number.isTime() || number.least < 0 || number.isCode() ||
		number.Field.Distinct <= fewCodes || of.Field.Distinct != 2 {
		return false
	}
	has := make([]float64, len(number.numbers))
	for row, x := range number.numbers {
		if x > 0 {
			has[row] = 1
		}
	}
	return d.sample.LimitInformation(has, of.place) >= mostGiven*d.entropy(of)
}

// mayBeOutcome reports whether a column of few values has a name that a class may have, or is the
// status of a time.
func (d *draft) mayBeOutcome(p *Profile) bool {
	name := p.words
	if !p.couldBeClass() || p.Field.Distinct > mostOutcomes || p.isBasic() ||
		(&words{alone: earlier}).has(name) {
		return false
	}
	return d.times[p] != nil || groups.has(name) || coarse.has(name) ||
		happened.has(name) && !d.hasKinds(p) ||
		slices.ContainsFunc(name, func(word string) bool {
			return slices.Contains(predicted, word) || slices.Contains(perhaps, word) ||
				slices.Contains(suffered, word) || strings.HasSuffix(word, "status") ||
				strings.HasSuffix(word, "outcome")
		})
}

// pairTimes finds the times whose status a column of few values has, by the names of both.
func (d *draft) pairTimes() {
	called := make(map[string]*Profile)
	for _, p := range d.profiles {
		if name := p.words; p.typ.Ordered() && !p.isTime() && len(name) > 0 &&
			p.Field.Distinct > usualClasses {
			called[strings.Join(name, " ")], called[strings.Join(name, "")] = p, p
			if n := len(name) - 1; slices.Contains(lasted, name[n]) {
				called[strings.Join(name[:n], " ")] = p
			}
		}
	}
	d.times = make(map[*Profile]*Profile)
	for _, p := range d.profiles {
		name := p.words
		if n := len(name) - 1; n > 0 && slices.Contains(ended, name[n]) && p.couldBeClass() &&
			p.Field.Distinct <= mostOutcomes {
			if time := called[strings.Join(name[:n], " ")]; time != nil {
				d.times[p] = time
			}
		}
	}
}

// isLikeliestStatus reports whether a column has the status of the only time with one.
func (d *draft) isLikeliestStatus(p *Profile) bool {
	if d.times[p] == nil {
		return false
	}
	for _, time := range d.times {
		if time != d.times[p] {
			return false
		}
	}
	return true
}

// isDuration reports whether a column has the time to an event, by its name and its many values,
// unless it is one of work or the like, or as it and a time give another one.
func (p *Profile) isDuration() bool {
	return p.lasts || p.typ.Ordered() && !p.isTime() && !p.fact &&
		p.Field.Distinct > usualClasses &&
		(durations.has(p.words) || durations.has(withoutDigits(p.words)))
}

// endsWithClass reports whether a column has the time up to the event that the class is about: the
// one that is called like it, or any other.
func (d *draft) endsWithClass(p *Profile) bool {
	if d.class == nil || d.times[d.class] != nil {
		return d.class != nil && p == d.times[d.class]
	}
	return d.forOutcome && p.isDuration()
}

// starts are names of columns of the day or year from which a time up to an event runs.
var starts = words{alone: strings.Fields("rdate randdate randdt random randomised randomized " +
	"randomisation randomization enrolled enrolment enrollment recruited recruitment entry " +
	"accrual inclusion diagnosis diagnosed diag surgery operation transplant transplanted " +
	"admission"),
	whole: strings.Fields("year yr date")}

// deaths are names of columns that say whether somebody died.
var deaths = words{alone: strings.Fields("death dead died deceased dth alive vital mortality " +
	"survived murder murdered")}

// witnessed are names of classes that say what people see of others: who died, and who left a job.
var witnessed = words{
	alone: slices.Concat(deaths.alone, gone, strings.Fields("survive survival expire expired "+
		"attrition turnover termd terminated leaving")),
	whole: []string{"leaveornot"},
	not:   []string{"intent", "intention", "intentions"},
}

// fates are texts that say who died, also in short.
var fates = matches(`^(?i:(alive|living|dead|died|deceased|survived)\b|[ad]$)`)

// saysWhoDied reports whether a column says who died, by its name or by all of its few texts.
func (p *Profile) saysWhoDied() bool {
	if deaths.has(withoutEnds(p.words)) {
		return true
	}
	for text := range p.texts.few {
		if !fates(text) {
			return false
		}
	}
	return p.Field.Distinct > 1 && p.Field.Distinct <= usualClasses && len(p.texts.few) > 1
}

// datesDeath reports whether a column has the time up to a death, or the day or year from which it
// runs, if the table has both: together they give the day of death, which people remember.
func (d *draft) datesDeath(p *Profile) bool {
	isStart := func(p *Profile) bool { return starts.has(p.words) && p.isOfDays() }
	isTime := func(p *Profile) bool {
		return p.isDuration() && slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			return of != p && (of.couldBeClass() || of.remembered) && of.saysWhoDied()
		})
	}
	isMasked := func(is func(p *Profile) bool) func(p *Profile) bool {
		return func(p *Profile) bool { return p.role.masked() && is(p) }
	}
	return (isStart(p) || isTime(p)) && slices.ContainsFunc(d.profiles, isMasked(isStart)) &&
		slices.ContainsFunc(d.profiles, isMasked(isTime))
}

// noteDurations adds to the reasons of times up to an event that they end with the class, and to
// those of columns with a value that shows it in how many rows that does.
func (d *draft) noteDurations() {
	for _, p := range d.profiles {
		if p.role.masked() && d.endsWithClass(p) {
			p.role.Reason += "; it may end with the class: no model knows it when it predicts"
		}
		if n := d.shownBy(p, d.class); n > 0 && p.role.masked() {
			p.role.Reason += fmt.Sprintf("; one value shows the class of %s",
				text.Count(n, "row"))
		}
	}
}

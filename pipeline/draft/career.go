package draft

import (
	"regexp"
	"slices"
	"strings"
)

// dayOfTurn is the form of names of days, months and years in which somebody joined or left those
// for whom he works, married, moved or the like, with or without blanks: date of joining,
// LastWorkingDate, yrdispl, year_retired; and of the days and times of what others saw, as
// IncidentDate and occurred_time.
var dayOfTurn = regexp.MustCompile(
	`\b(` + partOfDate + ` ?(of ?)?` + turns + `|` + turns + ` ?` + partOfDate + `|doj|` +
		timeOfDay + ` ?(of ?)?` + seen + `|` + seen + ` ?` + timeOfDay + `|` + seen + ` [dt]|` +
		`(year|yr) ?(of ?)?onset|` +
		`(date|day) ?stop|stop ?(date|day))\b`)

const (
	partOfDate = `(date|dt|day|month|year|yr)`
	timeOfDay  = `(` + partOfDate + `|time|hour|datetime|weekday)`
	seen       = `(incident|occur\w*|offen[cs]e|crime|accident|crash|collision|arrest\w*|shooting)`
	turns      = `(join(ed|ing)?|hir(ed?|ing)|leaving|resign(ed|ation)|last ?working|displ\w*|` +
		`laid ?off|retire\w*|marri\w*|divorc\w*|widow\w*|moved|graduat\w*|immigr\w*|migrat\w*|` +
		`enlist\w*|job ?los\w*|lost ?job)`
)

// isDayOfTurn reports whether a name is that of such a day.
func isDayOfTurn(name []string) bool { return dayOfTurn.MatchString(strings.Join(name, " ")) }

// daysAtWork are the names of days that mean the same in tables of people at work: elsewhere
// studies, contracts and the like begin and end.
var daysAtWork = func() words {
	ends := strings.Fields("start started entry exit leave term termination terminated separation")
	days := strings.Fields("date dt day month year yr")
	plain := slices.Concat(pairs(ends, days), pairs(days, ends), pairs(pairs(days, []string{"of"}),
		ends))
	return words{whole: pairs([]string{"", "employee", "emp", "employment", "job", "work"}, plain)}
}()

// atWork are names of columns of tables of people at work, and gradedJobs those of tables in which
// a grade is that of a job.
var (
	atWork = words{
		alone: strings.Fields("employee employees employment emp designation department dept " +
			"salary wage wages position jobtitle jobrole occupation"),
		not: []string{"estimated"},
	}
	gradedJobs = words{alone: []string{"designation", "salary"}, not: []string{"estimated"}}
)

package draft

import (
	"regexp"
	"slices"
	"strings"
)

// dayOfWork is the form of names of days, months and years in which somebody joined or left those
// for whom he works, with or without blanks: date of joining, JoiningYear, LastWorkingDate.
var dayOfWork = regexp.MustCompile(
	`\b(` + partOfDate + ` ?(of ?)?` + careers + `|` + careers + ` ?` + partOfDate + `|doj)\b`)

const (
	partOfDate = `(date|dt|day|month|year|yr)`
	careers    = `(join(ed|ing)?|hir(ed?|ing)|leaving|resign(ed|ation)|last ?working)`
)

// isDayOfWork reports whether a name is that of such a day.
func isDayOfWork(name []string) bool { return dayOfWork.MatchString(strings.Join(name, " ")) }

// daysAtWork are the names of days that mean the same in tables of people at work: elsewhere
// studies, contracts and the like begin and end.
var daysAtWork = func() words {
	ends := strings.Fields("start started entry exit leave termination terminated separation")
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

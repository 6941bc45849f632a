package draft_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
)

// visits returns a table of some people with the same number of rows each.
func visits(name, number string, people, rows int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s,age,visit,dose\n", name)
	for i := range people * rows {
		person := i % people
		fmt.Fprintf(&out, number+",%d,%d,%d\n", 1015+person, 50+person%40, i/people%13, i*i%11)
	}
	return out.String()
}

// k counts people with up to 500 rows each, also those whose numbers have the form of telephones.
// If they are fewer than 10 times k it is a tenth of them, and at least 2, and the draft says so.
// With more rows each, or fewer than 12 people, a draft says before the sets that k counts rows.
func TestDraftCountsPeopleWithManyRows(t *testing.T) {
	counts := "\n# k COUNTS ROWS, NOT PEOPLE: "
	for _, tt := range []struct {
		people, rows, k, first int
		want                   string
	}{{120, 33, 0, 10, "USUBJID"}, {100, 500, 0, 10, "USUBJID"}, {100, 501, 0, 10, ""},
		{90, 30, 0, 9, "USUBJID"}, {120, 33, 13, 12, "USUBJID"}, {85, 4, 5, 5, "USUBJID"},
		{49, 30, 5, 4, "USUBJID"}, {12, 40, 0, 2, "USUBJID"}, {12, 500, 12, 2, "USUBJID"},
		{11, 30, 2, 2, ""}} {
		t.Chdir(t.TempDir())
		write(t, "visits.csv", visits("USUBJID", "01-701-%d", tt.people, tt.rows))
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"visits.csv"}, K: tt.k},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		job, _ := runDraft(t, text)
		line := regexp.MustCompile(`(?m)^  USUBJID: .*$`).FindString(text)
		before, _, _ := strings.Cut(text, "\nquasi_identifiers:")
		lower := fmt.Sprintf("# k is %d, since the column has only %d values: k = ", tt.first,
			tt.people)
		if job.Entity != tt.want || job.Sets[0].K != tt.first ||
			strings.Contains(text, lower) != (tt.first < cmp.Or(tt.k, 10)) ||
			!strings.Contains(line, "drop ") ||
			!strings.Contains(line, "# called like identifiers, with ") ||
			strings.Contains(before, counts+"USUBJID repeats, with ") != (tt.want == "") ||
			strings.Count(text, counts) > 1 {
			t.Errorf("%+v: k counts %q:\n%s", tt, job.Entity, text)
		}
	}
}

// A table of fewer people than k is refused, unless another column has more of them. Ids of people
// are dropped, however few.
func TestDraftRefusesFewPeople(t *testing.T) {
	for _, tt := range []struct {
		people, k  int
		name, want string
	}{
		{9, 0, "patient_id", ""},
		{5, 2, "patient_id", "They are fewer than 12:\n# give rows of more " +
			"people, or one row of each, or try entity: patient_id.\n"},
		{15, 0, "patient_id", "\nentity: patient_id\n# k is 2, since the column has only 15 "},
		{39, 0, "usubjid", "\nentity: usubjid\n# k is 3, "},
		{9, 0, "member_id,patient_id", "\nentity: member_id\n"},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.name + ",age,visit,dose\n")
		for i := range 30 * tt.people {
			if strings.Contains(tt.name, ",") {
				fmt.Fprintf(&out, "%d,", i/2)
			}
			fmt.Fprintf(&out, "P%d,%d,%d,%d\n", i%tt.people, 50+i%tt.people, i/tt.people, i*i%11)
		}
		write(t, "visits.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"visits.csv"}, K: tt.k},
			sees(0, 1))
		if tt.want == "" {
			if fault.ClassOf(err) != fault.Privacy {
				t.Errorf("%+v: %v\n%s", tt, err, text)
			}
		} else if err != nil || !strings.Contains(text, tt.want) ||
			roleOfText(text, tt.name[strings.LastIndex(tt.name, ",")+1:]) != "drop" {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// k is not lowered for what may be no people: a comment names a smaller one.
func TestDraftLowersForPeopleOnly(t *testing.T) {
	for _, name := range []string{"lab_key", "hhid"} {
		t.Chdir(t.TempDir())
		write(t, "visits.csv", visits(name, "%d", 60, 10))
		text := draftOf(t, draft.Options{Input: []string{"visits.csv"}})
		want := "They are fewer than 100:\n# give rows of more people, or one row of each, or " +
			"kcut init --k 6, or try entity: " + name + ".\n"
		if job, _ := runDraft(t, text); job.Entity != "" || job.Sets[0].K != 10 ||
			!strings.Contains(text, want) {
			t.Errorf("k counts %q:\n%s", job.Entity, text)
		}
	}
}

// An identifier that determines all facts about people, as an age, is that of these. Facts that
// differ in its rows, called like others, are those of whom they meet, and where each row has a
// number of its own, another one is that of a teacher, who has facts, too, or of a group. A number
// of visits with the facts of one person each is that of people.
func TestDraftKnowsWhoseFactsAre(t *testing.T) {
	number := func(factor, mod, start int) func(i int) string {
		return func(i int) string { return fmt.Sprint(start + i%mod*factor) }
	}
	for _, tt := range []struct {
		id     string
		people int
		others map[string]func(i int) string
		entity string
		known  string
	}{
		{"prof_id", 60, nil, "prof_id", "age race sex"},
		{"prof_id", 60, map[string]func(i int) string{"religion": number(1, 7, 0)}, "",
			"age race sex religion"},
		{"worker_id", 300, map[string]func(i int) string{"age_cl": number(1, 37, 20),
			"race_cl": number(1, 7, 0)}, "worker_id", "age race sex"},
		{"teacher_id", 60, map[string]func(i int) string{"pupil_id": number(7, 600, 9000),
			"t_experience": number(1, 31, 0)}, "", "age race sex"},
		{"visit_id", 300, nil, "visit_id", "age race sex"},
		{"client_id", 3, map[string]func(i int) string{"member_id": number(7, 600, 9000)}, "",
			"age race sex client_id"},
	} {
		columns := map[string]func(i int) string{tt.id: number(1, tt.people, 5000),
			"age":   func(i int) string { return fmt.Sprint(20 + i%tt.people%41) },
			"race":  number(1, 4, 0),
			"score": func(i int) string { return fmt.Sprint(i * i % 97) }}
		for name, column := range tt.others {
			columns[name] = column
		}
		text := tableOf(t, 600, columns)
		j, err := job.Parse("", []byte(text), nil)
		if err != nil || j.Entity != tt.entity ||
			strings.Contains(text, "k COUNTS") != (tt.known == "age race sex religion") {
			t.Errorf("%+v: k counts %q, %v:\n%s", tt, j.Entity, err, text)
		}
		checkCertain(t, text, tt.known)
	}
}

// A comment says that an identifier is that of a second person in a row, but not one of members of
// a family, or of their families; one of two values stays as a kind.
func TestDraftNamesSecondPeople(t *testing.T) {
	for _, tt := range []struct {
		names  string
		second int
		want   string // the entity
		says   bool
	}{{"iid,pid", 300, "iid", true}, {"iid,subject_id", 2, "iid", false},
		{"hhid,pid", 300, "pid", false}, {"hhid,pid", 40, "hhid", false}} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.names + ",age\n")
		for i := range 1500 {
			fmt.Fprintf(&out, "%d,%d,%d\n", 1+i/10, 1+i*7%tt.second, 20+i/10*7%23)
		}
		write(t, "dates.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"dates.csv"}})
		if job, _ := runDraft(t, text); job.Entity != tt.want ||
			strings.Contains(text, "of a second person or thing in a row") != tt.says ||
			strings.Contains(text, "too few for people") != (tt.second == 2) {
			t.Errorf("%+v: k counts %q:\n%s", tt, job.Entity, text)
		}
	}
}

// Numbers of people that surveys have are dropped, and k counts them, and so are those of
// households and contracts if nothing numbers their members. The visits, which all have, stay.
func TestDraftKnowsNumbersOfSurveys(t *testing.T) {
	for _, name := range strings.Fields("uid userid resp_id respid caseid idno subid nomem_encr " +
		"pidp persnr mergeid hhidpn child_id nr hhid family_no FamilyID hh_number " +
		"PolicyID contract_no SID response_id PUBID orcid_id individual_id candidate") {
		t.Chdir(t.TempDir())
		write(t, "survey.csv", visits(name, "%d", 400, 3))
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}})
		job, _ := runDraft(t, text)
		if job.Entity != name || roleOfText(text, name) != "drop" ||
			roleOfText(text, "visit") != "keep" || roleOfText(text, "dose") == "keep" {
			t.Errorf("%s: k counts %q:\n%s", name, job.Entity, text)
		}
	}
}

// Visits stay only if no masked column shows them: a run refuses to keep what follows from one.
func TestDraftMasksVisitsThatFollow(t *testing.T) {
	for _, step := range []int{0, 3} { // years between visits
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("uid,age,visit,dose\n")
		for i := range 1200 {
			person, visit := i/3, i%3
			years := step * (visit + person/30%2*(i%20/19)) // some come later
			fmt.Fprintf(&out, "%d,%d,%d,%d\n", 1000+person, 20+person%3+years, 1+visit,
				(person+visit)*7%31)
		}
		write(t, "survey.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}})
		runDraft(t, text)
		if (roleOfText(text, "visit") == "keep") != (step == 0) {
			t.Errorf("%d years:\n%s", step, text)
		}
	}
}

// Numbers of rooms, of advertisements and of other things, and those of rows, are no people.
func TestDraftCountsNoThings(t *testing.T) {
	for _, name := range strings.Fields("RoomNumber bed_no ad_id ticket_no flight_id row obs " +
		"plot firm_no") {
		t.Chdir(t.TempDir())
		write(t, "stays.csv", visits(name, "%d", 400, 3))
		text := draftOf(t, draft.Options{Input: []string{"stays.csv"}})
		job, _ := runDraft(t, text)
		if roleOfText(text, name) != "drop" || job.Entity != "" ||
			strings.Contains(text, "k COUNTS") || strings.Contains(text, "may be the entity") {
			t.Errorf("%s: k counts %q:\n%s", name, job.Entity, text)
		}
	}
}

// Where another column numbers people, k does not count families.
func TestDraftCountsNoFamiliesOfMembers(t *testing.T) {
	for other, want := range map[string]string{"sex": "family_no", "person_id": "person_id",
		"dose": "family_no"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "family_no,age,%s\n", other)
		for i := range 1600 {
			family := i / 4
			value := map[string]string{"sex": fmt.Sprint(i % 2), "dose": fmt.Sprint(i % 7),
				"person_id": fmt.Sprint(9000 + i/2)}[other]
			fmt.Fprintf(&out, "%d,%d,%s\n", 1000+family, i*i%67, value)
		}
		write(t, "survey.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}})
		if job, _ := runDraft(t, text); job.Entity != want ||
			roleOfText(text, "family_no") != "drop" {
			t.Errorf("with %s k counts %q:\n%s", other, job.Entity, text)
		}
	}
}

// Whole columns that are called like people of a family number them if they have many values, and k
// counts those of whom several rows are. Few numbers count people, or say something of one.
func TestDraftCountsMothers(t *testing.T) {
	for name, values := range map[string]int{"mom": 500, "family": 500, "child": 500,
		"mother": 45, "household": 9} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "kid,%s,age,dose\n", name)
		for i := range 1500 {
			fmt.Fprintf(&out, "%d,%d,%d,%d\n", 2000+i*3, 150+i/3%values, 20+i*7%61, i%4)
		}
		write(t, "births.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"births.csv"}})
		want := map[bool]string{true: name}[values == 500]
		if job, _ := runDraft(t, text); job.Entity != want || roleOfText(text, "kid") != "drop" ||
			(roleOfText(text, name) == "drop") != (want != "") {
			t.Errorf("%s: k counts %q:\n%s", name, job.Entity, text)
		}
	}
}

// Where each row has another number of a person, what repeats is no number of people, and no text
// that may be a name.
func TestDraftCountsNoGroupsOfPeople(t *testing.T) {
	for names, want := range map[string]string{"member_id,tour_id": "", "day_id,tour_id": "tour_id",
		"player_id,player_code": "", "day_id,player_code": "player_code"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "%s,age,sex\n", names)
		for i := range 1500 {
			fmt.Fprintf(&out, "%d,%d,%d,%c\n", 5000+i, 100+i/5, 20+i*7%23, "MF"[i/5%2])
		}
		write(t, "tours.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"tours.csv"}})
		if job, _ := runDraft(t, text); job.Entity != want {
			t.Errorf("%s: k counts %q:\n%s", names, job.Entity, text)
		}
	}
}

// The number of somebody is the entity rather than that of an incident, whichever comes first, and
// none if each row has another id: a case has several people then, as in a matched study.
func TestDraftCountsPeopleBeforeIncidents(t *testing.T) {
	for names, want := range map[string]string{"Complaint Id,Tax ID": "Tax ID", "case.id,id": "",
		"case_number,ssn": "ssn", "stop no,person_id": "person_id"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "%s,age\n", names)
		for i := range 900 {
			number := i * 7 % 300
			if want == "" {
				number = i
			}
			fmt.Fprintf(&out, "%d,%d,%d\n", 5000+i/5, 90_000+number, 20+i*7%61)
		}
		write(t, "complaints.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"complaints.csv"}})
		if job, _ := runDraft(t, text); job.Entity != want {
			t.Errorf("%s: k counts %q:\n%s", names, job.Entity, text)
		}
	}
}

// An identifier whose rows differ in sex, country or by many years of age, which may be in days, is
// none of people, as each country numbers its own; a few that differ are mistakes. The number of a
// respondent may have the sexes of others, but not at several sites, that of a suspect those of
// officers.
func TestDraftCountsNoNumbersOfCountries(t *testing.T) {
	for _, tt := range []struct {
		head  string
		other int // one of as many rows has another value
		each  int // number of rows with an age
		from  int // the least age
		want  string
	}{
		{"idno,cntry", 2, 5, 20, ""}, {"idno,cntry", 50, 5, 20, "idno"},
		{"idno,sex", 2, 5, 20, ""}, {"idno,trade", 2, 5, 20, "idno"},
		{"respondent_id,sex", 2, 5, 20, "respondent_id"}, {"idno,trade", 2, 1, 20, ""},
		{"idno,trade", 2, 1, 9000, "idno"}, {"runner,trade", 2, 5, 20, "runner"},
		{"suspect_id,officer_sex", 2, 5, 20, "suspect_id"},
		{"bib,sex", 2, 5, 20, ""}, {"bib,sex", 50, 5, 20, "bib"},
		{"student,sex,school", 2, 5, 20, ""}, {"student,sex,school", 50, 5, 20, "student"},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.head + ",age\n")
		for i := range 1500 {
			fmt.Fprintf(&out, "%d,", 100+i/5)
			for range strings.Count(tt.head, ",") {
				fmt.Fprintf(&out, "%c,", "xy"[(i/5+max(0, 1-i%tt.other))%2])
			}
			fmt.Fprintf(&out, "%d\n", tt.from+i/tt.each*7%61)
		}
		write(t, "people.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"people.csv"}})
		if job, _ := runDraft(t, text); job.Entity != tt.want {
			t.Errorf("%s: k counts %q, want %q:\n%s", tt.head, job.Entity, tt.want, text)
		}
	}
}

// roleOfText returns the first word of a column's entry.
func roleOfText(text, column string) string {
	found := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(column) + `: +(\S+)`).
		FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// A few values of an identifier that have several rows may be mistakes: a comment says so, and does
// not shout. k counts those of people if k and more rows repeat one.
func TestDraftSaysThatFewRepeat(t *testing.T) {
	for _, tt := range []struct {
		name    string
		repeats int
		want    string
	}{
		{"patient_id", 3, "\n# patient_id repeats seldom, with 597 values in 600 "},
		{"patient_id", 9, "\n# k COUNTS ROWS, NOT PEOPLE: patient_id repeats, with 591 values "},
		{"patient_id", 10, "\nentity: patient_id\n"},
		{"lab_key", 10, "\n# k COUNTS ROWS, NOT PEOPLE: lab_key repeats, with 590 values "},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.name + ",age,dose\n")
		for i := range 600 {
			fmt.Fprintf(&out, "P%d,%d,%d\n", max(i, tt.repeats), 20+i%50, i*i%11)
		}
		write(t, "patients.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"patients.csv"}})
		if !strings.Contains(text, tt.want) ||
			strings.Contains(text, "NOT PEOPLE") != strings.Contains(tt.want, "NOT PEOPLE") {
			t.Errorf("%+v:\n%s", tt, text)
		}
	}
}

// A number that counts from 0 on is no identifier, though it is called like one.
func TestDraftCountsWithNumbers(t *testing.T) {
	for _, name := range []string{"contact_number", "visit no", "contact_nr"} {
		for most, want := range map[int]string{9: "{mask:", 8: "drop", 1: "drop", 0: "drop"} {
			t.Chdir(t.TempDir())
			var out strings.Builder
			out.WriteString("age," + name + "\n")
			rng := rand.New(rand.NewPCG(1, 3))
			for i := range 900 {
				n := rng.IntN(400)
				// with 0 most have none, and the others one each; with 8 one is no count
				switch {
				case most == 8 && i == 9:
					n = 6100000098
				case i%10 < most:
					n = i % 7
				case most == 0 && i%10 < 6:
					n = 0
				case most == 0:
					n = i
				}
				fmt.Fprintf(&out, "%d,%d\n", 20+i%50, n)
			}
			write(t, "patients.csv", out.String())
			text := draftOf(t, draft.Options{Input: []string{"patients.csv"}})
			if got := roleOfText(text, job.Quoted(name)); got != want {
				t.Errorf("%s, %d of 10: %s, want %s:\n%s", name, most, got, want, text)
			}
		}
	}
}

// Full names that repeat are those of people, though a number of people only counts the rows; those
// of people in any order are several of one name. Numbers of people that repeat come first.
func TestDraftTakesNamesForPeople(t *testing.T) {
	names := strings.Fields("James Mary Robert Patricia John Jennifer Michael Linda David Susan")
	surnames := strings.Fields("Smith Johnson Williams Brown Jones Garcia Miller Davis Wilson " +
		"Anderson Thomas Taylor")
	for step, want := range map[int]string{1: "player_name", 7: "", 2: "player_id"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("player_id,player_name,age,points\n")
		for i := range 600 {
			id := i * step % 601
			if step == 2 {
				id = i / step
			}
			fmt.Fprintf(&out, "%d,%s %s,%d,%d\n", id, names[i%10],
				surnames[i%12], 20+i%60%17, i*i%31)
		}
		write(t, "players.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"players.csv"}, K: 3},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := regexp.MustCompile(`(?m)^entity: (.*)$`).FindStringSubmatch(text); found != nil {
			got = found[1]
		}
		if got != want {
			t.Errorf("step %d: k counts %q, want %q:\n%s", step, got, want, text)
		}
	}
}

// An identifier that nine tenths of the rows have is the entity, and one that fewer have is none.
func TestDraftCountsMostRowsOfPeople(t *testing.T) {
	for lacks, want := range map[int]string{15: "patient_id", 6: ""} {
		text := tableOf(t, 1200, map[string]func(row int) string{
			"patient_id": func(row int) string {
				if row%lacks == 0 {
					return ""
				}
				return fmt.Sprint(1000 + row/4)
			},
			"age": func(row int) string { return fmt.Sprint(row * row % 67) },
		})
		if got := strings.Contains(text, "\nentity: patient_id\n"); got != (want != "") {
			t.Errorf("one in %d rows lacks it, the entity is it: %t\n%s", lacks, got, text)
		}
	}
}

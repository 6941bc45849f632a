package draft_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/spill"
)

// draftOf drafts a job for an input, from its folder. Columns that a trial loses stay, so that the
// job shows their masks.
func draftOf(t *testing.T, opt draft.Options) string {
	t.Helper()
	try := func(ctx context.Context, in *dataset.Dataset, j *job.Job,
		budget *spill.Budget) (*forecast.Trial, error) {
		of, err := planning.Try(ctx, in, j, budget)
		if err == nil {
			of.Lost = nil
			for name, part := range of.Parts {
				of.Parts[name] = max(part, 0.1)
			}
		}
		return of, err
	}
	job, err := draft.Job(t.Context(), opt, try)
	if err != nil {
		t.Fatal(err)
	}
	again, err := draft.Job(t.Context(), opt, try)
	if err != nil || again != job {
		t.Errorf("drafted again: %v\n%s\nbefore:\n%s", err, again, job)
	}
	return job
}

// runDraft runs a drafted job unchanged.
func runDraft(t *testing.T, text string) (*job.Job, *pipeline.Report) {
	t.Helper()
	write(t, "job.yaml", text)
	j, err := job.Load("job.yaml", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	report, err := pipeline.Run(t.Context(), j, pipeline.RunOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, set := range report.Sets {
		if set.Anonymity < uint64(set.K) {
			t.Errorf("anonymity %d with k = %d", set.Anonymity, set.K)
		}
	}
	return j, report
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantMasks checks the mask of every column, with the taxonomy if it is generated.
func wantMasks(t *testing.T, job *job.Job, want map[string]string) {
	t.Helper()
	for _, c := range job.Columns {
		got := c.Mask
		if t := c.Taxonomy; t.Generated() {
			got += fmt.Sprintf("{%v %v %v}", t.Prefix, append(t.Date, t.USDate...),
				append(t.Ranges, t.Spelling...))
		}
		if got != want[c.Name] {
			t.Errorf("column %s: %s, want %s", c.Name, got, want[c.Name])
		}
	}
}

// identified returns a table of 180 rows with a column for everything that a draft looks for. All
// its cells contain a word that must not be in a draft.
func identified(rng *rand.Rand) string {
	var out strings.Builder
	out.WriteString(
		"Customer,contact,site,host,key4,ref,born,visit,icd,article,amount,story,Größe " +
			"cm,yes,\"a, b\",target\n")
	for i := range 180 {
		n := rng.IntN(1 << 30)
		fmt.Fprintf(&out, "canary%d,canary%d@example.org,https://canary/%d,10.1.2.%d,", i, i, n, i)
		fmt.Fprintf(&out, "123e4567-e89b-12d3-a456-%012d,078-05-%04d,", n, 1000+i)
		fmt.Fprintf(&out, "19%02d-0%d-11,2020-01-0%dT0%d:00:00,E%02d.%d,X%03d-%d,%d,canary told "+
			"us a story of many words %d,", 50+i%40, 1+i%9, 1+i%7, i%9, i%25, i%5, i*7, i%10,
			4711+i%50, i)
		fmt.Fprintf(&out, "%d.5,canary%d,canary%d,%s\n", 150+i%40, i%3, i%5,
			[]string{"canaryup", "canarydown"}[i%2])
	}
	return out.String()
}

func TestDraftTellsNoValue(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in/table.csv", identified(rand.New(rand.NewPCG(1, 2))))
	text := draftOf(t, draft.Options{Input: []string{"in"}, K: 3})
	if strings.Contains(strings.ToLower(text), "canary") || strings.Contains(text, "4711") ||
		strings.Contains(text, "example.org") {
		t.Errorf("a value is in the draft:\n%s", text)
	}
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{
		"Customer": "drop", "contact": "drop", "site": "drop", "host": "drop", "key4": "drop",
		"ref": "drop", "born": "discretize", "visit": "discretize",
		"icd": "generalize{[3 2 1] [] []}", "article": "drop", "amount": "discretize",
		"story": "drop", "Größe cm": "discretize", "yes": "suppress",
		"a, b": "suppress", "target": "keep",
	})
	if job.Output.Path != "in-release.parquet" || job.Class != "target" || job.Sets[0].K != 3 {
		t.Errorf("output %s, class %s, k = %d", job.Output.Path, job.Class, job.Sets[0].K)
	}
}

// TestDraftOfTexts drafts a job for texts of several forms.
func TestDraftOfTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("day,grade,part,postcode,star,position\n")
	for i := range 400 {
		day := fmt.Sprintf("2020-0%d-1%d", 1+i%9, i%10)
		fmt.Fprintf(&out, "\"%s T\",0%d,K%d-%02d,N%d %dXY,%s,chief of the team for task %d\n",
			day[:10], i%50, i%9, i%25, i%20, i%3, []string{"*", "a"}[i%2], []int{i % 20, i}[i%2])
	}
	write(t, "texts.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"texts.csv"}}))
	wantMasks(t, job, map[string]string{
		"day":   "generalize{[] [month year decade] []}",
		"grade": "generalize{[] [] [10 20 30 40]}", "part": "generalize{[3 2 1] [] []}",
		"postcode": "generalize{[5 3 2 1] [] []}", "star": "suppress",
		"position": "suppress", // half of the rows have a title of several
	})
}

// Zip codes that are numbers have lost their leading zeros, so that their first characters mean
// nothing: those between two multiples of 100 are near each other. Where they are texts a comment
// says so.
func TestDraftOfZipsWithoutZeros(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("zip,postcode,plain_zip,age\n")
	for i := range 600 {
		zip, text := 1000+i*89%97*1000, "K1A 0B1"
		if i%5 > 0 {
			text = fmt.Sprint(zip)
		}
		fmt.Fprintf(&out, "%d,%s,%05d,%d\n", zip, text, zip, i%50)
	}
	write(t, "zips.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"zips.csv"}})
	runDraft(t, text)
	for _, want := range []string{
		"zip:       {mask: discretize, round: 100} ", ", some without leading zeros: ",
		"; 45 of 600 rows have fewer than 5 digits: if these lost a leading zero, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Blanks around a text make another value, and so do capitals, as a comment says, unless that is
// joined with others, as few values are.
func TestDraftSaysWhereBlanksAre(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,work,plain,hours,sex\n")
	for i := range 600 {
		fmt.Fprintf(&out, "%d,%s%d,b%d,%s%d,%s\n", i%50, []string{" a", "a", "a "}[i%3], i/3%25,
			i%4, []string{"", " "}[i%2], i%60,
			[]string{"male", "Male", "f  x", "F x"}[i/3%4])
	}
	write(t, "blanks.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"blanks.csv"}})
	for _, want := range []string{
		"; 200 of 600 values begin or end with a blank, which makes them other values; apart " +
			"from upper case and blanks there are 50 values",
		"# 4 distinct values; apart from upper case and blanks there are 2 values\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Numbers that all have the same sign or unit, or blanks around them, get a type. Others stay
// texts: with several signs or units, and with commas that may be before a fraction. Heights in
// feet and inches are no codes whose first characters say most. Some sums lack the sign of others.
func TestDraftOfNumbersWithSigns(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,rate,pay,mixed,price,term,hours,account,mass,height,span\n")
	for i := range 600 {
		n := i * 7919 % 601
		fmt.Fprintf(&out, "%d,%s,\"%s%s%03d\",%d%c,\"%d,%d €\",%d months, %d,$%d,"+
			"%d%skg,%d-%d,%d %s\n", i%50,
			[]string{fmt.Sprintf("%d.5%%", n%90), "n/a"}[i%9/8], "$"[i%9/8:],
			[]string{"", "1,"}[i%2],
			100+n%800, n%70, "%$"[i%2], n%80, n%10, n%60, n%66, n%77, 40+i/3%50, " "[i%2:],
			4+n%3, n%12, n%90, []string{"days", "hours"}[n%2])
	}
	write(t, "signs.csv", out.String())
	pay := "  pay:     {mask: discretize, type: number($N), round: 100} "
	opt := draft.Options{Input: []string{"signs.csv"}, CSV: job.CSV{Thousands: ','}}
	if text := draftOf(t, opt); !strings.Contains(text, pay) {
		t.Errorf("signs between digits are known: want %q in\n%s", pay, text)
	}
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"signs.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	runDraft(t, text)
	for _, want := range []string{
		"csv: {nulls: [n/a]}", "  rate:    {mask: discretize, type: number(N%), round: 5} ",
		pay, "  mixed:   suppress ", "  price:   suppress ",
		"  term:    {mask: discretize, type: number(N months), round: 5} ",
		"  hours:   {mask: discretize, type: number(N), round: 5} ",
		"  mass:    {mask: discretize, type: number(N kg), round: 5} ",
		"  height:  {mask: discretize, type: number(feet)} ", "  span:    suppress ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestDraftOfRealData runs drafts of public data unchanged.
func TestDraftOfRealData(t *testing.T) {
	data := formatstest.SharedData(t, ".")
	files, _ := filepath.Glob(filepath.Join(data, "uci", "*.csv"))
	more, _ := filepath.Glob(filepath.Join(data, "adult", "adult*"))
	brfss, _ := filepath.Glob(filepath.Join(data, "*.parquet"))
	files = append(append(files, more...), brfss...)
	if len(files) == 0 {
		t.Fatal("there are no files")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Chdir(t.TempDir())
			job, report := runDraft(t, draftOf(t, draft.Options{Input: []string{file}}))
			if job.Class != "class" || *report.Information == 0 || report.Union.Unique > 0 {
				t.Errorf("class %q, information %g, %+v", job.Class, *report.Information,
					report.Union)
			}
		})
	}
}

// A draft names the key that leaves no group with a single class, for each search that it may
// choose. It is a comment, since it costs detail.
func TestDraftOfClassInGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 1))
	var out strings.Builder
	out.WriteString("age,zip,work,sick\n")
	for range 3000 {
		age := 18 + rng.IntN(70)
		sick := "no"
		if age > 60 && rng.IntN(50) > 0 || rng.IntN(40) == 0 {
			sick = "yes"
		}
		fmt.Fprintf(&out, "%d,%05d,%c,%s\n", age, 10_000+rng.IntN(300), 'a'+rng.IntN(6), sick)
	}
	write(t, "people.csv", out.String())
	for _, purpose := range []string{"", draft.ForClassify, draft.ForCount, draft.ForBoth} {
		text := draftOf(t, draft.Options{Input: []string{"people.csv"}, Class: "sick",
			For: purpose, Overwrite: true})
		const line = "# sensitive: [{column: sick, l: 2}]\n"
		var rows [2]uint64 // in groups of one class, without the line and with it
		for i, text := range []string{text, strings.Replace(text, line, line[2:], 1)} {
			if err := os.RemoveAll("people-release.parquet"); err != nil {
				t.Fatal(err)
			}
			_, report := runDraft(t, text)
			if len(report.Homogeneous) != len(report.Sets) {
				t.Errorf("%+v", report.Homogeneous)
			}
			for _, of := range report.Homogeneous {
				rows[i] += of.Records
			}
		}
		if rows[0] == 0 || rows[1] > 0 {
			t.Errorf("for %q: %d rows in groups of one class, with the line %d:\n%s", purpose,
				rows[0], rows[1], text)
		}
	}
}

// If nobody is said to know any of many columns, all are one set; the columns that an acquaintance
// knows, also a single one, are one set, which comes first.
func TestDraftOfManyColumns(t *testing.T) {
	const columns = 85
	for names, want := range map[string]int{"dose": 1, "Age": 2} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		for c := range columns {
			fmt.Fprintf(&out, "c%d,", c)
		}
		out.WriteString(names + "\n")
		rng := rand.New(rand.NewPCG(1, 1))
		for range 50 {
			for range columns {
				fmt.Fprintf(&out, "v%d,", rng.IntN(5))
			}
			fmt.Fprintf(&out, "%d\n", rng.IntN(90))
		}
		write(t, "wide.csv", out.String())
		opt := draft.Options{Input: []string{"wide.csv"}}
		text, err := draft.Job(t.Context(), opt, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		job, _ := runDraft(t, text)
		all := job.Sets[len(job.Sets)-1]
		if len(job.Sets) != want || len(all.Columns) != columns+1 ||
			want > 1 && !slices.Equal(job.Sets[0].Columns, []string{"Age"}) {
			t.Errorf("with %s: %d sets, the last one of %d columns", names, len(job.Sets),
				len(all.Columns))
		}
	}
}

// A draft of 800 columns has at most 150 lines: those that an acquaintance knows, and those that
// tell most of the class, have an entry, and all others are dropped, with those of which few rows
// have a value.
func TestDraftOfTooManyColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	for c := range 800 {
		fmt.Fprintf(&out, "%s,", []string{"c", "person_id_", "lab", "copy"}[c%4]+fmt.Sprint(c))
	}
	out.WriteString("Age,signal,zip,dose,hometown,churn\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for row := range 600 {
		signal := rng.IntN(6)
		for c := range 800 {
			some := []int{rng.IntN(5), rng.IntN(1e9), rng.IntN(1e4), c + signal}
			fmt.Fprintf(&out, "%d,", some[c%4])
		}
		churn := (signal + rng.IntN(6)) / 6
		town := map[bool]string{true: []string{"u", "v"}[row/30%2]}[row%30 == 0]
		fmt.Fprintf(&out, "%d,%d,%d,%d,%s,%d\n", rng.IntN(90), signal, 100*rng.IntN(9),
			1000*churn+rng.IntN(5000), town, churn)
	}
	write(t, "wide.csv", out.String())
	opt := draft.Options{Input: []string{"wide.csv"}}
	text, err := draft.Job(t.Context(), opt, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	job, report := runDraft(t, text)
	all := job.Sets[len(job.Sets)-1].Columns
	for _, want := range []string{"Age", "copy3", "zip", "dose"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among %q", want, all)
		}
	}
	if n := strings.Count(text, "\n"); n > 150 || len(all) < 80 || len(all) > 90 ||
		slices.Contains(all, "hometown") ||
		job.Unlisted != "drop" || job.Class != "churn" || report.Union.Unique > 0 {
		t.Errorf("%d lines, %d columns, class %s, %+v:\n%s", n, len(all), job.Class, report.Union,
			text)
	}
	// where the rows are few for the columns
	if text, err = draft.Job(t.Context(), opt, sees(90, 0)); err != nil {
		t.Fatal(err)
	}
	job, report = runDraft(t, strings.Replace(text, "\noutput: ", "\noutput: other-", 1))
	all = job.Sets[len(job.Sets)-1].Columns
	if n := strings.Count(text, "\n"); n > 150 || len(all) != 8 || report.Union.Unique > 0 ||
		strings.Count(text, "; to mask it: ") != 82 {
		t.Errorf("%d lines, %d columns, %+v:\n%s", n, len(all), report.Union, text)
	}
}

func TestDraftsOutputIsNoInput(t *testing.T) {
	cities := []formatstest.Text{{Name: "city", Rows: []string{"a", "b", "a", "b"}},
		{Name: "job", Rows: []string{"x", "x", "y", "y"}}}
	for _, tt := range []struct{ input, want string }{
		{"people.csv", "people-release.parquet"},
		{"*.csv", "table-release.parquet"},
		{"*", "../table-release.parquet"},
		{"**/*.parquet", "../table-release.parquet"},
		{"*.parquet", "release/"},
		{".", "../table-release.parquet"},
		{"./people.csv", "people-release.parquet"},
		{"more.people.csv", "more.people-release.parquet"},
		{"old.people.csv.gz", "old.people-release.parquet"},
	} {
		t.Run(tt.input, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "here")
			write(t, filepath.Join(dir, "people.csv"), "age,city\n1,a\n2,b\n3,a\n")
			if strings.Contains(tt.input, ".people.csv") {
				write(t, filepath.Join(dir, tt.input), "age,city\n1,a\n2,b\n3,a\n")
			}
			t.Chdir(dir)
			if err := formatstest.WriteIndexed("sample.parquet", cities, nil); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(tt.input, ".parquet") {
				os.Remove("sample.parquet")
			}
			text := draftOf(t, draft.Options{Input: []string{tt.input}, K: 1})
			if got := regexp.MustCompile(`(?m)^output: (.*)$`).FindStringSubmatch(
				text)[1]; got != tt.want {
				t.Errorf("output %s, want %s", got, tt.want)
			}
			write(t, "../job.yaml", text)
			// there the job itself would be a part of the input
			if tt.input != "." && tt.input != "*" {
				runDraft(t, text)
			}
		})
	}
}

func TestDraftFails(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", "age,city\n1,a\n2,b\n3,a\n")
	write(t, "empty.csv", "age,city\n")
	write(t, "ids.csv", "email,phone\na@x.org,+1 234 567 890\nb@x.org,+1 234 567 891\n")
	write(t, "nameless.csv", ",age,city\n0,1,a\n1,2,b\n2,1,a\n")
	for name, tt := range map[string]struct {
		opt   draft.Options
		class fault.Class
	}{
		"no such file": {draft.Options{Input: []string{"nowhere.csv"}}, fault.Input},
		"no rows":      {draft.Options{Input: []string{"empty.csv"}}, fault.Input},
		"no such class": {draft.Options{Input: []string{"people.csv"}, Class: "income"},
			fault.Usage},
		"nothing to set": {draft.Options{Input: []string{"ids.csv"}}, fault.Input},
		"fewer rows than k": {draft.Options{Input: []string{"people.csv"}, K: 4},
			fault.Privacy},
	} {
		if job, err := draft.Job(t.Context(), tt.opt, planning.Try); err == nil ||
			fault.ClassOf(err) != tt.class {
			t.Errorf("%s: %v\n%s", name, err, job)
		}
	}
	if text := draftOf(t, draft.Options{Input: []string{"nameless.csv"}}); !strings.Contains(text,
		"\n  \"\":   drop ") {
		t.Errorf("a column without a name is not dropped:\n%s", text)
	}
	text := draftOf(t, draft.Options{Input: []string{"people.csv"}, Class: "city"})
	if !strings.Contains(text, "\nclass: city\n") || !strings.Contains(text, "k: 3\n") {
		t.Errorf("class city with k = 3 was asked for:\n%s", text)
	}
}

// Numbers of people, patients and the like are dropped in any form, and those that repeat are
// pointed out: the rows of one person may be several, and k counts one of these. Numbers that count
// something are not dropped.
func TestDraftDropsIdentifiers(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("encounter_id,patient_nbr,case number,member_no,account,SSN,phone,full_name," +
		"number_inpatient,admission_type_id,prize,age,identifier\n")
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 1000 {
		person := rng.IntN(600)
		fmt.Fprintf(&out, "%d,%d,%d,%d,a%d,%09d,+49 30 %07d,P. No %d,%d,%d,%d,%d,%d\n",
			7*i, 31*person, 17*person, 5*i+rng.IntN(5), person, person, person, person, rng.IntN(9),
			rng.IntN(8), i*i, rng.IntN(90), 3*person)
	}
	write(t, "visits.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"visits.csv"}})
	job, _ := runDraft(t, text)
	want := map[string]string{"number_inpatient": "discretize", "admission_type_id": "suppress",
		"prize": "discretize", "age": "discretize"}
	for _, name := range []string{"encounter_id", "patient_nbr", "case number", "member_no",
		"account", "SSN", "phone", "full_name", "identifier"} {
		want[name] = "drop"
		entity := strings.Contains(regexp.MustCompile(`(?m)^  `+name+`: .*$`).FindString(text),
			"it repeats, and ")
		if repeats := name != "encounter_id" && name != "member_no" &&
			name != "full_name"; entity != repeats {
			t.Errorf("%s: said to be the entity: %v", name, entity)
		}
	}
	wantMasks(t, job, want)
	if job.Entity != "patient_nbr" {
		t.Errorf("k counts %q", job.Entity)
	}
}

// Parts of names are dropped with names, ages with dates of birth, and columns that others
// determine with these; the sets of the rest have columns of one kind.
func TestDraftLooksAtColumnsTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("name,first,last,dob,age,sex,zip,city,occupation,hours,day " +
		"first,remark,same,two_year_recid\n")
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 2000 {
		n, year, place := rng.IntN(1500), 1940+rng.IntN(60), rng.IntN(30)
		fmt.Fprintf(&out, "f%d l%d,f%d,l%d,%02d/%02d/%d,%d,%s,%c%d,city %d,job "+
			"%d,%d,%d.%d.2020,%d,x,%d\n", n, n, n, n, 1+rng.IntN(12), 1+rng.IntN(28), year,
			2020-year,
			[]string{"f", "m"}[rng.IntN(2)], 'A'+place%26, 1000+place, place/4, rng.IntN(9),
			rng.IntN(60), 1+rng.IntN(28), 1+rng.IntN(12), i%700, rng.IntN(2))
	}
	write(t, "people.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"people.csv"}})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{
		"name": "drop", "first": "drop", "last": "drop", "dob": "discretize",
		"age": "drop", "sex": "suppress", "zip": "generalize{[5 3 1] [] []}",
		"city": "drop", "occupation": "suppress", "hours": "discretize", "day first": "discretize",
		"remark": "drop", "same": "drop", "two_year_recid": "keep",
	})
	if first := job.Sets[0].Columns; job.Class != "two_year_recid" ||
		!slices.Equal(first[:2], []string{"dob", "sex"}) {
		t.Errorf("class %s, first set %q", job.Class, first)
	}
	for column, reason := range map[string]string{
		"first": "while name has whole names", "age": "dob determines it",
		"city": "zip determines it", "same": "all rows have the same",
		"hours": "cut at multiples of 5", "remark": "free text"} {
		if line := regexp.MustCompile(`(?m)^  ` + column + `: .*$`).FindString(
			text); !strings.Contains(line, reason) {
			t.Errorf("%s: want %q", line, reason)
		}
	}
}

// A column called first and one called last have names of people, however few.
func TestDraftDropsFirstNextToLast(t *testing.T) {
	for columns, want := range map[string]string{
		"age# first=x|y|z last=v|w": "age", "age# first=x|y|z lust=v|w": "age first lust",
	} {
		text := study(t, 600, strings.Fields(columns)...)
		if got := strings.Join(maskedOf(t, text), " "); got != want {
			t.Errorf("%s: %s, want %s:\n%s", columns, got, want, text)
		}
	}
}

// If no column looks like the class the draft asks for it, and names some candidates, the last
// column first.
// TestDraftOfClassThatIdentifies drafts jobs for rows of which some have a class of their own. A
// run refuses such a class: a draft takes no such column on its own, and says it of one that is
// asked for.
func TestDraftOfClassThatIdentifies(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,\"a\nclass\",\"ci\nty\"\n")
	for row := range 100 {
		fmt.Fprintf(&out, "%d,%s,%d\n", 20+row%30, []string{"a", "b", "c", "d"}[max(0, row-96)],
			row%5)
	}
	write(t, "people.csv", out.String())
	opt := draft.Options{Input: []string{"people.csv"}}
	if j, _ := runDraft(t, draftOf(t, opt)); j.Class != "" {
		t.Errorf("class %q", j.Class)
	}
	opt.For = draft.ForClassify
	_, err := draft.Job(t.Context(), opt, planning.Try)
	if hint := fault.HintOf(err); !strings.HasSuffix(hint, `with --class, as "ci\nty"`) {
		t.Errorf("for classify: %v, %s", err, hint)
	}
	blanks := "age  sex\n"
	for row := range 100 {
		blanks += fmt.Sprintf("%d  female\n", row)
	}
	write(t, "blanks.csv", blanks)
	_, err = draft.Job(t.Context(), draft.Options{Input: []string{"blanks.csv"}}, planning.Try)
	if hint := fault.HintOf(err); !strings.Contains(hint, "there is one column") {
		t.Errorf("one column: %v, %s", err, hint)
	}
	opt.Class = "c\nlass"
	if _, err := draft.Job(t.Context(), opt, planning.Try); !strings.Contains(fmt.Sprint(err),
		`take column "c\nlass" as class`) {
		t.Errorf("an unknown class: %v", err)
	}
	opt.For, opt.Class = "", "a\nclass"
	text := draftOf(t, opt)
	found := "# 3.0 % of the rows are unique on class column \"a\\nclass\", more than 1.0 %: a run "
	if !strings.Contains(text, found) {
		t.Errorf("the draft does not say it:\n%s", text)
	}
	write(t, "job.yaml", text)
	j, err := job.Load("job.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pipeline.Run(t.Context(), j, pipeline.RunOptions{Overwrite: true})
	if fault.ClassOf(err) != fault.Privacy {
		t.Error(err)
	}
}

func TestDraftAsksForTheClass(t *testing.T) {
	for header, want := range map[string]string{
		"age,sex,zone":          "# kcut init --class NAME. Few values have: zone, sex.\n",
		"age,sex,income_50k":    "class: income_50k\n",
		"age,loan_default,b":    "class: loan_default\n",
		"age,default_loan,b":    "# class: no column looks like a class.",
		"age,Target,y":          "class: Target\n",
		"age,churn_flag,b":      "class: churn_flag\n",
		"age,No-show,b":         "class: No-show\n",
		"index,result,b":        "class: result\n", // the first behind an identifier
		"age,b,music_effects":   "class: music_effects\n",
		"age,side_effects,b":    "class: side_effects\n",
		"age,diagnosis,b":       "class: diagnosis\n",
		"age,b,verified_result": "class: verified_result\n",
		"age,label_of_what,b":   "# class: no column looks like a class.",
		"age,b,heart_disease":   "class: heart_disease\n",
		"age,heart_disease,b":   "class: heart_disease\n",
		"age,b,diabetes_drug":   "# class: no column looks like a class.",
		// the last one of equals, and the last column if it says what was done
		"age,is_recid,b,two_year_recid": "class: two_year_recid\n",
		"age,b,c,Transported":           "class: Transported\n",
		"age,violator,c,b":              "class: violator\n",
		"age,fate,c,b":                  "class: fate\n",
		"age,murder_flag,c,b":           "class: murder_flag\n",
		"age,suicide_attempt,c,b":       "class: suicide_attempt\n",
		"age,problems_on_decision,c,b":  "class: b\n",
		"age,Transported,c,b":           "class: b\n",
		"age,b,c,married":               "# class: no column looks like a class.",
		"age,b,c,Transported by":        "# class: no column looks like a class.",
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(header + "\n")
		for i := range 90 {
			fmt.Fprintf(&out, "%d,%d,%d", i%45, i%2, i%3)
			if strings.Count(header, ",") == 3 {
				fmt.Fprintf(&out, ",%d", i/2%2)
			}
			out.WriteByte('\n')
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", header, want, text)
		}
		runDraft(t, text)
	}
}

// Columns of few values whose names say what came of somebody are the class, wherever they are;
// those about when, why, how often, what was before, or what somebody else has are none.
func TestDraftFindsOutcomes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]bool{
		"died": true, "Dead": true, "DEATH_EVENT": true, "deathFlag": true, "survived30": true,
		"any_relapse": true, "Recurrence": true, "recur": true,
		"Purchase": true, "Item Purchased": false,
		"arrest": true, "is_rearrested": true,
		"event": true, "hired": true, "promoted": true, "application_approved": true,
		"loan.rejected": true, "decision": true, "received_callback": true, "censor1": true,
		"fraud_found": true, "readmission_yn": true, "released": true, "default": true,
		"prior_arrest": false, "death_cause": false, "father_died": false,
		"family_history_of_relapse": false, "decision_date": false, "num_readmission": false,
		"patient_class": false, "social_class": false, "status": true, "fail": false,
		"Closed_Acc": true, "closed_date": false, "Personal Loan": true, "loan": false,
		"success": true,
		"rest":    false, "restatus": false, "heart_failure": false,
		"How likely or unlikely would you be to buy the soon to be released clock?": false,
	} {
		drafts(t, "age,"+name+",b,zone", 2, name, want)
	}
	// the status of a time up to an event
	for names, want := range map[string]bool{
		"time,status": true, "futime,fustat": true, "survival_months,vital_status": true,
		"dtime,death":       true,
		"os_time,os_status": true, "TimeToRecurrence,cens": true, "days,event": true,
		"death,status":        true,
		"time,marital_status": false, "time,state": false,
	} {
		_, name, _ := strings.Cut(names, ",")
		text := drafts(t, names+",age,zone", 2, name, want)
		if strings.Contains(text, "it may end with the class") != want {
			t.Errorf("%s:\n%s", names, text)
		}
	}
	drafts(t, "age,arrest,b,zone", 6, "arrest", false)
}

// drafts drafts a job for a table with many values in the first column, and a number of them in the
// second, and checks whether that column is the class.
func drafts(t *testing.T, header string, values int, name string, want bool) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(header + "\n")
	for i := range 180 {
		fmt.Fprintf(&out, "%d,%d,%d,%d\n", i%45, i/2%values, i%23, i%3)
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	if strings.Contains(text, "\nclass: "+name+"\n") != want {
		t.Errorf("%s is the class, or not, want %t:\n%s", name, want, text)
	}
	return text
}

// A column that says what the class says is dropped, also of one of three, and in a large table;
// where no other column could be masked it stays.
func TestDraftDropsWhatTheClassSays(t *testing.T) {
	for columns, want := range map[string]string{
		"approved,rejected,age,city": "drop",
		"approved,rejected,day,city": "drop",
		"approved,rejected,id":       "suppress",
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(columns + "\n")
		for i := range 600 {
			n := i / 3 % (2 + strings.Count(columns, "day"))
			fmt.Fprintf(&out, "%d,%d,%d%s\n", n, indicator(n == 0),
				i+1000*strings.Count(columns, "id"),
				strings.Repeat(fmt.Sprintf(",%d", i%7), strings.Count(columns, "city")))
		}
		write(t, "loans.csv", out.String())
		job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"loans.csv"}}))
		if job.Class != "approved" || roleIn(job, "rejected") != want {
			t.Errorf("%s: class %q, rejected %s, want %s", columns, job.Class,
				roleIn(job, "rejected"), want)
		}
	}
}

// Names of those who decide about people, or care for them, are dropped, however few, and those of
// people who made the table, their numbers, and days on which they checked it; kinds of them stay.
func TestDraftDropsNamesOfThoseWhoServe(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("judge,nurse,doctor,teacher,recruiter,agent_id,age,Mined_by,coder_id,coder," +
		"last_checked,updated_at,checked_in,how_are_texts_checked_by_you\n")
	names := strings.Fields("Heald Hugessen Iacobucci MacGuigan Marceau Pratte Urie")
	for i := range 400 {
		day := fmt.Sprintf("2020-01-%02d", 1+i*i%29)
		fmt.Fprintf(&out, "%s,%s,%s,%s,%s %s,A%d,%d,%s,%d,%d,%s,%s,%s,%s\n", names[i%7],
			strings.ToLower(names[i%7]), names[i%5], []string{"yes", "no"}[i%2],
			[]string{"Mary", "James"}[i%2], names[i%4], i%3, i%50, names[i%3], i%9, i*i%7, day,
			"2022"+day[4:], "2021"+day[4:], names[i*i%5])
	}
	write(t, "people.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
	wantMasks(t, job, map[string]string{"judge": "drop", "nurse": "suppress", "doctor": "suppress",
		"teacher": "suppress", "recruiter": "drop", "agent_id": "drop", "age": "discretize",
		"Mined_by": "drop", "coder_id": "drop", "coder": "discretize", "last_checked": "drop",
		"updated_at": "drop", "checked_in": "discretize",
		"how_are_texts_checked_by_you": "suppress"})
}

// The job is in its own folder: its paths start there, and it is no part of the input.
func TestDraftForAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "data/people.csv", "age,city\n1,a\n2,b\n3,a\n")
	absolute, err := filepath.Abs("jobs/people.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"jobs/people.yaml", absolute} {
		text := draftOf(t, draft.Options{Input: []string{"data/*.csv"}, File: file, K: 1})
		if !strings.Contains(text, "\ninput: ../data/*.csv\noutput: table-release.parquet\n") {
			t.Errorf("paths of %s:\n%s", file, text)
		}
	}
	if _, err := os.Stat("jobs"); err == nil {
		t.Error("Job has made a folder")
	}
	opt := draft.Options{Input: []string{"data"}, File: "people.yaml"}
	text, err := draft.Write(t.Context(), opt, planning.Try)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile("people.yaml"); err != nil || string(written) != text {
		t.Errorf("written: %v\n%s\nwant:\n%s", err, written, text)
	}
	if _, err := draft.Write(t.Context(), opt, planning.Try); fault.ClassOf(err) != fault.Exists {
		t.Errorf("the file exists: %v", err)
	}
	opt.Class, opt.Overwrite = "city", true
	if text, err := draft.Write(t.Context(), opt, planning.Try); err != nil ||
		!strings.Contains(text, "\nclass: city\n") {
		t.Errorf("replaced: %v\n%s", err, text)
	}
	if text, err := draft.Job(t.Context(),
		draft.Options{Input: []string{"data"}, File: "data/people.yaml"},
		planning.Try); fault.ClassOf(err) != fault.Usage {
		t.Errorf("a job among its input: %v\n%s", err, text)
	}
}

// A file that is not UTF-8 is read as windows-1252. The draft says so, and the job then does it.
func TestDraftOfAnotherEncoding(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", "age,city,income\n"+strings.Repeat("1,K\xf6ln,a\n2,Bonn,b\n", 100))
	text := draftOf(t, draft.Options{Input: []string{"people.csv"}})
	if !strings.Contains(text, "\ncsv: {encoding: windows-1252} #") {
		t.Errorf("drafted:\n%s", text)
	}
	runDraft(t, text)
}

// The memory of the rows, and of readers, stays within the limit.
func TestDraftKeepsToItsMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", "age,city\n"+strings.Repeat("1,a\n2,b\n", 100))
	if text, err := draft.Job(t.Context(),
		draft.Options{Input: []string{"people.csv"}, Limits: job.Limits{Memory: 1 << 10}},
		planning.Try); fault.ClassOf(err) != fault.Resources {
		t.Errorf("with 1 KiB: %v\n%s", err, text)
	}
	draftOf(t, draft.Options{Input: []string{"people.csv"}, Limits: job.Limits{Memory: 1 << 20}})
	long := formatstest.Text{Name: "story", Rows: []string{strings.Repeat("x", 32<<20), "y"}}
	if err := formatstest.WriteIndexed("long.parquet", []formatstest.Text{long}, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := draft.Job(t.Context(),
		draft.Options{Input: []string{"long.parquet"}, Limits: job.Limits{Memory: 16 << 20}},
		planning.Try); fault.ClassOf(err) != fault.Resources {
		t.Errorf("a text of 32 MiB within 16: %v\n%s", err, text)
	}
	if text, err := draft.Job(t.Context(),
		draft.Options{Input: []string{"long.parquet"}, Limits: job.Limits{Memory: 48 << 20}},
		planning.Try); fault.ClassOf(err) != fault.Resources {
		t.Errorf("a text of 32 MiB, twice, within 48: %v\n%s", err, text)
	}
}

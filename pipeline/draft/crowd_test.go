package draft_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// survey returns a table of answers. A share of the answers to each question does not go with the
// outcome. If it is above 1, one answer in 27 differs from the others.
func survey(rows int, wrong ...float64) string {
	rng := rand.New(rand.NewPCG(1, 1))
	var out strings.Builder
	out.WriteString("age,sex")
	for i := range wrong {
		fmt.Fprintf(&out, ",q%02d", i)
	}
	out.WriteString(",outcome\n")
	for row := range rows {
		fmt.Fprintf(&out, "%d,%s", 20+rng.IntN(60), []string{"m", "f"}[rng.IntN(2)])
		for _, share := range wrong {
			answer := row % 2
			if rng.Float64() < share {
				answer = 1 - answer
			}
			if share > 1 {
				answer = min(1, row%27)
			}
			fmt.Fprintf(&out, ",%s", []string{"no", "yes"}[answer])
		}
		fmt.Fprintf(&out, ",%s\n", []string{"well", "ill"}[row%2])
	}
	return out.String()
}

// sees returns trials in which some columns keep little, the last of the job, with an information
// that is kept of all. Others keep the more the later they are.
func sees(little int, information float64) draft.Try {
	return func(_ context.Context, in *dataset.Dataset, j *job.Job,
		_ *spill.Budget) (*forecast.Trial, error) {
		t := &forecast.Trial{Rows: in.Rows(), Information: information,
			Parts: make(map[string]float64)}
		var masked []string
		for _, c := range j.Columns {
			if c.Mask != job.MaskKeep && c.Mask != job.MaskDrop {
				t.Masked++
				t.Parts[c.Name] = float64(t.Masked)
				masked = append(masked, c.Name)
			}
		}
		for _, name := range masked[max(0, len(masked)-little):] {
			t.Parts[name] = 0.01
		}
		return t, nil
	}
}

// maskedOf returns the masked columns of a draft.
func maskedOf(t *testing.T, text string) (names []string) {
	t.Helper()
	j, err := job.Parse("", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, c := range j.Columns {
		if c.Mask != job.MaskKeep && c.Mask != job.MaskDrop {
			names = append(names, c.Name)
		}
	}
	return names
}

// A draft drops some of 12 columns that could be masked where the rows are few: if less than two
// thirds of the columns keep a tenth of their information, or less than 60 % of all is kept (35 %
// where the class does not matter). It leaves three columns for every two times that groups can be
// halved, and at least four.
func TestDraftOfFewRows(t *testing.T) {
	t.Chdir(t.TempDir())
	wrong := []float64{.4, .38, .36, .34, .32, .30, .28, .26, .24, .22}
	for _, tt := range []struct {
		rows        int
		lost        int
		information float64
		purpose     string
		want        int
	}{
		{320, 4, 0.6, "", 12},
		{320, 5, 0.6, "", 7}, // 2⁵ groups of 10: 7.5 columns
		{320, 1, 0.599, "", 7},
		{320, 0, 0.55, "", 12}, // if all keep more than little, a little less is enough
		{320, 0, 0.549, "", 7},
		{320, 1, 0.35, "count", 12},
		{320, 1, 0.349, "count", 7},
		{320, 12, 0, "count", 7},
		{320, 12, 0, "classify", 12},
		{638, 12, 0, "", 8}, // 2⁶ groups: 9 columns
		{640, 12, 0, "", 9},
		{2560, 12, 0, "", 12},
		{2540, 12, 0, "", 11},
		{60, 12, 0, "", 4},
	} {
		write(t, "few.csv", survey(tt.rows, wrong...))
		opt := draft.Options{Input: []string{"few.csv"}, For: tt.purpose}
		text, err := draft.Job(t.Context(), opt, sees(tt.lost, tt.information))
		if err != nil {
			t.Fatal(err)
		}
		masked := maskedOf(t, text)
		if len(masked) != tt.want || masked[0] != "age" || masked[1] != "sex" ||
			masked[len(masked)-1] != "q09" ||
			(tt.want < 12) != strings.Contains(text, "too few to say something") ||
			strings.Count(text, "# too few rows for it; to mask it: suppress (2 dist") !=
				12-tt.want {
			t.Errorf("%+v: %q\n%s", tt, masked, text)
		}
	}
}

// In a table of few rows a draft drops what says about the same as the class, though it would say
// most about it.
func TestDraftOfFewRowsWithTheClass(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "few.csv", survey(1000, .4, .4, .4, .4, .4, .4, .4, .4, .3, .03, .006, .002))
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(14, 0))
	if err != nil {
		t.Fatal(err)
	}
	masked := maskedOf(t, text)
	for name, want := range map[string]bool{"q08": true, "q09": true, "q10": false, "q11": false} {
		_, line, _ := strings.Cut(text, "\n  "+name+": ")
		line, _, _ = strings.Cut(line, "\n")
		if slices.Contains(masked, name) != want ||
			want == strings.Contains(line, "# it says about the same as the class; to mask it: ") {
			t.Errorf("%s, want it masked: %t", line, want)
		}
	}
}

// Where no column says more of the class than chance does, those stay of which a trial kept most.
func TestDraftOfFewRowsWithAClassOfChance(t *testing.T) {
	t.Chdir(t.TempDir())
	for last, want := range map[float64]string{0.5: "those whose information it kept least of.",
		0.3: "and those that say least about it."} {
		write(t, "few.csv", survey(320, .5, .5, .5, .5, .5, .5, .5, .5, .5, last))
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(12, 0))
		if err != nil || !strings.Contains(text, want) || !strings.Contains(text, "drops 5:") {
			t.Errorf("%g: want %q, %v:\n%s", last, want, err, text)
		}
	}
}

// A draft of few rows leaves age, sex, treatment, and the time up to the event that is the class,
// though the time says about the same as the class, and the others nothing about it.
func TestDraftOfFewRowsOfATrial(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 2))
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(survey(320, .4, .38, .36, .34, .32, .30,
		.28, .26, .24, .22)), "\n") {
		line = strings.Replace(line, "outcome", "relapse", 1)
		if i == 0 {
			fmt.Fprintf(&out, "trt,prior_rx,futime,%s\n", line)
			continue
		}
		time := 100 + rng.IntN(100)
		if strings.HasSuffix(line, "ill") {
			time = rng.IntN(100)
		}
		fmt.Fprintf(&out, "%d,%d,%d,%s\n", rng.IntN(2), rng.IntN(2), time, line)
	}
	write(t, "few.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(12, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(maskedOf(t, text)), "[trt futime age sex q07 q08 q09]"; got != want {
		t.Errorf("%s, want %s:\n%s", got, want, text)
	}
}

// Without a class a draft leaves the columns whose information the trial with all columns kept most
// of: a column of nearly always the same value has little information to keep.
func TestDraftOfFewRowsWithoutAClass(t *testing.T) {
	t.Chdir(t.TempDir())
	text := survey(320, .4, .4, .4, .4, .4, 2, .4, .4, .4, .4)
	write(t, "few.csv", strings.Replace(text, "outcome", "rest", 1))
	for _, tt := range []struct {
		lost        int
		information float64
		want        int
	}{
		{0, 0.3, 13}, {0, 0.299, 7}, {5, 0.35, 7},
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}},
			sees(tt.lost, tt.information))
		if n := len(maskedOf(t, text)); err != nil || n != tt.want {
			t.Errorf("%+v: %d columns, %v", tt, n, err)
		}
	}
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(5, 1))
	if err != nil {
		t.Fatal(err)
	}
	// the trial loses q06 to q09 and rest, and q05 is nearly always the same
	if got, want := fmt.Sprint(maskedOf(t, text)), "[age sex q00 q01 q02 q03 q04]"; got != want ||
		!strings.Contains(text, "# Name the class first, with kcut init --class NAME, ") {
		t.Errorf("%s, want %s:\n%s", got, want, text)
	}
}

// measured returns a table of people with four rows each: facts that stay, and numbers that change.
func measured(people, numbers int) string {
	rng := rand.New(rand.NewPCG(3, 3))
	var out strings.Builder
	out.WriteString("patient_id,age,sex")
	for i := range numbers {
		fmt.Fprintf(&out, ",m%02d", i)
	}
	out.WriteString(",rest\n")
	for person := range people {
		age := 20 + rng.IntN(60)
		for range 4 {
			fmt.Fprintf(&out, "%d,%d,%s", 700+person, age, []string{"m", "f"}[person%2])
			for range numbers + 1 {
				fmt.Fprintf(&out, ",%d", rng.IntN(50))
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// Where people have several rows a draft counts them, and leaves fewer columns if less than half of
// the information is kept, or nearly half where each column keeps more than little. The number in
// the last column, which the table may be about, stays.
func TestDraftOfFewPeopleDropsColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		people, numbers int
		information     float64
		want            int
	}{
		{160, 9, 0.45, 12},
		{160, 9, 0.449, 6}, // 2⁴ groups of 10
		{320, 9, 0.449, 7},
		{40, 9, 0.449, 4}, // k is 4: 2³ groups
		{320, 4, 0.449, 7},
		{40, 4, 0.5, 7},
	} {
		write(t, "few.csv", measured(tt.people, tt.numbers))
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}},
			sees(0, tt.information))
		if err != nil {
			t.Fatal(err)
		}
		masked := maskedOf(t, text)
		crowd := strings.Contains(text, "too few to say something of all")
		if len(masked) != tt.want || masked[len(masked)-1] != "rest" ||
			!strings.Contains(text, "\nentity: patient_id\n") || crowd != (tt.want < tt.numbers+3) {
			t.Errorf("%+v: %q\n%s", tt, masked, text)
		}
		few := "values of patient_id into at most 10 groups: expect little of each column."
		if strings.Contains(text, few) != (tt.people == 40 && !crowd) {
			t.Errorf("%+v: %s:\n%s", tt, few, text)
		}
	}
}

// Without a class a draft of few rows leaves fewer columns if age or sex would be lost, but for the
// age of somebody else only this one.
func TestDraftOfFewRowsKeepsAge(t *testing.T) {
	t.Chdir(t.TempDir())
	text := survey(320, .4, .4, .4, .4, .4, .4, .4, .4, .4, .4)
	text = strings.NewReplacer("outcome", "rest", "q00", "spouse_age").Replace(text)
	write(t, "few.csv", text)
	write(t, "born.csv", strings.Replace(text, "q01", "birth_year", 1))
	for lost, want := range map[string]int{"age": 7, "sex": 7, "spouse_age": 12, "q01": 12,
		"birth_year": 13} {
		input := map[bool]string{true: "born.csv", false: "few.csv"}[lost == "birth_year"]
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{input}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 1)(ctx, in, j, budget)
				of.Parts[lost] = 0.01
				return of, err
			})
		if n := len(maskedOf(t, text)); err != nil || n != want {
			t.Errorf("%s is lost: %d columns, %v, want %d:\n%s", lost, n, err, want, text)
		}
	}
}

// A draft of few rows leaves the first column with what people are paid, though the trial kept
// nothing of it, and it says nothing about the class, and without a class two scores.
func TestDraftOfFewRowsLeavesThePay(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 2))
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(survey(320, .4, .4, .4, .4, .4, .4, .4)),
		"\n") {
		line = strings.Replace(line, "outcome", "rest", 1)
		if i == 0 {
			fmt.Fprintf(&out, "%s,prior_wage,wage,phq9,salary,gad7,test_score,q_score\n", line)
		} else {
			fmt.Fprintf(&out, "%s,%d,%d,%d,%d,%d,%d,%d\n", line, rng.IntN(50), rng.IntN(50),
				rng.IntN(10), rng.IntN(50), rng.IntN(50), rng.IntN(50), rng.IntN(50))
		}
	}
	write(t, "few.csv", out.String())
	for class, want := range map[string]string{"": "[age sex rest prior_wage wage gad7 test_score]",
		"rest": "[age sex q01 q02 q03 q06 wage]"} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"},
			Class: class}, sees(6, 1))
		if got := fmt.Sprint(maskedOf(t, text)); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s:\n%s", class, got, err, want, text)
		}
	}
}

// Texts that few rows have say nothing in few groups.
func TestDraftOfFewRowsLeavesCoarseColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 2))
	var posts strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(survey(320, .4, .4, .3, .3, .3, .3)),
		"\n") {
		if i == 0 {
			posts.WriteString("post," + line + "\n")
			continue
		}
		fmt.Fprintf(&posts, "%c,%s\n", 'a'+rng.IntN(10)+6*((i-1)%2), line)
	}
	write(t, "posts.csv", posts.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"posts.csv"}}, sees(4, 0))
	if got := fmt.Sprint(maskedOf(t, text)); err != nil || got != "[age sex q01 q02 q03 q04 q05]" {
		t.Errorf("%s, %v:\n%s", got, err, text)
	}
}

// The release of few rows and many columns has nobody who is alone, and more than one label in
// nearly all of its columns.
func TestReleaseOfFewRows(t *testing.T) {
	t.Chdir(t.TempDir())
	var wrong []float64
	for i := range 30 {
		wrong = append(wrong, 0.45-0.005*float64(i))
	}
	write(t, "few.csv", survey(200, wrong...))
	text := draftOf(t, draft.Options{Input: []string{"few.csv"}})
	j, report := runDraft(t, text)
	if n := len(report.Masked); n < 6 || *report.ColumnsKept < n-1 || report.Union.Unique > 0 ||
		j.Class != "outcome" {
		t.Errorf("%d of %d columns keep more than one label, %g of the rows are alone:\n%s",
			*report.ColumnsKept, n, report.Union.Unique, text)
	}
}

// Where no class is there and enough is kept, a draft drops only the columns of which less than a
// tenth is kept, also what an acquaintance knows.
func TestDraftDropsWhatPeopleHardlyKeep(t *testing.T) {
	for _, tt := range []struct{ person, last, want string }{
		{"customer_id", "steps", "age sex price weight size"},
		{"customer_id", "town", "age sex price weight size"},
		{"dose", "steps", "dose age sex price weight size steps"}, // no more than are always left
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.person + ",age,sex,price,weight,size," + tt.last + "\n")
		rng := rand.New(rand.NewPCG(2, 2))
		for i := range 600 {
			fmt.Fprintf(&out, "%d,%d,%c,%d,%d,%d,%c\n", 1000+i%120, rng.IntN(60),
				"mf"[rng.IntN(2)], rng.IntN(90), rng.IntN(90), rng.IntN(90), 'a'+rng.IntN(3))
		}
		write(t, "visits.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"visits.csv"}},
			sees(1, 0.9))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(maskedOf(t, text), " "); got != tt.want {
			t.Errorf("%+v: %q\n%s", tt, got, text)
		}
	}
}

// A draft drops columns of which a trial on all rows leaves a single label, but not age and sex,
// and tries again: of nested kinds the coarsest stays that keeps something.
func TestDraftDropsWhatIsLost(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,kind,sort,area,steps,hours\n")
	rng := rand.New(rand.NewPCG(4, 4))
	for range 600 {
		kind := rng.IntN(120)
		fmt.Fprintf(&out, "%d,%c,p%d,b%d,%c,%d,%d\n", 20+rng.IntN(50), "mf"[rng.IntN(2)], kind,
			kind/4, 'a'+kind/40, rng.IntN(90), rng.IntN(90))
	}
	write(t, "people.csv", out.String())
	for _, tt := range []struct {
		part int64 // of the rows that are tried
		lost []string
		want string
	}{
		{1, []string{"age", "kind", "sort"}, "age sex area steps hours"},
		{1, []string{"age", "kind"}, "age sex sort area steps hours"},
		{2, []string{"kind", "sort"}, "age sex kind sort area steps hours"},
		{1, []string{"age*", "kind*", "sort*", "steps*"}, "age sex area steps hours"},
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 0.9)(ctx, in, j, budget)
				of.Rows /= tt.part
				for _, name := range tt.lost {
					if name, little := strings.CutSuffix(name, "*"); little {
						of.Parts[name] = min(of.Parts[name], 0.01)
					} else if of.Parts[name] > 0 {
						of.Lost = append(of.Lost, name)
					}
				}
				return of, err
			})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(maskedOf(t, text), " "); got != tt.want ||
			strings.Contains(text, " of it was left; to mask it: suppress (") == (tt.part > 1) &&
				strings.Contains(text, "tenth of it was kept; to mask it: suppress (") ==
					(tt.part > 1) || strings.Contains(text, "too few to say something") {
			t.Errorf("%+v: %s:\n%s", tt, got, text)
		}
	}
}

// A draft drops the finer half of the known columns of many texts of which few rows keep one value,
// and tries again.
func TestDraftDropsWhereFewRowsKeepOneValue(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,city,employer,hours,steps\n")
	rng := rand.New(rand.NewPCG(6, 6))
	for range 900 {
		fmt.Fprintf(&out, "%d,%c,c%d,e%d,%d,%d\n", 20+rng.IntN(50), "mf"[rng.IntN(2)],
			rng.IntN(40), rng.IntN(25), rng.IntN(90), rng.IntN(90))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	points := lines[0] + ",lat,lon\n" // of the city
	for _, line := range lines[1:] {
		var city int
		fmt.Sscanf(strings.Split(line, ",")[2], "c%d", &city)
		points += fmt.Sprintf("%s,%.4f,%.4f\n", line, 30+float64(city)+rng.Float64()/2,
			60-float64(city)-rng.Float64()/2)
	}
	write(t, "people.csv", out.String())
	write(t, "points.csv", points)
	for _, tt := range []struct {
		file                  string
		city, employer, alone float64 // shares; alone is that of the employer without the city
		want                  string
	}{
		{"people", 0.1, 0.1, 0.1, "age sex city employer hours steps"},
		{"people", 0.09, 0.09, 0.1, "age sex employer hours steps"},
		{"people", 0.1, 0.09, 0.09, "age sex city hours steps"},
		{"people", 0.09, 0.09, 0.09, "age sex hours steps"},
		{"points", 0.09, 0.09, 0.09, "age sex city hours steps"}, // it stands for its points
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{tt.file + ".csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 0.9)(ctx, in, j, budget)
				of.Single = map[string]float64{"sex": 1, "city": tt.city, "employer": tt.employer}
				if of.Parts["city"] == 0 {
					of.Single["employer"] = tt.alone
				}
				return of, err
			})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(maskedOf(t, text), " "); got != tt.want ||
			strings.Contains(text, "few rows kept one value of it; to mask it: ") ==
				(tt.city+tt.employer == 0.2) {
			t.Errorf("%+v: %s:\n%s", tt, got, text)
		}
	}
}

// Columns in doubt leave the first set if few rows keep one value of a known column of many texts
// next to them, or of one of few, or if little is left of the age or the sex, those with the most
// information first: the draft drops none.
func TestDraftPutsDoubtsAside(t *testing.T) {
	t.Chdir(t.TempDir())
	notJoining := regexp.MustCompile(`In doubt, and not .*\.`)
	var out strings.Builder
	out.WriteString("age,sex,city,religion,moth,vow,hours\n")
	rng := rand.New(rand.NewPCG(6, 6))
	for range 900 {
		fmt.Fprintf(&out, "%d,%c,c%d,r%d,m%d,v%d,%d\n", 20+rng.IntN(50), "mf"[rng.IntN(2)],
			rng.IntN(40), rng.IntN(5), rng.IntN(3), rng.IntN(9), rng.IntN(90))
	}
	write(t, "people.csv", out.String())
	for _, tt := range []struct {
		column string
		single float64 // next to a column in doubt
		next   string
		aside  string
	}{
		{"city", 0.09, "moth", ": moth, vow."}, {"city", 0.1, "moth", ""},
		{"religion", 0.19, "moth", ": moth, vow."}, {"religion", 0.2, "moth", ""},
		{"sex", 0.66, "moth", ": moth, vow."}, {"sex", 0.67, "moth", ""},
		{"sex", 0.66, "vow", ": vow."},
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 0.9)(ctx, in, j, budget)
				of.Single = map[string]float64{"sex": 1, "city": 1, "religion": 1}
				if slices.Contains(j.Sets[0].Columns, tt.next) {
					of.Single[tt.column] = tt.single
				}
				return of, err
			})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(maskedOf(t, text), " ")
		if got != "age sex city religion moth vow hours" ||
			!strings.HasSuffix(notJoining.FindString(text), tt.aside) ||
			notJoining.MatchString(text) == (tt.aside == "") {
			t.Errorf("%+v: %s:\n%s", tt, got, text)
		}
	}
}

// A draft drops a column of which few rows keep one value where another one says it in fewer
// values, which comes back, but none that another one names, too.
func TestDraftDropsWhatIsTooFine(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		code   int // of each role, or none
		single float64
		want   string
	}{
		{0, 0.34, "age sex role hours steps"},
		{0, 0.33, "age sex role_cat hours steps"},
		{1, 0.33, "age sex role hours steps"},
	} {
		var out strings.Builder
		out.WriteString("age,sex,role,role_cat,role_name,hours,steps\n")
		rng := rand.New(rand.NewPCG(6, 6))
		for range 900 {
			role := rng.IntN(12)
			fmt.Fprintf(&out, "%d,%c,r%d,%c,%s,%d,%d\n", 20+rng.IntN(50), "mf"[rng.IntN(2)],
				role, 'A'+role/3, strings.Repeat(fmt.Sprintf("q%d", role), tt.code), rng.IntN(90),
				rng.IntN(90))
		}
		write(t, "people.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 0.9)(ctx, in, j, budget)
				of.Single = map[string]float64{"sex": 1, "role": tt.single, "role_cat": 1}
				return of, err
			})
		if got := strings.Join(maskedOf(t, text), " "); err != nil || got != tt.want {
			t.Errorf("%+v: %s, %v:\n%s", tt, got, err, text)
		}
	}
}

// What a trial keeps of columns of which few rows have a value does not count: nearly all of it is
// that others have none.
func TestDraftCountsNoSparseColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	text := survey(320, .4, .4, .4, .4, .4)
	var out strings.Builder
	rng := rand.New(rand.NewPCG(5, 5))
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		out.WriteString(line)
		for at := range 4 {
			value := map[bool]string{true: fmt.Sprint("f", rng.IntN(3))}[rng.IntN(14) == 0]
			name := map[bool]string{true: fmt.Sprint("force", at)}[i == 0]
			out.WriteString("," + cmp.Or(name, value))
		}
		out.WriteByte('\n')
	}
	write(t, "few.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(0, 1))
	if err != nil || !strings.Contains(text, "\n# Not counted: 4 columns of which ") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// The race and the sex of who is met come before those of an officer.
func TestDraftOfFewRowsLeavesTheRaceOfTheSubject(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 2))
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(survey(320, .4, .4, .4, .4, .4, .4, .4)),
		"\n") {
		people := "officer_race,hispanic,subject_race"
		if i > 0 {
			people = fmt.Sprintf("%c,%c,%c", "abc"[rng.IntN(3)], "nnny"[rng.IntN(4)],
				"abc"[rng.IntN(3)])
		}
		out.WriteString(people + "," + line + "\n")
	}
	write(t, "few.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(12, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got := maskedOf(t, text); slices.Contains(got, "officer_race") ||
		slices.Contains(got, "hispanic") || !slices.Contains(got, "subject_race") {
		t.Errorf("%s:\n%s", got, text)
	}
}

// A search cuts the sex, the race, an age of which it keeps little otherwise, and columns of some
// values with little information before others, as long as these leave enough groups for others,
// but none that is null in most rows.
func TestDraftCutsFirst(t *testing.T) {
	of := func(values string, every int) func(i int) string {
		all := strings.Fields(values)
		return func(i int) string { return all[i/every%len(all)] }
	}
	for rows, want := range map[int]string{150: "sex, race, age", 600: "sex, race, age, smoker",
		4000:   "sex, race, age, smoker, town, cigs",
		50_000: "sex, race, age, smoker, town, job"} {
		text := tableOf(t, rows, map[string]func(i int) string{
			"sex": of("m f", 1), "race": of("a b c d e", 3), "town": of("a b c d", 7),
			"smoker": of("y n n n n n n n", 11), "job": of("a b c d e f g h i j k l", 5),
			"age":    func(i int) string { return fmt.Sprint(i * 7 % 61) },
			"height": func(i int) string { return fmt.Sprint(max(120, i*7%61+100)) },
			"cigs":   func(i int) string { return fmt.Sprint(max(0, i/19%90-61) / 4) },
			"pet":    func(i int) string { return []string{"dog", "", "cat", "", ""}[i/17%5] },
			"moods":  of("x x x x x x x x x y", 13), "phone_unlocks": func(i int) string {
				return fmt.Sprint(i * 11 % 97)
			}})
		if strings.HasPrefix(roleOfText(text, "phone_unlocks"), "drop") ||
			!slices.Equal(doubted(text), []string{"moods"}) {
			t.Errorf("%d rows: unlocks are telephones, or moods not in doubt:\n%s", rows, text)
		}
		if !strings.Contains(text, ", first: ["+want+"]") ||
			!strings.Contains(text, "# Columns that are cut first") {
			t.Errorf("%d rows: want %q:\n%s", rows, want, text)
		}
	}
}

// Of facts one of three values or a role at work is cut before others, and those of an employer
// behind these.
func TestDraftCutsRolesFirst(t *testing.T) {
	of := func(kinds, every int) func(i int) string {
		return func(i int) string { return string(rune('a' + i/every%kinds)) }
	}
	text := tableOf(t, 30_000, map[string]func(i int) string{
		"age": func(i int) string { return fmt.Sprint(i * 7 % 61) }, "sex": of(2, 1),
		"Remote_Work": of(2, 3), "Company_Size": of(3, 7), "Education": of(4, 11),
		"Job_Role": of(6, 13), "smoker": of(3, 17)})
	want := ", first: [sex, age, smoker, Job_Role, Education, Remote_Work, Company_Size]"
	if !strings.Contains(text, want) {
		t.Errorf("want %q:\n%s", want, text)
	}
}

// A level that stays for a pay is cut before others where little is kept of it, as an age is.
func TestDraftCutsWhatStaysForPayFirst(t *testing.T) {
	for name, want := range map[string]string{"salary": "[sex, age, job_level]", "rate": "[sex]"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "age,sex,job_level,%s,left\n", name)
		for i := range 600 {
			level := 1 + i*7%31%5
			fmt.Fprintf(&out, "%d,%c,%d,%d,%d\n", 20+i*7%61, "mf"[i%2], level, 900+100*level,
				i%3/2)
		}
		write(t, "jobs.csv", out.String())
		opt := draft.Options{Input: []string{"jobs.csv"}, For: draft.ForCount}
		text, err := draft.Job(t.Context(), opt, sees(1, 1))
		if err != nil || !strings.Contains(text, ", first: "+want) {
			t.Errorf("%s: %v, want %s:\n%s", name, err, want, text)
		}
	}
}

// Columns of up to five values outside the first set of which a trial left fewer than half of the
// rows with one value are cut early, too, where most others are numbers: those with the least
// information, as long as the rows are enough.
func TestDraftCutsWhatWasLate(t *testing.T) {
	for _, tt := range []struct {
		rows   int
		single float64
		more   string
		want   string
	}{
		{900, 0.5, "visits", "[sex]"}, {900, 0.4, "visits", "[sex, channel]"},
		{9000, 0.4, "visits", "[sex, channel, plan]"}, {9000, 0.4, "kind", "[sex]"},
	} {
		number := func(by, mod int) func(i int) string {
			return func(i int) string { return fmt.Sprint(i * by % mod) }
		}
		text := tableOf(t, tt.rows, map[string]func(i int) string{
			"age":     func(i int) string { return fmt.Sprint(20 + i*7%61) },
			"channel": func(i int) string { return string("abc"[i/2%3]) },
			"plan":    func(i int) string { return string("abcde"[i/6%5]) },
			"lead":    func(i int) string { return string("abcdef"[i/30%6]) },
			"calls":   number(11, 97), "clicks": number(13, 89), "views": number(17, 83),
			tt.more: []func(i int) string{number(19, 79), func(i int) string {
				return string("xy"[i/7%2])
			}}[strings.Count(tt.more, "kind")]})
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				information := 0.5
				if j.Algorithm.Name == job.AlgorithmMondrian {
					information = 0.9
				}
				of, err := sees(0, information)(ctx, in, j, budget)
				of.Single = map[string]float64{"sex": 1, "channel": tt.single,
					"plan": tt.single, "lead": tt.single}
				return of, err
			})
		if err != nil || !strings.Contains(text, ", first: "+tt.want+"}") {
			t.Errorf("%+v: %v:\n%s", tt, err, text)
		}
	}
}

package draft_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/spill"
)

// outcome is the result that a trial of a candidate gets.
type outcome struct {
	lost        []string
	information float64
	err         error
}

// trying returns trials with the given results by algorithm; "spread" is tdr with the balance of a
// draft.
func trying(of map[string]outcome) draft.Try {
	return func(_ context.Context, in *dataset.Dataset, j *job.Job,
		budget *spill.Budget) (*forecast.Trial, error) {
		name := j.Algorithm.Name
		if j.Balance > 0 {
			name = "spread"
		}
		found := of[name]
		return &forecast.Trial{
			Rows:        in.Rows(),
			Information: found.information,
			Lost:        found.lost,
			Masked:      3,
		}, found.err
	}
}

// A draft takes the candidate that leaves a tenth of the information of most columns, without a
// class first one that leaves it of age; among several the one that keeps most information, and the
// first of equals. Candidates that fail are left out, and if all fail, it names no way to search.
func TestDraftTakesTheBest(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", "age,city,hours,sold\n"+strings.Repeat("1,a,4,0\n2,b,5,1\n3,a,6,1\n",
		100))
	all, failed := []string{"age", "city", "hours"}, errors.New("failed")
	a, ab := all[:1], all[:2]
	for _, tt := range []struct {
		class         string
		of            map[string]outcome
		want, without string
	}{
		{"", map[string]outcome{"tdr": {ab, 0.9, nil}, "spread": {a, 0.1, nil},
			"mondrian": {ab, 1, nil}}, "balance: 1\nmax_suppressed: 1%\n\n", "algorithm:"},
		{"", map[string]outcome{"tdr": {a, 0.9, nil}, "spread": {a, 0.1, nil},
			"mondrian": {ab, 1, nil}}, "is left of age.\n", "balance:"},
		{"", map[string]outcome{"tdr": {a, 0.9, nil}, "spread": {a, 0.9, nil},
			"mondrian": {a, 0.9, nil}}, "algorithm: tdr\n\n", "balance:"},
		{"", map[string]outcome{"tdr": {a, 0.9, nil}, "spread": {nil, 0.9, nil},
			"mondrian": {nil, 0.9, failed}}, "max_suppressed: 1%\n\n", "A single label"},
		{"", map[string]outcome{"tdr": {a, 0, failed}, "spread": {a, 0, failed},
			"mondrian": {a, 0, failed}}, "k: 10\n\n# generalize with a taxonomy", "Tried"},
		{"", map[string]outcome{"tdr": {a, 0.9, nil}, "spread": {a, 0.9, nil},
			"mondrian": {all[1:], 0.1, nil}}, "cuts: tightest}\n\n", "balance:"},
		{"sold", map[string]outcome{"tdr": {a, 0.9, nil}, "spread": {a, 0.9, nil},
			"mondrian": {nil, 0.1, nil}}, "\n# Few other rows fit its labels: ", "A single label"},
	} {
		text, err := draft.Job(t.Context(),
			draft.Options{Input: []string{"people.csv"}, Class: tt.class}, trying(tt.of))
		if err != nil {
			t.Fatal(err)
		}
		lines := withoutComments(text)
		if !strings.Contains(text, tt.want) || strings.Contains(lines, "\n"+tt.without) ||
			strings.Contains(text, "# "+tt.without) {
			t.Errorf("%+v: want %q, not %q:\n%s", tt.of, tt.want, tt.without, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := func(ctx context.Context, _ *dataset.Dataset, _ *job.Job,
		_ *spill.Budget) (*forecast.Trial, error) {
		cancel()
		return nil, ctx.Err()
	}
	if text, err := draft.Job(ctx, draft.Options{Input: []string{"people.csv"}},
		stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v\n%s", err, text)
	}
}

// Of searches that leave as many columns a draft takes the one that keeps most information, where
// that of the first set counts as much as that of all columns, and that of age and sex again.
func TestDraftKeepsMostOfTheFirstSet(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows strings.Builder
	for i := range 400 {
		fmt.Fprintf(&rows, "%d,%c,%d,%d\n", i%7, "xy"[i%2], i%11, i%13)
	}
	write(t, "people.csv", "age,city,steps,hours\n"+rows.String())
	for _, tt := range []struct {
		ofAge float64 // with the regions of mondrian
		want  string
	}{
		{0.73, "\nalgorithm: tdr\n"},
		{0.74, "tight, categories: ordered, cuts: tightest, first: [city]}\n"},
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(_ context.Context, in *dataset.Dataset, j *job.Job,
				_ *spill.Budget) (*forecast.Trial, error) {
				of := &forecast.Trial{Rows: in.Rows(), Masked: 4, Information: 0.7,
					Parts: map[string]float64{"age": 0.8, "city": 0.8, "steps": 0.9, "hours": 0.9}}
				switch {
				case j.Balance == 1:
					of.Lost = []string{"age"}
				case j.Algorithm.Name == job.AlgorithmMondrian:
					of.Information = 0.8
					of.Parts["age"] = tt.ofAge // counts as half of the first set, and once more
				}
				return of, nil
			})
		if err != nil || !strings.Contains(withoutComments(text), tt.want) {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// A column of which less than a tenth of the information is left does not count, and is named.
func TestDraftNamesLittle(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", "a,b,c\n"+strings.Repeat("1,a,4\n2,b,5\n3,c,6\n4,a,6\n2,a,4\n", 100))
	for _, tt := range []struct {
		part float64
		want string
	}{
		{0.099, "\nbalance: 1\n"},
		{0.1, "\nalgorithm: tdr\n"},
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(_ context.Context, in *dataset.Dataset, j *job.Job,
				_ *spill.Budget) (*forecast.Trial, error) {
				of := &forecast.Trial{Rows: in.Rows(), Masked: 3, Information: 0.2,
					Lost: []string{"a"}, Parts: map[string]float64{"a": 0, "b": 0.5, "c": 0.09}}
				if j.Algorithm.Name == job.AlgorithmTDR && j.Balance == 0 {
					of.Lost = nil
					of.Parts = map[string]float64{"a": tt.part, "b": 0.5, "c": 0.09}
					of.Information = 0.1 // of equals the other one has more
				}
				return of, nil
			})
		const little = "# Less than a tenth of the information is left of c.\n"
		if err != nil || !strings.Contains(withoutComments(text), tt.want) ||
			!strings.Contains(text, little) {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// Where many columns keep less than half of their information a draft says once that dropping some
// helps the others.
func TestDraftSaysThatDroppingHelps(t *testing.T) {
	const words = "# To keep more of them, drop columns that nobody needs"
	for _, tt := range []struct {
		masked, below int
		lost          []string
		half          bool
		times         int
	}{
		{16, 5, nil, true, 1}, {16, 4, nil, false, 0}, {15, 15, nil, false, 0},
		{16, 16, []string{"q0"}, false, 1},
	} {
		t.Chdir(t.TempDir())
		names, parts := make([]string, tt.masked), make(map[string]float64)
		for i := range names {
			names[i], parts[fmt.Sprintf("q%d", i)] = fmt.Sprintf("q%d", i), 0.5
			if i < tt.below {
				parts[names[i]] = 0.49
			}
		}
		var out strings.Builder
		fmt.Fprintln(&out, strings.Join(names, ","))
		for i := range 500 {
			row := make([]string, tt.masked)
			for column := range row {
				row[column] = fmt.Sprint(i * (column + 3) % (column + 4))
			}
			fmt.Fprintln(&out, strings.Join(row, ","))
		}
		write(t, "people.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
			func(_ context.Context, in *dataset.Dataset, _ *job.Job,
				_ *spill.Budget) (*forecast.Trial, error) {
				return &forecast.Trial{Rows: in.Rows(), Masked: tt.masked, Information: 0.4,
					Lost: tt.lost, Parts: parts}, nil
			})
		half := fmt.Sprintf("# Less than half of the information is left of %s.\n",
			strings.Join(names[:min(12, tt.below)], ", "))
		if err != nil || strings.Contains(text, half) != tt.half ||
			strings.Count(text, words) != tt.times {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// withoutComments returns a draft without its comments.
func withoutComments(text string) string {
	var lines strings.Builder
	for line := range strings.Lines("\n" + text) {
		if !strings.HasPrefix(line, "#") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// For a table with very many rows no groups of records are made, and some rows are tried.
func TestDraftOfManyRows(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, rows := range []int{500_000, 500_001} {
		write(t, "rows.csv", "age,city\n"+strings.Repeat("1,a\n", rows/2)+
			strings.Repeat("2,b\n", rows-rows/2))
		var tried []string
		_, err := draft.Job(t.Context(), draft.Options{Input: []string{"rows.csv"}},
			func(_ context.Context, in *dataset.Dataset, j *job.Job,
				_ *spill.Budget) (*forecast.Trial, error) {
				tried = append(tried, fmt.Sprint(j.Algorithm.Name, " ", in.Rows() <= 100_000))
				return nil, errors.New("failed")
			})
		want := []string{"tdr true", "tdr true", "mondrian true"}
		if rows > 500_000 {
			want = want[:2]
		}
		if err != nil || strings.Join(tried, ", ") != strings.Join(want, ", ") {
			t.Errorf("%v: of %d rows tried %q, want %q", err, rows, tried, want)
		}
	}
}

// Columns that determine a column of an acquaintance, or are determined by one, or are one in some
// rows, are in its set; those that a column of these determines are not, and neither are others,
// and those of far more information that determine a sex: many answers, and a cost.
func TestDraftKeepsTogetherWhatTellsEachOther(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("hours,wing,office,sex,zip,desk,seat,age,score,since,a1,a2,a3,a4,a5,cost\n")
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 600 {
		desk, age := rng.IntN(200), rng.IntN(60) // a zip has two, an office four, a wing eight
		sex := "fm"[rng.IntN(2)]
		fmt.Fprintf(&out, "%d,w%d,o%d,%c,z%d,d%d,s%d,%d,%d,%d,", rng.IntN(50), desk/8, desk/4, sex,
			desk/2, desk, desk%2, age, rng.IntN(70), i%3%2*age)
		for range 5 {
			fmt.Fprintf(&out, "%d%c,", rng.IntN(9), sex)
		}
		fmt.Fprintf(&out, "%d\n", 2*rng.IntN(20)+int(sex)%2)
	}
	write(t, "people.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	job, _ := runDraft(t, text)
	want := strings.Fields("age sex zip wing office desk since")
	if got := certain(t, text); !slices.Equal(got, want) ||
		len(job.Sets) != 2 || len(job.Sets[1].Columns) != 16 {
		t.Errorf("sets %+v, want %q and all", job.Sets, want)
	}
}

// Columns that an acquaintance's columns determine by chance are not in its set: in few rows, also
// of few people, each of whom has many.
func TestDraftKeepsNoChanceTogether(t *testing.T) {
	for people, want := range map[int][]string{
		12: {"age", "sex"}, 300: {"age", "sex", "arm"},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("subjid,age,sex,arm,dose\n")
		for i := range people * 20 {
			person := i / 20
			age := 30 + person/2*7%80 // two people have the same, or more of many
			fmt.Fprintf(&out, "P%d,%d,%c,a%d,%d\n", person, age, 'f'+rune(person*person%3)*7,
				age/7%3, i*i%11)
		}
		write(t, "study.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		job, _ := runDraft(t, text)
		if got := job.Sets[0].Columns; !slices.Equal(got, want) {
			t.Errorf("of %d people: set %q, want %q", people, got, want)
		}
	}
}

// The set of an acquaintance has dates of birth and sex in whatever words tables have for them.
func TestDraftKnowsWhatOthersKnow(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("BRTHDTC,M/F,group,hours,homeZip,lat,long\n")
	rng := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		fmt.Fprintf(&out, "19%d-0%d-11,%s,%s,%d,%d,%d.5,-%d.5\n", 40+rng.IntN(50), 1+rng.IntN(9),
			[]string{"F", "m"}[rng.IntN(2)], []string{"Female", "Male"}[rng.IntN(2)], rng.IntN(40),
			10000+rng.IntN(80), 30+rng.IntN(20), 70+rng.IntN(40))
	}
	write(t, "people.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
	want := []string{"BRTHDTC", "M/F", "group", "homeZip", "lat", "long"}
	if got := job.Sets[0].Columns; !slices.Equal(got, want) {
		t.Errorf("set %q, want %q", got, want)
	}
}

// Indicators of sex and race, and whether somebody works, are what others know.
func TestDraftKnowsIndicators(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("hours,educ,male,black,employed,selfemp,score,male_score\n")
	rng := rand.New(rand.NewPCG(8, 8))
	for range 400 {
		fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d,%d,%d\n", rng.IntN(60), rng.IntN(18), rng.IntN(2),
			rng.IntN(2), rng.IntN(2), rng.IntN(2), rng.IntN(90), rng.IntN(90))
	}
	write(t, "people.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
	want := []string{"male", "educ", "black", "employed", "selfemp"}
	if got := job.Sets[0].Columns; !slices.Equal(got, want) {
		t.Errorf("set %q, want %q", got, want)
	}
}

// A purpose chooses the algorithm and the objective. That of a classifier needs a class.
func TestDraftForAPurpose(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,city,sold,hours\n")
	for i := range 300 {
		fmt.Fprintf(&out, "%d,%d,%d,%d\n", i%7, i%5, i%2, i%11)
	}
	write(t, "people.csv", out.String())
	for purpose, want := range map[string]string{
		"classify": "\nalgorithm: auto\nobjective: classification\n",
		"count": "\nalgorithm: {name: mondrian, sets: apart, region_labels: tight, " +
			"categories: ordered, cuts: tightest, first: [city]}\n",
		"both": "\nalgorithm: {name: infogain-mondrian, sets: apart, region_labels: tight}\n" +
			"objective: balanced\n",
	} {
		t.Chdir(t.TempDir())
		write(t, "people.csv", out.String())
		opt := draft.Options{Input: []string{"people.csv"}, For: purpose, Class: "sold"}
		text := draftOf(t, opt)
		if !strings.Contains(text, want) || strings.Contains(text, "--for") {
			t.Errorf("for %s:\n%s", purpose, text)
		}
		runDraft(t, text)
		opt.Class = ""
		text, err := draft.Job(t.Context(), opt, planning.Try)
		if (purpose == "count") != (err == nil) || err != nil && fault.ClassOf(err) != fault.Usage {
			t.Errorf("for %s without a class: %v\n%s", purpose, err, text)
		}
	}
	opt := draft.Options{Input: []string{"people.csv"}, For: "fun"}
	if text, err := draft.Job(t.Context(), opt, planning.Try); fault.ClassOf(err) != fault.Usage {
		t.Errorf("for fun: %v\n%s", err, text)
	}
}

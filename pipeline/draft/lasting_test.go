package draft_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/draft"
)

// A number goes as the sum of two others, or as the difference between them, which may be below 0,
// only if both have a value where it has one: otherwise it would be lost in the other rows. Both
// must stay, but for the mean of a group: the difference from it goes, and not the sum.
func TestDraftLosesNoSum(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 3))
	var out strings.Builder
	out.WriteString("aval,base,chg,total,first,second,town,x,meanx,cx,sum,main,rest,band\n")
	for i := range 600 {
		base, change := 100+rng.IntN(60), rng.IntN(60)-30
		first, second := rng.IntN(60), fmt.Sprint(40+i%50)
		total := first + 40 + i%50
		if i%3 == 0 {
			second = ""
		}
		town, x, main, rest := i%12, rng.IntN(900)-450, rng.IntN(40), rng.IntN(90)
		mean := 1.37 * float64(town*5%12-5)
		fmt.Fprintf(&out, "%d,%d,%s,%d,%d,%s,town %d,%d,%g,%g,%d,%d,%d,code %d\n",
			base+change, base,
			[]string{"", fmt.Sprint(change)}[min(i%4, 1)], total, first, second, town, x, mean,
			float64(x)-mean, main+rest, main, rest, main)
	}
	write(t, "study.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("aval base total first second town x sum rest band")
	if got := maskedOf(t, text); !slices.Equal(got, want) ||
		!strings.Contains(text, "# the difference between aval and base") {
		t.Errorf("%q, want %q:\n%s", got, want, text)
	}
}

// Where each of few people has many rows, ages, days and sites determine everything about people by
// accident: sex, arm and region stay. The number of the arm, and the arm that is given, are no
// accident.
func TestDraftOfFewPeople(t *testing.T) {
	const want = "[birth_date sex region visit arm dose]"
	for _, people := range []int{9, 300} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(7, 1))
		var out strings.Builder
		out.WriteString("usubjid,birth_date,sex,region,visit,arm,armcd,actarm,dose\n")
		for i := range 40 * people {
			who := i / 40
			of := rand.New(rand.NewPCG(9, uint64(who)))
			arm := of.IntN(2)
			name := []string{"Placebo", "Active drug"}[arm]
			fmt.Fprintf(&out, "S%05d,19%02d-03-1%d,%s,R%d,%d,%s,%d,%s,%d\n", who, 40+who%50, who%9,
				[]string{"F", "M"}[of.IntN(2)], of.IntN(3), 1+i%9, name, 1+arm, name, rng.IntN(40))
		}
		write(t, "study.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}, K: 5},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(maskedOf(t, text)); got != want {
			t.Errorf("%d people: %s, want %s:\n%s", people, got, want, text)
		}
	}
}

// A sex, a race or a treatment stays next to a number that determines it, and so does a text next
// to a number that has hardly more values. The others go.
func TestDraftLeavesWhatReadersCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(7, 1))
	var out strings.Builder
	out.WriteString("litter,treatment,strain,weight,limit,test\n")
	for i := range 900 {
		litter, limit := i/30, i%5
		fmt.Fprintf(&out, "%d,%c,%d,%d,%d,test %d\n", litter, 'A'+litter/10, litter/10,
			rng.IntN(90), 10*limit, limit/2)
	}
	write(t, "study.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := "[litter treatment weight limit test]"
	if got := fmt.Sprint(maskedOf(t, text)); got != want {
		t.Errorf("%s, want %s:\n%s", got, want, text)
	}
}

// witnesses are the reasons of columns that are dropped because others determine them.
var witnesses = regexp.MustCompile(`(?m)^  (\S+): +drop +# (?:(\S+) (?:determines it|` +
	`has the same values)|(\S+) and (\S+) say it|the (?:sum of|difference between)(?: (\S+),)? (\S+) and (\S+))$`)

// No information vanishes from the tables of a draft: what determines a dropped column is masked or
// kept, or is dropped as others determine it, and so on, and determines each of its values.
func TestDraftLosesNoInformation(t *testing.T) {
	dropped := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 11))
		names, rows := related(rng)
		t.Chdir(t.TempDir())
		var out strings.Builder
		w := csv.NewWriter(&out)
		w.Write(names)
		w.WriteAll(rows)
		write(t, "table.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		by := make(map[string][]string)
		for _, of := range witnesses.FindAllStringSubmatch(text, -1) {
			by[of[1]] = slices.DeleteFunc(of[2:], func(name string) bool { return name == "" })
		}
		dropped += len(by)
		var lasts func(name string, past []string) bool
		lasts = func(name string, past []string) bool {
			if len(by[name]) == 0 {
				return !regexp.MustCompile(`(?m)^  ` + name + `: +drop`).MatchString(text)
			}
			return !slices.Contains(past, name) && !slices.ContainsFunc(by[name],
				func(of string) bool { return !lasts(of, append(past, name)) })
		}
		for name, of := range by {
			if !lasts(name, nil) {
				t.Errorf("seed %d: nothing is left of %s:\n%s", seed, name, text)
			}
			known := make(map[string]string)
			for _, row := range rows {
				key, value := "", row[slices.Index(names, name)]
				for _, of := range of {
					key += row[slices.Index(names, of)] + "|"
				}
				if value == "" {
					continue // a copy may have fewer values
				}
				if before, met := known[key]; met && before != value {
					t.Errorf("seed %d: %s is not determined by %v:\n%s", seed, name, of, text)
					break
				}
				known[key] = value
			}
		}
	}
	if dropped < 150 {
		t.Errorf("%d columns are determined by others", dropped)
	}
}

// related returns a table in which most columns are related to earlier ones, some with nulls.
func related(rng *rand.Rand) (names []string, rows [][]string) {
	rows = make([][]string, 900)
	numbers := make(map[int][]int) // with -1000 for a null
	add := func(of func(row int) (number int, text string)) {
		var all []int
		for row := range rows {
			n, text := of(row)
			if all = append(all, n); n == -1000 {
				text = ""
			}
			rows[row] = append(rows[row], text)
		}
		numbers[len(names)] = all
		names = append(names, fmt.Sprintf("q%d%c", len(names), 'a'+rng.IntN(26)))
	}
	sparse := func(n, share int) (int, string) {
		if rng.IntN(100) < share {
			n = -1000
		}
		return n, fmt.Sprint(n)
	}
	for len(names) < 12 {
		some := func() []int { return numbers[rng.IntN(max(1, len(names)))] }
		x, y, z, nulls := some(), some(), some(), []int{0, 0, 5, 30}[rng.IntN(4)]
		both := func(row int) bool { return x[row] != -1000 && y[row] != -1000 }
		kind := rng.IntN(9)
		switch low, width := rng.IntN(2)*-20, 30+rng.IntN(30); {
		case len(names) < 3:
			add(func(int) (int, string) { return sparse(low+rng.IntN(width), nulls) })
		case kind == 0: // a copy
			add(func(row int) (int, string) { return sparse(max(-1000, x[row]), nulls) })
		case kind < 4: // a sum or a difference, also where a part is null
			sign := 1 - 2*(kind%2)
			add(func(row int) (int, string) {
				if !both(row) {
					return sparse(rng.IntN(width), nulls)
				}
				return sparse(x[row]+sign*y[row], nulls)
			})
		case kind == 4: // a sum of three
			add(func(row int) (int, string) {
				if !both(row) || z[row] == -1000 {
					return sparse(rng.IntN(width), nulls)
				}
				return sparse(x[row]+y[row]+z[row], nulls)
			})
		case kind < 7: // a code, or a group
			by, times := 1+rng.IntN(12), 1+rng.IntN(7)
			add(func(row int) (int, string) {
				if x[row] == -1000 {
					return sparse(-1000, 0)
				}
				return sparse((x[row]+1000)/by*times, 0)
			})
		default: // a word
			by := 1 + rng.IntN(12)
			add(func(row int) (int, string) {
				return x[row], fmt.Sprintf("word %d", (x[row]+1000)/by*17%101)
			})
		}
	}
	return names, rows
}

// A time whose type differs from file to file is dropped, and gives no other time.
func TestDraftOfTimesThatDiffer(t *testing.T) {
	type began struct {
		Ended   int32 `parquet:"ended,date"`
		Started int32 `parquet:"started,date"`
		Took    int64 `parquet:"took"`
	}
	type unknown struct {
		Ended   int32  `parquet:"ended,date"`
		Started string `parquet:"started"`
		Took    int64  `parquet:"took"`
	}
	t.Chdir(t.TempDir())
	var first []began
	var second []unknown
	for i := range 300 {
		end, took := int32(18000+i*7%211), int64(1+i*11%60)
		first = append(first, began{end, end - int32(took), took})
		second = append(second, unknown{end, "early", took})
	}
	if err := errors.Join(formatstest.WriteStructs("first.parquet", first),
		formatstest.WriteStructs("second.parquet", second)); err != nil {
		t.Fatal(err)
	}
	text := draftOf(t, draft.Options{Input: []string{"first.parquet", "second.parquet"}})
	for column, want := range map[string]string{"started": "drop", "ended": "discretize",
		"took": "{mask:"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s in\n%s", column, got, want, text)
		}
	}
}

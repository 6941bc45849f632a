package draft_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Another column of a series of known ones is known, but no mark, and neither is one of another
// type: schoolk is known with school1, and degree_p is not with degree_t.
func TestDraftKnowsSeries(t *testing.T) {
	text := study(t, 600, "age#", "school1=a|b|c", "schoolk=a|b|c", "asian=a|b", "asian_cl=a|b",
		"degree_t=x|y|z", "degree_p=45|46|47", "starm=a|b|c", "state=p|q", "status=p|q|r")
	want := []string{"age", "school1", "asian", "degree_t", "state", "schoolk", "asian_cl"}
	got := certain(t, text)
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("known: %q, want %q:\n%s", got, want, text)
	}
}

// Dummies of professions are known, with those between them, but not two, nor if most say something
// else, nor opinions on professions. The others of known dummies are known, too.
func TestDraftKnowsProfessions(t *testing.T) {
	for columns, want := range map[string]string{
		"age# q=0|1 Web_developer=0|1 DevOps=0|1 nurses=0|1 Data_scientist=0|1 w=0|1": "age " +
			"Web_developer DevOps nurses Data_scientist",
		"age# Web_developer=0|1 Data_scientist=0|1":                      "age",
		"age# developer=0|1 a=0|1 b=0|1 nurse=0|1 c=0|1 d=0|1 clerk=0|1": "age",
		"age# trust_doctor=0|1 trust_nurse=0|1 trust_teacher=0|1":        "age",
		"age# black=0|1 asian=0|1 asian_cl=0|1 black_cl=0|1 other_cl=0|1 other_of=0|1 " +
			"othrace1=0|1": "age asian asian_cl black black_cl other_cl othrace1",
		"age# asian=0|1 asian_cl=0|1 other_cl=0|1": "age asian asian_cl",
	} {
		text := study(t, 600, strings.Fields(columns)...)
		checkCertain(t, text, want)
	}
}

// A code that determines a dropped region is known like it.
func TestDraftKnowsCodesOfDroppedFacts(t *testing.T) {
	text := tableOf(t, 9000, map[string]func(i int) string{
		"divipola": func(i int) string { return fmt.Sprintf("%05d", i/2*7%90*317+1000) },
		"region":   func(i int) string { return fmt.Sprint("town ", i/2*7%90/3) },
	})
	if got := certain(t, text); roleOfText(text, "region") != "drop" ||
		!slices.Contains(got, "divipola") {
		t.Errorf("known: %q:\n%s", got, text)
	}
}

// A column that determines a known one is known like it, apart from few of the rows without the
// most frequent value: of those with the value, one in eleven in one table, hardly one in the
// other.
func TestDraftKnowsNearlyDetermined(t *testing.T) {
	for every, want := range map[int]bool{11: false, 211: true} {
		text := tableOf(t, 6000, map[string]func(i int) string{
			"age": func(i int) string { return fmt.Sprint(20 + i*i%61) },
			"county": func(i int) string {
				if i%every == 0 {
					return "county 0"
				}
				return fmt.Sprint("county ", i*5%91/10)
			},
			"income": func(i int) string { return fmt.Sprint(1000*(i*5%91) + i%3) },
		})
		if got := certain(t, text); slices.Contains(got, "income") != want {
			t.Errorf("one in %d: %q:\n%s", every, got, text)
		}
	}
}

// Dummies of one kind are known if one of them is: no row has two of them, most rows have one, and
// no chance keeps them apart. Two of them, or others, are none.
func TestDraftKnowsDummies(t *testing.T) {
	for name, tt := range map[string]struct {
		rows, kinds int
		of          []int // the kind of each column
		want        []string
	}{
		"of one kind":     {600, 4, []int{0, 1, 2}, []string{"la", "lb", "married", "sex"}},
		"two":             {600, 4, []int{-1, 0, 2}, []string{"married", "sex"}},
		"few rows":        {36, 4, []int{0, 1, 2}, []string{"married", "sex"}},
		"of rare kinds":   {600, 8, []int{0, 1, 2}, []string{"married", "sex"}},
		"some are rare":   {600, 40, []int{0, 1, 2}, []string{"la", "lb", "married", "sex"}},
		"none is married": {600, 4, []int{0, 1, -1}, []string{"married", "sex"}},
	} {
		rng := rand.New(rand.NewPCG(7, 7))
		kinds := make([]int, tt.rows)
		for i := range kinds {
			if kinds[i] = rng.IntN(tt.kinds); name == "some are rare" {
				kinds[i] = min(2, kinds[i])
			}
		}
		columns := make(map[string]func(i int) string)
		for at, column := range []string{"la", "lb", "married"} {
			columns[column] = func(i int) string {
				if tt.of[at] < 0 {
					return fmt.Sprint(rng.IntN(2))
				}
				return map[bool]string{true: "1", false: "0"}[kinds[i] == tt.of[at]]
			}
		}
		text := tableOf(t, tt.rows, columns)
		got := certain(t, text)
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: known: %q, want %q:\n%s", name, got, tt.want, text)
		}
	}
}

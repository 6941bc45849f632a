package draft_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
// other. A pay of far more values is not.
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
			"wing":   func(i int) string { return fmt.Sprint(1000*(i*5%91) + i%3) },
			"income": func(i int) string { return fmt.Sprint(1000*(i*5%91) + i%4) },
		})
		if got := certain(t, text); slices.Contains(got, "wing") != want ||
			slices.Contains(got, "income") {
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

package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// Rows that others are copies of, apart from the numbers of rows, may be those of one person. In a
// table of few categories people are alike by chance, as many more are without one column.
func TestDraftWarnsOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	one := func(i int) string {
		return fmt.Sprintf("%d,%c,%d,%d", 18+i*7%61, "mf"[i%2], 150+i*11%47, i*13%997)
	}
	for name, tt := range map[string]struct {
		head   string
		person func(row int) string
		want   string // the words on what rows have in common
	}{
		"none":     {"", one, ""},
		"two":      {"", func(row int) string { return one(row / 2) }, "all columns as"},
		"nine":     {"", func(row int) string { return one(row / 9) }, "all columns as"},
		"numbered": {"id,", func(row int) string { return one(row / 9) }, "all columns but id as"},
		"chance": {"", func(int) string {
			return fmt.Sprintf("%d,%c,%d,%d", 20+rng.IntN(5), "mf"[rng.IntN(2)],
				150+rng.IntN(5), 100*rng.IntN(3))
		}, ""},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.head + "age,sex,height,wage\n")
		for row := range 600 {
			if tt.head != "" {
				fmt.Fprintf(&out, "%d,", 5000+row)
			}
			out.WriteString(tt.person(row) + "\n")
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		_, words, _ := strings.Cut(text, " of 600 rows have the same values in ")
		if words, _, _ = strings.Cut(words, "\n"); words != tt.want {
			t.Errorf("%s: %q\n%s", name, words, text)
		}
	}
}

// Rows without a value in any masked column count as people: a draft counts as many as k.
func TestDraftCountsEmptyRows(t *testing.T) {
	for _, empty := range []int{9, 12} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("id,age,sex,steps\n")
		for row := range 600 {
			fmt.Fprintf(&out, "p%d,%s\n", 5000+row*7, []string{",,", fmt.Sprintf("%d,%c,%d",
				20+row*row%50, "mf"[row%2], row*row%97)}[min(1, row/empty)])
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if strings.Contains(text, "# 12 of 600 rows have no value in any masked") != (empty == 12) {
			t.Errorf("%d rows without values:\n%s", empty, text)
		}
	}
}

// In a census of each day most people are those of the day before. Other people of the same age,
// sex and race come by chance, also on the same day, and so they do where each row has the number
// of another person.
func TestDraftWarnsOfACensus(t *testing.T) {
	for _, tt := range []struct {
		stay bool
		id   string
		want bool
	}{{true, "row", true}, {false, "row", false}, {true, "customer_id", false}} {
		rng := rand.New(rand.NewPCG(4, 4))
		one := func() string {
			return fmt.Sprintf("%d,%c,%c", 18+rng.IntN(40), "mf"[rng.IntN(2)], 'a'+rng.IntN(3))
		}
		people := make([]string, 300)
		for i := range people {
			people[i] = one()
		}
		var out strings.Builder
		out.WriteString("day,age,sex,race,cell," + tt.id + "\n")
		for day := range 8 {
			for i := range people {
				if !tt.stay || rng.IntN(10) == 0 {
					people[i] = one()
				}
				fmt.Fprintf(&out, "2020-01-%02d,%s,%d,%d\n", 1+day, people[i], rng.IntN(9),
					day*len(people)+i)
			}
		}
		t.Chdir(t.TempDir())
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if strings.Contains(text, " to have a row on each day of day, as facts\n") != tt.want {
			t.Errorf("%+v:\n%s", tt, text)
		}
	}
}

// Rows with the same time, age, sex and race as another one are probably those of one person, of
// which no column has a number. Where many have the same time, they meet by chance.
func TestDraftWarnsOfRepeatedPeople(t *testing.T) {
	for name, tt := range map[string]struct {
		head   string
		rows   int // of each person
		minute func(event int) string
		warns  bool
	}{
		"stamps": {"when", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d %02d:%02d:00", 1+event%12, 1+event%28, event%24,
				event%60)
		}, true},
		"days and hours": {"day,hour", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d,%02d:%02d", 1+event%12, 1+event%28, event%24,
				event%60)
		}, true},
		"none": {"when", 1, func(event int) string {
			if event%3 < 2 {
				return ""
			}
			return fmt.Sprintf("2020-%02d-%02d %02d:%02d:00", 1+event%12, 1+event%28, event%24,
				event%60)
		}, false},
		"one row": {"when", 1, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d %02d:%02d:00", 1+event%12, 1+event%28, event%24,
				event%60)
		}, false},
		"days": {"when", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d", 1+event%12, 1+event%28)
		}, false},
		"crowds": {"when", 1, func(event int) string {
			return fmt.Sprintf("2020-01-%02d 10:00:00", 1+event%20)
		}, false},
	} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(4, 4))
		var out strings.Builder
		out.WriteString(tt.head + ",age,sex,race,force\n")
		for event := range 600 {
			fact := fmt.Sprintf("%d,%c,%c", 18+rng.IntN(40), "mf"[rng.IntN(2)], 'a'+rng.IntN(3))
			for range 1 + rng.IntN(tt.rows) {
				fmt.Fprintf(&out, "%s,%s,%d\n", tt.minute(event), fact, rng.IntN(9))
			}
		}
		write(t, "table.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(0, 1))
		if err != nil || strings.Contains(text, " rows have the same "+strings.ReplaceAll(
			tt.head, ",", ", ")+", age, sex, race as\n") != tt.warns {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// Rows with the same name as another one are probably those of one person, also if it has initials
// and a rare surname, unless each row has the number of a person.
func TestDraftWarnsOfRepeatedNames(t *testing.T) {
	for number, warns := range map[string]bool{"game": true, "policyholder_id": false} {
		text := tableOf(t, 600, map[string]func(row int) string{
			number: func(row int) string { return fmt.Sprint(5000 + row*7) },
			"player_name": func(row int) string {
				row %= 400
				return fmt.Sprintf("%c %c Quorn%c", 'A'+row%26, 'A'+row/26, 'a'+row%7)
			},
			"points": func(row int) string { return fmt.Sprint(row * row % 31) },
		})
		if strings.Contains(text, " have the same player_name as") != warns {
			t.Errorf("with %s it warns: %t\n%s", number, !warns, text)
		}
	}
}

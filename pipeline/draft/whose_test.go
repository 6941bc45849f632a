package draft_test

import (
	"fmt"
	"strings"
	"testing"
)

// entityOf returns the entity of a draft, or "".
func entityOf(text string) string {
	_, entity, _ := strings.Cut(text, "\nentity: ")
	entity, _, _ = strings.Cut(entity, "\n")
	return entity
}

// A column with the sex and the age of one person for each of its values numbers people, and one
// that is called like a number, or like people, with the sex of one: if several have the same
// facts, and nothing else numbers them.
func TestDraftKnowsPeopleByFacts(t *testing.T) {
	constant := func(people int) func(row int) string {
		return func(row int) string { return fmt.Sprint(20 + row%people/4) }
	}
	varies := func(row int) string { return fmt.Sprint(20 + row*row%41) }
	for _, tt := range []struct {
		name   string
		people int // of an odd number each has both sexes
		age    func(row int) string
		other  string
		want   string
	}{
		{"slot", 60, constant(60), "dose", "slot"},
		{"slot", 60, varies, "dose", ""},
		{"slot", 61, constant(61), "dose", ""},
		{"slot", 30, func(row int) string { return fmt.Sprint(20 + row%30) }, "dose", ""},
		{"slot", 60, constant(60), "patient_id", "patient_id"},
		{"newid", 60, varies, "dose", "newid"},
		{"newid", 61, varies, "dose", ""},
		{"participant", 14, varies, "dose", "participant"},
		{"participant", 15, varies, "dose", ""},
	} {
		text := tableOf(t, 1200, map[string]func(row int) string{
			tt.name:  func(row int) string { return fmt.Sprint(100 + row%tt.people) },
			tt.other: func(row int) string { return fmt.Sprint(row * row % 311) },
			"age":    tt.age,
		})
		if got := entityOf(text); got != tt.want ||
			strings.Contains(text, "# facts about one person go with ") != (tt.want == tt.name) {
			t.Errorf("%s of %d next to %s: k counts %q, want %q:\n%s", tt.name, tt.people, tt.other,
				got, tt.want, text)
		}
	}
}

// named returns the name of one of many people, behind a given name, or behind an initial and with
// a surname that many have.
func named(number int, short bool) string {
	given := []string{"James", "Mary", "Robert", "Linda", "Michael", "Susan", "David"}[number%7]
	if short {
		surnames := strings.Fields("Smith Johnson Williams Brown Jones Garcia Miller Davis")
		if number%8 == 0 {
			return fmt.Sprintf("%c. %s", 'A'+number/8%26, surnames[number/208%8])
		}
		given = given[:1] + "."
	}
	return fmt.Sprintf("%s %c%c%c%c", given, 'A'+number%26, 'a'+number/26%26, 'o',
		'a'+number/676%26)
}

// Full names that more rows repeat than there are people of one name are those of people, and with
// initials only those of more rows.
func TestDraftKnowsNamesThatRepeat(t *testing.T) {
	for _, tt := range []struct {
		rows, repeated int
		short          bool
		want           string
	}{
		{300, 36, false, "name"}, {300, 8, false, ""}, {1500, 120, false, "name"},
		{1500, 120, true, ""}, {300, 36, true, "name"}, {3500, 200, false, ""},
	} {
		text := tableOf(t, tt.rows, map[string]func(row int) string{
			"name": func(row int) string { return named(row%(tt.rows-tt.repeated), tt.short) },
			"dose": func(row int) string { return fmt.Sprint(row * row % 7) },
		})
		if got := entityOf(text); got != tt.want || roleOfText(text, "name") != "drop" {
			t.Errorf("%+v: k counts %q:\n%s", tt, got, text)
		}
	}
}

// Surnames of which each has one given name are those of people. Those with several are not, and
// full surnames that a few people have in common are no full names.
func TestDraftKnowsSurnamesOfOne(t *testing.T) {
	surname := func(row int) string { return strings.Fields(named(row, false))[1] }
	for _, tt := range []struct {
		last, first func(row int) string
		want        string
	}{
		{func(row int) string { return surname(row % 60) },
			func(row int) string { return surname(9000 + row%60) }, "last_name"},
		{func(row int) string { return surname(row % 60) },
			func(row int) string { return surname(9000 + row%97) }, ""},
		{func(row int) string { return named(row%540, false) },
			func(row int) string { return surname(9000 + row%97) }, ""},
	} {
		text := tableOf(t, 600, map[string]func(row int) string{
			"last_name": tt.last, "first_name": tt.first,
			"dose": func(row int) string { return fmt.Sprint(row * row % 7) },
		})
		if got := entityOf(text); got != tt.want {
			t.Errorf("k counts %q, want %q:\n%s", got, tt.want, text)
		}
	}
}

// The entity is who has several ids of what they did, rather than an id with several names, a
// number that is often nobody's, or one of several names of the same people.
func TestDraftChoosesAmongPeople(t *testing.T) {
	number := func(people int) func(row int) string {
		return func(row int) string { return fmt.Sprint(5000 + row%people) }
	}
	name := func(people int) func(row int) string {
		return func(row int) string { return named(row%people, false) }
	}
	part := func(part, people int) func(row int) string {
		return func(row int) string { return strings.Fields(named(row%people, false))[part] }
	}
	often := func(row int) string { return fmt.Sprint(row / 200 % 2 * (5000 + row%200)) }
	type columns map[string]func(row int) string
	for _, tt := range []struct {
		columns columns
		want    string
	}{
		{columns{"id": number(600), "name": name(200)}, "name"},
		{columns{"id": number(600), "name": func(row int) string {
			return named(row%600%500, false)
		}}, "id"},
		{columns{"id": number(1200), "player": number(80)}, "player"},
		{columns{"member_id": number(1200), "player": number(80)}, ""},
		{columns{"customer_id": number(300), "first_name": part(0, 1200),
			"last_name": part(1, 1200)}, ""},
		{columns{"customer_id": number(300), "first_name": part(0, 300),
			"last_name": part(1, 300)}, "customer_id"},
		{columns{"a_player_id": often, "b_player_id": number(240)}, "b_player_id"},
		{columns{"a_player_id": number(200), "b_player_id": number(240)}, "a_player_id"},
		{columns{"origName": name(200), "wikiId": number(200)}, "wikiId"},
	} {
		tt.columns["dose"] = func(row int) string { return fmt.Sprint(row * row % 7) }
		text := tableOf(t, 1200, tt.columns)
		if got := entityOf(text); got != tt.want {
			t.Errorf("k counts %q, want %q:\n%s", got, tt.want, text)
		}
	}
}

package draft

import "strings"

// personName is the largest number of words of a text that is compared with names.
const personName = 4

// givenNames and surnames are names that many people have, without those that places, firms or
// other things often have, too.
var (
	givenNames = setOf(`aaron abdul abigail adam ahmed alan albert alejandro alex alexander alice
		alicia allison amanda amber amy ana andrea andreas andrew angela anita ann anna anne anthony
		ashley barbara benjamin beth betty beverly bob bobby bonnie brandon brenda brian bruce bryan
		carl carlos carol carolyn catherine cathy charles cheryl chris christian christina christine
		christopher cindy claire claudia craig crystal cynthia dan daniel danielle david dawn debbie
		deborah debra denise dennis diana diane don donald donna doris dorothy douglas edward
		elizabeth ellen emily emma eric erica erik evelyn fatima francesco frank fred gary george
		gerald gloria greg gregory hannah hans harold heather heidi helen henry howard isabella jack
		jacob james jamie jane janet janice jason javier jean jeff jeffrey jennifer jeremy jessica
		jim jimmy joan joe john johnny jonathan jorge joseph joshua joyce juan judith judy julia
		julie justin karen katherine kathleen kathryn kathy keith kelly kenneth kevin kim kimberly
		larry laura lauren lawrence linda lisa lori luis luke manuel marc margaret maria marie
		marilyn mario mark martha marvin mary matthew megan melissa michael michelle miguel mike
		mohamed mohammed muhammad nancy natalie nathan nicholas nicole olivia pamela patricia
		patrick paula pedro peter philip phillip pierre priya rachel rahul ralph randy raymond
		rebecca richard robert robin roger ronald rosa roy russell ruth ryan samantha samuel sandra
		sara sarah scott sean sergio sharon shirley sophia sophie stefan stephanie stephen steve
		steven susan tammy teresa terry theresa thomas tim timothy tina todd tom tracy valerie
		vanessa wayne wendy william willie zachary`)
	surnames = setOf(`adams ahmed allen alvarez anderson bailey bennett brooks brown butler
		campbell carter castillo chan chavez chen cheng cohen collins cooper cox cruz davis diaz
		edwards evans fernandez fischer flores garcia gomez gonzales gonzalez gupta gutierrez
		hansen harris hernandez hughes ibrahim jenkins jensen jimenez johnson jones khan kim kumar
		larsen lee lewis lin liu lopez martin martinez mendoza meyer miller mitchell moore morales
		morris murphy murray myers nelson nguyen nielsen nilsson olson ortiz patel perez peterson
		phillips powell ramirez ramos reyes richardson rivera roberts robinson rodriguez rogers
		ross ruiz russo sanchez sanders schmidt schneider scott shah sharma simmons singh smith
		stewart sullivan taylor thomas thompson torres tran turner wagner walker wang watson weber
		williams wilson wong wright wu yang zhang`)
)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// isPerson reports whether a text has few words, and one of them is a name that many people have.
func isPerson(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r == ' ' || r == ',' || r == '.'
	})
	if len(words) > personName {
		return false
	}
	for _, word := range words {
		if givenNames[word] || surnames[word] {
			return true
		}
	}
	return false
}

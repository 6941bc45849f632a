package draft

import (
	"slices"

	"github.com/kcut/kcut/formats"
)

// theme is what sort of thing columns tell of a person.
type theme struct {
	tells string
	names words
	first [][]string // words of names whose columns come first, in this order
	but   words      // of which these words say something else
}

// themes are the sorts of things that one source tells together, by names. The last one has all the columns that no other has.
var themes = []theme{
	{tells: "person and home (registers and neighbours know it)", names: words{alone: []string{
		"age", "birth", "birthday", "birthdate", "birthyear", "dob", "born", "sex", "gender", "zip", "zipcode", "postal", "postcode", "postalcode", "plz", "city", "town",
		"state", "county", "country", "region", "district", "municipality", "province", "residence", "race", "ethnicity", "ethnic", "hispanic", "nationality",
		"citizenship", "citizen", "native", "foreign", "marital", "married", "relationship", "household", "family", "children", "parents", "father", "mother",
		"religion", "language", "height", "latitude", "longitude", "lat", "lon", "lng", "migration",
	}}, first: [][]string{
		{"birth", "birthday", "birthdate", "dob", "born", "birthyear", "age"}, {"sex", "gender"},
		{"zip", "zipcode", "postal", "postcode", "postalcode", "plz", "latitude", "longitude", "lat", "lon", "lng", "city", "town", "county", "residence"},
	}, but: words{alone: []string{"country", "father", "mother", "previous"}}},
	{tells: "work and schooling (employers and colleagues)", names: words{alone: []string{
		"education", "school", "degree", "enrolled", "university", "college", "grade", "occupation", "job", "profession", "employer", "employment", "employed", "unemployment", "workclass",
		"work", "worker", "working", "worked", "weeks", "hours", "industry", "union", "labor", "labour", "business", "department", "veteran", "veterans", "career",
	}}},
	{tells: "money (banks and tax offices)", names: words{alone: []string{
		"income", "wage", "wages", "salary", "pay", "earnings", "capital", "gain", "gains", "loss", "losses", "dividends", "stock", "stocks", "tax", "balance", "loan", "loans", "credit",
		"debt", "amount", "charge", "charges", "cost", "costs", "price", "savings", "account", "checking", "property", "housing", "house", "rent", "mortgage", "installment", "payment", "purchase", "default",
		"debtors", "insurance", "poutcome", "bank",
	}}},
	{tells: "health (hospitals and insurers)", names: words{alone: []string{
		"diagnosis", "diag", "icd", "admission", "admitted", "discharge", "discharged", "hospital", "inpatient", "outpatient", "emergency", "medical", "medication", "medications",
		"drug", "dose", "procedure", "procedures", "lab", "insulin", "glucose", "cholesterol", "chol", "blood", "bp", "bmi", "smoker", "smoking", "stroke", "diabetes", "diabetic", "heart", "cancer", "health",
		"healthcare", "hlth", "disease", "disability", "alcohol", "pregnancy", "symptom", "weight", "died", "death",
	}}},
	{tells: "other columns"},
}

// moments is the theme of dates and timestamps that no name says more of.
var moments = theme{tells: "when something happened (who was there)"}

// set is a drafted set of quasi-identifiers.
type set struct {
	tells   string
	columns []*Profile
	unique  float64 // share of the rows that were looked at whose values no other row has
}

const (
	// mostTogether is how many columns a set has at most, leastTogether how many it may have whatever they tell.
	mostTogether  = 3
	leastTogether = 2
	// mostBelow is the share of rows that may be in classes below k in the columns of a set, numbers by eighths:
	// where more are, little would be left of some.
	mostBelow = 0.05
)

// themeOf returns what a column tells.
func themeOf(p *Profile) *theme {
	name := wordsOf(p.name)
	for i := range themes {
		if themes[i].names.has(name) {
			return &themes[i]
		}
	}
	if p.typ.Kind == formats.Date || p.typ.Kind == formats.Timestamp || p.dateForm() != "" {
		return &moments
	}
	return &themes[len(themes)-1]
}

// chooseSets puts masked columns that tell the same sort of things into sets. A column that is alone in its theme goes
// to the rest.
func (d *draft) chooseSets() {
	rest := &themes[len(themes)-1]
	by := make(map[*theme][]*Profile)
	for _, p := range d.profiles {
		if p.role.masked() {
			by[themeOf(p)] = append(by[themeOf(p)], p)
		}
	}
	all := []*theme{&moments}
	for i := range themes {
		all = append(all, &themes[i])
	}
	for _, t := range all {
		if len(by[t]) == 1 && len(by[rest]) > 0 && t != rest {
			by[rest] = append(by[rest], by[t]...)
			delete(by, t)
		}
	}
	slices.SortStableFunc(by[rest], func(a, b *Profile) int { return a.place - b.place })
	for _, t := range append(all[1:], all[0]) {
		d.divide(t, by[t])
	}
}

// divide makes sets of the columns of a theme, in their order but for those that come first.
func (d *draft) divide(t *theme, columns []*Profile) {
	slices.SortStableFunc(columns, func(a, b *Profile) int { return t.rank(a) - t.rank(b) })
	var sets [][]*Profile
	for _, p := range columns {
		if last := len(sets) - 1; last < 0 || d.isFull(t, sets[last], p) {
			sets = append(sets, []*Profile{p})
		} else {
			sets[last] = append(sets[last], p)
		}
	}
	for _, columns := range t.leaveNoneAlone(sets) {
		d.sets = append(d.sets, &set{tells: t.tells, columns: columns, unique: d.excerpt.Figures(placesOf(columns), 1).Unique})
	}
}

// leaveNoneAlone gives a column that is left for the last set one from the set before, unless that comes first, or puts it there.
func (t *theme) leaveNoneAlone(sets [][]*Profile) [][]*Profile {
	last := len(sets) - 1
	if last < 1 || len(sets[last]) > 1 {
		return sets
	}
	before := sets[last-1]
	if n := len(before) - 1; n >= leastTogether && !t.isFirst(before[n]) {
		sets[last-1], sets[last] = before[:n], append(sets[last], before[n])
		slices.Reverse(sets[last])
		return sets
	}
	return append(sets[:last-1], append(before, sets[last]...))
}

// rank tells which columns of a theme come first.
func (t *theme) rank(p *Profile) int {
	name := wordsOf(p.name)
	if t.but.has(name) {
		return len(t.first)
	}
	for i, of := range t.first {
		first := words{alone: of}
		if first.has(name) {
			return i
		}
	}
	return len(t.first)
}

// isFirst reports whether a column is one of those that come first. They stay together: most people are told apart by
// their date of birth, sex and place (Sweeney, Simple Demographics Often Identify People Uniquely, 2000).
func (t *theme) isFirst(p *Profile) bool { return t.rank(p) < len(t.first) }

// isFull reports whether a set has as many columns as it may have, or a further one would tell too many rows apart.
func (d *draft) isFull(t *theme, set []*Profile, more *Profile) bool {
	switch n := len(set); {
	case n >= mostTogether:
		return true
	case n < leastTogether, t.isFirst(more):
		return false
	}
	return d.excerpt.Coarse(placesOf(append(slices.Clone(set), more)), d.K).Below > mostBelow
}

func placesOf(columns []*Profile) []int {
	in := make([]int, len(columns))
	for i, p := range columns {
		in[i] = p.place
	}
	return in
}

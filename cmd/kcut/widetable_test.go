package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// wideTable is a table of many columns that nobody chose for a model. Each column has a name and a
// function for its value in a row.
type wideTable []wideColumn

type wideColumn struct {
	name  string
	value func(r *wideRow) string
}

// wideRow has the hidden facts that the columns of a row share. A person may have several rows.
type wideRow struct {
	*rand.Rand
	row, person, age, place int
	means, sick             float64 // from 0 to 1
	woman                   bool
}

func newWideRow(rng *rand.Rand, row, people int) *wideRow {
	person := rng.IntN(people)
	own := rand.New(rand.NewPCG(7, uint64(person)))
	r := &wideRow{
		Rand: rng, row: row, person: person, woman: own.IntN(2) == 0,
		age: 18 + int(60*math.Pow(own.Float64(), 1.3)), place: int(40 * math.Pow(own.Float64(), 2)),
	}
	within := func(x float64) float64 { return min(1, max(0, x)) }
	r.means = within(0.25 + float64(min(r.age, 60)-18)/120 + own.NormFloat64()/5)
	r.sick = within(float64(r.age)/110 + own.NormFloat64()/6)
	return r
}

// write writes the rows of a number of people as CSV.
func (t wideTable) write(tb testing.TB, path string, rows, people int) {
	tb.Helper()
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	cells := make([]string, len(t))
	for i, c := range t {
		cells[i] = c.name
	}
	fmt.Fprintln(out, strings.Join(cells, ","))
	rng := rand.New(rand.NewPCG(11, uint64(len(t))))
	for row := range rows {
		r := newWideRow(rng, row, people)
		for i, c := range t {
			cells[i] = c.value(r)
		}
		fmt.Fprintln(out, strings.Join(cells, ","))
	}
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
}

// of makes a column of some words. The word of a row depends on a fact of the row, with noise; the
// first words are frequent.
func of(name string, on func(r *wideRow) float64, blur float64, words ...string) wideColumn {
	return wideColumn{name, func(r *wideRow) string {
		x := on(r) + r.NormFloat64()*blur
		return words[min(len(words)-1, max(0, int(x*x*float64(len(words)))))]
	}}
}

// often makes a column with the same word in nearly all rows.
func often(name string, share float64, words ...string) wideColumn {
	return wideColumn{name, func(r *wideRow) string {
		if r.Float64() < share {
			return words[0]
		}
		return words[r.IntN(len(words))]
	}}
}

// count makes a column of small numbers.
func count(name string, on func(r *wideRow) float64, most int) wideColumn {
	return wideColumn{name, func(r *wideRow) string {
		return strconv.Itoa(min(most, int(on(r)*r.ExpFloat64()*float64(most)/3)))
	}}
}

// sum makes a column of money. If the share is below 1 most rows have none.
func sum(name string, on func(r *wideRow) float64, share float64, most int) wideColumn {
	return wideColumn{name, func(r *wideRow) string {
		if r.Float64() >= share*2*on(r) && share < 1 {
			return "0"
		}
		return strconv.Itoa(int(on(r)*on(r)*float64(most)) + r.IntN(most/10))
	}}
}

// numbered returns the given number of words with the same beginning.
func numbered(stem string, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s%d", stem, i+1)
	}
	return words
}

func means(r *wideRow) float64  { return r.means }
func sick(r *wideRow) float64   { return r.sick }
func region(r *wideRow) float64 { return float64(r.place) / 40 }
func old(r *wideRow) float64    { return float64(r.age) / 80 }
func evenly(*wideRow) float64   { return 0.5 }

func sex(r *wideRow) string { return map[bool]string{true: "Female", false: "Male"}[r.woman] }

// censusTable has the 42 columns of the Census-Income data (UCI), and a number for every
// respondent.
func censusTable() wideTable {
	countries := numbered("country ", 40)
	return wideTable{
		{"respondent_nbr", func(r *wideRow) string { return strconv.Itoa(100_000 + 3*r.row) }},
		{"age", func(r *wideRow) string { return strconv.Itoa(r.age) }},
		of("class_of_worker", means, 0.3, numbered("worker ", 9)...),
		of("industry_code", means, 0.3, numbered("", 50)...),
		of("occupation_code", means, 0.2, numbered("", 46)...),
		of("education", means, 0.2, numbered("school ", 17)...),
		sum("wage_per_hour", means, 0.1, 2000),
		often("enrolled_in_school", 0.9, "no", "college", "high school"),
		of("marital_status", old, 0.3, numbered("status ", 7)...),
		of("major_industry", means, 0.3, numbered("industry ", 24)...),
		of("major_occupation", means, 0.25, numbered("job ", 15)...),
		often("race", 0.8, numbered("race ", 5)...),
		often("hispanic_origin", 0.85, numbered("origin ", 10)...),
		{"sex", sex}, often("union_member", 0.9, "no answer", "no", "yes"),
		often("reason_for_unemployment", 0.95, numbered("reason ", 6)...),
		of("full_or_part_time", old, 0.3, numbered("time ", 8)...),
		sum("capital_gains", means, 0.05, 50_000), sum("capital_losses", means, 0.03, 3000),
		sum("dividends", means, 0.1, 20_000),
		of("tax_filer_status", old, 0.3, numbered("filer ", 6)...),
		often("region_of_previous_residence", 0.9, numbered("region ", 6)...),
		often("state_of_previous_residence", 0.9, numbered("state ", 51)...),
		of("household_family_status", old, 0.3, numbered("household ", 38)...),
		of("household_summary", old, 0.3, numbered("summary ", 8)...),
		{"instance_weight", func(r *wideRow) string {
			return fmt.Sprintf("%.2f", 1700+r.NormFloat64()*900)
		}},
		often("migration_msa", 0.8, numbered("msa ", 10)...),
		often("migration_region", 0.8, numbered("reg ", 9)...),
		often("migration_within_region", 0.8, numbered("within ", 10)...),
		often("same_house_1_year_ago", 0.7, "unknown", "yes", "no"),
		often("migration_sunbelt", 0.8, "unknown", "no", "yes"),
		count("persons_worked_for_employer", means, 6),
		often("family_members_under_18", 0.7, "none", "both parents", "mother", "father",
			"neither"), of("birth_country_father", region, 0.2, countries...),
		of("birth_country_mother", region, 0.2, countries...),
		of("birth_country", region, 0.1, countries...),
		often("citizenship", 0.88, numbered("citizen ", 5)...),
		often("own_business", 0.9, "0", "1", "2"),
		often("veteran_questionnaire", 0.98, "unknown", "no", "yes"),
		often("veterans_benefits", 0.75, "2", "0", "1"),
		count("weeks_worked", means, 52), often("year", 0.5, "94", "95"),
		{"income_50k", func(r *wideRow) string {
			return map[bool]string{true: " 50000+.",
				false: "-50000"}[r.means+r.NormFloat64()/10 > 0.6]
		}},
	}
}

// hospitalTable has 60 columns of visits that identify people in many ways.
func hospitalTable() wideTable {
	born := func(r *wideRow) (month, day, year int) {
		return 1 + r.person%12, 1 + r.person%28, 2020 - r.age
	}
	diagnosis := func(r *wideRow) string {
		return fmt.Sprintf("%c%02d.%d", 'A'+int(20*min(0.99, max(0, r.sick+r.NormFloat64()/8))),
			int(30*r.Float64()*r.Float64()), r.IntN(4))
	}
	t := wideTable{
		{"encounter_id", func(r *wideRow) string { return strconv.Itoa(2_000_000 + 7*r.row) }},
		{"patient_nbr", func(r *wideRow) string { return strconv.Itoa(31 * r.person) }},
		{"name", func(r *wideRow) string {
			return fmt.Sprintf("first%d last%d", r.person%300, r.person%900)
		}}, {"first", func(r *wideRow) string { return fmt.Sprint("first", r.person%300) }},
		{"last", func(r *wideRow) string { return fmt.Sprint("last", r.person%900) }},
		{"email", func(r *wideRow) string { return fmt.Sprintf("p%d@example.org", r.person) }},
		{"phone", func(r *wideRow) string { return fmt.Sprintf("(555) 010-%04d", r.person%10000) }},
		{"portal_url", func(r *wideRow) string {
			return fmt.Sprint("https://example.org/", r.person)
		}},
		{"note", func(r *wideRow) string {
			return fmt.Sprintf("seen on ward %d after %d days of pain", r.IntN(40), r.IntN(1000))
		}},
		{"dob", func(r *wideRow) string {
			m, d, y := born(r)
			return fmt.Sprintf("%02d/%02d/%d", m, d, y)
		}}, {"age", func(r *wideRow) string { return strconv.Itoa(r.age) }},
		{"gender", sex}, often("race", 0.7, numbered("race ", 6)...),
		{"zip", func(r *wideRow) string { return fmt.Sprintf("%05d", 10001+r.place*r.place*37) }},
		{"city", func(r *wideRow) string { return fmt.Sprint("city ", r.place/3) }},
		{"state", func(r *wideRow) string { return fmt.Sprint("state ", r.place/8) }},
		of("marital_status", old, 0.3, numbered("status ", 6)...),
		of("language", region, 0.2, numbered("language ", 12)...),
		of("occupation", means, 0.2, numbered("job ", 20)...),
		{"admission_date", func(r *wideRow) string {
			return fmt.Sprintf("%d/%d/%d", 1+r.IntN(12), 1+r.IntN(28), 2015+r.IntN(5))
		}},
		{"discharge_date", func(r *wideRow) string {
			return fmt.Sprintf("%d-%02d-%02d", 2015+r.IntN(5), 1+r.IntN(12), 1+r.IntN(28))
		}},
		of("admission_type_id", sick, 0.3, numbered("", 8)...),
		of("discharge_disposition_id", sick, 0.3, numbered("", 26)...),
		of("admission_source_id", evenly, 0.3, numbered("", 17)...),
		count("time_in_hospital", sick, 14), of("payer_code", means, 0.3, numbered("P", 18)...),
		of("medical_specialty", evenly, 0.4, numbered("specialty ", 60)...),
		count("num_lab_procedures", sick, 120), count("num_procedures", sick, 6),
		count("num_medications", sick, 70), count("number_outpatient", sick, 20),
		count("number_emergency", sick, 15), count("number_inpatient", sick, 12),
		{"diag_1", diagnosis}, {"diag_2", diagnosis}, {"diag_3", diagnosis},
		count("number_diagnoses", sick, 16),
		often("max_glu_serum", 0.94, "none", "norm", ">200", ">300"),
		of("A1Cresult", sick, 0.4, "none", "norm", ">7", ">8"),
		{"bmi", func(r *wideRow) string {
			return fmt.Sprintf("%.1f", 20+15*r.sick+r.NormFloat64()*4)
		}}, sum("total_charge", sick, 1, 60_000), sum("insurance_payment", means, 0.8, 40_000),
	}
	for i, drug := range strings.Fields("metformin repaglinide nateglinide glimepiride glipizide " +
		"glyburide pioglitazone rosiglitazone acarbose insulin") {
		t = append(t,
			often(drug, []float64{0.75, 0.97, 0.99, 0.9, 0.85, 0.85, 0.9, 0.92, 0.995, 0.4}[i],
				"No", "Steady", "Up", "Down"))
	}
	return append(t, often("change", 0.4, "No", "Ch"), often("diabetesMed", 0.5, "Yes", "No"),
		often("smoker", 0.6, "no", "yes", "former"), count("blood_pressure", sick, 180),
		often("clinic", 0.1, numbered("clinic ", 15)...),
		of("referral", evenly, 0.3, numbered("referral ", 9)...),
		often("ward", 0.05, numbered("W", 30)...),
		wideColumn{"readmitted", func(r *wideRow) string {
			return []string{"NO", "<30", ">30"}[min(2, max(0, int(3*(r.sick+r.NormFloat64()/6))))]
		}})
}

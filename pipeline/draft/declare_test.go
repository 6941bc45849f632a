package draft_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/draft"
)

// A draft declares texts of CSV that stand for no value where all others are numbers or times, or
// are the mark of suppressed values, and types that nothing else says; Parquet's texts stay texts.
func TestDraftDeclares(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("finish,start,seen,bill,rating,city,weight,zip,code,noon\n")
	var day, mark, us []string
	for i := range 400 {
		rare := func(other, text string) string {
			return map[bool]string{true: other, false: text}[i%100 == 7]
		}
		fmt.Fprintf(&out, "%s,%d:%02d,%d.%d.2020 %02d:00,%s,%s,city %d,%s,%s,%s,%s\n",
			rare("*", fmt.Sprintf("%d:%02d:%02d", i%5, i%60, i%59)), i%24, i%60, 1+i%28, 1+i%12,
			i%24, rare("NA", fmt.Sprint(i%97*7)), rare("*", fmt.Sprint(i/7%5)), i%9,
			rare("50.0", fmt.Sprint(50+i%50)), rare("1e4", fmt.Sprint(10000+i%50)),
			rare("NA", fmt.Sprintf("c%d", i%8)),
			rare("NA", fmt.Sprintf("%d:%02d:00 PM", 1+i%12, i%60)))
		us = append(us, fmt.Sprintf("%d/%d/2020", 1+i%12, 1+i%28))
		day, mark = append(day, fmt.Sprintf("%d.%d.2020", 1+i%28, 1+i%12)),
			append(mark, rare("*", "a"))
	}
	write(t, "races.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"races.csv"}})
	runDraft(t, text)
	for _, want := range []string{
		"csv: {nulls: [\"*\", NA]} # nulls were found by their form",
		"  finish: {mask: discretize, type: time(hh:mm:ss), round: minute}",
		"  start:  {mask: discretize, type: time(hh:mm), round: hour}",
		"  seen:   {mask: discretize, type: timestamp(D.M.YYYY hh:mm), round: month}",
		"  bill:   {mask: discretize, round: 50}", "  rating: discretize",
		"  weight: {mask: discretize, type: number, round: 5}",
		"  zip:    {mask: generalize, taxonomy: {prefix: [5, 4, 3]}}",
		"  code:   suppress", "  noon:   {mask: discretize, type: time(hh:mm:ss AM), round: hour}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if err := formatstest.WriteIndexed("days.parquet", []formatstest.Text{
		{Name: "day", Rows: day}, {Name: "mark", Rows: mark},
		{Name: "us", Rows: us}}, nil); err != nil {
		t.Fatal(err)
	}
	text = draftOf(t, draft.Options{Input: []string{"days.parquet"}})
	runDraft(t, text)
	for _, want := range []string{"  day:  suppress  ",
		"# dates with the day first",
		"  us:   {mask: generalize, taxonomy: {us_date: [month, year, decade]}}",
		"# 4 values are the mark"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// tableOf writes a CSV table with a column of people's sex before some columns, each a name and a
// value for each row, and returns its draft, which it runs.
func tableOf(t *testing.T, rows int, columns map[string]func(row int) string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var out strings.Builder
	names := slices.Sorted(maps.Keys(columns))
	out.WriteString("sex," + strings.Join(names, ",") + "\n")
	for row := range rows {
		out.WriteString([]string{"m", "f"}[row%2])
		for _, name := range names {
			fmt.Fprintf(&out, ",%q", columns[name](row))
		}
		out.WriteByte('\n')
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	runDraft(t, text)
	return text
}

// A draft says which columns have lists of several people in a row, but not where only the form of
// all values is the same, or each list has another length.
func TestDraftSaysThatRowsHaveSeveral(t *testing.T) {
	text := tableOf(t, 400, map[string]func(row int) string{
		"years": func(i int) string {
			return strings.Repeat(strconv.Itoa(20+i%40)+" | ", i%4/2) + strconv.Itoa(21+i%40)
		},
		"race":   func(i int) string { return strings.Repeat("a; ", i%4/2) + "bcd"[i%3:i%3+1] },
		"wishes": func(i int) string { return strings.Repeat("x;", i%3) + "y" },
		"from":   func(i int) string { return fmt.Sprintf("town %d, X", i%7) },
		"to":     func(i int) string { return fmt.Sprintf("town %d, Y", i%5) },
		"would":  func(i int) string { return []string{"No", "No, as I would not do it"}[i%2] },
		"could":  func(i int) string { return []string{"Yes", "No, as I do not know it"}[i%2] },
	})
	want := "\n# SEVERAL ENTRIES IN ONE ROW: race, years have lists of as "
	if !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// grouped writes a number with signs between groups of three digits.
func grouped(n int, sign string) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return grouped(n/1000, sign) + sign + fmt.Sprintf("%03d", n%1000)
}

// A draft declares the signs in numbers if no other column is read otherwise then.
func TestDraftDeclaresNumerals(t *testing.T) {
	type columns = map[string]func(row int) string
	for name, tt := range map[string]struct {
		columns columns
		csv     string
		pay     string
	}{
		"groups": {columns{"pay": func(i int) string { return grouped(i*i+400, ",") }},
			`csv: {thousands: ","}`, "{mask: discretize, round: "},
		"groups of two": {columns{"pay": func(i int) string {
			return fmt.Sprintf("%d,%02d,%03d", 1+i/100, i%100, i*37%1000)
		}}, `csv: {thousands: ","}`, "{mask: discretize, round: "},
		"groups and a point": {columns{
			"pay":  func(i int) string { return grouped(i*i+4000, ",") },
			"rate": func(i int) string { return fmt.Sprintf("%d.%d", i%9, i%7) },
		}, `csv: {thousands: ","}`, "{mask: discretize, round: "},
		"1,234 alone": {columns{"pay": func(i int) string { return grouped(i*i+4000, ",") }},
			`csv: {thousands: ","} # signs`, "{mask: discretize, round: "},
		"few alone": {columns{"pay": func(i int) string { return grouped(i%19*1234+4000, ",") }},
			"", ""},
		"fractions": {columns{"pay": func(i int) string { return fmt.Sprintf("%d,123", i/2) }},
			`csv: {decimal: ","}`, "{mask: discretize, round: "},
		"a comma": {columns{"pay": func(i int) string { return fmt.Sprintf("%d,%d", i*7, i%10) }},
			`csv: {decimal: ","}`, "{mask: discretize, round: "},
		"both": {columns{"pay": func(i int) string { return grouped(i*900, ".") + ",50" }},
			`csv: {decimal: ","}`, "{mask: discretize, round: "},
		"a comma and points in some forms": {columns{
			"pay":  func(i int) string { return fmt.Sprintf("%d,%d", i*7, i%10) },
			"rate": func(i int) string { return []string{"10", "10.0", "7.50"}[i%3] },
		}, "", ""},
		"a comma and a point in one column": {columns{"pay": func(i int) string {
			return fmt.Sprintf("%d%c%d", i*7, ".,"[i%30/29], i%10)
		}}, "", "{mask: discretize, type: number or null, round: "},
		"a comma and a point": {columns{
			"pay":  func(i int) string { return fmt.Sprintf("%d,%d", i*7, i%10) },
			"rate": func(i int) string { return fmt.Sprintf("%d.%d", i%9, i%7) },
		}, "", ""},
		"telephones": {columns{
			"pay":   func(i int) string { return grouped(i*i+400, " ") },
			"phone": func(i int) string { return grouped(555_000_000+i*1301, " ") },
		}, "", ""},
		"groups and a null": {columns{"pay": func(i int) string {
			return map[bool]string{true: "-", false: grouped(i*i+400, ",")}[i%90 == 7]
		}}, `csv: {nulls: ["-"], thousands: ","} # nulls and signs in numbers were found`,
			"{mask: discretize, round: "},
	} {
		text := tableOf(t, 400, tt.columns)
		got := strings.Contains(text, "\ncsv: {")
		if got != (tt.csv != "") || !strings.Contains(text, tt.csv) ||
			!strings.Contains(text, tt.pay) {
			t.Errorf("%s: want %q and %q in\n%s", name, tt.csv, tt.pay, text)
		}
	}
	// between semicolons 1,234 is as likely a fraction
	t.Chdir(t.TempDir())
	text := "sex;pay\n"
	for i := range 400 {
		text += fmt.Sprintf("%c;%s\n", "mf"[i%2], grouped(i*i+4000, ","))
	}
	write(t, "table.csv", text)
	if got := draftOf(t, draft.Options{Input: []string{"table.csv"}}); strings.Contains(got,
		"\ncsv: {") {
		t.Errorf("between semicolons:\n%s", got)
	}
}

// One odd text does not cost a column of times, dates or numbers its masks: it is null, as the
// draft says, unless it is a part of a date or a code. A text that stands for no value there is
// none where it means something.
func TestDraftOfOddTexts(t *testing.T) {
	odd := func(rare string, usual func(i int) string) func(i int) string {
		return func(i int) string {
			return map[bool]string{true: rare, false: usual(i)}[i == 7]
		}
	}
	rng := rand.New(rand.NewPCG(4, 4))
	some := func(form string, ends ...int) func(int) string {
		return func(int) string {
			values := make([]any, len(ends))
			for i, end := range ends {
				values[i] = 1 + rng.IntN(end)
			}
			return fmt.Sprintf(form, values...)
		}
	}
	clock := some("%d:%02d:%02d", 4, 59, 59)
	text := tableOf(t, 6000, map[string]func(i int) string{
		"official": odd("0.0898", clock),
		"finish":   odd("DNF", clock),
		"gun":      odd("DSQ", clock),
		"podium":   func(int) string { return []string{"ok", "ok", "DSQ"}[rng.IntN(3)] },
		"dose":     odd("[Not Available]", some("%d", 90)),
		"joined":   odd("NA", some("19%02d-%02d-%02d", 99, 12, 28)),
		"left":     odd("UNKNOWN", some("%d/%d/2020", 12, 28)),
		"born":     odd("1985", some("19%02d-%02d-%02d", 99, 12, 28)),
		"dob":      some("%02d/%02d/%02d", 12, 28, 99),
		"seen":     odd("x y", some("%d/%d/2020", 12, 28)),
		"size":     odd("-1.2.3", some("%d.%03d", 9, 999)),
		"pay":      odd("much", func(i int) string { return strconv.Itoa(i * i) }),
		"rate":     odd("> 9", some("%d.%d", 9, 9)),
		"ward":     odd("12B", some("%d", 90)),
		"places": func(i int) string {
			return fmt.Sprint(i%9, strings.Repeat(fmt.Sprint(";", i%8), i%31/30))
		},
		"moved": odd("0000-13-00", some("2020-%02d-%02d %02d:30:00", 12, 28, 23)),
		"hiring": func(i int) string {
			return some([]string{"%d/%d/2020", "%02d-%02d-20", "%d/%d/20"}[i%3], 12, 28)(i)
		},
		"wed": odd("x", func(i int) string {
			return some([]string{"%d-%d-2020", "2020-%02[2]d-%02[1]d"}[i%2], 28, 12)(i)
		}),
		"met": func(i int) string {
			return some([]string{"%d-%d-2020", "%d/%d/20"}[i%2], 3, 3)(i)
		},
		"hired":    odd("31.2.2020", some("%d.%d.2020", 28, 12)),
		"died":     odd("0000-00-00", some("19%02d-%02d-%02d", 99, 12, 28)),
		"enrolled": odd("NA", some("%02d-OCT-19%02d", 28, 99)),
		"share":    some("%d%%", 100),
		"price":    some("$%d,%03d ", 9, 999),
		"fee":      func(i int) string { return fmt.Sprintf("$%d,00%d", i%4, i/4%4) },
		"worth": func(i int) string {
			return fmt.Sprintf("€%d.%d%s", i%9, i/9%9, []string{"K", "M", " B"}[i%7%3])
		},
		"wage": some("$%d,%03d.00", 9, 999),
	})
	for _, want := range []string{
		"csv: {nulls: [\"0000-00-00\", \"[Not Available]\", DNF, NA, UNKNOWN]}",
		"  dose:     {mask: discretize, round: 5} ",
		"  joined:   {mask: discretize, round: year} ",
		"  left:     {mask: discretize, type: date(M/D/YYYY), round: month} ",
		"  official: {mask: discretize, type: time(hh:mm:ss) or null, round: minute} ",
		"; null replaces 1 text of another form",
		"  places:   {mask: generalize, taxonomy: {ranges: [1, 2, ",
		"  rate:     {mask: discretize, type: number or null, round: ",
		"  ward:     {mask: generalize, taxonomy: {ranges: [10, 20, 30, 40, 50, 60, 70, 80]}, " +
			"unknown: root} ",
		"no number in 1 of 6,000 rows: without such texts (csv.nulls) it can be discretized",
		"  moved:    {mask: discretize, type: timestamp or null, round: month} ",
		"  hired:    {mask: discretize, type: date(D.M.YYYY) or null, round: month} ",
		"  hiring:   {mask: discretize, type: date(M/D/YYYY or M/D/YY or M-D-YY), round: month} ",
		"  wed:      {mask: discretize, type: date(YYYY-M-D or D-M-YYYY) or null, round: month} ",
		"  met:      suppress ",
		"  died:     {mask: discretize, round: year} ",
		"  finish:   {mask: discretize, type: time(hh:mm:ss), round: minute} ",
		"  gun:      {mask: discretize, type: time(hh:mm:ss) or null, round: minute} ",
		"  podium:   suppress ",
		"  born:     {mask: generalize, taxonomy: {prefix: [7, 4]}} ",
		"  dob:      {mask: discretize, type: date(", " from 1930), ",
		"; years of two digits mean 1930 to 2029",
		"  seen:     {mask: discretize, type: date(M/D/YYYY) or null, round: month} ",
		"  pay:      {mask: discretize, type: integer or null, round: 2000000} ",
		"  size:     {mask: discretize, type: number or null, round: ",
		"  enrolled: {mask: discretize, type: date(D-MMM-YYYY), round: year} ",
		"  share:    {mask: discretize, type: number(N%), round: 5} ",
		"  price:    {mask: discretize, type: number($N), round: ", "  fee:      suppress ",
		"  worth:    {mask: discretize, type: number(€N), round: ",
		"  wage:     {mask: discretize, type: number($N), round: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Blanks, another unit and a ragged date in a few rows do not cost a column its numbers, dates or
// times, and blanks do not give the class another value.
func TestDraftOfFewOddTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	text := tableOf(t, 1500, map[string]func(i int) string{
		"target": func(int) string { return []string{"0", "0", "1", "1", " 0"}[rng.IntN(5)] },
		"length": func(i int) string {
			return fmt.Sprint([]string{" ", ""}[min(i, 1)], rng.IntN(90))
		},
		"width": func(i int) string {
			return []string{"wide", fmt.Sprint(" ", i*7%90), fmt.Sprint(i * 7 % 90)}[min(i, 2)]
		},
		"years": func(i int) string {
			return fmt.Sprint(rng.IntN(80), []string{" Months", " Years"}[min(i, 1)])
		},
		"met": func(i int) string {
			return fmt.Sprintf("%d/%d/%s", 1+rng.IntN(12), 1+rng.IntN(28),
				[]string{"201", "19"}[min(i%13, 1)])
		},
		"rang": func(i int) string {
			return fmt.Sprintf("%d:%02d %s", 1+rng.IntN(12), i%60, []string{"?", "PM"}[min(i, 1)])
		},
		"sent": func(i int) string {
			return fmt.Sprintf("2021/%02d/%02d 23:47:00+00", 1+rng.IntN(12), 1+i%28)
		},
		"seen": func(i int) string {
			return fmt.Sprintf("2021-%02d-%02d %d:47:00", 1+rng.IntN(12), 1+i%28, i%24)
		},
		"closed": func(i int) string {
			return fmt.Sprintf("%d %s, 2021 08:%02d:00", 1+i%28, []string{"Apr", "Nov"}[i%2],
				rng.IntN(60))
		},
		"onset": func(i int) string { return []string{"NA", fmt.Sprint(rng.IntN(60))}[i%3%2] },
		"location_latitude": func(i int) string {
			return []string{"51.5095062255859375", fmt.Sprint(40 + rng.IntN(60))}[min(i, 1)]
		},
		"called": func(i int) string { return fmt.Sprintf("%02d:%02d:00.0000000", i%24, i*7%60) },
		"race":   func(i int) string { return fmt.Sprint("   ", 1+i%3, "  ") },
		"pct_race_asian": func(i int) string {
			return []string{"1.00E-04", fmt.Sprintf("0.%04d", 1+i)}[min(i, 1)]
		},
		"state":  func(i int) string { return fmt.Sprintf(" 0%d ", 1+i/3%4) },
		"name":   func(i int) string { return []string{"NULL", "Smith"}[min(i, 1)] },
		"result": func(i int) string { return []string{"nan", "low", "usual"}[i/7%3] },
	})
	for _, want := range []string{
		"sent:              {mask: discretize, type: timestamp(YYYY/MM/DD hh:mm:ss+00), ",
		"seen:              {mask: discretize, type: timestamp(YYYY-M-D hh:mm:ss), round: ",
		`closed:            {mask: discretize, type: "timestamp(D MMM, YYYY hh:mm:ss)", round: `,
		"onset:             {mask: discretize, round: 5} ",
		"location_latitude: {mask: discretize, type: number, round: ",
		"length:            {mask: discretize, type: number(N), round: ",
		"pct_race_asian:    {mask: discretize, type: number, round: ",
		"width:             {mask: discretize, type: number(N) or null, round: ",
		"years:             {mask: discretize, type: number(N Years) or null, round: ",
		"; null replaces 1 text of another form",
		"met:               {mask: discretize, type: date(M/D/YY) or null, round: month} ",
		"rang:              {mask: discretize, type: time(hh:mm AM) or null, round: hour} ",
		"called:            {mask: discretize, type: time(hh:mm:ss), round: hour} ",
		"target:            {mask: keep, type: number(N)} ", "# the class, 2 distinct values",
		"race:              {mask: suppress, type: number(N)} ", "state:             suppress ",
		"csv: {nulls: [NA, nan]} ", "result:            suppress ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Of a thousand numbers with one text among them, that is a mistake, and null.
func TestDraftOfMistakesAmongNumbers(t *testing.T) {
	for rows, want := range map[int]string{2000: "{mask: discretize, type: integer or null, ",
		1999: "{mask: generalize, taxonomy: {ranges: "} {
		text := tableOf(t, rows, map[string]func(i int) string{
			"dues": func(i int) string {
				return []string{"5 000", "A5", fmt.Sprint(900 + i%400)}[min(i, 2)]
			},
		})
		if !strings.Contains(text, "dues: "+want) {
			t.Errorf("%d rows: want %q:\n%s", rows, want, text)
		}
	}
}

// Texts without a letter and a digit are nulls in a column of dates, also where few of them are
// dates, but not those of columns in which they mean something, and not many of them. Stars
// mean nothing.
func TestDraftDeclaresBlanks(t *testing.T) {
	some := func(every int, rest ...string) func(i int) string {
		return func(i int) string {
			if i%every == 0 {
				return fmt.Sprintf("20%02d-%02d-%02d", i/50%20, 1+i/7%12, 1+i/11%28)
			}
			return rest[i%len(rest)]
		}
	}
	many := []string{"//"}
	for i := range 20 {
		many = append(many, strings.Repeat("/", i+3))
	}
	text := tableOf(t, 3000, map[string]func(i int) string{
		"died":    some(40, "  -   -", "-   -", "/  /"),
		"tested":  some(2, "++", "+-"),
		"seen":    some(4, many...),
		"rarely":  some(300, "-  -"),
		"symbol":  func(i int) string { return []string{"++", "+-", "a"}[i/5%3] },
		"score":   func(i int) string { return []string{"--/--", fmt.Sprint(i % 90)}[min(i%7, 1)] },
		"replies": func(i int) string { return []string{":-)", ":-(", "ok"}[i/7%3] },
		"stars":   func(i int) string { return []string{"**", fmt.Sprint(i % 80)}[min(i%9, 1)] },
		"stared":  func(i int) string { return []string{"**", "b", "c"}[i/9%3] },
		"town":    func(i int) string { return []string{"   ", "b", "c"}[i/5%3] },
	})
	for _, want := range []string{
		`csv: {nulls: ["  -   -", "-   -", /  /, "--/--", "**", "   "]} `,
		"  died:    {mask: discretize, round: year} ",
		"  tested:  suppress ", "  seen:    suppress ", "  rarely:  suppress ",
		"  symbol:  suppress ", "  score:   {mask: discretize, round: 5} ",
		"  replies: suppress ", "  stars:   {mask: discretize, round: 5} ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestDraftNamesByPosition: columns of CSV without a name, or with that of another one, get an
// entry by their position; row numbers of pandas, in the first column, need none, and those of R
// do.
func TestDraftNamesByPosition(t *testing.T) {
	for _, more := range []int{0, 100} { // wide tables do not list what they drop
		t.Chdir(t.TempDir())
		header, rest := ",sex,,age,sex", ""
		for i := range more {
			header, rest = header+fmt.Sprint(",more", i), rest+","+fmt.Sprint(i)
		}
		text := header + "\n"
		for i := range 400 {
			text += fmt.Sprintf("%d,%c,%d,%d,%c%s\n", i, "MF"[i%2], i%3, i%70, "FM"[i/2%2], rest)
		}
		write(t, "people.csv", text)
		j, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
		var got []string
		for _, c := range j.Columns {
			if strings.HasPrefix(c.Name, "column") {
				got = append(got, c.Name)
			}
		}
		if want := []string{"column3", "column5"}; !slices.Equal(got, want) {
			t.Errorf("%d more columns: entries are %v, want %v", more, got, want)
		}
	}
	t.Chdir(t.TempDir())
	text := "\"sex\" \"age\"\n"
	for i := range 400 {
		text += fmt.Sprintf("\"%d\" \"%c\" %d\n", i+1, "MF"[i%2], i%70)
	}
	write(t, "people.csv", strings.ReplaceAll(text, " ", "\t"))
	j, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
	if first := j.Columns[0]; first.Name != "column1" {
		t.Errorf("row names of R: %+v", first)
	}
}

// Numbers such as 20200131 are days, also those of a death in a table of these, and so are those of
// D.O.A. Numbers of eight digits that are no days stay.
func TestDraftOfDaysAsNumbers(t *testing.T) {
	text := tableOf(t, 1500, map[string]func(row int) string{
		"age": func(row int) string { return fmt.Sprint(20 + row*7%61) },
		"homicide": func(row int) string {
			return []string{"gun", "knife", "poison"}[row%3]
		},
		"reported_date": func(row int) string {
			return fmt.Sprintf("%d%02d%02d", 2010+row%9, 1+row%12, 1+row%28)
		},
		"D.O.A": func(row int) string {
			return fmt.Sprintf("%d-%02d-%02d", 2011+row%7, 1+row%11, 1+row%27)
		},
		"seen_time": func(row int) string { return fmt.Sprint(1429990000 + row*row%311*90000) },
		"stamp_id":  func(row int) string { return fmt.Sprint(1429990000 + row*row%311*90000) },
		"meter":     func(row int) string { return fmt.Sprint(19000000 + row*row%293*977) },
	})
	for _, want := range []string{
		"reported_date: {mask: discretize, type: date(YYYYMMDD) or null, round: month}",
		"  meter:         {mask: discretize, round: 20000}", "  stamp_id:      drop ",
		"  seen_time:     {mask: discretize, type: timestamp(Unix s) or null, round: day} ",
		"  - columns: [age, sex, D.O.A, reported_date, homicide]",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Numbers as accountants write them are numbers: none is -, and those below 0 are in brackets. A
// few words do not cost ages their order, nor feet and inches heights theirs.
func TestDraftOfNumbersInWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	pay := func() string {
		return grouped(rng.IntN(90_000), ",") + fmt.Sprintf(".%02d", rng.IntN(99))
	}
	text := tableOf(t, 1500, map[string]func(i int) string{
		"gross": func(i int) string {
			return []string{"  -   ", "  (" + pay() + ")", "  " + pay() + " "}[min(i%40, 2)]
		},
		"extra": func(i int) string { return []string{"  " + pay() + " ", "  -   "}[min(i%3, 1)] },
		"other": func(i int) string { return []string{"(1,250.00)", pay()}[min(i, 1)] },
		"noted": func(i int) string { return []string{"see x", "  " + pay() + " "}[min(i, 1)] },
		"subject_age": func(i int) string {
			return []string{"Juvenile", "Unknown", strconv.Itoa(18 + rng.IntN(70))}[min(i%12, 2)]
		},
		"hours": func(i int) string {
			if i%3 == 0 {
				return "Not applicable"
			}
			return []string{"89 or more", strconv.Itoa(rng.IntN(89))}[min(i%50, 1)]
		},
		"task":  func(i int) string { return []string{"a", "b", "Not applicable"}[i/7%3] },
		"video": func(i int) string { return []string{"yes", "no", "Unknown"}[i%3] },
		"wait": func(i int) string {
			return []string{"Juvenile", strconv.Itoa(18 + rng.IntN(70))}[min(i%6, 1)]
		},
		"ht": func(int) string {
			return fmt.Sprintf([]string{"%d' %d''", "%d ft %d in"}[rng.IntN(2)], 4+rng.IntN(3),
				rng.IntN(12))
		},
		"items": func(i int) string { return fmt.Sprintf("(%d)", i%5) },
	})
	for _, want := range []string{
		`csv: {nulls: ["  -   "]} `, "  gross:       {mask: discretize, type: number(N), round: ",
		"  extra:       {mask: discretize, type: number(N), round: ",
		"  other:       {mask: discretize, type: number(N), round: ",
		"  noted:       {mask: discretize, type: number(N) or null, round: ",
		"  subject_age: {mask: discretize, type: integer or null, round: 5} ",
		"  hours:       {mask: discretize, type: integer or null, round: 5} ",
		"  wait:        suppress ", "  ht:          {mask: discretize, type: number(feet)} ",
		"  items:       suppress ", "  video:       suppress ",
		" # 3 distinct values",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// Days that cannot be are null, also behind others in another form, and amounts may have the signs
// of a currency in letters. Two answers and a rare code for unknown stay apart, a score of many
// values is called a type, and the number of an officer identifies somebody.
func TestDraftOfRegisters(t *testing.T) {
	text := tableOf(t, 2000, map[string]func(i int) string{
		"date_died": func(i int) string {
			if i%5 < 2 {
				return "9999-99-99"
			}
			return fmt.Sprintf("%02d/%02d/20", 1+i%28, 1+i/28%12)
		},
		"intubed":      func(i int) string { return []string{"98", "1", "2"}[min(i%300, 1+i%2)] },
		"pay":          func(i int) string { return fmt.Sprintf("R$ %d,%03d.50", 1+i%70, i%1000) },
		"officer_id":   func(i int) string { return fmt.Sprint(1000 + i*7%90) },
		"type-a score": func(i int) string { return fmt.Sprint(20 + i*7%55) },
		"status":       func(i int) string { return []string{"Stayed", "Churned"}[i/3%2] },
	})
	for _, want := range []string{
		"csv: {nulls: [\"9999-99-99\"]}", "date(D/M/YY)",
		"  intubed:      suppress ",
		"number(R$N)", "  officer_id:   drop ", "  type-a score: {mask: discretize",
		"\nclass: status\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

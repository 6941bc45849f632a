package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
)

// csvRules checks that a character in numbers has one meaning.
func (r *reader) csvRules() {
	if c := &r.CSV; c.Thousands != 0 && c.Thousands == c.Decimal {
		r.add("csv.thousands", `numbers as 1.234,56 have decimal: "," and thousands: "."`,
			"thousands is what decimal is")
	}
}

// typePattern matches the declared types of CSV columns.
const typePattern = `^(text|(boolean|integer|number|date|time|timestamp|decimal\([0-9]{1,2}, ?[0-9]{1,2}\)|number\(feet\)|number\([^()\[\]{},:#N]*N[^()\[\]{},:#N]*\)|timestamp\(Unix m?s\)|(date|time|timestamp)\([YMDhmsA./: ,T-]+(\+00)?( or [YMDhmsA./: ,T-]+(\+00)?)*( from [1-9][0-9]{3})?\))( or null)?)$`

// typeWords names the declared types.
const typeWords = "text, boolean, integer, number, date, time, timestamp, decimal(p,s), " +
	"number(N%), number(feet), date(MM/DD/YYYY), timestamp(D.M.YYYY hh:mm), " +
	"timestamp(Unix s), time(hh:mm AM), date(M/D/YYYY or M-D-YY), number or null"

// OrNull ends a declared type of a column in which texts that are none of the type are null.
const OrNull = " or null"

// bareType returns the declared type without its end.
func (c *Column) bareType() string { return strings.TrimSuffix(c.Type, OrNull) }

// formParts are pairs: a part of the form of a date or time, and its counterpart in package time.
// Years of two digits mean 1969 to 2068, as in POSIX, unless the form ends in another first year.
var formParts = []string{
	"AM", "PM", "YYYY", "2006", "YY", "06", "MMM", "Jan", "MM", "01", "M", "1", "DD", "02",
	"D", "2", "hh", "15", "mm", "04", "ss", "05",
}

// form returns the part of a date's or time's type in parentheses, which may be several forms, and
// the first of the years that two digits mean, or "".
func (c *Column) form() (form, from string) {
	name, form, _ := strings.Cut(strings.TrimSuffix(c.bareType(), ")"), "(")
	if name == "decimal" || name == "number" {
		return "", ""
	}
	form, from, _ = strings.Cut(form, " from ")
	return form, from
}

// Layout returns the layout of the declared type, of a date or a time in the terms of package time,
// several with formats.Or between them, and of a number with N for its digits, or one of
// formats.Feet, formats.UnixSeconds and formats.UnixMillis; empty: that of ISO 8601, or of plain
// numbers.
func (c *Column) Layout() string {
	if form, found := strings.CutPrefix(strings.TrimSuffix(c.bareType(), ")"),
		"number("); found {
		return form
	}
	form, _ := c.form()
	layouts := strings.Split(strings.NewReplacer(formParts...).Replace(form), formats.Or)
	for i, layout := range layouts {
		if strings.Contains(layout, "PM") {
			layouts[i] = strings.ReplaceAll(layout, "15", "3")
		}
	}
	return strings.Join(layouts, formats.Or)
}

// wrongForm describes a missing or superfluous part of the forms of a declared date or time.
func (c *Column) wrongForm() string {
	all, from := c.form()
	if all == "" || all == formats.UnixSeconds || all == formats.UnixMillis {
		return ""
	}
	if from != "" && !strings.Contains(strings.ReplaceAll(all, "YYYY", ""), "YY") {
		return fmt.Sprintf("%q has a first year without YY", c.Type)
	}
	parts := map[string][]string{
		"date": {"YY", "M", "D"}, "time": {"hh", "mm"}, "timestamp": {"YY", "M", "D", "hh", "mm"},
	}[c.Type[:strings.IndexByte(c.Type, '(')]]
	for form := range strings.SplitSeq(all, formats.Or) {
		rest, found := form, ""
		for i := 0; i < len(formParts); i += 2 {
			part, unit := formParts[i], formParts[i][:1]
			if strings.Contains(rest, part) && !strings.Contains(found, unit) {
				rest, found = strings.Replace(rest, part, "", 1), found+unit
			}
		}
		for _, part := range parts {
			if !strings.Contains(strings.ReplaceAll(form, "AM", ""), part) {
				return fmt.Sprintf("%q lacks %s", c.Type,
					strings.Replace(part, "YY", "YYYY", 1))
			}
		}
		if at := strings.IndexAny(rest, "YMDhmsA"); at >= 0 {
			return fmt.Sprintf("%q has %s where nothing is known by it", c.Type, rest[at:at+1])
		}
	}
	return ""
}

// Read returns the options for reading CSV input whose columns have these entries.
func (c *CSV) Read(columns []Column) formats.CSV {
	csv := formats.CSV{
		Delimiter: c.Delimiter, Quote: c.Quote, Escape: c.Escape, Encoding: c.Encoding,
		Nulls:   c.Nulls,
		Decimal: c.Decimal, Thousands: c.Thousands,
		Names: make(map[int]string), Layouts: make(map[string]string),
		FirstYears: make(map[string]int),
		Ordered:    make(map[string]bool),
		Lenient:    make(map[string]bool),
		Known: func(name string) bool {
			return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
		},
	}
	if len(c.Header) > 0 && c.Header[0] != HasHeader {
		if csv.Headless = true; c.Header[0] != NoHeader {
			csv.Header = c.Header
		}
	}
	for i := range columns {
		if columns[i].Rename > 0 {
			csv.Names[columns[i].Rename] = columns[i].Name
		}
		csv.Ordered[columns[i].Name] = columns[i].Is(engine.Discretize)
		csv.Lenient[columns[i].Name] = strings.HasSuffix(columns[i].Type, OrNull)
		if layout := columns[i].Layout(); layout != "" {
			csv.Layouts[columns[i].Name] = layout
			_, from := columns[i].form()
			csv.FirstYears[columns[i].Name], _ = strconv.Atoi(from)
		}
	}
	return csv
}

// simpleTypes are the declared types without parameters.
var simpleTypes = map[string]formats.Type{
	"text":      {Kind: formats.String},
	"boolean":   {Kind: formats.Boolean},
	"integer":   {Kind: formats.Int, Bits: 64},
	"number":    {Kind: formats.Float, Bits: 64},
	"date":      {Kind: formats.Date},
	"time":      {Kind: formats.Time, Unit: formats.Micro},
	"timestamp": {Kind: formats.Timestamp, Unit: formats.Micro},
}

// DeclaredType returns the type that the job declares for a CSV column. It is not ok if there is
// none, or if it is an impossible decimal.
func (c *Column) DeclaredType() (t formats.Type, ok bool) {
	name, _, _ := strings.Cut(c.bareType(), "(")
	if t, ok = simpleTypes[name]; ok {
		return t, true
	}
	var precision, scale int
	if _, err := fmt.Sscanf(c.Type, "decimal(%d,%d)", &precision, &scale); err != nil {
		return t, false
	}
	ok = precision >= 1 && precision <= 38 && scale <= precision
	return formats.Type{Kind: formats.Decimal, Precision: precision, Scale: scale,
		Wide: precision > 18}, ok
}

package sql

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/domain"
)

// label writes a released text.
func (d *Dialect) label(text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", errors.New("a label is no text that a statement could hold")
	}
	return d.text(text), nil
}

// literal writes the value with a text, cast to its type.
func (d *Dialect) literal(t formats.Type, text string) (string, error) {
	if t.Kind == formats.String {
		return d.label(text)
	}
	values := &formats.Values{Type: t}
	if err := values.Parse(text); err != nil {
		return "", err
	}
	text = domain.TextOf(values, 0)
	name, err := d.typeOf(t)
	if err != nil {
		return "", err
	}
	switch t.Kind {
	case formats.Binary:
		return fmt.Sprintf(d.bytes, text), nil
	case formats.Float:
		text = strings.Replace(text, "Infinity", d.infinity, 1)
		if strings.HasPrefix(text, "NaN:") {
			return "", errors.New("a value is a NaN like no other")
		}
	case formats.Date, formats.Time, formats.Timestamp:
		if text, err = d.moment(t, text); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("CAST(%s AS %s)", d.text(text), name), nil
}

// moment returns the text of a date or time in a form that all engines parse.
func (d *Dialect) moment(t formats.Type, text string) (string, error) {
	date, clock, _ := strings.Cut(text, "T")
	if t.Kind == formats.Time {
		date, clock = "", text
		if clock >= "24" {
			return "", errors.New("a time is beyond the end of a day")
		}
	} else if len(date) != len("2006-01-02") || date < "0001" {
		return "", errors.New("a date is beyond the years 1 to 9999")
	}
	clock, zoned := strings.CutSuffix(clock, "Z")
	if _, fraction, _ := strings.Cut(clock, "."); len(fraction) > d.digits {
		return "", fmt.Errorf("%s has no more than %d digits of seconds", d.Name, d.digits)
	}
	switch {
	case clock == "":
		return date, nil
	case date == "":
		return clock, nil
	case zoned || t.Zone != "" || t.Wide && d.Name == "spark":
		clock += d.utc
	}
	return date + " " + clock, nil
}

// isNaN writes a test whether an expression of a type is not a number.
func (d *Dialect) isNaN(t formats.Type, x string) (string, error) {
	if d.nan != "" {
		return fmt.Sprintf(d.nan, x), nil
	}
	nan, err := d.literal(t, "NaN")
	return x + " = " + nan, err
}

// isValue writes a test whether an expression of a type has one of some texts. It leaves out texts
// that no value has.
func (d *Dialect) isValue(t formats.Type, x string, texts []string) (string, error) {
	var in, or []string
	for _, text := range texts {
		values := &formats.Values{Type: t}
		if values.Parse(text) != nil || domain.TextOf(values, 0) != text {
			continue
		}
		if domain.IsNaN(values, 0) {
			is, err := d.isNaN(t, x)
			if err != nil {
				return "", err
			}
			or = append(or, is)
			continue
		}
		literal, err := d.literal(t, text)
		if err != nil {
			return "", err
		}
		in = append(in, literal)
	}
	switch len(in) {
	case 0:
	case 1:
		or = append(or, x+" = "+in[0])
	default:
		or = append(or, x+" IN ("+strings.Join(in, ", ")+")")
	}
	return strings.Join(or, " OR "), nil
}

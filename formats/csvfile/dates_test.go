package csvfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestDatesStayTexts: dates and times in other forms are texts, with advice to declare them in
// every order in which all are dates; so are numbers in other numerals. Where one number is always
// 1 and another one runs from 1 to 12, that is the month.
func TestDatesStayTexts(t *testing.T) {
	months := func(form string, n int) string {
		var texts []string
		for month := range n {
			texts = append(texts, fmt.Sprintf(form, month+1, 2019+month%2))
		}
		return strings.Join(texts, "|")
	}
	for texts, want := range map[string]string{
		"13.02.2020|1.3.2021":    "type: date(D.M.YYYY)",
		"02/13/2020|3/1/2021":    "type: date(M/D/YYYY)",
		"01/02/2020|03/04/2021":  "type: date(D/M/YYYY) or type: date(M/D/YYYY)",
		months("%02d-01-%d", 12): "type: date(M-D-YYYY)",
		months("1/%d/%d", 12):    "type: date(D/M/YYYY)",
		months("%d/1/%d", 11):    "type: date(D/M/YYYY) or type: date(M/D/YYYY)",
		months("2/%d/%d", 12):    "type: date(D/M/YYYY) or type: date(M/D/YYYY)",
		"13/02/2020|02/13/2020":  "",
		"13.02.68|01.03.69":      "type: date(D.M.YY)",
		"01-02-03|04-05-06": "type: date(D-M-YY) or type: date(M-D-YY) or " +
			"type: date(YY-M-D)",
		"1/2/2020 9:05 PM|12/31/2020 11:59 am":    "type: timestamp(M/D/YYYY hh:mm AM)",
		"31.12.2020 23:59:59|1.1.2021 00:00:00.5": "type: timestamp(D.M.YYYY hh:mm:ss)",
		"2020-01-05 10:00|2020-12-31 23:59":       "type: timestamp(YYYY-M-D hh:mm)",
		"9:05PM|11:59AM":                          "type: time(hh:mmAM)",
		"2020/12/31|2021/1/1":                     "type: date(YYYY/M/D)",
		"04-OCT-1992|5-Mar-2001":                  "type: date(D-MMM-YYYY)",
		"04OCT92|05MAR01":                         "type: date(DMMMYY)",
		"04OCT1992:10:30:59|05MAR2001:00:00:00":   "type: timestamp(DMMMYYYY:hh:mm:ss)",
		"4 Oct 1992|5 Mai 2001":                   "",
		"10:30|11:45":                             "",
		"13.02.2020|13/02/2020":                   "",
		"13.02.2020|13.02.20":                     "",
		"13.02.2020|2020-02-13":                   "",
		"13.02.2020|20200213":                     "",
		"13.02.2020|x":                            "",
		"32.01.2020|1.1.2020":                     "",
		"1.1.2020 25|1.1.2020 25":                 "",
		"192.168.1.10|10.0.0.1":                   "",
		"1.2.3|4.5.6":                             "",
		"x|y":                                     "",
		"1,5|2":                                   `csv.decimal: ","`,
		"1.234,5|2,5":                             `csv.decimal: ","`,
		"1,234|2,345":                             `csv.decimal: "," or csv.thousands: ","`,
		"1,234.5|2.25":                            `csv.thousands: ","`,
		"1 234,5|2,25":                            `csv.decimal: "," and csv.thousands: " "`,
		"1'234.5|2'000":                           `csv.thousands: "'"`,
		"1,5|1.5|x":                               "",
		"1.234.567|1.234":                         `csv.decimal: "," and csv.thousands: "."`,
	} {
		rows := strings.Split(texts, "|")
		for at := range len(rows) {
			files := []string{"t.csv"}
			whole, parts := newEvidence(files, nil),
				[2]evidence{newEvidence(files, nil), newEvidence(files, nil)}
			for i, text := range rows {
				f := field{text: []byte(text)}
				whole.see(f, int64(i+1))
				part := &parts[0]
				if i >= at {
					part = &parts[1]
				}
				part.see(f, int64(i+1))
			}
			for _, c := range []formats.Texts{&whole, parts[0].Join(&parts[1])} {
				var got formats.Field
				c.Infer(&got)
				_, advice, _ := strings.Cut(got.Text.Advice, "set ")
				if _, as, dates := strings.Cut(got.Text.Advice, ", as "); dates {
					advice = as
				}
				if got.Type.Kind != formats.String || advice != want {
					t.Errorf("%s, cut at %d: %s, %q, want %q", texts, at, got.Type, got.Text.Advice,
						want)
				}
			}
		}
	}
}

package draft

import (
	"slices"
	"testing"
)

func TestForms(t *testing.T) {
	for text, want := range map[string][]pattern{
		"ann@example.org":                      {email},
		"a@b":                                  nil,
		"two words@x.org":                      nil,
		"+49 30 901820":                        {phone},
		"(030) 90-1820":                        {phone},
		"2008 - 2010":                          nil,
		"40.712800 -74.006100":                 nil,
		"-74.0060152":                          {code, number},
		"1234567":                              {code, number},
		"2020-01-31":                           {isoDate, partDate, code},
		"2020-01-31T10:00:00Z":                 {isoDate, partDate},
		"2003":                                 {partDate, shortZip, code, number},
		"2003-05":                              {partDate, code},
		"2003-13":                              {code},
		"2020-13-31":                           {phone, code},
		"01/31/2020":                           {usDate, monthFirst, someDate, code},
		"1/2/2020 10:00":                       {usDate, euroDate, monthFirst, someDate},
		"31.12.2020":                           {euroDate, someDate, code},
		"9/19/88":                              {someDate, code},
		"31/12/2020":                           {euroDate, someDate, code},
		"13/31/2020":                           {someDate, code},
		"https://example.org/x":                {url},
		"/wiki/Ulm_Spa":                        {url},
		"/wiki":                                nil,
		"10.0.0.1":                             {address, code},
		"::1":                                  {address},
		"10.0.0.999":                           {code},
		"555.123.4567":                         {phone, code, numeral},
		"177.0/63.1":                           {code, paired},
		"120/80":                               {code, paired},
		"123e4567-e89b-12d3-a456-426614174000": {uuid},
		"DE89 3704 0044 0532 0130 00":          {iban},
		"DE89370400440532013000":               {iban},
		"DE88370400440532013000":               nil,
		"Not at all familiar":                  nil,
		"4111 1111 1111 1111":                  {card},
		"4111-1111-1111-1112":                  nil,
		"4111111111111111":                     {card},
		"078-05-1120":                          {phone, socialSecurity, code},
		"02139":                                {zip, code, number},
		"02139-4307":                           {zip, code},
		"E11.9":                                {diagnosis, code},
		"I10":                                  {diagnosis, code},
		"M000112":                              {code},
		"S72001A":                              {diagnosis, code},
		"e11.9":                                nil,
		"AB-1234":                              {code},
		"17":                                   {number},
		"-17.25":                               {code, number},
		"1e9":                                  nil,
		"clerk":                                nil,
		"1:04:35":                              {clock, timing},
		"21:08:00.0000000":                     {clock},
		"J.":                                   {proper, initial},
		"23:59":                                {minutes, timing},
		"m":                                    {sex},
		"Female":                               {sex, proper, female},
		"femaleness":                           nil,
		"GARCIA, Ana-Lena":                     {person, proper},
		"Dr. O’Neil":                           {proper},
		"Team B2":                              nil,
		"Smith":                                {person, proper},
		"Smithfield":                           {proper},
		"ann and mary went to see paul":        nil,
		"59:59":                                {timing},
		"1,234":                                {numeral},
		"12,5":                                 {numeral},
		"5-11":                                 nil,
		"1.234.567,89":                         {numeral},
		"12.345":                               {code, number},
		"12.11.2020":                           {euroDate, someDate, code},
		"$1,234.50":                            {priced},
		"1,00,000":                             {numeral},
		"1,00,00":                              nil,
		"₹1,00,000":                            {priced},
		"12.5 %":                               {priced},
		"$":                                    nil,
		"Ärztin":                               {proper},
	} {
		var got []pattern
		for form, match := range forms {
			if match(text) {
				got = append(got, pattern(form))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has forms %v, want %v", text, got, want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for name, want := range map[string][]string{
		"birth-date": {"birth", "date"}, "birthDate": {"birth", "date"},
		"BIRTH_DATE": {"birth", "date"}, "HighBP": {"high", "bp"},
		"": nil, "--": nil, "Größe (cm)": {"grosse", "cm"}, "zip5": {"zip5"},
		"Fecha de Nacimiento": {"date", "birth"}, "codigo-postal": {"postal"}, "Alter": {"age"},
		"alter_ego": {"alter", "ego"}, "escolaridade": {"educ"}, "de": {"de"},
		"lug_boot": {"lug", "boot"}, "PULocationID": {"pu", "location", "id"},
		"patientIDs": {"patient", "ids"}, "BRId": {"br", "id"}, "IBAN": {"iban"},
		"incomeperc": {"income", "perc"}, "maritalstatus": {"marital", "status"},
		"mother.age": {"mother", "age"}, "FATHEREDUC": {"father", "educ"},
		"parental": {"parental"}, "parenthood": {"parenthood"}, "incomes": {"incomes"},
		"maritalb": {"marital", "b"}, "heightinchestotal": {"height", "inches", "total"},
		"fatalities": {"fatalities"}, "incidentdate": {"incident", "date"},
	} {
		if got := wordsOf(name); !slices.Equal(got, want) {
			t.Errorf("words of %q: %q, want %q", name, got, want)
		}
	}
}

func TestDirectMeaning(t *testing.T) {
	for name, want := range map[string]string{
		"name": "names of people", "first_name": "names of people", "LastName": "names of people",
		"patientName":  "names of people",
		"country-name": "", "product_name": "", "customer_id": "identifiers",
		"CustomerID": "identifiers", "county_id": "", "DOLocationID": "",
		"e-mail":       "e-mail addresses",
		"Phone Number": "telephone numbers", "home_address": "street addresses", "IBAN": "accounts",
		"SSN":         "numbers of people",
		"patient_nbr": "identifiers", "case number": "identifiers", "member_no": "identifiers",
		"number": "identifiers", "ser_num": "identifiers", "serial_type": "",
		"profile_url": "web pages", "Comments": "free text", "patient": "identifiers",
		"No_Pation": "identifiers", "mobile_model_name": "", "mobile_brand": "",
		"Coach Name": "names of people", "Team Initials": "", "user_initials": "names of people",
		"patient_age": "",
		"Do you think that your client's mobile app is of use in the field of health?": "",
		"number_of_children": "", "no": "", "paid": "", "idle": "", "age": "", "telegraph": "",
	} {
		if got := directMeaning(wordsOf(name)).meaning; got != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
}

func TestRoundRanges(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      string
	}{
		{0, 100, "{ranges: [20, 40, 60, 80, 100]}"},
		{17, 93, "{ranges: [20, 30, 40, 50, 60, 70, 80, 90]}"},
		{-3.5, 3.5, "{ranges: [-3, -2, -1, 0, 1, 2, 3]}"},
		{0.01, 0.08, "{ranges: [0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08]}"},
		{5, 5, "{ranges: [6, 7]}"},
		{123456, 9876543, "{ranges: [2000000, 4000000, 6000000, 8000000]}"},
	} {
		if got := roundRanges(tt.low, tt.high); got != tt.want {
			t.Errorf("%g to %g: %s, want %s", tt.low, tt.high, got, tt.want)
		}
	}
}

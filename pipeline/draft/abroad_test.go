package draft

import (
	"slices"
	"strings"
	"testing"
)

// A word of another language stands once, and is no English one that the rules know, unless it
// counts only as a whole name.
func TestWordsAbroadMeanOneThing(t *testing.T) {
	known := slices.Concat(people, staff, things, regions, numbered, sums, categories.alone,
		categories.whole, nameParts.whole, ofPeople.alone)
	for _, of := range slices.Concat(facts, direct) {
		known = append(known, slices.Concat(of.alone, of.whole, of.last)...)
	}
	seen := map[string]string{}
	english := ""
	for _, word := range strings.Fields(plain(abroad)) {
		if next, is := strings.CutSuffix(word, ":"); is {
			english = next
			continue
		}
		bare := strings.Trim(word, "=-")
		if of, is := seen[bare]; is {
			t.Errorf("%s stands for %s and %s", bare, of, english)
		}
		seen[bare] = english
		if slices.Contains(known, word) {
			t.Errorf("%s, of %s, is an English word", word, english)
		}
	}
}

// Names are read in many languages: with accents as one sign or two, and without, with several
// words for an English one, and in scripts without blanks between words.
func TestWordsAreReadInManyLanguages(t *testing.T) {
	for name, want := range map[string]string{
		"Ålder":               "age",
		"A\u030alder":         "age",
		"kön":                 "sex",
		"Födelseår":           "birth",
		"Län":                 "county",
		"LAN speed":           "lan speed",
		"fornavn":             "firstname",
		"Sukupuoli":           "sex",
		"data_urodzenia":      "birth",
		"Płeć":                "sex",
		"Imię i nazwisko":     "fullname",
		"Rodinný stav":        "marital",
		"Vârsta":              "age",
		"Yaş Grubu":           "age grubu",
		"CİNSİYET":            "sex",
		"DogumTarihi":         "birth date",
		"Jenis Kelamin":       "sex",
		"tanggal_lahir":       "date birth",
		"Tình trạng hôn nhân": "tinh trang marital",
		"Giới tính":           "sex",
		"Дата рождения пациента": "date birth patient",
		"пол":                 "sex",
		"partido":             "party",
		"Lugar de Domicilio":  "lugar residence",
		"Семейное положение":  "marital",
		"患者年龄":                "patient age",
		"年龄（岁）":               "age 岁",
		"客户ID":                "customer id",
		"婚姻状况":                "marital",
		"生年月日":                "birth",
		"都道府県":                "province",
		"나이":                  "age",
		"환자번호":                "patient number",
		"อายุ":                "age",
		"เพศ":                 "sex",
		"تاريخ الميلاد":       "date birth",
		"Fecha de nacimiento": "date birth",
		"Nombre de calles":    "nombre de calles",
		"hardness of water":   "hardness of water",
		"Età in anni":         "age",
		"Alter (Jahre)":       "age",
		"Alter in Jahren":     "age",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Sexes and marital states are known in many languages.
func TestValuesAreReadInManyLanguages(t *testing.T) {
	for form, texts := range map[pattern][]string{
		sex:     {"Kadın", "Erkek", "Laki-laki", "kobieta", "女", "мужской", "남", "หญิง", "ذكر"},
		female:  {"Kadın", "Perempuan", "женский", "女性"},
		marital: {"Evli", "Belum Kawin", "Soltero(a)", "cerai hidup", "已婚", "вдова", "미혼"},
	} {
		for _, text := range texts {
			var read textProfile
			read.observe([]byte(text), 1)
			if read.forms[form] != 1 {
				t.Errorf("%s is not read as %d", text, form)
			}
		}
	}
}

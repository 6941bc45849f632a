package pseudonym

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// replaced returns the replacement of a text.
func replaced(key *Key, form, text string) string {
	values := &formats.Values{Type: formats.Type{Kind: formats.String}}
	values.AppendBytes([]byte(text))
	made := key.With(form).NewMaker().Pseudonyms(values)
	return made.Text(0)
}

// Replacements are equal to those that a Python program has made by the words of docs/job-file.md:
// lists, key and form determine them for all time.
func TestReplacementVectors(t *testing.T) {
	key := keyOf(t, testKey)
	for _, tt := range []struct{ form, value, want string }{
		{"name", "7", "Jack Eaton"},
		{"name", "", "Ivy Avery"},
		{"name", "Ünï Doe", "Clara Hansen"},
		{"street", "7", "331 Lime Court"},
		{"street", "", "24 Plum Street"},
		{"street", "Ünï Doe", "58 King Place"},
		{"city", "7", "Appleworth"},
		{"city", "", "Hawfall"},
		{"city", "Ünï Doe", "Heatherwick"},
		{"phone", "7", "651-555-0155"},
		{"phone", "", "428-555-0172"},
		{"phone", "Ünï Doe", "787-555-0141"},
		{"email", "7", "lily.wood800@example.net"},
		{"email", "", "joel.ramsey775@example.com"},
		{"email", "Ünï Doe", "olga.cole288@example.org"},
	} {
		if got := replaced(key, tt.form, tt.value); got != tt.want {
			t.Errorf("%s of %q: %s, want %s", tt.form, tt.value, got, tt.want)
		}
	}
	if a, b := replaced(key, "name", "7"), replaced(keyOf(t, testKey+"2"), "name", "7"); a == b {
		t.Errorf("two keys make %s", a)
	}
}

// The replacements of 20,000 values are those of a naive choice. Verification accepts all of them,
// and none is longer than a token, of which plans predict the memory.
func TestReplacements(t *testing.T) {
	key := keyOf(t, testKey)
	for name, of := range forms() {
		seen := make(map[string]bool)
		for i := range 20_000 {
			value := fmt.Sprint(i)
			mac := hmac.New(sha256.New, []byte(testKey))
			mac.Write([]byte(name + "\x00\xff" + value))
			sum, want, choices := mac.Sum(nil), "", 0
			for _, list := range of {
				word := list[0]
				if len(list) > 1 {
					number := new(big.Int).SetBytes(sum[8*choices : 8*choices+8])
					word = list[number.Mod(number, big.NewInt(int64(len(list)))).Int64()]
					choices++
				}
				want += word
			}
			got := replaced(key, name, value)
			if got != want || len(got) > TokenLength || !Makes(name, got) {
				t.Fatalf("%s of %s: %q, want %q", name, value, got, want)
			}
			seen[got] = true
		}
		all := float64(count(of))
		for range 20_000 { // the expected number of replacements that nothing has
			all *= 1 - 1/float64(count(of))
		}
		if want := float64(count(of)) - all; float64(len(seen)) < 0.98*want {
			t.Errorf("%s: %d different ones, want about %.0f", name, len(seen), want)
		}
	}
}

// count returns the number of choices of a form.
func count(of form) int {
	n := 1
	for _, list := range of {
		n *= len(list)
	}
	return n
}

// The forms have as many replacements as docs/job-file.md says, and each of their lists has every
// word once.
func TestForms(t *testing.T) {
	want := map[string]int{"name": 37_050, "street": 448_800, "city": 6_048, "phone": 78_900,
		"email": 111_038_850}
	for name, of := range forms() {
		if n := count(of); n != want[name] {
			t.Errorf("%s: %d replacements, want %d", name, n, want[name])
		}
		choices, longest := 0, 0
		for _, list := range of {
			if len(list) > 1 {
				choices++
			}
			if sorted := slices.Sorted(slices.Values(list)); len(slices.Compact(sorted)) <
				len(list) {
				t.Errorf("%s: a word is there twice", name)
			}
			longest += len(slices.MaxFunc(list, func(a, b string) int { return len(a) - len(b) }))
		}
		if choices > sha256.Size/8 || longest > TokenLength {
			t.Errorf("%s: %d choices, the longest has %d bytes", name, choices, longest)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no form for %v", want)
	}
}

// Makes accepts the pseudonyms of a form, and refuses other texts and those of other forms.
func TestMakes(t *testing.T) {
	likely := map[string]string{
		"": strings.Repeat("0", TokenLength), "name": "Nora Fleming", "street": "217 Chapel Lane",
		"city": "Heatherton", "phone": "415-555-0123", "email": "nora.fleming27@example.org",
	}
	for form := range likely {
		for other, text := range likely {
			if Makes(form, text) != (form == other) {
				t.Errorf("form %q makes %q: %v", form, text, form != other)
			}
		}
	}
	for form, texts := range map[string][]string{
		"":      {"", "17", strings.Repeat("A", TokenLength), strings.Repeat("0", 33)},
		"name":  {"", "Nora", "Nora ", "nora fleming", "Nora Fleming ", "Nora  Fleming"},
		"phone": {"415-555-0200", "415-555-012", "199-555-0123"},
		"email": {"nora.fleming@example.org", "nora.fleming27@example.edu"},
		"none":  {"", "Nora Fleming"},
	} {
		for _, text := range texts {
			if Makes(form, text) {
				t.Errorf("form %q makes %q", form, text)
			}
		}
	}
}

package pipeline

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// wordLists returns the lists of words in the source of package pseudonym, by constant.
var wordLists = sync.OnceValue(func() map[string][]string {
	source, err := os.ReadFile(filepath.Join("pseudonym", "replacement.go"))
	if err != nil {
		panic(err)
	}
	lists := make(map[string][]string)
	constants := regexp.MustCompile("(?s)const (\\w+) = `(.*?)`")
	for _, match := range constants.FindAllStringSubmatch(string(source), -1) {
		lists[match[1]] = strings.Fields(match[2])
	}
	return lists
})

// replacementOf makes a replacement as docs/job-file.md describes it.
func replacementOf(key, with, text string) string {
	if text == null {
		return null
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(with + "\x00\xff" + text))
	sum := mac.Sum(nil)
	remainder := func(choice, by int) (n int) {
		for _, digit := range sum[8*choice:][:8] {
			n = (256*n + int(digit)) % by
		}
		return n
	}
	word := func(choice int, list string) string {
		return wordLists()[list][remainder(choice, len(wordLists()[list]))]
	}
	switch with {
	case "name":
		return word(0, "givenNames") + " " + word(1, "familyNames")
	case "street":
		return fmt.Sprint(1+remainder(0, 400), " ", word(1, "streetNames"), " ",
			word(2, "streetKinds"))
	case "city":
		return word(0, "cityStems") + word(1, "cityEndings")
	case "phone":
		return fmt.Sprintf("%d-555-01%02d", 201+remainder(0, 789), remainder(1, 100))
	}
	return fmt.Sprintf("%s.%s%d@example.%s", strings.ToLower(word(0, "givenNames")),
		strings.ToLower(word(1, "familyNames")), 1+remainder(2, 999),
		[]string{"com", "net", "org"}[remainder(3, 3)])
}

// withReplacements is the job of patients with replacements of a form instead of tokens.
func withReplacements(with string) string {
	return strings.Replace(withPatients(), "mask: pseudonym,",
		"mask: replace, identifying: accepted, with: "+with+",", 1)
}

// manyPatients has 600 patients, some of whom share a city that replaces them.
func manyPatients(t *testing.T) *testTable {
	t.Helper()
	table, cities := patients(900), make(map[string]bool)
	for row := range table.rows {
		if row%13 > 0 {
			patient := fmt.Sprint("patient ", row*31%600)
			table.set(row, "patient", patient)
			cities[replacementOf(secretKey, "city", patient)] = true
		}
	}
	if len(cities) > 590 {
		t.Fatalf("%d cities: none is shared", len(cities))
	}
	return table
}

func same(text string) string { return text }

// Releases in either order have the words that a naive choice takes, and nulls where the input has
// them. The bytes depend neither on files, threads nor memory, no file has the key, and
// verification accepts them.
func TestReplacements(t *testing.T) {
	table := manyPatients(t)
	for _, with := range []string{"name", "street", "city", "phone", "email"} {
		for _, algorithm := range []string{"tdr", "mondrian"} {
			t.Run(with+" "+algorithm, func(t *testing.T) {
				dir := pseudonymized(t, table,
					withAlgorithm(withReplacements(with), algorithm), 200)
				report := mustRun(t, dir, nil)
				if report.Released != report.Rows {
					t.Fatalf("%d of %d rows", report.Released, report.Rows)
				}
				path := filepath.Join(dir, "out.parquet")
				got := counted(readTable(t, path), "patient", same)
				want := counted(table, "patient", func(text string) string {
					return replacementOf(secretKey, with, text)
				})
				if !maps.Equal(got, want) {
					t.Errorf("replacements %v\nwant %v", got, want)
				}
				cut := readCut(t, path)
				if !slices.Equal(cut.Pseudonyms, []string{"patient"}) ||
					!maps.Equal(cut.Replacements, map[string]string{"patient": with}) {
					t.Errorf("the cut has pseudonyms %v, replacements %v", cut.Pseudonyms,
						cut.Replacements)
				}
				mustFind(t, path)
				mustNotHaveKey(t, dir)
				must(t, os.Remove(path))
				for _, order := range []string{"input", "released"} {
					outcome := outcomeOf(t, dir, RunOptions{}, "order", order)
					spilling := RunOptions{System: System{Spill: true, Room: 50}}
					mustAgree(t, outcomeOf(t, dir, spilling, "order", order, "limits.threads",
						"1", "limits.memory", "16MiB"), outcome)
				}
			})
		}
	}
}

// A stopped run that is continued, and a run of the whole, make the same bytes. A cut that is
// applied gives the same replacements; another key, or another form, gives another release.
func TestReplacementsAgain(t *testing.T) {
	table := manyPatients(t)
	text := strings.Replace(withReplacements("city"), "out.parquet", "out/", 1)
	whole, dir := pseudonymized(t, table, text, 100), pseudonymized(t, table, text, 100)
	mustRun(t, whole, nil)
	opt := RunOptions{Resume: true, Checkpoint: atOnce}
	for _, stage := range []resources.Stage{resources.StageMask, resources.StageVerify} {
		if s, err := runUntil(t, dir, stage, opt); fault.ClassOf(err) != fault.Cancelled {
			t.Fatal(stage, err, s.notes)
		}
	}
	_, err := runUntil(t, dir, "", opt)
	must(t, err)
	if !slices.Equal(partsOf(t, filepath.Join(dir, "out")),
		partsOf(t, filepath.Join(whole, "out"))) {
		t.Error("the continued run makes other bytes")
	}

	cities := func(out string) map[string]int {
		return counted(readTable(t, filepath.Join(dir, out)), "patient", same)
	}
	_, err = Apply(t.Context(), mustLoad(t, dir, "output.path", filepath.Join(dir, "applied/")+"/"),
		ApplyOptions{Cut: filepath.Join(whole, "out"), OnBreak: search.BreakFail})
	must(t, err)
	if !maps.Equal(cities("out"), cities("applied")) {
		t.Error("apply makes other replacements")
	}
	report, err := Run(t.Context(), mustLoad(t, dir), opt)
	must(t, err)
	if !report.AlreadyDone {
		t.Error("the same key makes it again")
	}
	editJob(t, dir, "with: city", "with: name")
	mustRefuse(t, dir, opt, fault.Exists, "made by another job")
	editJob(t, dir, "with: name", "with: city")
	write(t, filepath.Join(dir, "patients.key"), "another key of sixteen or more")
	mustRefuse(t, dir, opt, fault.Exists, "made by another job")
}

// partsOf returns the bytes of the parts in a folder, as texts.
func partsOf(t *testing.T, dir string) (parts []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "part-*"))
	must(t, err)
	for _, path := range paths {
		parts = append(parts, string(mustRead(t, path)))
	}
	if len(parts) == 0 {
		t.Fatalf("no parts in %s", dir)
	}
	return parts
}

// A run reports the classes on kept columns that the release has: values with the same replacement
// are one there.
func TestReplacementsRisk(t *testing.T) {
	table := patients(6000)
	text := strings.Replace(withReplacements("city"), "identifying: accepted, ", "", 1)
	dir := pseudonymized(t, table, text, 2000)
	report := mustRun(t, dir, nil)
	classes := func(t *testTable) int {
		distinct := make(map[[2]string]bool)
		for _, row := range t.rows {
			distinct[[2]string{row[t.index("income")], row[t.index("patient")]}] = true
		}
		return len(distinct)
	}
	before, after := classes(table), classes(readTable(t, filepath.Join(dir, "out.parquet")))
	if got := report.Risk.Kept.Classes; int(got) != after || after >= before {
		t.Errorf("%d classes, want %d; %d before", got, after, before)
	}
}

// Verification finds a text that no key makes of the lists, and refuses a cut with replacements in
// a column without pseudonyms.
func TestReplacementsVerified(t *testing.T) {
	dir := pseudonymized(t, manyPatients(t), withReplacements("name"), 200)
	mustRun(t, dir, nil)
	path, forged := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "forged.parquet")
	const finding = "column patient, row group 0: 1 values that are no labels of the cut"
	for value, want := range map[string]string{
		"Nora Fleming": "", null: "",
		"patient 17": finding, strings.Repeat("0", 32): finding, "Heatherton": finding,
	} {
		release := readRelease(t, path)
		release.set(0, "patient", value)
		release.write(t, forged)
		if want == "" {
			mustFind(t, forged)
		} else {
			mustFind(t, forged, want)
		}
	}
	release := readRelease(t, path)
	release.cut.Replacements = map[string]string{"patient": "name", "income": "name"}
	release.write(t, forged)
	_, err := verified(t, forged)
	mustFail(t, err, fault.Input, "column income has replacements and no pseudonyms")
}

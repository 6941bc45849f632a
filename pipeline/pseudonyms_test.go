package pipeline

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

const secretKey = "a key that nothing may ever tell"

// patients returns people with a column of patients with about twenty rows each; some rows have
// no patient.
func patients(rows int) *testTable {
	table := people(rand.New(rand.NewPCG(7, 8)), rows)
	table.addColumn("patient", func(row int) string {
		if row%13 == 0 {
			return null
		}
		return fmt.Sprint(row * 31 % (rows / 20))
	})
	return table
}

// withPatients is the people's job with pseudonyms of the patients.
func withPatients() string {
	return changed("  income: keep", "  income: keep\n  patient: {mask: pseudonym, key_file: "+
		"patients.key}")
}

// pseudonymized stores a table with the job and its key in a folder.
func pseudonymized(t *testing.T, table *testTable, text string, groupRows int) string {
	t.Helper()
	dir := table.folder(t, text, groupRows)
	write(t, filepath.Join(dir, "patients.key"), secretKey+"\n")
	return dir
}

// tokenOf makes a pseudonym as docs/job-file.md describes it.
func tokenOf(key, text string) string {
	if text == null {
		return null
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return fmt.Sprintf("%x", mac.Sum(nil))[:32]
}

// counted counts the texts of a column.
func counted(t *testTable, column string, of func(string) string) map[string]int {
	counts := make(map[string]int)
	for _, row := range t.rows {
		counts[of(row[t.index(column)])]++
	}
	return counts
}

// Releases of all algorithms, in either order, have the HMAC of the values as pseudonyms. Nulls
// stay nulls, and the bytes depend neither on files, threads nor memory. No file or report has
// the key.
func TestPseudonyms(t *testing.T) {
	table := patients(900)
	want := counted(table, "patient", func(text string) string { return tokenOf(secretKey, text) })
	for _, algorithm := range searches() {
		if strings.HasPrefix(algorithm, job.AlgorithmAuto) { // it is one of the others
			continue
		}
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := pseudonymized(t, table, withAlgorithm(withPatients(), algorithm), 200)
			report := mustRun(t, dir, nil)
			released := readTable(t, filepath.Join(dir, "out.parquet"))
			same := func(text string) string { return text }
			got := counted(released, "patient", same)
			if report.Released == report.Rows && !maps.Equal(got, want) {
				t.Errorf("pseudonyms %v\nwant %v", got, want)
			}
			for token := range got {
				if want[token] == 0 {
					t.Errorf("%s is no pseudonym", token)
				}
			}
			if cut := readCut(t, filepath.Join(dir, "out.parquet")); !slices.Equal(cut.Pseudonyms,
				[]string{"patient"}) {
				t.Errorf("the cut has pseudonyms in %v", cut.Pseudonyms)
			}
			mustNotHaveKey(t, dir)
			must(t, os.Remove(filepath.Join(dir, "out.parquet")))
			for _, order := range []string{job.OrderInput, job.OrderReleased} {
				outcome := outcomeOf(t, dir, RunOptions{}, "order", order)
				spilling := RunOptions{System: System{Spill: true, Room: 50}}
				mustAgree(t, outcomeOf(t, dir, spilling, "order", order, "limits.threads",
					"1", "limits.memory", "16MiB"), outcome)
			}
		})
	}
}

// An entity may be released as a pseudonym: k counts the people of every class, whatever the
// algorithm, memory and threads.
func TestPseudonymsOfEntities(t *testing.T) {
	table := patients(900)
	text := strings.Replace(withPatients(), "class:", "entity: patient\nclass:", 1)
	text = strings.Replace(text, "patients.key}", "patients.key, identifying: accepted}", 1)
	for _, algorithm := range []string{job.AlgorithmTDR, job.AlgorithmTDS, job.AlgorithmMondrian,
		job.AlgorithmInfoGainMondrian, job.AlgorithmGuided, job.AlgorithmKACTUS,
		job.AlgorithmIACk} {
		t.Run(algorithm, func(t *testing.T) {
			dir := pseudonymized(t, table, withAlgorithm(text, algorithm), 200)
			mustRun(t, dir, nil)
			path := filepath.Join(dir, "out.parquet")
			released, cut := readTable(t, path), readCut(t, path)
			for i, set := range cut.Sets {
				people := make(map[string]map[string]bool)
				for _, row := range released.rows {
					class := released.key(row, set.Columns)
					if people[class] == nil {
						people[class] = make(map[string]bool)
					}
					people[class][row[released.index("patient")]] = true
				}
				least := len(released.rows)
				for _, of := range people {
					least = min(least, len(of))
				}
				if least < set.K || uint64(least) < set.Anonymity {
					t.Errorf("set %d: %d people, k %d, anonymity %d", i+1, least, set.K,
						set.Anonymity)
				}
			}
			mustFind(t, path)
			_, err := Plan(t.Context(), mustLoad(t, dir),
				PlanOptions{Overwrite: true, Sample: true})
			must(t, err)
			must(t, os.Remove(path))
			outcome := outcomeOf(t, dir, RunOptions{}, "order", job.OrderReleased)
			spilling := RunOptions{System: System{Spill: true, Room: 50}}
			mustAgree(t, outcomeOf(t, dir, spilling, "order", job.OrderReleased,
				"limits.threads", "1", "limits.memory", "16MiB"), outcome)
		})
	}
}

// mustNotHaveKey demands that no file of a folder but the key's has the key.
func mustNotHaveKey(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".key") {
			return err
		}
		if text := mustRead(t, path); bytes.Contains(text, []byte(secretKey)) ||
			bytes.Contains(text, fmt.Appendf(nil, "%x", secretKey)) {
			t.Errorf("%s holds the key", path)
		}
		return nil
	}))
}

// Rows of two tables with one key can be joined, whatever type their numbers have; with another
// key they cannot.
func TestPseudonymsJoin(t *testing.T) {
	tokens := func(typ formats.Type, key string) (column []string) {
		table := patients(300)
		table.fields[table.index("patient")].Type = typ
		dir := pseudonymized(t, table, withPatients(), 100)
		write(t, filepath.Join(dir, "patients.key"), key)
		mustRun(t, dir, nil)
		released := readTable(t, filepath.Join(dir, "out.parquet"))
		for _, row := range released.rows {
			column = append(column, row[released.index("patient")])
		}
		return column
	}
	texts := tokens(textType, secretKey)
	if numbers := tokens(formats.Type{Kind: formats.Int, Bits: 16},
		secretKey); !slices.Equal(numbers, texts) {
		t.Error("texts and numbers have other pseudonyms")
	}
	if others := tokens(wholeType, secretKey+"!"); slices.ContainsFunc(others,
		func(token string) bool { return token != null && slices.Contains(texts, token) }) {
		t.Error("another key makes a pseudonym of this one")
	}
}

// A run with the same key finds its release done, wherever the key is; with another key the
// release is another one, and a stopped run is not continued.
func TestPseudonymsAgain(t *testing.T) {
	table := patients(1000)
	dir := pseudonymized(t, table, strings.Replace(withPatients(), "out.parquet", "out/", 1), 100)
	job := func() *job.Job { return mustLoad(t, dir) }
	opt := RunOptions{Resume: true, Checkpoint: atOnce}
	if s, err := runUntil(t, dir, resources.StageVerify,
		opt); fault.ClassOf(err) != fault.Cancelled {
		t.Fatal(err, s.notes)
	}
	write(t, filepath.Join(dir, "patients.key"), "another key of sixteen or more")
	s, err := runUntil(t, dir, "", opt)
	must(t, err)
	if slices.ContainsFunc(s.notes, func(note string) bool {
		return strings.Contains(note, "going on")
	}) {
		t.Errorf("it goes on from what another key made: %q", s.notes)
	}
	want := counted(table, "patient", func(text string) string {
		return tokenOf("another key of sixteen or more", text)
	})
	if got := counted(readTable(t, filepath.Join(dir, "out")), "patient", func(text string) string {
		return text
	}); !maps.Equal(got, want) {
		t.Error("the pseudonyms are not those of the key")
	}
	editJob(t, dir, "key_file: patients.key", "key_env: PATIENTS_KEY")
	t.Setenv("PATIENTS_KEY", "another key of sixteen or more")
	report, err := Run(t.Context(), job(), opt)
	must(t, err)
	if !report.AlreadyDone {
		t.Error("the same key makes it again")
	}
	t.Setenv("PATIENTS_KEY", secretKey)
	_, err = Run(t.Context(), job(), opt)
	mustFail(t, err, fault.Exists, "made by another job")
	if _, err := Plan(t.Context(), job(), PlanOptions{}); fault.ClassOf(err) != fault.Exists {
		t.Errorf("a plan says %v", err)
	}
}

// Unusable keys are refused with their place before any file is written, and so is a column of
// pseudonyms that identifies rows.
func TestPseudonymsRefused(t *testing.T) {
	dir := pseudonymized(t, patients(300), withPatients(), 100)
	for _, tt := range []struct{ key, want string }{
		{"", "is empty"}, {"fifteen bytes!!", "15 bytes, the least is 16"},
		{"                ", "1 different bytes, the least is 8"},
		{"abcdefgabcdefgabcdefg", "7 different bytes, the least is 8"},
	} {
		write(t, filepath.Join(dir, "patients.key"), tt.key)
		mustRefuse(t, dir, RunOptions{}, fault.Usage, "job.yaml:15:40", tt.want, "openssl rand")
		if _, err := Plan(t.Context(), mustLoad(t, dir),
			PlanOptions{}); fault.ClassOf(err) != fault.Usage {
			t.Errorf("a plan says %v", err)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "patients.key")))
	mustRefuse(t, dir, RunOptions{}, fault.Usage, "job.yaml:15:40", "no such file")

	table := patients(300)
	for row := range table.rows {
		table.set(row, "patient", fmt.Sprint("p", row))
	}
	dir = pseudonymized(t, table, withPatients(), 100)
	mustRefuse(t, dir, RunOptions{}, fault.Privacy, "kept column patient",
		"patient: {mask: pseudonym, identifying: accepted, ...}")
	editJob(t, dir, "mask: pseudonym,", "mask: pseudonym, identifying: accepted,")
	if report := mustRun(t, dir, nil); report.Risk.Kept.Unique != 1 ||
		!slices.Equal(report.Risk.Columns, []string{"income", "patient"}) {
		t.Errorf("risk %+v", report.Risk)
	}
}

// Verification finds a text that is no pseudonym in a column of pseudonyms, and refuses a cut of
// another form.
func TestPseudonymsVerified(t *testing.T) {
	dir := pseudonymized(t, patients(600), withPatients(), 200)
	mustRun(t, dir, nil)
	path, forgedPath := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "forged.parquet")
	mustFind(t, path)
	for value, want := range map[string]string{
		strings.Repeat("0", 32): "",
		null:                    "",
		"17": "column patient, row group 0: 1 dictionary entries that are no " +
			"labels of the cut",
		strings.Repeat("A", 32): "column patient, row group 0: 1 dictionary entries that are no " +
			"labels of the cut",
	} {
		release := readRelease(t, path)
		release.set(0, "patient", value)
		release.write(t, forgedPath)
		if want == "" {
			mustFind(t, forgedPath)
		} else {
			mustFind(t, forgedPath, want)
		}
	}
	release := readRelease(t, path)
	release.rename("patient", "person")
	release.write(t, forgedPath)
	mustFind(t, forgedPath, "the cut speaks of column patient, which is not there")
	release = readRelease(t, path)
	release.cut.Pseudonyms = []string{"income"}
	release.write(t, forgedPath)
	_, err := verified(t, forgedPath)
	mustFail(t, err, fault.Input, "income")
}

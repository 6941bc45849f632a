package job

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOverrides(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	job, err := Parse("jobs/a.yaml", []byte(smallJob), []Override{
		{"quasi_identifiers[].k", "30", "--k"},
		{"limits.memory", "2MiB", "--memory"},
		{"limits.memory", "4MiB", "KCUT_MEMORY"}, // flags win, in any order
		{"limits.threads", "3", "KCUT_THREADS"},
		{"output.path", "new/", "--output"},
		{"input", "x.csv", "KCUT_INPUT"},
		{"input", "a.csv", "--input"},
		{"input", "/b.csv", "--input"},
		{"max_steps", "7", "--max-steps"},
		{"class", "note", "--class"},
		{"previous", "last/", "--previous"},
		{"allow_new_cut", "true", "--allow-new-cut"},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "overridden.golden"),
		strings.ReplaceAll(job.YAML(), here, "HERE"))
}

// The last of several values of a flag counts, and a value without an origin also replaces the
// file's.
func TestOverridesOfOneOrigin(t *testing.T) {
	job, err := Parse("a.yaml", []byte(smallJob), []Override{
		{"limits.threads", "2", "--threads"}, {"limits.threads", "3", "--threads"},
		{Key: "input", Value: "/a.csv"}, {Key: "input", Value: "/b.csv"},
		{Key: "csv.nulls", Value: "NA,"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if job.Limits.Threads != 3 || !slices.Equal(job.Input, []string{"/a.csv", "/b.csv"}) {
		t.Errorf("threads %d, input %q", job.Limits.Threads, job.Input)
	}
	if !slices.Equal(job.CSV.Nulls, []string{"NA", ""}) {
		t.Errorf("nulls %q", job.CSV.Nulls)
	}
}

// An override that names an algorithm has no options of other algorithms.
func TestOverrideAlgorithm(t *testing.T) {
	text := strings.Replace(smallJob, "\ncolumns:",
		"\nclass: note\nalgorithm: {name: kactus, seed: 7, prune: pessimistic}\ncolumns:", 1)
	for _, tt := range []struct {
		name  string
		seed  int
		prune string
	}{{AlgorithmKACTUS, 7, PrunePessimistic}, {AlgorithmMondrian, 7, ""}, {AlgorithmTDR, 0, ""}} {
		job, err := Parse("a.yaml", []byte(text),
			[]Override{{"algorithm.name", tt.name, "--algorithm"}})
		if err != nil {
			t.Fatal(err)
		}
		if a := job.Algorithm; a.Name != tt.name || a.Seed != tt.seed || a.Prune != tt.prune {
			t.Errorf("%s: %+v", tt.name, a)
		}
	}
	wrong := strings.Replace(text, "seed", "seeds", 1)
	if _, err := Parse("a.yaml", []byte(wrong),
		[]Override{{"algorithm.name", AlgorithmTDR, "--algorithm"}}); err == nil {
		t.Error("an unknown key of algorithm is not reported")
	}
}

// infogain-mondrian has objectives of a class: those of auto hold for it, but queries only until a
// flag names the algorithm.
func TestObjectiveOfInfoGain(t *testing.T) {
	text := smallJob + "class: note\nalgorithm: %s\nobjective: %s\n"
	flag := []Override{{"algorithm.name", AlgorithmInfoGainMondrian, "--algorithm"}}
	for _, tt := range []struct {
		algorithm, objective string
		overrides            []Override
		want                 string
	}{
		{AlgorithmAuto, ObjectiveBalanced, flag, ObjectiveBalanced},
		{AlgorithmAuto, ObjectiveQueries, flag, ObjectiveClassification},
		{AlgorithmAuto, ObjectiveBalanced,
			append(flag, Override{"objective", ObjectiveQueries, "--objective"}), ""},
		{AlgorithmInfoGainMondrian, ObjectiveBalanced, nil, ObjectiveBalanced},
		{AlgorithmInfoGainMondrian, ObjectiveQueries, nil, ""},
		{AlgorithmMondrian, ObjectiveBalanced, nil, ""},
	} {
		job, err := Parse("a.yaml", fmt.Appendf(nil, text, tt.algorithm, tt.objective),
			tt.overrides)
		if (err == nil) != (tt.want != "") || err == nil && job.Objective != tt.want ||
			err != nil && !strings.Contains(err.Error(), "objective") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// A problem with an override is reported once, and names the flag or the variable.
func TestOverrideProblems(t *testing.T) {
	tests := []struct {
		override Override
		want     string
	}{
		{Override{"quasi_identifiers[].k", "0", "--k"},
			"--k: k must be an integer of at least 1, not 0"},
		{Override{"limits.memory", "lots", "KCUT_MEMORY"}, `KCUT_MEMORY: memory must be a size such as 1GiB, 512MiB or 2GB, not "lots"`},
		{Override{"algorithm.name", "mondrien", "--algorithm"},
			"--algorithm: algorithm must be one of tdr, tds, bottom-up, kactus, iack, iacc, " +
				"mondrian, infogain-mondrian, guided, auto, not \"mondrien\"\n" +
				"    hint: did you mean \"mondrian\"?"},
		{Override{"score", "tdx", "--score"},
			"--score: score must be one of tdr, tds, infogain, not \"tdx\"\n" +
				"    hint: did you mean \"tdr\"?"},
		{Override{"allow_new_cut", "yes", "--allow-new-cut"}, `--allow-new-cut: allow_new_cut must be true or false, not "yes"`},
		{Override{"output.path", "", "--output"}, "--output: path is empty"},
		{Override{"class", "age", "--class"}, "--class"},
		{Override{"columns", "x", "--columns"}, `--columns: no such key of a job: "columns"`},
		{Override{"limits.threads", "", "KCUT_THREADS"},
			"KCUT_THREADS: threads has no value\n    hint: give it a value, or leave it out"},
	}
	for _, tt := range tests {
		_, err := Parse("a.yaml", []byte(smallJob), []Override{tt.override})
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%v: got %v", tt.override, err)
			continue
		}
		if tt.override.Key == "class" { // the file is then wrong, since it masks the class
			if len(bad.Problems) != 2 || bad.Problems[0].Line != 4 {
				t.Errorf("%v: got %v", tt.override, err)
			}
		} else if err.Error() != tt.want {
			t.Errorf("%v: got\n%v\nwant\n%s", tt.override, err, tt.want)
		}
	}
}

func TestEnvironmentOverrides(t *testing.T) {
	env := map[string]string{"KCUT_MEMORY": "1GiB", "KCUT_MAX_STEPS": "0", "KCUT_K": "",
		"KCUT_OTHER": "x"}
	got := EnvironmentOverrides(
		func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	want := []Override{{"max_steps", "0", "KCUT_MAX_STEPS"},
		{"limits.memory", "1GiB", "KCUT_MEMORY"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var flags []string
	for _, f := range Flags() {
		flags = append(flags, f.Name)
	}
	const all = "--input --input-counts --output --compression --class --k --algorithm " +
		"--objective --score --max-steps --max-unique --max-average-risk --order --previous " +
		"--allow-new-cut --memory --threads --spill-dir --time"
	if strings.Join(flags, " ") != all {
		t.Errorf("flags %v, want %s", flags, all)
	}
}

// TestLimitsOf: flags win over the environment, and overrides of other keys are ignored.
func TestLimitsOf(t *testing.T) {
	limits, err := LimitsOf([]Override{
		{Key: "limits.memory", Value: "1GiB", Origin: "--memory"},
		{Key: "limits.memory", Value: "2GiB", Origin: "KCUT_MEMORY"},
		{Key: "limits.threads", Value: "3", Origin: "KCUT_THREADS"},
		{Key: "max_steps", Value: "many", Origin: "KCUT_MAX_STEPS"},
	})
	if want := (Limits{Memory: 1 << 30, Threads: 3}); err != nil || limits != want {
		t.Errorf("%+v, %v, want %+v", limits, err, want)
	}
	if limits, err := LimitsOf(nil); err != nil || limits != (Limits{}) {
		t.Errorf("of nothing: %+v, %v", limits, err)
	}
	wrong := []Override{{Key: "limits.threads", Value: "many", Origin: "--threads"}}
	if _, err := LimitsOf(wrong); err == nil {
		t.Error("many threads are a number of threads")
	}
}

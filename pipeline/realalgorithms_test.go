package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/job"
)

// The attributes of Adult that the papers take for quasi-identifiers: kACTUS eight or eleven
// of fourteen, the others the first eight or all.
var (
	adultEight  = []string{"age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"}
	adultSets   = map[string][]string{"8": adultEight, "all": nil, "8 of 14": kactusEight, "11 of 14": kactusEleven}
	kactusEight = []string{"age", "workclass", "fnlwgt", "occupation", "sex", "capital-gain", "hours-per-week", "native-country"}

	kactusEleven = []string{
		"age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "sex",
		"capital-gain", "hours-per-week", "native-country",
	}
)

// auditAlgorithm audits what an algorithm makes of a folder's job.
func auditAlgorithm(t *testing.T, dir, algorithm string) *Report {
	t.Helper()
	path := filepath.Join(dir, "job.yaml")
	text := string(mustRead(t, path))
	if err := os.WriteFile(path, []byte(withAlgorithm(text, algorithm)), 0o600); err != nil {
		t.Fatal(err)
	}
	report := mustRun(t, dir, nil)
	auditFolder(t, dir).checkReport(report)
	return report
}

// Every algorithm's release of the census data is true and as anonymous as it says.
func TestAlgorithmsOnAdult(t *testing.T) {
	list, _ := searches()
	ks, names := []int{100}, []string{"8", "all"}
	if long {
		ks, names = []int{10, 50, 100, 500}, append(names, "8 of 14", "11 of 14")
	}
	for _, algorithm := range list {
		for _, name := range names {
			for _, k := range ks {
				t.Run(fmt.Sprintf("%s, %s attributes, k %d", searchName(algorithm), name, k), func(t *testing.T) {
					auditAlgorithm(t, adultJob(t, "adult.parquet", job.Set{Columns: adultSets[name], K: k}), algorithm)
				})
			}
		}
	}
}

func TestAlgorithmsOnUCI(t *testing.T) {
	list, _ := searches()
	ks := []int{10}
	if long {
		ks = []int{2, 10, 50}
	}
	for i, path := range uci(t) {
		for j, algorithm := range list {
			if !long && (i+j)%4 > 0 {
				continue
			}
			for _, k := range ks {
				t.Run(fmt.Sprintf("%s, %s, k %d", searchName(algorithm), filepath.Base(path), k), func(t *testing.T) {
					auditAlgorithm(t, realJob(t, path, "class", "", nil, job.Set{K: k}), algorithm)
				})
			}
		}
	}
}

// uci returns the small public sets.
func uci(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(formatstest.SharedData(t, "uci"), "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	return paths
}

// kACTUS loses fewer than k records of any table (its Corollary 3): as many as the report
// says, the audit counts.
func TestKACTUSLosesFewerThanK(t *testing.T) {
	jobs := map[string]func(k int) string{
		"adult with missing": func(k int) string {
			return adultJob(t, "adult_with_missing.parquet", job.Set{Columns: adultEight, K: k})
		},
	}
	for name, columns := range adultSets {
		jobs["adult "+name] = func(k int) string { return adultJob(t, "adult.parquet", job.Set{Columns: columns, K: k}) }
	}
	for _, path := range uci(t) {
		jobs[filepath.Base(path)] = func(k int) string { return realJob(t, path, "class", "", nil, job.Set{K: k}) }
	}
	ks := []int{20}
	if long {
		ks = []int{2, 5, 10, 20, 50, 100}
		jobs["heart"] = func(k int) string {
			return realJob(t, formatstest.SharedData(t, "brfss2015_heart.parquet"), "class", "", nil, job.Set{K: k})
		}
	}
	lossy := 0
	for name, j := range jobs {
		for _, k := range ks {
			t.Run(fmt.Sprintf("%s k %d", name, k), func(t *testing.T) {
				r := auditAlgorithm(t, j(k), "kactus")
				lost := r.Rows - r.Released
				if lost >= int64(k) {
					t.Errorf("%d rows lost", lost)
				}
				if lost > 0 {
					lossy++
				}
			})
		}
	}
	if lossy == 0 {
		t.Error("no table loses a row")
	}
	t.Logf("%d of %d tables lose rows", lossy, len(jobs)*len(ks))
}

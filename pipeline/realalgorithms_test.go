package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/pipeline/jobfile"
)

// adultEight are the attributes of the papers' tables but those that few use.
var adultEight = []string{"age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"}

// auditAlgorithm audits what an algorithm makes of a folder's job.
func auditAlgorithm(t *testing.T, dir, algorithm string) {
	t.Helper()
	path := filepath.Join(dir, "job.yaml")
	text := string(mustRead(t, path))
	if err := os.WriteFile(path, []byte(withAlgorithm(text, algorithm)), 0o600); err != nil {
		t.Fatal(err)
	}
	report := mustRun(t, dir, nil)
	auditFolder(t, dir).checkReport(report)
}

// Every algorithm's release of the census data is true and as anonymous as it says.
func TestAlgorithmsOnAdult(t *testing.T) {
	list, _ := searches()
	ks, columns := []int{100}, map[string][]string{"8": adultEight}
	if long {
		ks, columns = []int{10, 50, 100, 500}, map[string][]string{"8": adultEight, "14": nil}
	}
	for _, algorithm := range list {
		for name, columns := range columns {
			for _, k := range ks {
				t.Run(fmt.Sprintf("%s, %s attributes, k %d", searchName(algorithm), name, k), func(t *testing.T) {
					auditAlgorithm(t, adultJob(t, "adult.parquet", jobfile.Set{Columns: columns, K: k}), algorithm)
				})
			}
		}
	}
}

func TestAlgorithmsOnUCI(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(realData(t, "uci"), "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	list, _ := searches()
	ks := []int{10}
	if long {
		ks = []int{2, 10, 50}
	}
	for i, path := range paths {
		for j, algorithm := range list {
			if !long && (i+j)%4 > 0 {
				continue
			}
			for _, k := range ks {
				t.Run(fmt.Sprintf("%s, %s, k %d", searchName(algorithm), filepath.Base(path), k), func(t *testing.T) {
					auditAlgorithm(t, realJob(t, path, "class", "", nil, jobfile.Set{K: k}), algorithm)
				})
			}
		}
	}
}

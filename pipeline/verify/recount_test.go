package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/verify"
)

const job = `
input: people.csv
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, age, job], k: 2}
  - {columns: [age, weight], k: 2}
columns:
  city: suppress
  age: discretize
  job: suppress
  weight: {mask: discretize, render: bounds}
  income: keep
`

// released returns the path of a release of random people.
func released(t *testing.T, random *rand.Rand, rows int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("city,age,job,weight,income\n")
	for range rows {
		fmt.Fprintf(&text, "c%d,%d,j%d,%d,%d\n", random.IntN(9), random.IntN(80), random.IntN(7), random.IntN(150), random.IntN(2))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"people.csv": text.String(), "job.yaml": job} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load, err := jobfile.Load(filepath.Join(dir, "job.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Run(t.Context(), load, pipeline.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "out.parquet")
}

// A recount that has room for few groups at a time finds the same.
func TestRecountInPasses(t *testing.T) {
	path := released(t, rand.New(rand.NewPCG(3, 4)), 3000)
	want, once, err := verify.Passes(t.Context(), path, 1<<30)
	if err != nil || once != 1 {
		t.Fatalf("%d passes, %v", once, err)
	}
	got, passes, err := verify.Passes(t.Context(), path, int64(len(want.Sets))*2*8*3*verify.FewestSlots)
	if err != nil {
		t.Fatal(err)
	}
	if passes < 2 {
		t.Errorf("it took %d passes", passes)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in %d passes %v, in one %v", passes, got, want)
	}
}

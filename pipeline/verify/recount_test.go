package verify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

const jobText = `
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

// released returns the path of a release of random people by a job, from out.parquet on.
func released(t *testing.T, random *rand.Rand, rows int, j string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("city,age,job,weight,income\n")
	for range rows {
		fmt.Fprintf(&text, "c%d,%d,j%d,%d,%d\n", random.IntN(9), random.IntN(80), random.IntN(7), random.IntN(150), random.IntN(2))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"people.csv": text.String(), "job.yaml": j} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load, err := job.Load(filepath.Join(dir, "job.yaml"), []job.Override{{Key: "max_unique", Value: "100%", Origin: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Run(t.Context(), load, pipeline.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "out.parquet")
}

// sensitiveJob is the job with measures of a kept column.
var sensitiveJob = strings.ReplaceAll(jobText, "k: 2}", "k: 20}") +
	"sensitive: [{column: income, l: 2, entropy_l: 1.1, max_confidence: {\"1\": 0.95, \"0\": 0.95}, t: 0.45}]\n"

// A recount that has room for few groups at a time finds the same.
func TestRecountInPasses(t *testing.T) {
	for name, j := range map[string]string{"sets": jobText, "sensitive": sensitiveJob} {
		t.Run(name, func(t *testing.T) { checkPasses(t, j) })
	}
}

func checkPasses(t *testing.T, j string) {
	path := released(t, rand.New(rand.NewPCG(3, 4)), 3000, j)
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
	if strings.Contains(j, "sensitive") != (len(want.Sensitive) == 2) {
		t.Errorf("measured %+v", want.Sensitive)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in %d passes %v, in one %v", passes, got, want)
	}
}

// Recounts of single row groups, on their way through bytes, are judged as the whole release is.
func TestTallyAndJudge(t *testing.T) {
	const mondrian = "algorithm: mondrian\nclass:"
	for name, j := range map[string]string{
		"columns": jobText, "regions": strings.Replace(jobText, "class:", mondrian, 1),
		"sensitive": strings.Replace(sensitiveJob, "class:", mondrian, 1),
		"kept":      strings.NewReplacer("job: suppress", "job: {keep: {identifying: accepted}}", ", job]", "]").Replace(jobText),
	} {
		t.Run(name, func(t *testing.T) {
			path := released(t, rand.New(rand.NewPCG(5, 6)), 5000, strings.Replace(j, "out.parquet", "{path: out.parquet, row_group_rows: 1000}", 1))
			want, err := verify.Release(t.Context(), path, job.Limits{}, verify.Watch{})
			if err != nil {
				t.Fatal(err)
			}
			cut, err := cutfile.Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			var sum *verify.Recount
			for g := range 5 {
				r := tally(t, cut, path, g, g+1)
				if sum == nil {
					sum = r
				} else if sum, err = sum.Merge(r); err != nil {
					t.Fatal(err)
				}
			}
			if whole := tally(t, cut, path, 0, -1); !reflect.DeepEqual(sum, whole) {
				t.Errorf("merged %d rows, at once %d", sum.Rows, whole.Rows)
			}
			if got, err := verify.Judge(path, cut, sum); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			told, err := verify.Unpublished(t.Context(), path, 2, spill.NewBudget(1<<30), verify.Watch{}, &verify.Exposure{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := sum.Exposed(cut, exposure, nil); err != nil || !reflect.DeepEqual(got, told) || (got.Kept != nil) != (name == "kept") {
				t.Errorf("exposed %+v, %v, want %+v", got, err, told)
			}
			checkJudge(t, cut, sum)
		})
	}
}

// exposure asks for the rows that are alike.
var exposure = &verify.Exposure{Memory: 1 << 26, Budget: spill.NewBudget(1 << 28)}

// tally counts row groups, and returns what is decoded of their recount.
func tally(t *testing.T, cut *cutfile.File, path string, from, to int) *verify.Recount {
	t.Helper()
	if _, err := verify.Tally(t.Context(), cut, path, from, to, 1<<10, nil); !errors.Is(err, spill.ErrBudget) {
		t.Errorf("within 1 KiB: %v", err)
	}
	r, err := verify.Tally(t.Context(), cut, path, from, to, 1<<20, exposure)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := verify.DecodeRecount(r.Encode())
	if err != nil || !reflect.DeepEqual(decoded, r) {
		t.Fatalf("decoded %d of %d rows: %v", decoded.Rows, r.Rows, err)
	}
	return r
}

// checkJudge checks that a recount that was changed does not pass.
func checkJudge(t *testing.T, cut *cutfile.File, sum *verify.Recount) {
	t.Helper()
	if _, err := verify.Tally(t.Context(), cut, "", 0, -1, 0, nil); err == nil {
		t.Error("there is no such part")
	}
	for _, tt := range []struct {
		want   string
		change func(*verify.Recount)
	}{
		{"of another cut", func(r *verify.Recount) { r.Cut[0]++ }},
		{"as its rows", func(r *verify.Recount) { r.Rows++ }},
		{"anonymity 1 is below k = 2", func(r *verify.Recount) {
			r.Groups[0][1].Records, r.Groups[0][0].Records = r.Groups[0][1].Records+r.Groups[0][0].Records-1, 1
		}},
		{"the first: something", func(r *verify.Recount) { r.Findings = append(r.Findings, "something") }},
	} {
		r, err := verify.DecodeRecount(sum.Encode())
		if err != nil {
			t.Fatal(err)
		}
		tt.change(r)
		if _, err := verify.Judge("out", cut, r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	if _, err := sum.Merge(&verify.Recount{}); !errors.Is(err, formats.ErrSchema) {
		t.Errorf("merged another cut's: %v", err)
	}
	for data, want := range map[string]error{
		`{"Form":"kcut recount 2"}`:      formats.ErrUnsupported,
		string(sum.Encode()) + "x":       formats.ErrDamaged,
		string(sum.Encode()[:len("kc")]): formats.ErrDamaged,
	} {
		if _, err := verify.DecodeRecount([]byte(data)); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// Whatever the bytes are, a recount is read as it was written, or not at all.
func FuzzDecodeRecount(f *testing.F) {
	f.Add((&verify.Recount{Rows: 3, Groups: [][]verify.Group{{{Key: []uint64{1}, Records: 1}, {Key: []uint64{5}, Records: 2}}}, Findings: []string{"a"}}).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := verify.DecodeRecount(data)
		if err != nil {
			return
		}
		if again, err := verify.DecodeRecount(r.Encode()); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("got %+v, %v, want %+v", again, err, r)
		}
	})
}

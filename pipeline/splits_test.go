package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// splitJob is a job of which splits are counted, bound to its input.
type splitJob struct {
	*Bound
	res     *resources
	request *count.Request
}

// bindSplits binds a folder's job. Values spill when a worker holds a few.
func bindSplits(tb testing.TB, dir string) splitJob {
	tb.Helper()
	job := mustLoad(tb, dir)
	res, err := newResources(job, &Report{}, Events{}, spill.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := res.closeStore(); err != nil {
			tb.Error(err)
		}
	})
	b, err := bindJob(context.Background(), job, res)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.close() })
	return splitJob{b, res, b.request(count.Tuning{Room: 40})}
}

// followAll follows every row group of the input that can be followed.
var followAll = System{Follow: 1}

// cutMasker returns what masks by the text of a cut.
func (b *splitJob) cutMasker(tb testing.TB, cut []byte) *masking.Masker {
	tb.Helper()
	recoder, err := cutRecoder(b.Bound, cut, b.res.budget)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := b.masker(recoder, b.res)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// handOut has several workers do something for every split or task, in random order and some twice, and
// returns the results by its number. Workers have bound the job themselves, and share nothing but bytes;
// whoever does it returns the same ones.
func handOut(t *testing.T, rng *rand.Rand, dir string, splits int, do func(b splitJob, number int) ([]byte, error)) [][]byte {
	t.Helper()
	workers := []splitJob{bindSplits(t, dir), bindSplits(t, dir), bindSplits(t, dir)}
	results := make([][]byte, splits)
	for i, split := range append(rng.Perm(splits), rng.Perm(splits)[:splits/2]...) {
		result, err := do(workers[i%len(workers)], split)
		if err != nil {
			t.Fatal(err)
		}
		if results[split] != nil && !bytes.Equal(result, results[split]) {
			t.Errorf("two workers say different things of split %d", split)
		}
		results[split] = result
	}
	return results
}

// countBySplits counts an input by workers.
func countBySplits(t *testing.T, rng *rand.Rand, dir string, b splitJob) *count.Counts {
	t.Helper()
	ctx, splits := t.Context(), len(b.Dataset.Splits())
	bind := func(b splitJob, surveys [][]byte) (*count.Counts, error) {
		survey, err := count.MergeSurveys(b.request, b.res.counting(), surveys)
		if err != nil {
			return nil, err
		}
		return survey.Bind(ctx)
	}
	surveys := handOut(t, rng, dir, splits, func(b splitJob, number int) ([]byte, error) {
		survey, err := count.Survey(ctx, b.request, b.res.counting(), b.Dataset.Splits()[number:number+1])
		if err != nil {
			return nil, err
		}
		return survey.Encode(ctx)
	})
	rng.Shuffle(splits, func(i, j int) { surveys[i], surveys[j] = surveys[j], surveys[i] })
	damaged := bytes.Clone(surveys[0])
	damaged[len(damaged)/2]++
	for what, wrong := range map[string][][]byte{"missing": surveys[1:], "there twice": append(surveys, surveys[0]), "damaged": append(surveys[1:], damaged)} {
		if _, err := bind(bindSplits(t, dir), wrong); !errors.Is(err, count.ErrDamaged) {
			t.Errorf("the survey of a split is %s: %v", what, err)
		}
	}
	counts, err := bind(b, surveys)
	if err != nil {
		t.Fatal(err)
	}
	book := count.NewBook(b.request, counts)
	encoded, err := book.Encode(b.res.counting())
	if err != nil {
		t.Fatal(err)
	}
	runs := handOut(t, rng, dir, splits, func(b splitJob, number int) ([]byte, error) {
		book, err := count.DecodeBook(b.request, encoded)
		if err != nil {
			return nil, err
		}
		tuples, err := count.Count(ctx, b.request, b.res.counting(), book, b.Dataset.Splits()[number:number+1])
		if err != nil {
			return nil, err
		}
		return tuples.Encode(ctx)
	})
	merge := func(b splitJob, runs ...[]byte) *count.Tuples {
		t.Helper()
		tuples, err := count.Merge(ctx, b.request, b.res.counting(), book, runs)
		if err != nil {
			t.Fatal(err)
		}
		return tuples
	}
	half, err := merge(bindSplits(t, dir), runs[:splits/2]...).Encode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := merge(b, append(runs[splits/2+1:], half)...).Bind(counts); !errors.Is(err, count.ErrDamaged) {
		t.Errorf("the tuples of a split are missing: %v", err)
	}
	if err := merge(b, append(runs[splits/2:], half)...).Bind(counts); err != nil {
		t.Fatal(err)
	}
	return counts
}

// Workers that share nothing but bytes count an input split by split, and a search finds the same
// cut as in what is counted at once.
func TestCountBySplits(t *testing.T) {
	jobs := []string{
		peopleJob, changed("class: income\n", ""), withAlgorithm(peopleJob, "mondrian"),
		changed("job: suppress", "job: {mask: generalize, taxonomy: {prefix: [1]}}"),
	}
	rng := rand.New(rand.NewPCG(21, 22))
	for i, job := range jobs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := jobFolder(t, job)
			table := people(rng, 900)
			table.fields[5].Nullable, table.rows[7][5], table.rows[800][5] = true, null, null
			for from := 0; from < 900; from += 150 { // each file has a class of its own
				table.rows[from][5] = fmt.Sprint("class ", 900-from)
				table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", from)), from, from+150, 60)
			}
			b, alone := bindSplits(t, dir), bindSplits(t, dir)
			if n := len(b.Dataset.Splits()); n < 4 {
				t.Fatalf("%d splits tell too little", n)
			}
			if i == 1 {
				if _, err := b.res.scratch.open("the tuples"); err != nil {
					t.Fatal(err)
				}
			}
			bySplits := countBySplits(t, rng, dir, b)
			local, err := count.Input(t.Context(), alone.request, alone.res.counting())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(bySplits.Table.ClassNames, local.Table.ClassNames) || bySplits.Table.Rows != local.Table.Rows {
				t.Errorf("classes %v, want %v", bySplits.Table.ClassNames, local.Table.ClassNames)
			}
			find := func(b splitJob, counts *count.Counts) string {
				var trace strings.Builder
				found, err := search(t.Context(), b.Bound, counts, b.res, &RunOptions{Trace: &trace})
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf("%s%s\n%+v", trace.String(), found.Cut, b.res.report.Stopped)
			}
			if got, want := find(b, bySplits), find(alone, local); got != want {
				t.Errorf("by splits\n%s\nlocally\n%s", got, want)
			}
		})
	}
}

// Workers that share nothing but bytes mask an input task by task: the part files are byte for
// byte those of a run.
func TestMaskBySplits(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for name, tc := range map[string]struct {
		output string
		group  int // rows of the input's row groups
	}{
		"cut":      {"output: {path: out/, row_group_rows: 40}", 60},
		"followed": {"output: out/", 150},
	} {
		t.Run(name, func(t *testing.T) {
			dir := jobFolder(t, changed("output: out.parquet", tc.output))
			table := people(rng, 3000)
			for from := 0; from < 3000; from += 150 {
				table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%04d.parquet", from)), from, from+150, tc.group)
			}
			if err := follow(t, dir, false); err != nil {
				t.Fatal(err)
			}
			maskBySplits(t, rng, dir, bindSplits(t, dir))
			parts, err := filepath.Glob(filepath.Join(dir, "out", "*.parquet"))
			if err != nil || len(parts) < 2 {
				t.Fatalf("%d parts, %v", len(parts), err)
			}
			for _, part := range parts {
				got, want := mustRead(t, filepath.Join(dir, "other", filepath.Base(part))), mustRead(t, part)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: other bytes than those of a run", filepath.Base(part))
				}
			}
		})
	}
}

// maskBySplits has workers mask by the cut of the folder's release, and publishes what they make beside it.
func maskBySplits(t *testing.T, rng *rand.Rand, dir string, b splitJob) {
	t.Helper()
	cut := readCut(t, filepath.Join(dir, "out"))
	target, err := output.Open(t.Context(), nil, filepath.Join(dir, "other")+"/", "", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := b.cutMasker(t, cut.Raw)
	parts := &output.Parts{
		Target: target, Columns: m.Plan.Outputs(), Metadata: map[string]string{cutfile.Key: string(cut.Raw)},
		Ended: func() {}, Footer: spill.NewLedger(b.res.budget, "the footer"),
	}
	results := handOut(t, rng, dir, len(b.tasks(&followAll)), func(b splitJob, number int) ([]byte, error) {
		return b.cutMasker(t, cut.Raw).MaskTask(t.Context(), b.tasks(&followAll)[number])
	})
	damaged := bytes.Clone(results[0])
	damaged[len(damaged)/2]++
	if err := m.AddTask(t.Context(), 0, damaged, parts); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("damaged row groups: %v", err)
	}
	for number, result := range results {
		if err := m.AddTask(t.Context(), number, result, parts); err != nil {
			t.Fatal(err)
		}
	}
	if err := parts.Close(true, masking.Place{}); err != nil {
		t.Fatal(err)
	}
	if err := target.Publish(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
}

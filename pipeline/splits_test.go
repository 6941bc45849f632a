package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// splitEnv gives a copy of the test program its work: the folder of a job, and for every task a
// line with what is done, the number of the split or the task, and the file that the result goes to.
const splitEnv = "KCUT_TEST_SPLITS"

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
	must(tb, err)
	res.scratch.beside = job.Output.Path
	tb.Cleanup(func() {
		if err := res.closeStore(); err != nil {
			tb.Error(err)
		}
	})
	b, err := bindJob(context.Background(), job, res)
	must(tb, err)
	tb.Cleanup(func() { b.close() })
	return splitJob{b, res, b.request(count.Tuning{Room: 40})}
}

// TestSplitWorker is no test but what a worker process does: it knows its job, and reads and writes
// files.
func TestSplitWorker(t *testing.T) {
	dir, tasks, ok := strings.Cut(os.Getenv(splitEnv), "\n")
	if !ok {
		t.Skip("this process is no worker")
	}
	b := bindSplits(t, dir)
	for task := range strings.Lines(tasks) {
		words := strings.Fields(task)
		number, _ := strconv.Atoi(words[1])
		var result []byte
		var err error
		switch words[0] {
		case "survey":
			survey, failed := count.Survey(t.Context(), b.request, b.res.counting(), b.Dataset.Splits()[number:number+1])
			if err = failed; err == nil {
				result, err = survey.Encode(t.Context())
			}
		case "tuples":
			book, failed := count.DecodeBook(b.request, mustRead(t, filepath.Join(dir, "book")))
			if failed != nil {
				t.Fatal(failed)
			}
			tuples, failed := count.Count(t.Context(), b.request, b.res.counting(), book, b.Dataset.Splits()[number:number+1])
			if err = failed; err == nil {
				result, err = tuples.Encode(t.Context())
			}
		case "tally":
			cut, failed := cutfile.Parse(mustRead(t, filepath.Join(dir, "cut")))
			if failed != nil {
				t.Fatal(failed)
			}
			recount, failed := verify.Tally(t.Context(), cut, filepath.Join(dir, "other", fileset.PartName(number)), 0, -1, 1<<20)
			if err = failed; err == nil {
				result = recount.Encode()
			}
		default:
			m := b.cutMasker(t, mustRead(t, filepath.Join(dir, "cut")))
			result, err = m.MaskTask(t.Context(), b.tasks(&followAll)[number])
		}
		must(t, err)
		write(t, filepath.Join(dir, words[2]), string(result))
	}
}

// followAll follows every row group of the input that can be followed.
var followAll = System{Follow: 1}

// cutMasker returns what masks by the text of a cut.
func (b *splitJob) cutMasker(tb testing.TB, cut []byte) *masking.Masker {
	tb.Helper()
	recoder, err := cutRecoder(b.Bound, cut, b.res.budget)
	must(tb, err)
	m, err := b.masker(recoder, b.res)
	must(tb, err)
	return m
}

// handOut has worker processes do something for every split or task, in random order and some
// twice, and returns the results by its number. Whoever does it returns the same bytes.
func handOut(t *testing.T, rng *rand.Rand, dir, what string, splits int) [][]byte {
	t.Helper()
	const processes = 3
	tasks := make([]string, processes)
	results := make([][]string, splits)
	todo := append(rng.Perm(splits), rng.Perm(splits)[:splits/2]...)
	for i, split := range todo {
		name := fmt.Sprintf("%s.%d.%d", what, split, i)
		tasks[i%processes] += fmt.Sprintf("\n%s %d %s", what, split, name)
		results[split] = append(results[split], name)
	}
	var workers []*exec.Cmd
	for _, list := range tasks {
		worker := exec.Command(os.Args[0], "-test.run=^TestSplitWorker$", "-test.v")
		worker.Env = append(os.Environ(), splitEnv+"="+dir+list)
		worker.Stdout = &bytes.Buffer{}
		must(t, worker.Start())
		workers = append(workers, worker)
	}
	for _, worker := range workers {
		if err := worker.Wait(); err != nil {
			t.Errorf("a worker: %v\n%s", err, worker.Stdout)
		}
	}
	var all [][]byte
	for split, names := range results {
		for i, name := range names {
			result := mustRead(t, filepath.Join(dir, name))
			if i == 0 {
				all = append(all, result)
			} else if !bytes.Equal(result, all[split]) {
				t.Errorf("two workers say different things of split %d", split)
			}
		}
	}
	return all
}

// countBySplits counts an input by worker processes.
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
	surveys := handOut(t, rng, dir, "survey", splits)
	rng.Shuffle(splits, func(i, j int) { surveys[i], surveys[j] = surveys[j], surveys[i] })
	damaged := bytes.Clone(surveys[0])
	damaged[len(damaged)/2]++
	for what, wrong := range map[string][][]byte{"missing": surveys[1:], "there twice": append(surveys, surveys[0]), "damaged": append(surveys[1:], damaged)} {
		if _, err := bind(bindSplits(t, dir), wrong); !errors.Is(err, count.ErrDamaged) {
			t.Errorf("the survey of a split is %s: %v", what, err)
		}
	}
	counts, err := bind(b, surveys)
	must(t, err)
	book := count.NewBook(b.request, counts)
	encoded, err := book.Encode(b.res.counting())
	must(t, err)
	write(t, filepath.Join(dir, "book"), string(encoded))
	runs := handOut(t, rng, dir, "tuples", splits)
	merge := func(b splitJob, runs ...[]byte) *count.Tuples {
		t.Helper()
		tuples, err := count.Merge(ctx, b.request, b.res.counting(), book, runs)
		must(t, err)
		return tuples
	}
	half, err := merge(bindSplits(t, dir), runs[:splits/2]...).Encode(ctx)
	must(t, err)
	if err := merge(b, append(runs[splits/2+1:], half)...).Bind(counts); !errors.Is(err, count.ErrDamaged) {
		t.Errorf("the tuples of a split are missing: %v", err)
	}
	must(t, merge(b, append(runs[splits/2:], half)...).Bind(counts))
	return counts
}

// Processes that share nothing but files count an input split by split, and a search finds the same
// cut as in what one process counts.
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
			must(t, err)
			if !slices.Equal(bySplits.Table.ClassNames, local.Table.ClassNames) || bySplits.Table.Rows != local.Table.Rows {
				t.Errorf("classes %v, want %v", bySplits.Table.ClassNames, local.Table.ClassNames)
			}
			find := func(b splitJob, counts *count.Counts) string {
				var trace strings.Builder
				found, err := search(t.Context(), b.Bound, counts, b.res, &RunOptions{Trace: &trace})
				must(t, err)
				return fmt.Sprintf("%s%s\n%+v", trace.String(), found.Cut, b.res.report.Stopped)
			}
			if got, want := find(b, bySplits), find(alone, local); got != want {
				t.Errorf("by splits\n%s\nlocally\n%s", got, want)
			}
		})
	}
}

// Processes that share nothing but files mask an input task by task: the part files are byte for
// byte those of a run. Others recount them.
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
			must(t, follow(t, dir, false))
			maskBySplits(t, rng, dir, bindSplits(t, dir))
			parts, err := filepath.Glob(filepath.Join(dir, "out", "part-*.parquet"))
			if err != nil || len(parts) < 2 {
				t.Fatalf("%d parts, %v", len(parts), err)
			}
			for _, part := range parts {
				got, want := mustRead(t, filepath.Join(dir, "other", filepath.Base(part))), mustRead(t, part)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: other bytes than those of a run", filepath.Base(part))
				}
			}
			judgeBySplits(t, rng, dir, len(parts))
		})
	}
}

// judgeBySplits has worker processes recount the parts that others have made.
func judgeBySplits(t *testing.T, rng *rand.Rand, dir string, parts int) {
	t.Helper()
	cut, err := cutfile.Parse(mustRead(t, filepath.Join(dir, "cut")))
	must(t, err)
	var sum *verify.Recount
	for _, encoded := range handOut(t, rng, dir, "tally", parts) {
		recount, err := verify.DecodeRecount(encoded)
		if err == nil && sum != nil {
			recount, err = sum.Merge(recount)
		}
		must(t, err)
		sum = recount
	}
	if result, err := verify.Judge(filepath.Join(dir, "other"), cut, sum); err != nil || !result.OK || result.Rows != 3000 {
		t.Errorf("recounted by parts: %+v, %v", result, err)
	}
}

// maskBySplits has worker processes mask by the cut of the folder's release, and publishes what they make beside it.
func maskBySplits(t *testing.T, rng *rand.Rand, dir string, b splitJob) {
	t.Helper()
	cut := readCut(t, filepath.Join(dir, "out"))
	write(t, filepath.Join(dir, "cut"), string(cut.Raw))
	target, err := output.Open(t.Context(), nil, filepath.Join(dir, "other")+"/", "", false, nil)
	must(t, err)
	m := b.cutMasker(t, cut.Raw)
	target.Columns = m.Plan.Outputs()
	parts := &output.Parts{
		Target: target, Metadata: map[string]string{cutfile.Key: string(cut.Raw)},
		Ended: func() {}, Footer: spill.NewLedger(b.res.budget, "the footer"),
	}
	results := handOut(t, rng, dir, "mask", len(b.tasks(&followAll)))
	damaged := bytes.Clone(results[0])
	damaged[len(damaged)/2]++
	if err := m.AddTask(t.Context(), 0, damaged, parts); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("damaged row groups: %v", err)
	}
	for number, result := range results {
		must(t, m.AddTask(t.Context(), number, result, parts))
	}
	must(t, parts.Close(true, masking.Place{}))
	must(t, target.Publish(t.Context(), 1))
}

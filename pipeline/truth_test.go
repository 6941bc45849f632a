package pipeline

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

var truthSeed = flag.Int64("truth.seed", -1, "the one case of TestTruth to repeat")

// The cases of TestTruth: those of the fast tests take less than a minute of processor.
const (
	truthSample = 60
	truthLong   = 1000
)

// truthRare are small cases with the parts that the first ones lack.
var truthRare = []uint64{73, 77, 96, 108, 309, 502}

// truthSeeds returns the seeds of the cases, which follow each other, so that the cases meet many
// sizes: the fast tests have the first ones and the rare ones, the long tests others each time.
func truthSeeds(tb testing.TB) (seeds []uint64) {
	if *truthSeed >= 0 {
		return []uint64{uint64(*truthSeed)}
	}
	n, rare := truthSample, truthRare
	if os.Getenv("KCUT_LONG") != "" {
		n, rare = truthLong, nil
	}
	first := (seedtest.Seed(tb) - 1) % (1 << 40)
	for i := range cases(tb, n) {
		seeds = append(seeds, first+uint64(i))
	}
	return append(seeds, rare...)
}

// For every table and job, a run ends with an error only for a reason of its case; the release is
// true of the input, row by row, and every k holds in a plain count; other threads, another
// memory and a store change no byte.
//
//	go test ./pipeline -run 'TestTruth$' -truth.seed N
//
// repeats a case.
func TestTruth(t *testing.T) {
	var mu sync.Mutex
	tried := map[string]int{}
	for _, seed := range truthSeeds(t) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := &truthCase{seed: seed}
			c.draw()
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panic: %v", p)
				}
				if t.Failed() {
					t.Logf("%v\ngo test ./pipeline -run 'TestTruth$' -truth.seed %d", c, seed)
				}
			}()
			result := c.check(t)
			mu.Lock()
			defer mu.Unlock()
			tried[result]++
		})
	}
	t.Cleanup(func() { // after the cases
		t.Log(tried)
		ran := 0
		for _, n := range tried {
			ran += n
		}
		if ran > 20 && 3*tried[released] < 2*ran && !t.Failed() {
			t.Errorf("of %d cases %d were released: that says little", ran, tried[released])
		}
	})
}

// released is the result of check for a case that was released.
const released = "released"

// check runs a case in several ways, and returns its result.
func (c *truthCase) check(t *testing.T) string {
	dir := c.put(t)
	c.mayLackTypes()
	first := c.run(t, dir, "out", RunOptions{}, "limits.threads", "1", "limits.memory", c.memory)
	if first.err != nil {
		class := fault.ClassOf(first.err)
		if c.reasons[class] == "" || first.stage == resources.StageVerify && !c.recount ||
			first.stage == resources.StagePublish {
			t.Errorf("refused without a reason at stage %v, class %v: %v",
				first.stage, class, first.err)
		}
		if strings.Contains(first.err.Error(), "max_unique") {
			c.mustBeAlone(t, dir)
		}
		if strings.Contains(first.err.Error(), "publish release: the average risk") {
			c.mustBeRisky(t, dir)
		}
		if text := first.err.Error(); errors.Is(first.err, engine.ErrPopulation) ||
			strings.Contains(text, "in the population: it lacks those") {
			c.mustMissPeople(t, first)
		}
		return class.String()
	}
	c.audit(t, first)
	if share := readCut(t, first.path).Union.Unique; share > c.unique {
		t.Errorf("%g of the rows are alone, the job allows %g", share, c.unique)
	}
	many := []int{0, 1, 6}[c.rng.IntN(3)]
	spilled := RunOptions{System: System{
		Spill: many == 0, Many: many, Room: []int{0, 1, 3, 50}[c.rng.IntN(4)],
		Store: spill.Options{FS: spilltest.Healthy()},
	}}
	if c.large() { // a store is in the way of large tables with little memory
		spilled.System = System{Store: spill.Options{FS: spilltest.Healthy()}}
	}
	c.mustAgree(t, first, c.run(t, dir, "other", spilled, "limits.threads",
		fmt.Sprint(2+c.rng.IntN(3)), "limits.memory", []string{"16MiB", "24MiB"}[c.rng.IntN(2)]))
	if !c.large() && c.rng.IntN(4) == 0 {
		c.look(t, dir, first)
	}
	if c.peopled { // an earlier cut does not go with them
		c.again(t, dir, first)
		return released
	}
	switch c.rng.IntN(4) {
	case 0:
		c.again(t, dir, first)
	case 1:
		c.apply(t, dir, first)
	case 2:
		c.above(t, dir, first)
	}
	return released
}

// mustBeAlone demands that a run without the limit reports the share of rows that a refusal
// names.
func (c *truthCase) mustBeAlone(t *testing.T, dir string) {
	t.Helper()
	n := c.run(t, dir, "alone", RunOptions{}, "limits.memory", c.memory, "max_unique", "100%")
	if n.err != nil {
		if fault.ClassOf(n.err) != fault.Privacy { // of another guard
			t.Errorf("more rows may be alone, and now class %v: %v", fault.ClassOf(n.err), n.err)
		}
		return
	}
	c.audit(t, n)
	if share := readCut(t, n.path).Union.Unique; share <= c.unique {
		t.Errorf("%g of the rows are alone, and the job allows %g", share, c.unique)
	}
}

// mustBeRisky demands that a run without a limit of the average risk has a higher one.
func (c *truthCase) mustBeRisky(t *testing.T, dir string) {
	t.Helper()
	n := c.run(t, dir, "risky", RunOptions{}, "limits.memory", c.memory, "max_risk.average", "100%")
	if n.err != nil {
		t.Errorf("the average risk may be any, and now class %v: %v", fault.ClassOf(n.err), n.err)
		return
	}
	c.audit(t, n)
	limited, err := job.Load(filepath.Join(dir, "job.yaml"), nil)
	must(t, err)
	if most := float64(limited.MaxRisk.Average); slices.Max(n.rep.AverageRisk) <= most {
		t.Errorf("the average risks are %v, the job allows %g", n.rep.AverageRisk, most)
	}
}

// again runs the job once more: with its own release as the previous one, or on rows in another
// order.
func (c *truthCase) again(t *testing.T, dir string, first night) {
	t.Helper()
	overrides := []string{"limits.threads", "2", "limits.memory", c.memory}
	if c.ordered && c.stored.Writer != byCSV && c.rng.IntN(2) == 0 {
		c.stored.GroupRows, c.stored.Files, c.stored.Lacks = 1+c.stored.GroupRows*2/3,
			1+c.stored.Files%3, ""
		c.stored.put(t, filepath.Join(dir, "in"), &c.truthTable)
	} else if c.topDown() {
		overrides = append(overrides, "previous", first.path, "allow_new_cut",
			fmt.Sprint(c.rng.IntN(2) == 0))
	}
	c.mustAgree(t, first, c.run(t, dir, "again", RunOptions{}, overrides...))
}

// night is the result of a run.
type night struct {
	path  string
	err   error
	stage resources.Stage // the last one
	files map[string][sha256.Size]byte
	rep   *Report
	job   *job.Job
}

// run runs the folder's job and keeps the release under a name.
func (c *truthCase) run(
	t *testing.T, dir, name string, opt RunOptions, overrides ...string,
) (n night) {
	t.Helper()
	n.path = filepath.Join(dir, name+".parquet")
	if c.folder {
		n.path = filepath.Join(dir, name) + "/"
	}
	var list []job.Override
	overrides = append(overrides, "output.path", n.path)
	for i := 0; i < len(overrides); i += 2 {
		list = append(list, job.Override{Key: overrides[i], Value: overrides[i+1], Origin: "test"})
	}
	if n.job, n.err = job.Load(filepath.Join(dir, "job.yaml"), list); n.err != nil {
		return n
	}
	opt.Events.Start = func(s resources.Stage) { n.stage = s }
	run := func() (*Report, error) { return Run(t.Context(), n.job, opt) }
	if c.applied != nil {
		applied := *c.applied
		applied.RunOptions = opt
		run = func() (*Report, error) { return Apply(t.Context(), n.job, applied) }
	}
	if n.rep, n.err = run(); n.err != nil {
		if _, err := os.Stat(n.path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a run that failed left %s: %v", name, err)
		}
		return n
	}
	n.files = make(map[string][sha256.Size]byte)
	must(t, filepath.WalkDir(n.path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n.files[strings.TrimPrefix(path, strings.TrimSuffix(n.path, "/"))] = sha256.Sum256(
				mustRead(t, path))
		}
		return err
	}))
	return n
}

// mustAgree demands the bytes of another run, or a memory error of this run.
func (c *truthCase) mustAgree(t *testing.T, want, got night) {
	t.Helper()
	switch {
	case got.err != nil && fault.ClassOf(got.err) == fault.Resources &&
		(c.large() || c.numbers[bytesOfText] > fewRows):
		t.Logf("memory is too little: %v", got.err)
	case got.err != nil:
		t.Errorf("the job was done, and now class %v: %v", fault.ClassOf(got.err), got.err)
	case !maps.Equal(got.files, want.files):
		t.Errorf("other bytes: %d files, %d before", len(got.files), len(want.files))
	}
}

// audit compares the release with the rows that were drawn.
func (c *truthCase) audit(t *testing.T, n night) {
	t.Helper()
	if c.applied != nil && c.applied.OnBreak == search.BreakSuppress {
		n.job.MaxSuppressed = c.applied.MaxSuppressed
	}
	if token := n.job.Column(tokenColumn); token != nil { // the source has the tokens
		defer func(mask string) { token.Mask = mask }(token.Mask)
		token.Mask = job.MaskKeep
	}
	if c.trees == "world.csv" { // which has the same tree
		n.job.TaxonomyFile = filepath.Join(filepath.Dir(n.job.File), "world.yaml")
	}
	a := &audit{TB: t, job: n.job, source: c.grid(t), cut: readCut(t, n.path),
		known: make(map[string]map[[4]uint32]bool)}
	a.release = readByArrow(t, n.path, a.cut)
	a.checkColumns()
	a.of = c.match(a)
	a.checkCells(n.path)
	a.checkReport(n.rep)
	c.checkRowRisks(a, n.rep)
	if c.column(personColumn) != nil {
		a.checkPeople(personColumn)
	}
	a.checkSensitive()
	a.checkLimits()
	if c.peopled {
		c.auditPeople(a, n)
	}
	if !c.ordered && !slices.IsSorted(a.of) {
		t.Error("rows are not in the input's order")
	}
}

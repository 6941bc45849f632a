package pipeline

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// cases returns how many random cases to try: KCUT_CASES, or a few.
func cases(tb testing.TB, few int) int {
	tb.Helper()
	text := os.Getenv("KCUT_CASES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// seeded returns the seeds of random cases: KCUT_SEED alone, or as many as there are cases.
func seeded(tb testing.TB, few int) []uint64 {
	tb.Helper()
	if text := os.Getenv("KCUT_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		return []uint64{seed}
	}
	seeds := make([]uint64, cases(tb, few))
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	return seeds
}

// outcome is what a run leaves.
type outcome struct {
	release, trace []byte
	notices        []string // but of spilling
	steps          int
	err            string
	class          fault.Class
}

// outcomeOf runs a folder's job and removes the release.
func outcomeOf(t *testing.T, dir string, opt RunOptions, overrides ...string) (o outcome) {
	t.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		t.Fatalf("%v\n%s", err, mustRead(t, filepath.Join(dir, "job.yaml")))
	}
	before := listing(t, dir)
	var trace bytes.Buffer
	opt.Trace = &trace
	report, err := Run(t.Context(), job, opt)
	o.trace = trace.Bytes()
	if err != nil {
		o.err, o.class = strings.ReplaceAll(err.Error(), dir, ""), fault.ClassOf(err)
	} else {
		o.release = mustRead(t, job.Output.Path)
		o.steps = report.Steps
		o.notices = slices.DeleteFunc(report.Notices, func(text string) bool { return strings.HasSuffix(text, "spilling to disk") })
		if err := os.Remove(job.Output.Path); err != nil {
			t.Fatal(err)
		}
	}
	unchanged(t, dir, before)
	return o
}

// mustAgree demands that two runs ended in the same way.
func mustAgree(t *testing.T, got, want outcome) {
	t.Helper()
	if got.err != want.err || got.class != want.class {
		t.Errorf("out of core: %q of class %d\nin memory:   %q of class %d", got.err, got.class, want.err, want.class)
	}
	if !bytes.Equal(got.trace, want.trace) {
		t.Errorf("another trace:\n%s\nin memory:\n%s", got.trace, want.trace)
	}
	if !bytes.Equal(got.release, want.release) {
		t.Errorf("other bytes, %d instead of %d", len(got.release), len(want.release))
	}
	if !slices.Equal(got.notices, want.notices) {
		t.Errorf("notices %q, in memory %q", got.notices, want.notices)
	}
}

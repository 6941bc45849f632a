package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// A search keeps to the average risk that a job allows. Where none looks for it, a release with a
// higher risk is not published, and the hint names a k that keeps to it.
func TestAverageRisk(t *testing.T) {
	const low = "\nmax_risk: {average: 3%}\n"
	freely := peopleFolder(t, peopleJob, 2000)
	free := mustRun(t, freely, nil)
	dir := peopleFolder(t, peopleJob+low, 2000)
	kept := mustRun(t, dir, nil)
	a := &audit{TB: t, job: mustLoad(t, dir), cut: cutOf(t, dir),
		release: readByArrow(t, filepath.Join(dir, "out.parquet"), cutOf(t, dir))}
	a.checkAverageRisk(kept)
	if kept.Steps == 0 || kept.Steps >= free.Steps || len(free.AverageRisk) > 0 {
		t.Errorf("%d steps with the limit, %d without one", kept.Steps, free.Steps)
	}
	why := "set 1: the average risk of a row is "
	mustFindForgeries(t, dir,
		forgery{"what holds", func(f *forged) { f.cut.MaxAverageRisk = kept.AverageRisk[0] }, nil},
		forgery{"less", func(f *forged) { f.cut.MaxAverageRisk = kept.AverageRisk[0] - 1e-6 },
			[]string{"quasi-identifier " + why}},
	)

	auto := mustRun(t, peopleFolder(t, withAlgorithm(peopleJob+low, job.AlgorithmAuto), 2000), nil)
	for _, c := range auto.Auto.Candidates {
		if why := "it does not search for max_risk"; (c.LeftOut == why) ==
			(c.Algorithm == job.AlgorithmTDR) {
			t.Errorf("algorithm auto considers %+v", c)
		}
	}

	refused := "publish release: the average risk of a row on quasi-identifier set "
	for algorithm, hint := range map[string]string{
		job.AlgorithmMondrian: "k: 34 keeps to it; so do algorithm tdr and tds, which search",
		"tds\nmax_suppressed: 1%": "k: 34 keeps to it; so do algorithm tdr and tds without " +
			"max_suppressed",
	} {
		mustRefuse(t, peopleFolder(t, withAlgorithm(peopleJob+low, algorithm), 2000), RunOptions{},
			fault.Privacy, refused, "max_risk.average is 3%", hint)
	}
	_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", filepath.Join(dir, "b.parquet")),
		ApplyOptions{Cut: filepath.Join(freely, "out.parquet")})
	mustFail(t, err, fault.Privacy, refused, "k: 34 keeps to it; so does a run that searches anew")
	for rows, has := range map[int]string{33: "33 rows", 1: "1 row"} {
		few := peopleFolder(t, strings.NewReplacer("k: 5", "k: 1", "k: 3", "k: 1").Replace(
			peopleJob)+low, rows)
		mustRefuse(t, few, RunOptions{}, fault.Privacy,
			"keep to max_risk: the input has "+has+", max_risk.average is 3%: even with "+
				"everything masked", "give 34 rows or more, or raise max_risk.average")
		if err := tryJob(t, few, t.Context(), RunOptions{}); strings.Contains(
			fmt.Sprint(err), "records than k") {
			t.Errorf("%v speaks of k", err)
		}
	}
}

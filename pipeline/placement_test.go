package pipeline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// TestPreviousSeesMovedValues: if a value moves to another node of a tree whose nodes keep their
// names, the cut is another cut. The record of the release shows that; without a record there is
// a note. No record has the name of a leaf. The test does this with one cut for all records, with
// regions, and with a directory.
func TestPreviousSeesMovedValues(t *testing.T) {
	for _, algorithm := range []string{job.AlgorithmTDR, job.AlgorithmInfoGainMondrian,
		job.AlgorithmMondrian} {
		for _, first := range []string{"first.parquet", "first/"} {
			t.Run(algorithm+" "+first, func(t *testing.T) { checkMovedValues(t, algorithm, first) })
		}
	}
}

func checkMovedValues(t *testing.T, algorithm, output string) {
	const unseen, stand = "cannot be seen", "of column city stand for other values"
	dir := jobFolder(t, `
input: in
output: out.parquet
quasi_identifiers: [{columns: [city], k: 3}]
algorithm: `+algorithm+`
columns:
  city: {mask: generalize, unknown: root, at_most: 1}
  income: keep
unlisted: drop
class: income
taxonomies: trees.yaml
`)
	newResidents(rand.New(rand.NewPCG(1, 2)), 600).night(t, filepath.Join(dir, "in", "a.parquet"))
	first, trees := dir+"/"+output, filepath.Join(dir, "trees.yaml")
	mustRun(t, dir, nil, "output.path", first)
	if cut := readCut(t, first).Columns[0].Cut; !slices.ContainsFunc(cut,
		func(l cutfile.Label) bool { return l.Label == "Germany" }) {
		t.Fatalf("the cities are %+v", cut)
	}
	work := filepath.Join(dir, "."+strings.TrimSuffix(output, "/")+".kcut")
	was := string(mustRead(t, filepath.Join(work, recordFile)))
	if !strings.Contains(was, `"trees"`) || strings.Contains(was, "Lyon") {
		t.Fatalf("the record is %s", was)
	}
	next := func(previous, cut string, overrides ...string) (*Report, error) {
		job := mustLoad(t, dir, append(overrides, "output.path",
			filepath.Join(dir, "next.parquet"))...)
		job.Previous = previous
		return Apply(t.Context(), job, ApplyOptions{RunOptions: RunOptions{Overwrite: true},
			Cut: cut, OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 90}})
	}
	notes := func(report *Report, text string) bool {
		return slices.ContainsFunc(report.Notices, func(n string) bool {
			return strings.Contains(n, text)
		})
	}
	check := func(name string, moved bool) {
		report, err := next("", first)
		must(t, err)
		if notes(report, stand) != moved || notes(report, unseen) {
			t.Errorf("%s: the notes are %q", name, report.Notices)
		}
		switch report, err = next(first, first); {
		case moved:
			mustFail(t, err, fault.Privacy, "neither equal nor coarser in city; other leaves lie "+
				"under nodes of city")
		case err != nil || notes(report, unseen):
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
	check("unchanged", false)
	write(t, trees, strings.Replace(peopleTaxonomies, "[Bonn, Köln]",
		"{Rhine: [Köln, Bonn, Trier]}", 1))
	check("finer", false)
	write(t, trees, strings.NewReplacer("Köln]", "Nice]", "Nice]",
		"Köln]").Replace(peopleTaxonomies))
	check("moved", true)
	must(t, os.RemoveAll(work))
	report, err := next(first, first)
	must(t, err)
	if !notes(report, unseen) || notes(report, stand) {
		t.Errorf("without a record the notes are %q", report.Notices)
	}
}

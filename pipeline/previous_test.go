package pipeline

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// otherCut are overrides that give the people of twoNights another cut.
var otherCut = []string{"score", "infogain", "quasi_identifiers[].k", "8"}

// twoNights makes a folder with last night's release first.parquet, which has another cut, and
// with tonight's extract of the same people.
func twoNights(t *testing.T) string {
	t.Helper()
	dir := jobFolder(t, nightlyJob)
	newResidents(rand.New(rand.NewPCG(1, 2)), 600).night(t, filepath.Join(dir, "in", "a.parquet"))
	mustRun(t, dir, nil, append(slices.Clip(otherCut), "output.path",
		filepath.Join(dir, "first.parquet"))...)
	return dir
}

// afterFirst returns the number of people that the releases first.parquet and later of twoNights
// together show in groups of fewer than k.
func afterFirst(t *testing.T, dir, later string, overrides ...string) (people int) {
	t.Helper()
	was := readNight(auditFolder(t, dir, append(slices.Clip(otherCut), "output.path",
		filepath.Join(dir, "first.parquet"))...))
	is := readNight(auditFolder(t, dir, append(overrides, "output.path",
		filepath.Join(dir, later))...))
	for set, k := range is.ks {
		like := make(map[string]int)
		for id, label := range is.seen[set] {
			if !is.redacted[id] {
				like[was.seen[set][id]+label]++
			}
		}
		for _, n := range like {
			if n < min(k, was.ks[set]) {
				people += n
			}
		}
	}
	return people
}

// TestPreviousAttack: an attacker with two nights' releases of the same people, each with its own
// cut, singles out some of them within small groups. With the key previous the second release is
// not published. With an equal or coarser cut it is published, and both releases together reveal
// no more than the first.
func TestPreviousAttack(t *testing.T) {
	dir := twoNights(t)
	first := filepath.Join(dir, "first.parquet")
	mustRun(t, dir, nil, "output.path", filepath.Join(dir, "anew.parquet"))
	if found := afterFirst(t, dir, "anew.parquet"); found < 50 {
		t.Fatalf("only %d people are found without previous", found)
	}
	editJob(t, dir, "class:", "previous: first.parquet\nclass:")
	d, err := cutfile.Diff(t.Context(), first, filepath.Join(dir, "anew.parquet"), mustLoad(t, dir))
	must(t, err)
	var finer []string
	for _, c := range d.Columns {
		if c.Relation != cutfile.Equal && c.Relation != cutfile.Coarser {
			finer = append(finer, c.Column)
		}
	}
	mustRefuse(t, dir, RunOptions{}, fault.Privacy, "first.parquet: neither equal nor coarser in "+
		strings.Join(finer, ", ")+"\n", "allow_new_cut")
	for _, tt := range []struct {
		name      string
		onBreak   search.OnBreak // of kcut apply; empty: a search that only coarsens
		overrides []string
	}{
		{"coarser", "", nil}, {"equal", search.BreakFail, nil},
		{"coarsened", search.BreakCoarsen, []string{"quasi_identifiers[].k", "12"}},
		{"suppressed", search.BreakSuppress, []string{"quasi_identifiers[].k", "12"}},
	} {
		output := tt.name + ".parquet"
		job := mustLoad(t, dir, append(tt.overrides, "output.path", filepath.Join(dir, output))...)
		if tt.onBreak == "" {
			_, err = Run(t.Context(), job, RunOptions{OnlyCoarsen: first})
		} else {
			_, err = Apply(t.Context(), job, ApplyOptions{
				Cut: first, OnBreak: tt.onBreak, MaxSuppressed: Quota{Percent: 50},
			})
		}
		must(t, err)
		if found := afterFirst(t, dir, output, tt.overrides...); found > 0 {
			t.Errorf("%s: %d people are found", tt.name, found)
		}
	}
	report := mustRun(t, dir, nil, "output.path",
		filepath.Join(dir, "allowed.parquet"), "allow_new_cut", "true")
	if !slices.ContainsFunc(report.Notices, func(note string) bool {
		return strings.Contains(note, "the cut is a new one")
	}) {
		t.Errorf("no note: %q", report.Notices)
	}
	for _, order := range []string{job.OrderInput, job.OrderReleased} {
		f, err := planJob(t, dir, PlanOptions{}, "order", order)
		noted := err == nil && slices.ContainsFunc(f.Notices, func(note string) bool {
			return strings.Contains(note, "previous is worth little")
		})
		if err != nil || noted != (order == job.OrderInput) {
			t.Errorf("order %s: noted %t, %v", order, noted, err)
		}
	}
	if !bytes.Equal(mustRead(t, filepath.Join(dir, "allowed.parquet")),
		mustRead(t, filepath.Join(dir, "anew.parquet"))) {
		t.Error("what is said of the previous release changes bytes")
	}
}

// TestPreviousColumns: a column that was masked must not be kept, a dropped column reveals
// nothing, and a column that the earlier cut lacks may have one label.
func TestPreviousColumns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		edits    []string // of the job: old and new text
		maxSteps string   // 0: all labels are roots
		class    fault.Class
		want     string // part of the message; empty: the run publishes
	}{
		{"dropped", []string{", job]", "]", "job: suppress", "job: drop"}, "0", 0, ""},
		{"kept", []string{", job]", "]", "job: suppress", "job: keep"}, "0",
			fault.Privacy, "neither equal nor coarser in job\n"},
		{"not listed", []string{", job]", "]", "  job: suppress\n", "", "class:",
			"unlisted: keep\nclass:"}, "0", fault.Privacy, "neither equal nor coarser in job\n"},
		{"masked now", []string{", job]", ", job, weight]", "weight: drop", "weight: discretize"},
			"0", 0, ""},
		{"other bounds and roots", []string{"[0, 120]", "[0, 130]"}, "0", 0, ""},
		{"other bounds", []string{"[0, 120]", "[0, 130]"}, "99",
			fault.Privacy, "neither equal nor coarser in age"},
		{"JSON", []string{"first.parquet", "cut.json"}, "99",
			fault.Privacy, "cut.json: neither equal nor coarser in "},
		{"damaged JSON", []string{"first.parquet", "job.yaml"}, "0",
			fault.Input, "read the earlier cut"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := twoNights(t)
			editJob(t, dir, "class:", "previous: first.parquet\nclass:")
			write(t, filepath.Join(dir, "cut.json"),
				string(readCut(t, filepath.Join(dir, "first.parquet")).Raw))
			for i := 0; i < len(tt.edits); i += 2 {
				editJob(t, dir, tt.edits[i], tt.edits[i+1])
			}
			err := tryJob(t, dir, t.Context(), RunOptions{}, "max_steps", tt.maxSteps)
			if tt.want == "" {
				must(t, err)
			} else {
				mustFail(t, err, tt.class, tt.want)
			}
		})
	}
}

// TestPreviousRegions: an algorithm whose cut has regions does not run with a previous release;
// the cut of that release can be applied.
func TestPreviousRegions(t *testing.T) {
	for _, algorithm := range searches() {
		t.Run(searchName(algorithm), func(t *testing.T) {
			t.Parallel()
			dir := storedAs(t, people(rand.New(rand.NewPCG(3, 4)), 400),
				shape{files: 1, groupRows: 100}, algorithm)
			mustRun(t, dir, nil)
			kind := cutOf(t, dir).Kind
			editJob(t, dir, "class:", "previous: out.parquet\nclass:")
			_, planned := Plan(t.Context(), mustLoad(t, dir), PlanOptions{Overwrite: true})
			if kind != cutfile.KindRegions {
				must(t, planned)
				mustRun(t, dir, nil) // replaces the previous release
				return
			}
			want := "cuts new regions"
			if strings.HasPrefix(algorithm, job.AlgorithmAuto) { // which may choose another one
				want = "its cut has regions"
			}
			mustFail(t, planned, fault.Usage, want, "kcut apply")
			mustRefuse(t, dir, RunOptions{Overwrite: true}, fault.Usage, want, "kcut apply")
			if !strings.Contains(algorithm, job.AlgorithmIACc) { // which has no k
				mustFail(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true},
					"algorithm.name", "tdr"), fault.Usage, "has regions")
			}
			apply := func(cut string) error {
				_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", dir+"/again.parquet"),
					ApplyOptions{
						RunOptions: RunOptions{Overwrite: true}, Cut: filepath.Join(dir, cut),
						OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 100},
					})
				return err
			}
			must(t, apply("out.parquet"))
			other := cutOf(t, dir)
			for i := range other.Columns[0].Cut {
				other.Columns[0].Cut[i].Label += "'"
			}
			text, err := text.JSON(other)
			must(t, err)
			write(t, filepath.Join(dir, "other.json"), string(text))
			editJob(t, dir, "out.parquet\nclass", "other.json\nclass")
			mustFail(t, apply("out.parquet"), fault.Privacy, "regions that the other lacks")
			must(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}, "allow_new_cut",
				"true"))
		})
	}
}

// TestPreviousResume: the kept cut of a stopped run is compared, too. A run with another previous
// release, or with allow_new_cut, is another job: it starts from the beginning, and is not done
// already.
func TestPreviousResume(t *testing.T) {
	dir := twoNights(t)
	editJob(t, dir, "class:", "previous: first.parquet\nclass:")
	options, allow := RunOptions{Resume: true, Checkpoint: atOnce},
		[]string{"allow_new_cut", "true"}
	until := func(stage resources.Stage, overrides ...string) ([]string, error) {
		s, err := runUntil(t, dir, stage, options, overrides...)
		return s.notes, err
	}
	noted := func(notes []string, text string) bool {
		return slices.ContainsFunc(notes, func(note string) bool {
			return strings.Contains(note, text)
		})
	}
	_, err := until(resources.StageMask, allow...)
	mustFail(t, err, fault.Cancelled)
	_, err = until("")
	mustFail(t, err, fault.Privacy, "neither equal nor coarser")
	_, err = until(resources.StageMask, allow...)
	mustFail(t, err, fault.Cancelled)
	notes, err := until("", allow...)
	if must(t, err); !noted(notes, "going on from what") || !noted(notes, "the cut is a new one") {
		t.Errorf("notes %q", notes)
	}
	if notes, err = until("", allow...); err != nil || !noted(notes, "already done") {
		t.Errorf("again: %q, %v", notes, err)
	}
	done, err := Plan(t.Context(), mustLoad(t, dir, allow...), PlanOptions{})
	if err != nil || !done.AlreadyDone {
		t.Errorf("planned again: %+v, %v", done, err)
	}
	_, err = until("")
	mustFail(t, err, fault.Exists, "made by another job")
	must(t, os.Rename(filepath.Join(dir, "first.parquet"), filepath.Join(dir, "moved.parquet")))
	if notes, err = until("", append(allow, "previous",
		filepath.Join(dir, "moved.parquet"))...); err != nil || !noted(notes, "already done") {
		t.Errorf("the same release elsewhere: %q, %v", notes, err)
	}
	mustRun(t, dir, nil, append(allow, "previous", filepath.Join(dir, "moved.parquet"),
		"output.path", filepath.Join(dir, "first.parquet"), "max_steps", "1")...)
	_, err = until("", allow...)
	mustFail(t, err, fault.Exists, "made by another job")
}

// TestPreviousIsReplaced: a job may name the release that it replaces as previous. The same run
// again is done already.
func TestPreviousIsReplaced(t *testing.T) {
	dir := twoNights(t)
	out := filepath.Join(dir, "out")
	editJob(t, dir, "output: out.parquet", "output: out/\nprevious: out/")
	mustFail(t, tryJob(t, dir, t.Context(), RunOptions{}), fault.Input, "read the earlier cut")
	_, err := Apply(t.Context(), mustLoad(t, dir, "previous", filepath.Join(dir, "first.parquet")),
		ApplyOptions{Cut: filepath.Join(dir, "first.parquet")})
	must(t, err)
	options := RunOptions{OnlyCoarsen: filepath.Join(dir, "first.parquet"), Overwrite: true,
		Resume: true}
	must(t, tryJob(t, dir, t.Context(), options))
	want := listing(t, out)
	for range 2 {
		must(t, tryJob(t, dir, t.Context(), options))
		if !maps.Equal(listing(t, out), want) {
			t.Error("another release of the same input")
		}
	}
}

// TestPreviousRemote: the previous release may be in an object store.
func TestPreviousRemote(t *testing.T) {
	dir, server := remoteFolder(t, "s3", 600)
	if _, err := runRemote(t, dir, server, "out.parquet", RunOptions{}, "max_steps",
		"1"); err != nil {
		t.Fatal(err)
	}
	after := []string{"previous", server.URL("out.parquet")}
	_, err := runRemote(t, dir, server, "out2.parquet", RunOptions{}, after...)
	mustFail(t, err, fault.Privacy, "neither equal nor coarser")
	if _, err := runRemote(t, dir, server, "out2.parquet",
		RunOptions{}, append(after, "max_steps", "1")...); err != nil {
		t.Error(err)
	}
}

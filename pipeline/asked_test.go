package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// hold verifies the folder's release, and holds it to its job after an edit.
func hold(t *testing.T, dir string, edit func(*job.Job)) (*verify.Result, error) {
	t.Helper()
	j := mustLoad(t, dir)
	j.Sets, j.Columns = slices.Clone(j.Sets), slices.Clone(j.Columns)
	edit(j)
	return Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
}

// Verify counts the classes of any set of a job in the labels of a release, whether or not the
// release has the set, and compares their sizes, their average risk and the sensitive values in
// them with the job's limits.
func TestVerifyCountsSetsOfTheJob(t *testing.T) {
	columns := []string{"age", "born", "city", "job", "weight"}
	for _, text := range []string{
		peopleJob, withAlgorithm(peopleJob, "mondrian"), strings.Replace(peopleJob,
			"born: discretize", "born: {mask: discretize, render: bounds}", 1),
	} {
		dir := peopleFolder(t, text, 400)
		mustRun(t, dir, nil)
		table := readRelease(t, filepath.Join(dir, "out.parquet")).testTable
		random := rand.New(rand.NewPCG(7, 1))
		for range 20 {
			picked := random.Perm(len(columns))[:1+random.IntN(len(columns))]
			set, shown := job.Set{}, []string(nil)
			for _, at := range picked {
				set.Columns = append(set.Columns, columns[at])
				shown = append(shown, columns[at])
				if columns[at] == "born" && table.index("born") < 0 {
					shown = append(shown[:len(shown)-1], "born_lower", "born_upper")
				}
			}
			sizes := make(map[string]int)
			for _, row := range table.rows {
				sizes[table.key(row, shown)]++
			}
			smallest, risk := len(table.rows), job.Share(float64(len(sizes))/400)
			for _, size := range sizes {
				smallest = min(smallest, size)
			}
			worst, _ := worstMeasures(table, shown, "income")
			kept := worst["max_confidence"]
			ask := func(k int, most job.Share, confidence float64) (*verify.Result, error) {
				return hold(t, dir, func(j *job.Job) {
					set.K = k
					j.Sets, j.MaxRisk.Average = []job.Set{set}, most
					if confidence < 1 {
						j.Sensitive = []job.Sensitive{{Column: "income",
							MaxConfidence: &job.Shares{Every: confidence}}}
					}
				})
			}
			v, err := ask(smallest, risk, kept)
			if must(t, err); !v.OK || len(v.Asked) != 1 || v.Asked[0].K != smallest ||
				v.Asked[0].Anonymity != uint64(smallest) {
				t.Fatalf("set %v: asked %+v, want %d", set.Columns, v.Asked, smallest)
			}
			what := "the job's quasi-identifier set " + strings.Join(set.Columns, ", ")
			_, err = ask(smallest+1, risk, kept)
			mustFail(t, err, fault.Privacy,
				fmt.Sprintf("%s: anonymity %d is below k = %d", what, smallest, smallest+1))
			_, err = ask(smallest, risk*0.99, kept)
			mustFail(t, err, fault.Privacy, what+": the average risk of a row is ")
			if kept < 1 {
				_, err = ask(smallest, risk, kept*0.99)
				mustFail(t, err, fault.Privacy, what+": column income: max_confidence ")
			}
		}
	}
}

// A release is held to all else that a job asks: one that does not hold it is broken, and where the
// files cannot show it, the command ends as for a job that does not fit.
func TestVerifyHoldsToTheJob(t *testing.T) {
	dir := peopleFolder(t, strings.Replace(peopleJob, "income: keep",
		"income: keep\n  note: {keep: {identifying: accepted}}\n  name: drop", 1), 0)
	table := people(rand.New(rand.NewPCG(3, 4)), 400)
	table.addColumn("note", func(row int) string { return fmt.Sprint("n", row%3) })
	table.addColumn("name", func(row int) string { return fmt.Sprint("p", row/2) })
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 50)
	mustRun(t, dir, nil)
	none, l := job.Share(0), func(column string) func(*job.Job) {
		return func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: column, L: 200}}
		}
	}
	mask := func(column, mask string) func(*job.Job) {
		return func(j *job.Job) { j.Column(column).Mask = mask }
	}
	named := func(value string) func(*job.Job) {
		return func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: "note",
				MaxConfidence: &job.Shares{Of: map[string]float64{value: 0.01}}}}
		}
	}
	for _, tt := range []struct {
		name string
		edit func(*job.Job)
		fail fault.Class
		want string
	}{
		{"the same job", func(*job.Job) {}, fault.Internal, ""},
		{"a smaller k", func(j *job.Job) { j.Sets[0].K = 2 }, fault.Internal, ""},
		{"no k", func(j *job.Job) { j.Sets[0].K = 0 }, fault.Internal, ""},
		{"fewer sets", func(j *job.Job) { j.Sets = j.Sets[:1] }, fault.Internal, ""},
		{"a larger k", func(j *job.Job) { j.Sets[1].K = 300 }, fault.Privacy,
			"the job's quasi-identifier set born, city, weight: anonymity "},
		{"all subsets", func(j *job.Job) {
			j.Sets[1] = job.Set{Subsets: 2, Of: []string{"age", "born", "city"}, K: 400}
		}, fault.Privacy, "the job's quasi-identifier set age, born: anonymity "},
		{"fewer may be alone", func(j *job.Job) { j.MaxUnique = &none }, fault.Privacy,
			"alone on the labels of all masked columns together, max_unique is 0%"},
		{"sensitive values", l("note"), fault.Privacy,
			"set city, age, job: column note: l 3, the job asks for 200"},
		{"a sensitive column that is dropped", l("name"), fault.Usage,
			"the release does not have column name"},
		{"a sensitive column that is masked", l("city"), fault.Usage,
			"the release does not have column city"},
		{"a set with a dropped column", func(j *job.Job) {
			j.Sets[0].Columns = []string{"age", "name"}
		}, fault.Usage, "the release does not have column name"},
		{"a set with a kept column", func(j *job.Job) {
			j.Sets[0].Columns, j.Column("note").Mask = []string{"age", "note"}, job.MaskSuppress
		}, fault.Privacy, "column note is not masked, and the job does not release it so"},
		{"a column that is dropped now", mask("note", job.MaskDrop), fault.Privacy,
			"column note is not masked, and the job does not release it so"},
		{"pseudonyms", mask("note", job.MaskPseudonym), fault.Privacy,
			"column note is not masked, and the job does not release it so"},
		{"an unlisted column", func(j *job.Job) {
			j.Columns = slices.DeleteFunc(j.Columns, func(c job.Column) bool {
				return c.Name == "note"
			})
		}, fault.Privacy, "column note is not masked, and the job does not release it so"},
		{"entities", func(j *job.Job) { j.Entity = "name" }, fault.Usage,
			"set city, age, job: its k counts entities, and the release does not have those"},
		{"more entities than rows", func(j *job.Job) { j.Entity, j.Sets[0].K = "name", 300 },
			fault.Privacy, "set city, age, job: anonymity "},
		{"no value that is named", named("n9"), fault.Usage,
			"column note: no row has a value that max_confidence names"},
		{"a value that is named", named("n1"), fault.Privacy,
			"column note: max_confidence: a value has a larger share than the job asks for"},
		{"a tree that lacks values", func(j *job.Job) {
			far, tree := 0.99, taxonomy.Node{Name: "any", Children: []taxonomy.Node{{Name: "n1"}}}
			j.Sensitive = []job.Sensitive{{Column: "note", THierarchical: &far,
				Taxonomy: job.Taxonomy{Tree: &tree}}}
		}, fault.Privacy, "column note: t_hierarchical: its taxonomy lacks values of the rows"},
		{"an order that the values lack", func(j *job.Job) {
			far := 0.99
			j.Sensitive = []job.Sensitive{{Column: "note", TOrdered: &far}}
		}, fault.Privacy, "column note: t_ordered: the values have no order"},
		{"people", func(j *job.Job) { j.Sets[0].KMap = 5 }, fault.Usage,
			"count the people of a population: the job names none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := hold(t, dir, tt.edit)
			if tt.want == "" {
				if must(t, err); !v.OK || len(v.Asked) == 0 {
					t.Errorf("got %+v", v)
				}
				return
			}
			if mustFail(t, err, tt.fail, tt.want); v != nil && v.OK {
				t.Errorf("%v, and it is ok", err)
			}
		})
	}
}

// The cut of a release says how many entities its classes have, which its rows do not show.
func TestVerifyHoldsEntitiesToTheJob(t *testing.T) {
	dir := patientRows(60, 6).folder(t, patientsJob, 40)
	report := mustRun(t, dir, nil)
	reached := int(report.Sets[0].Anonymity)
	ask := func(k int) error {
		_, err := hold(t, dir, func(j *job.Job) { j.Sets[0].K = k })
		return err
	}
	must(t, ask(reached))
	mustFail(t, ask(reached+1), fault.Usage, "its k counts entities, and the release")
	mustFail(t, ask(121), fault.Privacy, "below k = 121")
}

// The share of people who are alone, which a cut of entities claims, is held to jobs of entities
// alone: others ask for the share of rows, and jobs of entities do not ask for that.
func TestVerifyHoldsThoseAloneToTheJob(t *testing.T) {
	table := &testTable{fields: textFields("who", "a", "b")}
	for i := range 400 {
		// one person has a hundred rows, each alone; the others have one row each
		who, a, b := "all", fmt.Sprint(i/10), fmt.Sprint("b", i%10)
		if i >= 100 {
			who, a, b = fmt.Sprint(i), fmt.Sprint(i%10), "c"
		}
		table.rows = append(table.rows, []string{who, a, b})
	}
	dir := table.folder(t, `
input: in
output: out.parquet
entity: who
quasi_identifiers: [{columns: [a], k: 2}, {columns: [b], k: 1}]
columns: {who: drop, a: suppress, b: suppress}
max_unique: 100%
`, 100)
	report := mustRun(t, dir, nil)
	v, err := hold(t, dir, func(*job.Job) {})
	must(t, err)
	people, rows := job.Share(report.Union.Unique), job.Share(v.Union.Unique)
	if people >= rows || people == 0 {
		t.Fatalf("%g of the people are alone, and %g of the rows", people, rows)
	}
	ask := func(entity string, most job.Share) error {
		_, err := hold(t, dir, func(j *job.Job) { j.Entity, j.MaxUnique = entity, &most })
		return err
	}
	const alone = "alone on the labels of all masked columns together"
	must(t, ask("who", people))
	mustFail(t, ask("who", people*0.99), fault.Privacy, alone)
	must(t, ask("", rows))
	mustFail(t, ask("", rows*0.99), fault.Privacy, alone)
}

// Pseudonyms are not the values that a sensitive column of the job has.
func TestVerifyHoldsNoPseudonymsToTheJob(t *testing.T) {
	t.Setenv("NOTE_KEY", "0123456789abcdef")
	text := strings.NewReplacer("class: income\n", "", "income: keep",
		"income: {mask: pseudonym, key_env: NOTE_KEY, identifying: accepted}").Replace(peopleJob)
	dir := peopleFolder(t, text, 400)
	mustRun(t, dir, nil)
	_, err := hold(t, dir, func(j *job.Job) {
		j.Column("income").Mask = job.MaskKeep
		j.Sensitive = []job.Sensitive{{Column: "income", L: 2}}
	})
	mustFail(t, err, fault.Usage, "the release does not have column income as the job asks for it")
}

// Verify reads the tree of a sensitive column of the job.
func TestVerifyTreeOfTheJob(t *testing.T) {
	dir := peopleFolder(t, peopleJob+
		"sensitive: [{column: income, t_hierarchical: 0.9, taxonomy: incomes}]\n", 400)
	trees := filepath.Join(dir, "trees.yaml")
	write(t, trees, string(mustRead(t, trees))+"incomes: {any: {some: [low], more: [high]}}\n")
	mustRun(t, dir, nil)
	v, err := hold(t, dir, func(*job.Job) {})
	if must(t, err); !v.OK {
		t.Errorf("got %+v", v)
	}
	_, err = hold(t, dir, func(j *job.Job) {
		few := 0.001
		j.Sensitive = slices.Clone(j.Sensitive)
		j.Sensitive[0].THierarchical = &few
	})
	mustFail(t, err, fault.Privacy, "column income: t_hierarchical ", "the job asks for 0.001")
}

package job

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/taxonomy"
)

// programJob returns a job that a program fills in.
func programJob() *Job {
	return &Job{
		Input:  []string{"people.parquet"},
		Output: Output{Path: "release/"},
		Class:  "income",
		Sets:   []Set{{Columns: []string{"age", "zip"}, K: 50}, {Columns: []string{"sex", "zip"}, K: 20}},
		Columns: []Column{
			{Name: "age", Mask: MaskDiscretize, Bounds: Bounds{Lower: "17"}},
			{Name: "zip", Mask: MaskGeneralize, Taxonomy: Taxonomy{Prefix: []int{5, 3, 1}}},
			{Name: "sex", Mask: MaskGeneralize},
			{Name: "income", Mask: MaskKeep},
		},
		Taxonomies: map[string]Taxonomy{"sex": {Tree: &taxonomy.Node{Name: "ANY", Children: []taxonomy.Node{{Name: "F"}, {Name: "M"}}}}},
		MaxSteps:   new(0),
		Limits:     Limits{Memory: 1 << 30},
	}
}

// A job that a program filled in is the one that its YAML loads to, and stays as it was.
func TestResolve(t *testing.T) {
	given := programJob()
	job, err := given.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(given, programJob()) {
		t.Errorf("the given job has become %+v", given)
	}
	loaded, err := Parse("job.yaml", []byte(job.YAML()), nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, job.YAML())
	}
	if !reflect.DeepEqual(plainJob(job), plainJob(loaded)) {
		t.Errorf("got\n%+v\nwant\n%+v", plainJob(loaded), plainJob(job))
	}
	if job.Score != "tdr" || job.Column("sex").Taxonomy.Name != "sex" || job.Limits.Memory != 1<<30 {
		t.Errorf("got %+v", job)
	}
	if again, err := job.Resolve(); err != nil || !reflect.DeepEqual(again, job) {
		t.Errorf("resolved twice: %+v, %v", again, err)
	}
	settings := job.Settings()
	for key, origin := range map[string]string{"class": "", "limits.memory": "", "unlisted": "default", "columns.sex.taxonomy": "default"} {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.Key == key && s.Origin == origin }) {
			t.Errorf("no setting %s of origin %q in %v", key, origin, settings)
		}
	}
}

// What is wrong with a job that a program filled in is told by the paths of its keys.
func TestResolveProblems(t *testing.T) {
	tests := []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Sets[1].K = -1 }, "quasi_identifiers[1].k: k must be an integer of at least 1, not -1"},
		{func(j *Job) { j.Sets[0].K = 0 }, `quasi_identifiers[0]: missing key "k"`},
		{func(j *Job) { j.Sets = nil }, `job: missing key "quasi_identifiers"`},
		{func(j *Job) { j.Output = Output{} }, `job: missing key "output"`},
		{func(j *Job) { j.Sets[0].Columns[1] = "zap" }, `quasi_identifiers[0].columns[1]: column "zap" is in a set and has no entry in columns`},
		{func(j *Job) { j.Columns[0].Mask = "discretise" }, "columns.age.mask: mask must be one of generalize, discretize, suppress, keep, drop, not \"discretise\"\n    hint: did you mean \"discretize\"?"},
		{func(j *Job) { j.Columns[0].Name = "zip" }, `columns.zip: column "zip" is there twice`},
		{func(j *Job) { j.Columns[3].Mask = MaskDrop }, `columns.income.mask: the class column "income" must be kept`},
		{func(j *Job) { j.Columns[1].Taxonomy.Prefix = []int{3, 5} }, "columns.zip.taxonomy[1]: prefix: lengths must descend"},
		{func(j *Job) { j.Columns[1].Taxonomy.Name = "sex" }, "columns.zip.taxonomy: a taxonomy here is one of a name, a tree or a generator"},
		{func(j *Job) { j.Columns[1].Taxonomy = Taxonomy{File: "zips.csv"} }, "columns.zip.taxonomy: a taxonomy here is one of"},
		{func(j *Job) { j.Taxonomies["sex"].Tree.Children[1].Name = "F" }, "taxonomies.sex: name used twice in one tree"},
		{func(j *Job) { j.Taxonomies = nil }, `columns.sex: column "sex" is generalized and has no taxonomy`},
		{func(j *Job) { j.TaxonomyFile = "trees.yaml" }, "taxonomies: taxonomies are a file or a map, not both"},
		{func(j *Job) { j.Algorithm.Seed = 3 }, "algorithm.seed: seed is for algorithm kactus or mondrian, the algorithm is tdr"},
		{func(j *Job) { j.Algorithm = Algorithm{Name: AlgorithmIACc, MaxDivergence: new(1.5)} }, "algorithm.max_divergence: max_divergence must be a number from 0 to 1, not 1.5"},
		{func(j *Job) { j.Limits.Memory = 1 }, "limits.memory: memory of 1 bytes is less than 1MiB"},
		{func(j *Job) { j.CSV.Delimiter = 'x' }, `csv.delimiter: delimiter must be one character such as ",", ";" or "\t", not "x"`},
	}
	for _, tt := range tests {
		job := programJob()
		tt.change(job)
		if err := job.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

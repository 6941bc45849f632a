package job

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kcut/kcut/formats/taxonomy"
)

// plainJob returns a job without what depends on where it was read from.
func plainJob(job *Job) *Job {
	plain := *job
	plain.File, plain.origins = "", origins{}
	for i := range plain.Columns {
		forgetPlaces(plain.Columns[i].Taxonomy.Tree)
	}
	for _, t := range plain.Taxonomies {
		forgetPlaces(t.Tree)
	}
	return &plain
}

func forgetPlaces(n *taxonomy.Node) {
	if n == nil {
		return
	}
	n.Line, n.Column = 0, 0
	for i := range n.Children {
		forgetPlaces(&n.Children[i])
	}
}

// The resolved job, saved, is the same job.
func TestResolvedJobLoadsAgain(t *testing.T) {
	for _, path := range jobsIn(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			job, err := Load(path, []Override{{"quasi_identifiers[].k", "9", "--k"}, {"limits.spill_dir", "a b", "--spill-dir"}})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse(path, []byte(job.YAML()), nil)
			if err != nil {
				t.Fatalf("%v in\n%s", err, job.YAML())
			}
			if !reflect.DeepEqual(plainJob(job), plainJob(again)) {
				t.Errorf("got\n%+v\nwant\n%+v\nfrom\n%s", plainJob(again), plainJob(job), job.YAML())
			}
		})
	}
}

// What kcut config prints.
func TestYAML(t *testing.T) {
	job, err := Load(filepath.Join("testdata", "good", "people.yaml"),
		[]Override{{"quasi_identifiers[].k", "30", "--k"}, {"limits.memory", "2GB", "KCUT_MEMORY"}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "resolved.golden"), job.YAML())
}

package jobfile

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/taxonomy"
)

// plainJob returns a job without what depends on where it was read from.
func plainJob(job *Job) *Job {
	plain := *job
	plain.File, plain.source = "", document{}
	plain.Columns = slices.Clone(job.Columns)
	for i := range plain.Columns {
		c := &plain.Columns[i]
		c.Taxonomy = plainTaxonomy(c.Taxonomy)
	}
	plain.Taxonomies = make(map[string]*TaxonomySource)
	for name, spec := range job.Taxonomies {
		plain.Taxonomies[name] = plainTaxonomy(spec)
	}
	return &plain
}

func plainTaxonomy(spec *TaxonomySource) *TaxonomySource {
	if spec == nil {
		return nil
	}
	plain := *spec
	plain.pos = pos{}
	if plain.Tree != nil {
		tree := plainTree(*plain.Tree)
		plain.Tree = &tree
	}
	return &plain
}

func plainTree(n taxonomy.Node) taxonomy.Node {
	n.Line, n.Column = 0, 0
	children := make([]taxonomy.Node, len(n.Children))
	for i := range n.Children {
		children[i] = plainTree(n.Children[i])
	}
	n.Children = children
	return n
}

// The resolved job, saved, is the same job.
func TestResolvedJobLoadsAgain(t *testing.T) {
	for _, path := range jobsIn(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			job, err := Load(path, []Override{{"quasi_identifiers[].k", "9", "--k"}, {"limits.spill_dir", "a b", "--spill-dir"}})
			if err != nil {
				t.Fatal(err)
			}
			again, err := parse(path, []byte(job.YAML()), nil)
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

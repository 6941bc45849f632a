package job

import (
	"errors"
	"strings"
	"testing"
)

func TestLoadTaxonomies(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "trees/sex.csv", "F;*\nM;*\n")
	writeFile(t, dir, "trees/race.yaml", "ANY: [a, b]\n")
	path := writeFile(t, dir, "job.yaml", `input: a
output: b
quasi_identifiers: [{columns: [sex, gender, race, zip, city], k: 2}]
columns:
  sex: generalize
  gender: {mask: generalize, taxonomy: sex}
  race: generalize
  zip: {mask: generalize, taxonomy: {prefix: [3]}}
  city: {mask: generalize, taxonomy: {ANY: [x, y]}}
taxonomies: {sex: trees/sex.csv, race: trees/race.yaml, unused: trees/none.csv}
`)
	job, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := job.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 || got["sex"].Tree != got["gender"].Tree || got["sex"].Tree.Name != "*" ||
		len(got["race"].Tree.Children) != 2 ||
		got["zip"].Prefix[0] != 3 || got["city"].Tree.Children[1].Name != "y" {
		t.Errorf("got %+v", got)
	}
}

func TestLoadTaxonomiesProblems(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "bad.csv", "F;*\nF;*\n")
	writeFile(t, dir, "trees.yaml", "gender: {ANY: [F, M]}\n")
	const head = "input: a\noutput: b\n" +
		"quasi_identifiers: [{columns: [sex, gender, race], k: 2}]\n" +
		"columns: {sex: generalize, gender: generalize, race: suppress}\n"
	tests := []struct{ name, taxonomies, want string }{
		{"files", "{sex: none.csv, gender: bad.csv}", `DIR/job.yaml:5:19: read taxonomy file DIR/none.csv: no such file
    taxonomies: {sex: none.csv, gender: bad.csv}
                      ^
DIR/bad.csv:2:1: a second row for the leaf of line 1`},
		{"a directory", "{sex: ., gender: {ANY: [a]}}", `DIR/job.yaml:5:19: read taxonomy file DIR/.: it is a directory
    taxonomies: {sex: ., gender: {ANY: [a]}}
                      ^`},
		{"a missing file of trees", "none.yaml", `DIR/job.yaml:5:13: read taxonomy file DIR/none.yaml: no such file
    taxonomies: none.yaml
                ^`},
		{"a missing tree", "trees.yaml", `DIR/job.yaml:4:11: column "sex": no taxonomy named "sex" in DIR/trees.yaml
    columns: {sex: generalize, gender: generalize, race: suppress}
              ^`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job, err := Load(writeFile(t, dir, "job.yaml", head+"taxonomies: "+tt.taxonomies+"\n"),
				nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = job.LoadTaxonomies()
			var bad *Error
			if !errors.As(err, &bad) || strings.ReplaceAll(err.Error(), dir, "DIR") != tt.want {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

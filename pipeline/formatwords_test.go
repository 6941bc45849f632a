package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// formatWords are values with a meaning in a format that a run writes or reads: a null in a set
// of values, in the COPY of SQL, in JSON and in partitions; sets and ranges; encoded letters; and
// parts of paths, JSON and YAML.
var formatWords = []string{
	null, `\N`, `\\N`, "null", "NULL", "NaN", "", " ", "~", "{}", "{", `{a|b}`, "a", "b", "a|b", `{\N}`, `{\N|a}`, `\`, "(,)", "[1,2)", "(,1)", "%41", "A=B", "a/b", "../x",
	"\u202e", "\u2028", "\n", "\r\n", "<&>", `"`, `'`, `''`, "part-00000.parquet", "_SUCCESS", "ANY?", "true", "0", "1e3", "#", "é", "\x1b[0m",
}

// wordTable has these words in columns of every mask but discretize.
func wordTable(rng *rand.Rand, words []string, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "s", Type: textType, Nullable: true}, {Name: "u", Type: textType, Nullable: true},
		{Name: "tree", Type: textType, Nullable: true},
		{Name: "stem", Type: textType, Nullable: true}, {
			Name: "n", Type: wholeType, Nullable: true,
		}, {Name: "kept", Type: textType, Nullable: true},
		{Name: "c", Type: textType},
	}}
	for range rows {
		at := rng.IntN(len(words))
		word := func() string { return words[(at+rng.IntN(3))%len(words)] }
		node := func() string { return cmp.Or(word(), "a") } // a node has a name
		n := fmt.Sprint(at)
		if words[at] == null {
			n = null
		}
		t.rows = append(t.rows, []string{word(), word(), node(), node(), n, word(),
			fmt.Sprint(at / 3 % 3)})
	}
	return t
}

const wordJob = `
input: in
output: out.parquet
class: c
quasi_identifiers:
  - {columns: [s, tree, n], k: 3}
  - {columns: [u, stem], k: 2}
columns:
  s: suppress
  u: suppress
  tree: generalize
  stem: {mask: generalize, taxonomy: {prefix: [2, 1]}}
  n: discretize
  kept: keep
  c: keep
taxonomies: words.yaml
`

// wordFolder makes a folder with such a table and a taxonomy of its words.
func wordFolder(t *testing.T, text string, table *testTable) string {
	t.Helper()
	dir := table.folder(t, text, 100)
	tree := map[string]map[string]map[string]any{"tree": {"every word": {}}}
	for i, word := range formatWords {
		group := fmt.Sprint("group ", i/6)
		if tree["tree"]["every word"][group] == nil {
			tree["tree"]["every word"][group] = map[string]any{}
		}
		if word != null && word != "" {
			tree["tree"]["every word"][group].(map[string]any)[word] = map[string]any{}
		}
	}
	text2, err := json.Marshal(tree)
	must(t, err)
	write(t, filepath.Join(dir, "words.yaml"), string(text2))
	return dir
}

// Words of formats are treated like other values by every algorithm, and by a cut that is applied
// to another night.
func TestFormatWords(t *testing.T) {
	for i, algorithm := range searches() {
		t.Run(searchName(algorithm), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			dir := wordFolder(t, withAlgorithm(wordJob, algorithm),
				wordTable(rng, formatWords, 1500))
			mustRelease(t, dir, 0)
			wordTable(rng, formatWords, 1500).parquet(t, filepath.Join(dir, "in", "a.parquet"),
				0, 1500, 100)
			j := mustLoad(t, dir, "output.path", filepath.Join(dir, "next.parquet"))
			_, err := Apply(t.Context(), j, ApplyOptions{Cut: filepath.Join(dir, "out.parquet"),
				OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 100}})
			must(t, err)
			auditJob(t, j)
		})
	}
}

// A label that readers of partitions take for another value, or that shares its folder with
// another label in some file systems, ends a run.
func TestPartitionWords(t *testing.T) {
	const text = "output: {path: out/, partition_by: [s]}"
	partitioned := strings.Replace(wordJob, "output: out.parquet", text, 1)
	clash := func(words ...string) []string { return append(words, "b", "x", null, `\N`) }
	for _, tt := range []struct {
		words []string
		want  string // part of the message; empty: the table is released
	}{
		{clash("a"), ""},
		{clash("__HIVE_DEFAULT_PARTITION__"),
			"column s has a label that readers of partitions take for a null"},
		{clash(""), "column s has a label that readers of partitions take for a null"},
		{clash("X"), "column s has labels that differ in case or in the form of Unicode alone"},
		{clash("\u00e9", "e\u0301"), "column s has labels that differ in case or in the form of " +
			"Unicode alone"},
		{clash("\u00c9", "e\u0301"), "column s has labels that differ in case or in the form of " +
			"Unicode alone"},
	} {
		for _, algorithm := range []string{"tdr", "{name: mondrian, region_labels: tight}"} {
			dir := wordFolder(t, withAlgorithm(partitioned, algorithm),
				wordTable(rand.New(rand.NewPCG(1, 1)), tt.words, 600))
			write(t, filepath.Join(dir, "words.yaml"), "tree: {}")
			editJob(t, dir, "tree: generalize", "tree: {mask: generalize, taxonomy: {prefix: [1]}}")
			err := tryJob(t, dir, t.Context(), RunOptions{}, "order", job.OrderReleased)
			if tt.want == "" {
				must(t, err)
				mustFind(t, filepath.Join(dir, "out"))
				continue
			}
			mustFail(t, err, fault.Input, tt.want, "output.partition_by")
			if _, err := os.Lstat(filepath.Join(dir, "out")); err == nil {
				t.Errorf("%q: something was published", tt.words)
			}
		}
	}
}

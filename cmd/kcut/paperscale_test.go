package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/taxonomy"
)

// The largest table of the papers' sections on scalability (bottom-up generalization, 6.2;
// kACTUS, 5.8): Adult, and 29 variations of each of its records.
const (
	paperScale = 30
	paperRows  = 1_356_660
	paperK     = 150
)

// paperColumns are the quasi-identifiers, of which a variation has some changed.
var paperColumns = []string{"workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"}

// TestPapersScale runs every algorithm on the papers' largest tables, in which one, three or
// four of seven attributes are changed: with 256 MiB, and less than that and the overhead
// resident. It logs the table of docs/results.md.
func TestPapersScale(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	adult := formatstest.SharedData(t, "adult")
	for _, changed := range []int{1, 3, 4} {
		dir := t.TempDir()
		if text, err := exec.CommandContext(t.Context(), "paperrun", adult, strconv.Itoa(changed), dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, algorithm := range []string{"bottom-up", "kactus", "tdr", "iack", "mondrian", "infogain-mondrian"} {
			t.Run(fmt.Sprintf("%d changed, %s", changed, algorithm), func(t *testing.T) {
				checkPaperRun(t, dir, algorithm)
			})
		}
	}
}

// checkPaperRun runs a folder's job, and verifies what it released.
func checkPaperRun(t *testing.T, dir, algorithm string) {
	t.Helper()
	const memory = 256
	m := measure(t, "kcut", dir, fmt.Sprintf("%dMiB", memory), "--algorithm", algorithm, "--k", strconv.Itoa(paperK))
	if m.resident == 0 || m.resident > memory<<20+overhead {
		t.Errorf("peak resident set is %d MiB with a budget of %d MiB", m.resident>>20, memory)
	}
	text, err := exec.CommandContext(t.Context(), "kcut", "verify", "--json", filepath.Join(dir, "out.parquet")).Output()
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	var verified verifications
	if err := json.Unmarshal(text, &verified); err != nil {
		t.Fatal(err)
	}
	file := verified.Files[0]
	if set := file.Sets[0]; !verified.OK || set.K != paperK || set.Anonymity < paperK || len(set.Columns) != len(paperColumns) {
		t.Errorf("verified %+v", file)
	}
	if file.Rows > paperRows || file.Rows <= paperRows-paperK {
		t.Errorf("%d rows released", file.Rows)
	}
	seconds := map[string]float64{}
	for _, stage := range m.run.Stages {
		seconds[stage.Stage] += stage.Seconds
	}
	t.Logf("| `%s` | %d | %d | %.2f | %.1f | %.1f | %d |",
		algorithm, m.run.Tuples[0], m.run.Steps, seconds["search"], m.seconds, m.cpu, m.resident>>20)
}

// writePaperRun is a command, as writeBigRun: it writes a table and a job of Adult to a folder.
func writePaperRun() {
	changed, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = preparePaperRun(os.Args[1], changed, os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// preparePaperRun writes the blown-up table, and the job of docs/adult on seven attributes.
func preparePaperRun(adult string, changed int, dir string) error {
	job, err := os.ReadFile(filepath.Join("..", "..", "docs", "adult", "seven.yaml"))
	if err != nil {
		return err
	}
	trees := filepath.Join(adult, "taxonomies.yaml")
	text := strings.NewReplacer("adult.parquet", "adult.csv", "release.parquet", "out.parquet", "taxonomies.yaml", trees).Replace(string(job))
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	leaves, err := paperLeaves(trees)
	if err != nil {
		return err
	}
	in, err := os.Open(filepath.Join(adult, "adult.csv"))
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(dir, "adult.csv"))
	if err != nil {
		return err
	}
	return errors.Join(blowUp(csv.NewWriter(out), rows, leaves, changed), out.Close())
}

// paperLeaves returns the values that the quasi-identifiers may have.
func paperLeaves(path string) (map[string][]string, error) {
	trees, err := taxonomy.ReadAll(path)
	if err != nil {
		return nil, err
	}
	leaves := map[string][]string{}
	for _, name := range paperColumns {
		leaves[name] = leavesOf(*trees[name])
	}
	return leaves, nil
}

func leavesOf(n taxonomy.Node) (names []string) {
	if len(n.Children) == 0 {
		return []string{n.Name}
	}
	for _, child := range n.Children {
		names = append(names, leavesOf(child)...)
	}
	return names
}

// blowUp writes rows, the first of which are the columns' names, and their variations: each
// has so many quasi-identifiers, drawn anew, replaced by random leaves.
func blowUp(out *csv.Writer, rows [][]string, leaves map[string][]string, changed int) error {
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, uint64(changed)))
	row := make([]string, len(rows[0]))
	for range paperScale - 1 {
		for _, original := range rows[1:] {
			copy(row, original)
			for _, i := range r.Perm(len(paperColumns))[:changed] {
				name := paperColumns[i]
				row[slices.Index(rows[0], name)] = leaves[name][r.IntN(len(leaves[name]))]
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

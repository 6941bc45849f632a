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

// The largest table of the papers' sections on scalability (bottom-up generalization, 6.2; kACTUS,
// 5.8) has Adult and 29 variations of each of its records.
const (
	paperScale = 30
	paperRows  = 1_356_660
	paperK     = 150
)

// paperColumns are the quasi-identifiers. Variations change some of them.
var paperColumns = []string{"workclass", "education", "marital-status", "occupation", "race", "sex",
	"native-country"}

// TestPapersScale runs every algorithm on the papers' largest tables, where one, three or four of
// seven attributes vary. The budget is 256 MiB, and the resident set stays below budget and
// overhead. The test logs the table of docs/results.md.
func TestPapersScale(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	adult := formatstest.SharedData(t, "adult")
	for _, changed := range []int{1, 3, 4} {
		dir := t.TempDir()
		text, err := exec.CommandContext(t.Context(), "paperrun", adult, strconv.Itoa(changed),
			dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, algorithm := range []string{"bottom-up", "kactus", "tdr", "iack", "mondrian",
			"infogain-mondrian"} {
			t.Run(fmt.Sprintf("%d changed, %s", changed, algorithm), func(t *testing.T) {
				checkPaperRun(t, dir, algorithm)
			})
		}
	}
}

// checkPaperRun runs a folder's job, and verifies the release.
func checkPaperRun(t *testing.T, dir, algorithm string) {
	t.Helper()
	const memory = 256
	m := measure(t, "kcut", dir, fmt.Sprintf("%dMiB", memory), "--algorithm", algorithm, "--k",
		strconv.Itoa(paperK))
	if m.resident == 0 || m.resident > memory<<20+overhead {
		t.Errorf("peak resident set is %d MiB with a budget of %d MiB", m.resident>>20, memory)
	}
	text, err := exec.CommandContext(t.Context(), "kcut", "verify", "--json",
		filepath.Join(dir, "out.parquet")).Output()
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	var verified verifications
	if err := json.Unmarshal(text, &verified); err != nil {
		t.Fatal(err)
	}
	file := verified.Files[0]
	if set := file.Sets[0]; !verified.OK || set.K != paperK || set.Anonymity < paperK ||
		len(set.Columns) != len(paperColumns) {
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
		algorithm, m.run.Tuples[0], m.run.Steps, seconds["search"], m.seconds, m.cpu,
		m.resident>>20)
}

// writePaperRun is a command like writeBigRun: it writes a table and a job of Adult to a folder.
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

// preparePaperRun writes the table with variations, and the job of docs/adult on seven attributes.
func preparePaperRun(adult string, changed int, dir string) error {
	job, err := os.ReadFile(filepath.Join("..", "..", "docs", "adult", "seven.yaml"))
	if err != nil {
		return err
	}
	trees := filepath.Join(adult, "taxonomies.yaml")
	text := strings.NewReplacer("adult.parquet", "adult.csv", "release.parquet", "out.parquet",
		"taxonomies.yaml", trees).Replace(string(job))
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

// paperLeaves returns the possible values of the quasi-identifiers.
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

// blowUp writes rows and their variations. The first row has the names of the columns. Each
// variation replaces the given number of random quasi-identifiers by random leaves.
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

package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// naiveWeighted computes the risks of rows, each with its class and its weight.
func naiveWeighted(classes []string, weights []float64) *risk.Weighted {
	rows, people, r := make(map[string]float64), make(map[string]float64), &risk.Weighted{}
	for i, class := range classes {
		rows[class]++
		people[class] += weights[i]
		r.Population += weights[i]
	}
	for _, class := range classes {
		f, p := rows[class], rows[class]/people[class]
		simple, individual := min(1/people[class], 1), p/(f-(1-p))
		switch {
		case p >= 1:
			individual = 1 / f
		case f == 1:
			individual = p / (1 - p) * math.Log(1/p)
		case f == 2:
			individual = p/(1-p) - math.Pow(p/(1-p), 2)*math.Log(1/p)
		}
		r.Simple.Highest = max(r.Simple.Highest, simple)
		r.Simple.Average += simple / float64(len(classes))
		r.Individual.Highest = max(r.Individual.Highest, individual)
		r.Individual.Average += individual / float64(len(classes))
	}
	return r
}

// checkWeighted compares risks up to the last digits of sums.
func checkWeighted(t testing.TB, what string, got, want *risk.Weighted) {
	t.Helper()
	if got == nil {
		t.Fatalf("%s: no figures", what)
	}
	for i, pair := range [][2]float64{
		{got.Population, want.Population}, {got.Simple.Highest, want.Simple.Highest},
		{got.Simple.Average, want.Simple.Average},
		{got.Individual.Highest, want.Individual.Highest},
		{got.Individual.Average, want.Individual.Average},
	} {
		// the estimate of classes of two subtracts numbers that are nearly equal
		if math.Abs(pair[0]-pair[1]) > 1e-9*max(1, pair[1]) {
			t.Errorf("%s, figure %d: got %v, want %v", what, i, pair[0], pair[1])
		}
	}
}

// weighted returns random weights, of which some are the same.
func weighted(rng *rand.Rand, rows int) (weights []float64) {
	for range rows {
		weight := 1 + math.Trunc(rng.ExpFloat64()*800)/8
		if rng.IntN(10) == 0 {
			weight = rng.Float64() + 0.01
		}
		weights = append(weights, weight)
	}
	return weights
}

// Check measures by weights what a naive count measures, in memory and in the store.
func TestWeightsOfCheck(t *testing.T) {
	enginetest.Cases(t, enginetest.Naive(80), func(rng *rand.Rand) {
		rows := 1 + rng.IntN(300)
		weights, classes, text := weighted(rng, rows), []string(nil), "a,b,s,w\n"
		for _, weight := range weights {
			a, b := rng.IntN(1+rng.IntN(9)), rng.IntN(1+rng.IntN(9))
			classes = append(classes, fmt.Sprint(a, " ", b))
			text += fmt.Sprintf("a%d,b%d,s%d,%s\n", a, b, rng.IntN(3),
				strconv.FormatFloat(weight, 'g', -1, 64))
		}
		opt := check.Options{Columns: []string{"a", "b"}, Weight: "w", Spill: rng.IntN(2) == 0,
			Limits: job.Limits{SpillDir: t.TempDir(), Threads: 1 + rng.IntN(3)}}
		if rng.IntN(2) == 0 {
			opt.Sensitive = []string{"s"}
		}
		got, err := checkText(t, text, opt)
		must(t, err)
		checkWeighted(t, "check", got.Weighted, naiveWeighted(classes, weights))
	})
}

// Rows without a weight above 0 are refused with their number, and so are columns without numbers.
func TestWeightsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a,w\nx,1\ny,0\nz,-2.5\nu,\nw,2\n", "of column w: 3 rows without a number above 0"},
		{"a,w\nx,9223372036854775807\ny,1\nz,9007199254740992\n",
			"of column w: 1 row without a number above 0 and of 2^53 at most"},
		{"a,w\nx,1\ny,many\n", "of column w: its type is string"},
	} {
		_, err := checkText(t, c.text, check.Options{Columns: []string{"a"}, Weight: "w"})
		mustFail(t, err, fault.Input, c.want)
		if strings.Contains(err.Error(), "2.5") || strings.Contains(err.Error(), "many") {
			t.Errorf("the error shows a value: %v", err)
		}
		dir := jobFolder(t, "input: in\noutput: out.parquet\nweight_of_row: w\n"+
			"quasi_identifiers: [{columns: [a], k: 2}]\ncolumns: {a: suppress, w: drop}\n")
		write(t, filepath.Join(dir, "in", "a.csv"), c.text)
		_, err = runJob(t, dir, nil)
		mustFail(t, err, fault.Input, c.want)
		_, err = planJob(t, dir, PlanOptions{Sample: true})
		mustFail(t, err, fault.Input, c.want)
	}
	_, err := checkText(t, "a,w,p\nx,1,1\n",
		check.Options{Columns: []string{"a"}, Weight: "w", Entity: "p"})
	mustFail(t, err, fault.Usage, "the entity counts people")
}

const weightedJob = `
input: in
output: out.parquet
order: input
max_unique: 100%
weight_of_row: w
quasi_identifiers: [{columns: [a, b], k: 3}, {columns: [b, c], k: 2}]
columns: {id: {keep: {identifying: accepted}}, a: suppress, b: discretize, c: suppress, w: drop}
`

// A run measures by weights what a naive count measures: before masking in the input, after it on
// the labels of the rows that are released. Rows with different labels may look alike: bounds are
// null where a value is null, and where a region has all values.
func TestWeightsOfRuns(t *testing.T) {
	enginetest.Cases(t, enginetest.Naive(40), func(rng *rand.Rand) {
		extra := []string{"", "max_suppressed: 10%\n", "max_suppressed: 10%\nsuppressed: drop\n",
			"algorithm: {name: mondrian, region_labels: tight}\n",
			"algorithm: {name: mondrian, partitioning: relaxed}\n"}[rng.IntN(5)]
		text, released := weightedJob, []string{"a", "b", "c"}
		if rng.IntN(2) == 0 {
			text = strings.Replace(text, "discretize", "{mask: discretize, render: bounds}", 1)
			released = []string{"a", "b_lower", "b_upper", "c"}
		}
		dir := jobFolder(t, text+extra+"limits: {threads: "+
			fmt.Sprint(1+rng.IntN(3))+"}\n")
		rows := 20 + rng.IntN(300)
		weights, raw, table := weighted(rng, rows), []string(nil), "id,a,b,c,w\n"
		for i, weight := range weights {
			b := fmt.Sprint(rng.IntN(30))
			if rng.IntN(9) == 0 {
				b = ""
			}
			class := fmt.Sprintf("a%d,%s,c%d", rng.IntN(4), b, rng.IntN(1+rng.IntN(9)))
			raw = append(raw, class)
			table += fmt.Sprintf("%d,%s,%s\n", i, class, strconv.FormatFloat(weight, 'g', -1, 64))
		}
		write(t, filepath.Join(dir, "in", "a.csv"), table)
		report, err := runJob(t, dir, nil)
		if fault.ClassOf(err) == fault.Privacy {
			return // too many rows are odd
		}
		must(t, err)
		checkWeighted(t, "before", report.Weighted.Raw, naiveWeighted(raw, weights))
		release := readReleased(t, filepath.Join(dir, "out.parquet"))
		var labels []string
		var of []float64
		for row := range release.rows {
			key := ""
			for _, name := range released {
				key += fmt.Sprint(release.column(name).codes[row], " ")
			}
			ids := release.column("id")
			id, err := strconv.Atoi(ids.texts[ids.codes[row]])
			must(t, err)
			labels, of = append(labels, key), append(of, weights[id])
		}
		checkWeighted(t, "after"+extra, report.Weighted.Labels, naiveWeighted(labels, of))
	})
}

// A run with weights makes the same release as without, and a job without weights reports none. The
// memory of a small budget suffices.
func TestWeightsChangeNoByte(t *testing.T) {
	table := "id,a,b,c,w\n"
	for i := range 20_000 {
		table += fmt.Sprintf("%d,a%d,%d,c%d,%d\n", i, i%3, i*i%1009, i%7, 1+i%977)
	}
	with := jobFolder(t, weightedJob)
	without := jobFolder(t, strings.Replace(weightedJob, "weight_of_row: w\n", "", 1))
	for _, dir := range []string{with, without} {
		write(t, filepath.Join(dir, "in", "a.csv"), table)
	}
	memory := resources.MinMemory
	measured := mustRun(t, with, nil, "limits.memory", fmt.Sprint(memory))
	plain := mustRun(t, without, nil, "limits.memory", fmt.Sprint(memory))
	if string(mustRead(t, filepath.Join(with, "out.parquet"))) !=
		string(mustRead(t, filepath.Join(without, "out.parquet"))) {
		t.Error("weights change the release")
	}
	if measured.Weighted == nil || plain.Weighted != nil {
		t.Errorf("weighted %v, without weights %v", measured.Weighted, plain.Weighted)
	}
	if text, err := json.Marshal(plain); err != nil || strings.Contains(string(text), "weighted") {
		t.Errorf("%s, %v", text, err)
	}
}

package evaluate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// algorithms are all, with the options that change how they work.
var algorithms = []job.Algorithm{
	{Name: job.AlgorithmTDR}, {Name: job.AlgorithmTDS},
	{Name: job.AlgorithmBottomUp, Bins: 4},
	{Name: job.AlgorithmKACTUS}, {
		Name:       job.AlgorithmKACTUS,
		Leftover:   job.LeftoverRecruit,
		MinObjects: 1,
	},
	{Name: job.AlgorithmIACk, Bins: 4}, {Name: job.AlgorithmIACk, Bins: 4, Small: job.SmallTopUp},
	{Name: job.AlgorithmIACc, Bins: 4, MaxDivergence: new(0.5), MaxInformationChange: new(0.5)},
	{Name: job.AlgorithmMondrian}, {
		Name:         job.AlgorithmMondrian,
		Partitioning: job.PartitioningRelaxed,
		Categories:   job.CategoriesOrdered,
		RegionLabels: job.RegionLabelsTight,
	},
	{Name: job.AlgorithmInfoGainMondrian},
}

// Domains are those of all rows, so engines see values that no training row has, and their rules
// are applied to test rows with such values. The release of the training part is k-anonymous, every
// test row gets labels or is dropped, and no memory stays drawn.
func TestUnseenValues(t *testing.T) {
	enginetest.Cases(t, seedtest.Few(100, 300), func(r *rand.Rand) {
		c := enginetest.NewCase(r, 30)
		if len(c.Data.Classes) == 0 {
			return
		}
		codes := c.Data.Codes()
		e, rows := split(t, r, codes)
		if e == nil {
			return
		}
		all := engine.Set{K: 1} // every attribute is in a set
		for a := range codes.Attributes {
			all.Columns = append(all.Columns, a)
		}
		for i := range c.Sets {
			c.Sets[i].K = engine.KAnonymity(1 + r.IntN(6))
		}
		c.Sets = append(c.Sets, all)
		for _, algorithm := range algorithms {
			f, err := e.assign(t.Context(), round{})
			must(t, err)
			tr, shown := watched(e, f)
			release, err := tr.search(t.Context(), &job.Job{Algorithm: algorithm},
				engine.Requirement{Sets: c.Sets})
			if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", algorithm.Name, err, c)
			}
			if used := tr.Space.Budget.Used(); used != release.Pools.Bytes() {
				t.Errorf("%s: %d bytes stay drawn", algorithm.Name, used)
			}
			checkParts(t, c, tr, release, rows, shown, algorithm.Name)
		}
	})
}

// split makes records from rows, some for training and the others for testing, and returns both;
// nil if one side has none.
func split(t *testing.T, r *rand.Rand, codes enginetest.Codes) (e *evaluation, rows [2][]int) {
	t.Helper()
	var domains []int
	for a := range codes.Attributes {
		domains = append(domains, codes.Attributes[a].Len())
	}
	table := &partition.Table{Layout: partition.NewLayout(append(domains, codes.Classes, 2))}
	fields := table.Layout.Fields
	for row := range codes.Rows {
		key := make([]uint64, table.Layout.Words)
		put := func(field int, code uint32) {
			key[fields[field].Word] |= uint64(code) << fields[field].Shift
		}
		for a := range codes.Columns {
			put(a, codes.Columns[a][row])
		}
		side := uint32(0)
		if r.IntN(3) == 0 {
			side = 1
		}
		put(len(domains), codes.Class[row])
		put(len(domains)+1, side)
		rows[side] = append(rows[side], row)
		table.Keys, table.Counts = append(table.Keys, key...), append(table.Counts, 1)
	}
	if len(rows[0]) == 0 || len(rows[1]) == 0 {
		return nil, rows
	}
	e = &evaluation{Options: Options{SplitColumn: "side"}, Records: &judge.Records{
		Table: &engine.Table{
			Attributes: codes.Attributes, Classes: codes.Classes,
			ClassNames: make([]engine.Label, codes.Classes),
		},
		Counts: table,
		Space:  partition.Space{Budget: spill.NewBudget(1 << 30)},
	}}
	must(t, e.count(t.Context()))
	return e, rows
}

// checkParts checks the release of the training and of the test rows.
func checkParts(t *testing.T, c enginetest.Case, tr *trial, r *judge.Release, rows [2][]int,
	shown *shown, name string) {
	t.Helper()
	released := make([][]engine.Label, len(c.Data.Rows))
	read := func(from judge.Source, rows []int) {
		b := gather(t, from)
		for i, row := range rows {
			released[row] = nil
			for a, labels := range b.Labels {
				if label := labels[i]; label != engine.DroppedLabel {
					released[row] = append(released[row], r.Labels(a)[label])
				}
			}
		}
	}
	read(masked(tr.Training, r), rows[0])
	enginetest.CheckAnonymous(t, released, c.Sets)
	if t.Failed() {
		t.Fatalf("%s\n%s", name, c)
	}
	costs, err := tr.Judge(t.Context(), r)
	must(t, err)
	if shown.trained+uint64(costs.Dropped) != tr.TrainedOn || shown.tested != tr.TestedOn {
		t.Fatalf("%s: %d rows are released, %g dropped, of %d, and %d tested", name, shown.trained,
			costs.Dropped, tr.TrainedOn, shown.tested)
	}
	checkQueries(t, tr, r, costs, name)
	for a := range tr.Attributes {
		l := labels.Of(&tr.Attributes[a], r.Recoding, a)
		for i, p := range l.Penalties() {
			if p < 0 || p > 1 {
				t.Fatalf("%s: label %d of attribute %d has penalty %g\n%s", name, i, a, p, c)
			}
		}
		l.Feature(false)
		if tr.Attributes[a].Mask == engine.Suppress &&
			strings.HasSuffix(name, job.AlgorithmMondrian) {
			checkNames(t, tr, r, c.Sets, a)
		}
	}
}

// checkQueries compares the error of queries with that counted row by row, on the rows from which
// rules were made.
func checkQueries(t *testing.T, tr *trial, r *judge.Release, costs judge.Costs, name string) {
	t.Helper()
	rows := gather(t, masked(tr.Source(), r))
	truth := make([]uint64, len(tr.Workload.Queries))
	for i := range rows.Counts {
		for q, query := range tr.Workload.Queries {
			other := func(of workload.Range) bool {
				code := rows.Columns[of.Attribute][i]
				return code < of.Lo || code >= of.Hi
			}
			if !slices.ContainsFunc(query, other) {
				truth[q]++
			}
		}
	}
	estimate, labels := tr.Workload.Within(r.Attributes).Estimate(r.Recoding),
		make([]uint32, len(tr.Attributes))
	for i := range rows.Counts {
		for a := range labels {
			labels[a] = rows.Labels[a][i]
		}
		if labels[0] != engine.DroppedLabel {
			estimate.Add(labels, 1)
		}
	}
	want, got := estimate.Error(&workload.Truth{Answers: truth, Records: uint64(len(rows.Counts))}),
		costs.Queries
	if !slices.Equal(truth, tr.Truth.Answers) ||
		math.Abs(got.Mean-want.Mean) > 1e-9*(1+want.Mean) ||
		math.Abs(got.Median-want.Median) > 1e-9*(1+want.Median) {
		t.Fatalf("%s: queries have error %+v, want %+v", name, got, want)
	}
}

// checkNames checks that no label names a value of fewer than k training records, or a null with
// fewer.
func checkNames(t *testing.T, tr *trial, r *judge.Release, sets []engine.Set, a int) {
	t.Helper()
	of := engine.Requirement{Sets: sets}.ByAttribute(len(tr.Attributes))[a]
	k := of.K.Size()
	records := map[engine.Label]uint64{}
	b := gather(t, tr.Source())
	for i, code := range b.Columns[a] {
		value := engine.Label{Null: true}
		if int(code) < len(tr.Attributes[a].Texts) {
			value = engine.Label{Text: tr.Attributes[a].Texts[code]}
		}
		records[value] += b.Counts[i]
	}
	for _, label := range r.Labels(a) {
		for _, value := range (cutfile.Label{Label: label.Text, Null: label.Null}).Values() {
			if value.Text != engine.Suppressed && records[value] < k {
				t.Fatalf("attribute %d: %q names %v, which %d records have, k is %d", a, label.Text,
					value, records[value], k)
			}
		}
	}
}

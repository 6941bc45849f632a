package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

const membersJob = `
input: in
output: out.parquet
class: leaves
quasi_identifiers:
  - {columns: [joined, paid, city], k: 5}
columns:
  joined: discretize
  paid: discretize
  city: suppress
  leaves: keep
`

// members are people of whom nearly every one joined on a day and paid a sum of their own.
func members(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "joined", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "paid", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "city", Type: textType},
		{Name: "leaves", Type: textType},
	}}
	for range rows {
		days, paid := rng.IntN(40_000), rng.IntN(1_000_000)
		leaves := days/4000%2 == paid/90_000%2 || rng.IntN(5) == 0
		t.rows = append(t.rows, []string{
			time.Date(1920, 1, 1+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), fmt.Sprint(paid),
			[]string{"Oslo", "Bergen", "Narvik"}[rng.IntN(3)], fmt.Sprint(leaves),
		})
	}
	return t
}

// alone returns how many bounds of an attribute's labels are the value of exactly one row, and how many there are.
func (t *testTable) alone(recoding engine.Recoding, attribute int) (alone, all int) {
	records := make(map[string]int)
	for _, row := range t.rows {
		records[row[attribute]]++
	}
	bounds := make(map[string]bool)
	for _, i := range recoding.Intervals(attribute) {
		bounds[i.Lower], bounds[i.Upper] = true, true
	}
	delete(bounds, "")
	for bound := range bounds {
		if records[bound] == 1 {
			alone++
		}
	}
	return alone, len(bounds)
}

// withoutLabels takes the labels of intervals out of a trace.
func withoutLabels(trace string) string {
	return regexp.MustCompile(`"[[(][^"]*,[^"]*[])]"`).ReplaceAllString(trace, "interval")
}

// TestBoundsTellOfNobody: a bound that is a value of the data tells that somebody has it. With the values at which
// algorithms split, nearly all bounds do; with the roundest ones nearly none, and steps and parts are the same.
func TestBoundsTellOfNobody(t *testing.T) {
	table := members(rand.New(rand.NewPCG(11, 12)), 1500)
	dir := table.folder(t, membersJob, 500)
	for _, algorithm := range []string{"tdr", "bottom-up", "mondrian", "infogain-mondrian"} {
		t.Run(algorithm, func(t *testing.T) {
			var recodings [2]engine.Recoding
			var traces [2]bytes.Buffer
			for i := range recodings {
				res, err := newResources(mustLoad(t, dir, "algorithm.name", algorithm), &Report{}, Events{}, spill.Options{})
				must(t, err)
				b, err := bindJob(t.Context(), mustLoad(t, dir, "algorithm.name", algorithm), res)
				must(t, err)
				defer b.close()
				counts, err := countInput(t.Context(), b, res, (&RunOptions{}).System.tuning(), false)
				must(t, err)
				for a := range counts.Table.Attributes {
					if i == 0 { // as it was: at the values themselves
						counts.Table.Attributes[a].Bounds = nil
					}
				}
				recodings[i], err = searchOnce(t.Context(), b, counts, res, &tracer{attributes: counts.Table.Attributes, out: &traces[i]})
				must(t, err)
			}
			if before, now := withoutLabels(traces[0].String()), withoutLabels(traces[1].String()); before != now {
				t.Errorf("other steps:\n%s\nbefore\n%s", now, before)
			}
			bounds := 0
			for a := range 2 {
				before, of := table.alone(recodings[0], a)
				now, still := table.alone(recodings[1], a)
				if bounds += of; of != still || before*10 < of*8 || now*10 > of*3 {
					t.Errorf("column %d: of %d bounds %d are one member's, before %d of %d", a, still, now, before, of)
				}
			}
			if bounds < 5 {
				t.Errorf("only %d bounds", bounds)
			}
			for i, recoding := range recodings {
				switch r := recoding.(type) {
				case *engine.Cut:
					for a := range r.Columns {
						r.Columns[a].Labels, r.Columns[a].Intervals = r.Columns[a].Labels[:0:0], nil
					}
					r.Stops = nil
				case *engine.Regions:
					recodings[i] = &engine.Regions{Released: r.Released, Sizes: r.Sizes, Suppressed: r.Suppressed, DroppedRecords: r.DroppedRecords, Reassigned: r.Reassigned}
				}
			}
			if !reflect.DeepEqual(recodings[0], recodings[1]) {
				t.Errorf("other parts:\n%+v\nbefore\n%+v", recodings[1], recodings[0])
			}
		})
	}
}

package masking

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// splitsOf returns splits of the given numbers of rows.
func splitsOf(rows ...int64) (splits []formats.Split) {
	at := int64(0)
	for i, n := range rows {
		splits = append(splits, formats.Split{Ordinal: i, Row: at, Rows: n})
		at += n
	}
	return splits
}

func TestPlanRowGroups(t *testing.T) {
	for _, tt := range []struct {
		splits []formats.Split
		// for each task the ordinals of its splits, and the largest number of rows of a row group
		want string
	}{
		{splitsOf(), ""},
		{splitsOf(0, 0), ""},
		{splitsOf(10), "[0]10"},
		{splitsOf(4, 0, 6), "[0 2]10"},
		{splitsOf(4, 7, 3), "[0]10 [1 2]10"},
		{splitsOf(25), "[0]9"},
		{splitsOf(3, 11, 3), "[0]10 [1]6 [2]10"},
	} {
		var got []string
		for _, task := range planRowGroups(tt.splits, groupLimit{rows: 10}) {
			var ordinals []int
			for _, s := range task.splits {
				ordinals = append(ordinals, s.Ordinal)
			}
			got = append(got, fmt.Sprintf("%v%d", ordinals, task.limit.rows))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%d splits: got %s, want %s", len(tt.splits), got, tt.want)
		}
	}
}

// Row groups of blocks end at the same rows as if rows are added one by one, with bytes behind
// heads or without.
func TestGroupFiller(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 41))
		form := &rowForm{words: 1, head: 8, labels: 8}
		if seed%2 == 0 {
			form.kept = make([]keptField, 1)
		}
		limit := groupLimit{1 + rng.Int64N(60), rng.Int64N(3) * rng.Int64N(300)}
		g := &orderedGroup{o: &ordering{Masker: &Masker{Budget: spill.NewBudget(1 << 30)}},
			form: form}
		var got []int64
		var rows, taken [][]byte
		hand := func() error {
			got = append(got, g.count)
			for i, n := range g.taken.equal {
				taken = append(taken,
					slices.Repeat([][]byte{form.appendRow(nil, &g.taken, i)}, int(n))...)
			}
			g.close()
			return nil
		}
		f := &groupFiller{g, limit, hand}
		for range rng.IntN(5) {
			var b, one rowBlock
			for range rng.IntN(90) {
				row, n := binary.BigEndian.AppendUint64(nil, uint64(len(rows))),
					1+rng.IntN(3)*rng.IntN(40)
				if len(form.kept) > 0 {
					row = append(row, make([]byte, rng.IntN(9))...)
				}
				rows = append(rows, slices.Repeat([][]byte{row}, n)...)
				form.read(&one, row, int64(n))
				b.add(&one)
			}
			if err := f.take(&b); err != nil {
				t.Fatal(err)
			}
		}
		if g.count > 0 {
			if err := hand(); err != nil {
				t.Fatal(err)
			}
		}
		if want := naiveGroups(rows, limit); !slices.Equal(got, want) ||
			!reflect.DeepEqual(taken, rows) {
			t.Fatalf("seed %d, %+v: row groups of %d rows, want %d", seed, limit, got, want)
		}
	}
}

func TestNewGroupLimit(t *testing.T) {
	for _, tt := range []struct {
		rows, records int64
		want          groupLimit
	}{
		{7, 1 << 40, groupLimit{rows: 7}}, {0, 1000, groupLimit{UsualGroup, groupBytes}},
		// else there would be more row groups than a file can number
		{0, 1 << 33, groupLimit{1 << 19, groupBytes}},
	} {
		if got := newGroupLimit(tt.rows, tt.records); got != tt.want {
			t.Errorf("%d rows of %d: %+v, want %+v", tt.rows, tt.records, got, tt.want)
		}
	}
}

func TestPlanRowGroupsCoversEveryRowOnce(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var rows []int64
		for range rng.IntN(20) {
			rows = append(rows, rng.Int64N(1<<rng.IntN(12)+1))
		}
		splits, limit := splitsOf(rows...), 1+rng.Int64N(300)
		next := int64(0)
		for _, task := range planRowGroups(splits, groupLimit{rows: limit}) {
			size := int64(0)
			for _, s := range task.splits {
				if s.Row != next || s.Rows == 0 {
					t.Fatalf("rows %v, limit %d: split %d after row %d", rows, limit, s.Ordinal,
						next)
				}
				next, size = s.Row+s.Rows, size+s.Rows
			}
			if own := task.limit.rows; own > limit || own <= limit/2 ||
				len(task.splits) > 1 && size > own {
				t.Fatalf("rows %v, limit %d: row groups of %d in a task of %d", rows, limit, own,
					size)
			}
		}
		if n := len(splits); n > 0 && next != splits[n-1].Row+splits[n-1].Rows {
			t.Fatalf("rows %v, limit %d: rows from %d on are missing", rows, limit, next)
		}
	}
}

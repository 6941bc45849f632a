package masking

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
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
		want   string // of each task the ordinals of its splits, and the most rows of a row group
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

func TestNewGroupLimit(t *testing.T) {
	for _, tt := range []struct {
		rows, records int64
		want          groupLimit
	}{
		{7, 1 << 40, groupLimit{rows: 7}}, {0, 1000, groupLimit{UsualGroup, groupBytes}},
		{0, 1 << 33, groupLimit{1 << 19, groupBytes}}, // else there would be more than a file has numbers for
	} {
		if got := newGroupLimit(tt.rows, tt.records); got != tt.want {
			t.Errorf("%d rows of %d: %+v, want %+v", tt.rows, tt.records, got, tt.want)
		}
	}
}

func TestPlanRowGroupsCoversEveryRowOnce(t *testing.T) {
	seed := rand.Uint64()
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
					t.Fatalf("rows %v, limit %d: split %d after row %d", rows, limit, s.Ordinal, next)
				}
				next, size = s.Row+s.Rows, size+s.Rows
			}
			if own := task.limit.rows; own > limit || own <= limit/2 || len(task.splits) > 1 && size > own {
				t.Fatalf("rows %v, limit %d: row groups of %d in a task of %d", rows, limit, own, size)
			}
		}
		if n := len(splits); n > 0 && next != splits[n-1].Row+splits[n-1].Rows {
			t.Fatalf("rows %v, limit %d: rows from %d on are missing", rows, limit, next)
		}
	}
}

package masking

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
		for _, task := range PlanRowGroups(tt.splits, 10) {
			var ordinals []int
			for _, s := range task.splits {
				ordinals = append(ordinals, s.Ordinal)
			}
			got = append(got, fmt.Sprintf("%v%d", ordinals, task.limit.rows))
			if task.limit.bytes > 0 {
				t.Error("a row group ends before it has the rows that the job asks for")
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%d splits: got %s, want %s", len(tt.splits), got, tt.want)
		}
	}
	if tasks := PlanRowGroups(splitsOf(7, UsualGroup), 0); len(tasks) != 2 || tasks[0].limit != (groupLimit{UsualGroup, usualHeld}) {
		t.Errorf("%+v", tasks)
	}
	if tasks := PlanRowGroups(splitsOf(1<<33), 0); len(tasks) != 1 || tasks[0].limit.rows != 1<<19 {
		t.Errorf("%+v: more row groups than a file has numbers for", tasks)
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
		for _, task := range PlanRowGroups(splits, limit) {
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

// A row group ends at the first look at which its bytes have reached the limit: a part of it shows
// when that will be.
func TestForeseen(t *testing.T) {
	few, many := &PlanRowGroups(splitsOf(5000), 0)[0], &PlanRowGroups(splitsOf(UsualGroup), 0)[0]
	for _, tt := range []struct {
		task              *Task
		rows, bytes, want int64
	}{
		{many, 1, usualHeld, 1},
		{many, 3, usualHeld, 4},
		{many, 3, 100, UsualGroup},
		{many, 256, usualHeld / 4, 1024},
		{many, 300, usualHeld / 4, 2048},
		{many, lookRows + 1, usualHeld/2 + usualHeld/64, 2 * lookRows},
		{many, lookRows + 1, usualHeld / 3, 4 * lookRows},
		{few, 4096, usualHeld - 1, 5000},
		{&PlanRowGroups(splitsOf(5000), 400)[0], 10, usualHeld, 385},
	} {
		if got := tt.task.foreseen(tt.rows, tt.bytes); got != tt.want {
			t.Errorf("%d rows of %d bytes: %d are foreseen, want %d", tt.rows, tt.bytes, got, tt.want)
		}
	}
}

// Row groups are looked at after numbers of rows that do not depend on how these come.
func TestUntilLook(t *testing.T) {
	looks := func(limit groupLimit, most int64) (at []int64) {
		rng := rand.New(rand.NewPCG(1, 2))
		for rows := int64(0); rows < limit.rows; {
			look := limit.untilLook(rows)
			n := min(look, 1+rng.Int64N(most))
			if rows += n; n == look {
				at = append(at, rows)
			}
		}
		return at
	}
	want := []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, lookRows, 2 * lookRows, 3 * lookRows, 3*lookRows + 5}
	for _, most := range []int64{1 << 20, 30_000, 7} {
		if got := looks(groupLimit{3*lookRows + 5, 1}, most); !slices.Equal(got, want) {
			t.Errorf("looked at after %v", got)
		}
		if got := looks(groupLimit{rows: 99_999}, most); !slices.Equal(got, []int64{99_999}) {
			t.Errorf("looked at after %v", got)
		}
	}
}

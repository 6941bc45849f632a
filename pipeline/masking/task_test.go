package masking

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
		want   string // tasks in brackets, groups as ordinal:from-to+…
	}{
		{splitsOf(), ""},
		{splitsOf(0, 0), ""},
		{splitsOf(10), "[0:0-10]"},
		{splitsOf(4, 0, 6), "[0:0-4+2:0-6]"},
		{splitsOf(4, 7, 3), "[0:0-4][1:0-7+2:0-3]"},
		{splitsOf(25), "[0:0-8 0:8-16 0:16-25]"},
		{splitsOf(3, 11, 3), "[0:0-3][1:0-5 1:5-11][2:0-3]"},
	} {
		got := ""
		for _, task := range PlanRowGroups(tt.splits, 10, LeastFollowed) {
			got += "["
			for g, ranges := range task.groups {
				if g > 0 {
					got += " "
				}
				for i, p := range ranges {
					if i > 0 {
						got += "+"
					}
					got += fmt.Sprintf("%d:%d-%d", p.split.Ordinal, p.from, p.to)
				}
			}
			got += "]"
		}
		if got != tt.want {
			t.Errorf("%d splits: got %s, want %s", len(tt.splits), got, tt.want)
		}
	}
}

// Where the job asks for no size, row groups of Parquet of a size to follow are followed, and
// others joined between them.
func TestPlanRowGroupsFollows(t *testing.T) {
	splits := splitsOf(LeastFollowed, LeastFollowed-1, 7, mostFollowed, mostFollowed+1, LeastFollowed)
	for i := range splits {
		splits[i].Raw = i < 5
	}
	type shape struct {
		groups, ranges int
		follows        bool
	}
	want := []shape{{1, 1, true}, {1, 2, false}, {1, 1, true}, {65, 1, false}, {1, 1, false}}
	var got []shape
	for _, task := range PlanRowGroups(splits, 0, LeastFollowed) {
		got = append(got, shape{len(task.groups), len(task.groups[0]), task.follows})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, task := range PlanRowGroups(splits, UsualGroup, LeastFollowed) {
		if task.follows {
			t.Error("a row group is followed though the job asks for a size")
		}
	}
	many := slices.Repeat(splits[:1], maxFollowing+1)
	if tasks := PlanRowGroups(many, 0, LeastFollowed); len(tasks) != maxFollowing/4+1 || tasks[0].follows {
		t.Errorf("%d row groups follow %d", len(tasks), len(many))
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
		for _, task := range PlanRowGroups(splits, limit, LeastFollowed) {
			for _, ranges := range task.groups {
				size := int64(0)
				for _, p := range ranges {
					if p.split.Row+p.from != next || p.to <= p.from {
						t.Fatalf("rows %v, limit %d: range %d:%d-%d after row %d", rows, limit, p.split.Ordinal, p.from, p.to, next)
					}
					next, size = p.split.Row+p.to, size+p.to-p.from
				}
				if size > limit {
					t.Fatalf("rows %v, limit %d: a row group of %d", rows, limit, size)
				}
			}
		}
		if n := len(splits); n > 0 && next != splits[n-1].Row+splits[n-1].Rows {
			t.Fatalf("rows %v, limit %d: rows from %d on are missing", rows, limit, next)
		}
	}
}

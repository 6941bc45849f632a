package recheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// naiveOf is the suppression of a case's rows under the given cut.
func naiveOf(c enginetest.Case, most int) *naiveSuppression {
	codes := c.Data.Codes()
	n := &naiveSuppression{
		data:  c.Data,
		sets:  engineSets(c),
		most:  most,
		rows:  make([][]uint32, codes.Rows),
		taken: make([]bool, codes.Rows),
	}
	for a := range codes.Attributes {
		l := newRollback(&codes.Attributes[a], make([]uint64, codes.Attributes[a].Len()))
		cut := l.cut(make(rolledBack, l.len()))
		n.marks = append(n.marks, cut.AddMark(engine.Suppressed))
		for row, code := range codes.Columns[a] {
			n.rows[row] = append(n.rows[row], cut.Code[code])
		}
	}
	return n
}

// TestSuppressTakesWhatTheRuleSays compares the suppressed rows with those that the naive rule
// takes.
func TestSuppressTakesWhatTheRuleSays(t *testing.T) {
	taken, refused := 0, 0
	eachCase(t, 600, 40, func(t *testing.T, r *rand.Rand, c enginetest.Case) {
		if r.IntN(2) == 0 { // rows may have only the marks from the start
			for a := range c.Data.Columns {
				c.Data.Columns[a].Mask, c.Data.Columns[a].Rare = engine.Suppress, 2+r.IntN(6)
			}
		}
		onlyDistinct(c.Sets)
		n := naiveOf(c, len(c.Data.Rows))
		if r.IntN(3) == 0 {
			n.most = r.IntN(len(c.Data.Rows) + 1)
		}
		ok := n.run()
		recoding, _, err := hold(Engine{OnBreak: Suppress, MaxSuppressed: uint64(n.most)}, c)
		if broken := new(*Broken); !ok {
			refused++
			if !errors.As(err, broken) {
				t.Errorf("at most %d of %d: got %v, want that they are too many", n.most, n.count(),
					err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		released, given := c.Data.Released(recoding), identity(c)
		want := c.Data.CheckProtected(t, released, n.sets)
		if got := recoding.Anonymity(engine.Requirement{Sets: c.Sets}); !slices.Equal(got, want) {
			t.Errorf("reached %v, want %v", got, want)
		}
		codes := c.Data.Codes()
		where := make([]int32, codes.Rows)
		if suppressed := recoding.(*engine.Cut).Suppression; suppressed != nil {
			suppressed.Locator.Locate(codes.Rows, codes.Columns, where)
		}
		for row := range where {
			if (where[row] == engine.ByMark) != n.taken[row] {
				t.Errorf("row %d is suppressed: %t, want %t", row, !n.taken[row], n.taken[row])
			}
			for a, label := range released[row] {
				if n.taken[row] && label.Text != engine.Suppressed ||
					!n.taken[row] && label != given[row][a] {
					t.Errorf("row %d is released as %+v", row, released[row])
				}
			}
		}
		if lost, _ := recoding.Lost(); lost != uint64(n.count()) {
			t.Errorf("%d records are suppressed, want %d", lost, n.count())
		}
		taken += n.count()
	})
	if taken == 0 || refused == 0 {
		t.Errorf("%d rows were suppressed, %d times they were too many", taken, refused)
	}
}

// askedProtection always holds, and counts its calls.
type askedProtection struct{ times *int }

func (p askedProtection) Holds(engine.Stats) bool {
	*p.times++
	return true
}

func (askedProtection) Implies(engine.Protection) bool { return false }

// TestSpreadLooksAtClassesThatLostRecords has a chain of classes each of which is too small when
// the one before is taken away, and counts the classes that are examined: not all of them at every
// link.
func TestSpreadLooksAtClassesThatLostRecords(t *testing.T) {
	const links, others = 60, 400
	times := 0
	c := enginetest.Case{Data: enginetest.Data{
		Columns: []enginetest.Column{{Name: "a", Mask: engine.Suppress},
			{Name: "b", Mask: engine.Suppress}}, Sensitive: make([][]string, 1),
	}}
	add := func(a, b string) {
		c.Data.Rows = append(c.Data.Rows, enginetest.Values(a, b))
		c.Data.Sensitive[0] = append(c.Data.Sensitive[0], "s")
	}
	for i := range links {
		add(fmt.Sprint("a", i), fmt.Sprint("b", i))
		add(fmt.Sprint("a", i+1), fmt.Sprint("b", i))
	}
	for i := range others {
		add(fmt.Sprint("c", i), fmt.Sprint("d", i))
		add(fmt.Sprint("c", i), fmt.Sprint("d", i))
	}
	for column := range 2 {
		c.Sets = append(c.Sets, engine.Set{
			Columns: []int{column},
			K:       2,
			Others:  []engine.Protection{askedProtection{&times}},
		})
	}
	recoding, _, err := hold(Engine{OnBreak: Suppress, MaxSuppressed: uint64(len(c.Data.Rows))}, c)
	if err != nil {
		t.Fatal(err)
	}
	if lost, _ := recoding.Lost(); lost != 2*links {
		t.Errorf("%d records are suppressed, want the %d of the chain", lost, 2*links)
	}
	t.Logf("%d classes were looked at", times)
	if most := 10 * (others + links); times > most {
		t.Errorf("%d classes were looked at, want at most %d", times, most)
	}
}

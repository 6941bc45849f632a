package topdown_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// people adds a population to a case: all people of the table, and others of whom each has the
// values of several rows.
func (c *randomCase) people(r *rand.Rand, others int) {
	c.data.Population = slices.Clone(c.data.Rows)
	for range others {
		person := make([]engine.Label, len(c.data.Columns))
		for i := range person {
			person[i] = c.data.Rows[r.IntN(len(c.data.Rows))][i]
		}
		c.data.Population = append(c.data.Population, person)
	}
}

// limitPeople adds limits on the people of the population to some sets, at least to one. It reports
// whether all records together meet them.
func (c *randomCase) limitPeople(r *rand.Rand) (reachable bool) {
	reachable, first := true, r.IntN(len(c.sets))
	whole := float64(len(c.data.Rows)) / float64(len(c.data.Population))
	for i := range c.sets {
		if i != first && r.IntN(3) == 0 {
			continue
		}
		p := &c.sets[i].Population
		kind := r.IntN(5)
		if kind != 1 && kind != 2 {
			p.KMap = uint64(1 + r.IntN(1+len(c.data.Population)/2))
		}
		if kind == 1 || kind == 3 {
			p.MaxPresence = whole + r.Float64()*(1-whole)
		}
		if kind == 2 || kind == 4 {
			p.MinPresence = whole * r.Float64()
		}
		reachable = reachable &&
			p.Holds(uint64(len(c.data.Rows)), uint64(len(c.data.Population)))
	}
	kept, _ := engine.Requirement{Sets: c.sets}.Reduce()
	c.sets = kept.Sets
	return reachable
}

// TestPopulationAgreesWithNaiveSearch compares every step of searches with limits on the people of
// a population with those of naive ones, in memory and in a store.
func TestPopulationAgreesWithNaiveSearch(t *testing.T) {
	steps, hindered, store := 0, 0, enginetest.OpenStore(t)
	cases := enginetest.Cases(t, enginetest.Naive(200), func(r *rand.Rand) {
		c := newCase(r)
		c.people(r, r.IntN(1+5*len(c.data.Rows)))
		free := c
		free.sets = slices.Clone(c.sets)
		if !c.limitPeople(r) {
			if _, _, err := search(c.data, c.sets, c.options); !errors.Is(err,
				engine.ErrInfeasible) {
				t.Fatalf("error %v of what is infeasible\n%s", err, c)
			}
			return
		}
		got, released, err := search(c.data, c.sets, c.options)
		if err != nil {
			t.Fatal(err, c)
		}
		c.compareNaive(t, got, released)
		c.compareSpilled(t, r, store, engine.Requirement{Sets: c.sets}, got, released)
		// every person of the table is in the population
		known := engine.Requirement{Sets: c.sets, PeopleOfRecord: 1}
		same, alike, err := searchFor(c.data, known, c.options)
		if err != nil || !reflect.DeepEqual(same, got) || !reflect.DeepEqual(alike, released) {
			t.Errorf("with known people: steps %+v, %v, instead of %+v", same, err, got)
		}
		if without, _, err := search(free.data, free.sets, free.options); err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(without, got) {
			hindered++
		}
		if steps += len(got); t.Failed() {
			t.Fatalf("%d people %v\n%s", len(c.data.Population), c.data.Population, c)
		}
	})
	t.Logf("%d cases, %d steps, %d searches were hindered", cases, steps, hindered)
	if cases >= 100 && (steps < cases/4 || hindered < cases/10) {
		t.Error("that is not enough")
	}
}

// TestPopulationOfTheTable has the table as its population: a number of people is the same as k,
// step by step. With ten times the people there are the steps of a tenth.
func TestPopulationOfTheTable(t *testing.T) {
	steps := 0
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := newCase(r)
		c.people(r, 0)
		for i := range c.data.Columns { // k folds values, and people do not
			c.data.Columns[i].Rare = 0
		}
		want, released, err := search(c.data, c.sets, c.options)
		if err != nil {
			t.Fatal(err)
		}
		for times := 1; times <= 10; times += 9 {
			of := c
			of.sets = slices.Clone(c.sets)
			of.data.Population = slices.Repeat(c.data.Rows, times)
			for i := range of.sets {
				of.sets[i].Population.KMap = uint64(times) * uint64(c.sets[i].K)
				of.sets[i].K = 1
			}
			got, same, err := search(of.data, of.sets, of.options)
			if err != nil {
				t.Fatal(err)
			}
			known := engine.Requirement{Sets: of.sets, PeopleOfRecord: uint64(times)}
			again, alike, err := searchFor(of.data, known, of.options)
			if err != nil || !reflect.DeepEqual(again, got) || !reflect.DeepEqual(alike, same) {
				t.Fatalf("%d times, known: steps %+v, %v, not %+v\n%s", times, again, err, got, c)
			}
			if fmt.Sprint(stepsOf(got)) != fmt.Sprint(stepsOf(want)) ||
				!reflect.DeepEqual(same, released) {
				t.Fatalf("%d times: steps %+v, of k %+v\n%s", times, got, want, c)
			}
		}
		steps += len(want)
	})
	t.Log(steps, "steps")
}

// stepsOf returns steps without the numbers that depend on codes.
func stepsOf(steps []engine.Step) (plain []engine.Step) {
	for _, s := range steps {
		s.Live, s.Touched = 0, 0
		plain = append(plain, s)
	}
	return plain
}

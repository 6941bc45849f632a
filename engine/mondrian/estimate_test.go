package mondrian

import "testing"

// Models of few classes have all their rounds, and more classes do not make more trees as long as
// there are two rounds.
func TestTreesOfManyClasses(t *testing.T) {
	for _, e := range []Engine{{Guided: true}, {Guided: true, Brief: true}} {
		for _, records := range []uint64{fewRecords - 1, fewRecords} {
			usual := e.Trees(records, usualClasses)
			for classes := 3; classes <= 1000; classes++ {
				trees, rounds := e.Trees(records, classes), e.options(records, classes).Rounds
				switch {
				case classes <= usualClasses && rounds != e.options(records, 2).Rounds:
					t.Errorf("%d records of %d classes have %d rounds", records, classes, rounds)
				case trees > usual && rounds != leastRounds, rounds < leastRounds:
					t.Errorf("%d records of %d classes: %d trees in %d rounds", records, classes,
						trees, rounds)
				}
			}
		}
	}
}

package topdown

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// Merge maps codes that no record has, as labels of an earlier cut may be, to codes of the search,
// at the end of the domain and elsewhere.
func TestMergeOfCodesWithoutRecords(t *testing.T) {
	for _, missing := range [][]uint32{nil, {5}, {4, 5}, {0}, {2, 5}} {
		c := enginetest.Codes{Rows: 60, Columns: make([][]uint32, 1), Classes: 2}
		a := engine.Attribute{Name: "a", Mask: engine.Discretize, HasNull: true}
		for value := range 5 {
			a.Texts, a.Positions = append(a.Texts, fmt.Sprint(value)),
				append(a.Positions, float64(value))
			a.Bounds = append(a.Bounds, engine.Bound{
				Text:     fmt.Sprint(value),
				Position: float64(value),
			})
		}
		a.Upper = 4
		c.Attributes = []engine.Attribute{a}
		for row := range uint32(c.Rows) {
			code := row % 6
			if slices.Contains(missing, code) {
				code = 3
			}
			c.Columns[0], c.Class = append(c.Columns[0], code), append(c.Class, row/6%2)
		}
		requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0}, K: 2}}}
		merge := Engine{}.Merge(c.Table(Engine{}.Plan(requirement)), requirement)[0]
		for code, to := range merge.Codes {
			if int(to) >= merge.Domain {
				t.Errorf("without %v: code %d leads to %d of %d", missing, code, to, merge.Domain)
			}
		}
	}
}

package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
)

// People returns records of two classes, the same every time, whose attributes have so many
// values. The first attributes are ordered, the others have a taxonomy of groups of six.
// Smaller codes are more frequent, and the class leans on every third attribute.
func People(rows, ordered int, values ...int) Codes {
	c := Codes{Rows: rows, Classes: 2, Class: make([]uint32, rows), Columns: make([][]uint32, len(values))}
	for i, n := range values {
		a := engine.Attribute{Name: fmt.Sprint("a", i), Mask: engine.Discretize, Upper: float64(n - 1)}
		root := taxonomy.Node{Name: "all"}
		for v := range n {
			text := fmt.Sprint(v)
			if v%6 == 0 {
				root.Children = append(root.Children, taxonomy.Node{Name: "group" + text})
			}
			group := &root.Children[len(root.Children)-1]
			group.Children = append(group.Children, taxonomy.Node{Name: text})
			a.Texts, a.Positions = append(a.Texts, text), append(a.Positions, float64(v))
		}
		if i >= ordered {
			tree, err := taxonomy.NewTree(root)
			must(err)
			a = engine.Attribute{Name: a.Name, Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves()}
		}
		c.Attributes = append(c.Attributes, a)
		c.Columns[i] = make([]uint32, rows)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for row := range rows {
		lean := 0.0
		for i, n := range values {
			x := r.Float64() * r.Float64()
			c.Columns[i][row] = uint32(x * float64(n))
			if i%3 == 0 {
				lean += x
			}
		}
		if r.Float64() < lean/3 {
			c.Class[row] = 1
		}
	}
	return c
}

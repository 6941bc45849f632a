package enginetest

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
	file "github.com/kcut/kcut/formats/taxonomy"
)

const adultFolder = "../../../shared/data/adult"

// Adult returns the Adult census data with the class and all attributes or those named, or skips
// the test. It is for tests of packages below engine.
func Adult(tb testing.TB, names ...string) Data {
	tb.Helper()
	table, err := os.Open(filepath.Join(adultFolder, "adult.csv"))
	if err != nil {
		tb.Skip(err)
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	class := slices.Index(rows[0], "class")
	if names == nil {
		names = rows[0][:class]
	}
	trees, err := file.ReadAll(filepath.Join(adultFolder, "taxonomies.yaml"))
	if err != nil {
		tb.Skip(err)
	}
	var d Data
	var columns []int
	for _, name := range names {
		c := Column{Name: name, Mask: engine.Discretize}
		if tree, ok := trees[name]; ok {
			c.Mask, c.Tree = engine.Generalize, treeOf(tree)
		}
		d.Columns = append(d.Columns, c)
		columns = append(columns, slices.Index(rows[0], name))
	}
	for _, row := range rows[1:] {
		var texts []string
		for _, c := range columns {
			texts = append(texts, row[c])
		}
		d.Rows = append(d.Rows, Values(texts...))
		d.Classes = append(d.Classes, row[class])
	}
	return d
}

// treeOf returns a file's tree in the engine's form.
func treeOf(n *file.Node) taxonomy.Node {
	tree := taxonomy.Node{Name: n.Name}
	for i := range n.Children {
		tree.Children = append(tree.Children, treeOf(&n.Children[i]))
	}
	return tree
}

// BlowUp adds variations of the rows until there are n (BUG, section 6.2): in each, the given
// number of attributes get random values of their domain.
func (c Codes) BlowUp(n, attributes int) Codes {
	r := rand.New(rand.NewPCG(1, 2))
	originals := c.Rows
	c.Columns = slices.Clone(c.Columns)
	for a := range c.Columns {
		c.Columns[a] = slices.Grow(slices.Clip(c.Columns[a]), n-c.Rows)
	}
	c.Class = slices.Clip(c.Class)
	for i := originals; i < n; i++ {
		for a := range c.Columns {
			c.Columns[a] = append(c.Columns[a], c.Columns[a][i%originals])
		}
		order := r.Perm(len(c.Columns))
		for _, a := range order[:attributes] {
			c.Columns[a][i] = uint32(r.IntN(c.Attributes[a].Len()))
		}
		c.Class = append(c.Class, c.Class[i%originals])
	}
	c.Rows = n
	return c
}

// People returns records of two classes, the same every time, whose attributes have the given
// numbers of values. The first attributes are ordered, the others have a taxonomy of groups of six.
// Smaller codes are more frequent, and the class depends on every third attribute.
func People(rows, ordered int, values ...int) Codes {
	c := Codes{
		Rows:    rows,
		Classes: 2,
		Class:   make([]uint32, rows),
		Columns: make([][]uint32, len(values)),
	}
	for i, n := range values {
		a := engine.Attribute{
			Name:  fmt.Sprint("a", i),
			Mask:  engine.Discretize,
			Upper: float64(n - 1),
		}
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
			a = engine.Attribute{
				Name:  a.Name,
				Mask:  engine.Generalize,
				Tree:  tree,
				Texts: tree.Leaves(),
			}
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

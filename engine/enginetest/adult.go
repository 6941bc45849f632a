package enginetest

import (
	"encoding/csv"
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

// Adult returns the Adult census data, all attributes or those named, and the class, or
// skips. It is for tests of packages below engine.
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

// treeOf is a file's tree in the engine's form.
func treeOf(n *file.Node) taxonomy.Node {
	tree := taxonomy.Node{Name: n.Name}
	for i := range n.Children {
		tree.Children = append(tree.Children, treeOf(&n.Children[i]))
	}
	return tree
}

// BlowUp adds variations of the rows until there are n (BUG, section 6.2): of each, so many
// attributes are replaced by values of their domain.
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

package enginetest

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
)

const adultFolder = "../../../shared/data/adult"

// Adult returns the Adult census data, all attributes or those named, and the class, or
// skips. It is for tests of packages below engine.
func Adult(tb testing.TB, names ...string) Data {
	tb.Helper()
	file, err := os.Open(filepath.Join(adultFolder, "adult.csv"))
	if err != nil {
		tb.Skip(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	class := slices.Index(rows[0], "class")
	if names == nil {
		names = rows[0][:class]
	}
	trees := adultTrees(tb)
	var d Data
	var columns []int
	for _, name := range names {
		c := Column{Name: name, Mask: engine.Discretize}
		if tree, ok := trees[name]; ok {
			c.Mask, c.Tree = engine.Generalize, tree
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

// adultTrees reads the file of nested maps, in which every line is one node.
func adultTrees(tb testing.TB) map[string]taxonomy.Node {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(adultFolder, "taxonomies.yaml"))
	if err != nil {
		tb.Skip(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), " #")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimRight(line, " "))
		}
	}
	trees := map[string]taxonomy.Node{}
	for len(lines) > 0 {
		var column taxonomy.Node
		column, lines = nest(lines)
		trees[column.Name] = column.Children[0]
	}
	return trees
}

// nest turns the first line, and those below it, into a node.
func nest(lines []string) (node taxonomy.Node, rest []string) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	head := strings.TrimSpace(lines[0])
	node.Name = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(head, " {}"), ":"), `"`)
	rest = lines[1:]
	for len(rest) > 0 && indent(rest[0]) > indent(lines[0]) {
		var child taxonomy.Node
		child, rest = nest(rest)
		node.Children = append(node.Children, child)
	}
	return node, rest
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

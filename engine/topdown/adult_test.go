package topdown_test

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

const adultFolder = "../../../shared/data/adult"

// loadAdult returns the Adult census data, 14 attributes and the class, or skips.
func loadAdult(tb testing.TB) enginetest.Data {
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
	trees := loadTrees(tb)
	var d enginetest.Data
	const attributes = 14
	for _, name := range rows[0][:attributes] {
		c := enginetest.Column{Name: name, Mask: engine.Discretize}
		if tree, ok := trees[name]; ok {
			c.Mask, c.Tree = engine.Generalize, tree
		}
		d.Columns = append(d.Columns, c)
	}
	for _, row := range rows[1:] {
		d.Rows = append(d.Rows, enginetest.Values(row[:attributes]...))
		d.Classes = append(d.Classes, row[attributes])
	}
	return d
}

// loadTrees reads the file of nested maps, in which every line is one node.
func loadTrees(tb testing.TB) map[string]engine.Node {
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
	trees := map[string]engine.Node{}
	for len(lines) > 0 {
		var column engine.Node
		column, lines = nest(lines)
		trees[column.Name] = column.Children[0]
	}
	return trees
}

// nest turns the first line, and those below it, into a node.
func nest(lines []string) (node engine.Node, rest []string) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	head := strings.TrimSpace(lines[0])
	node.Name = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(head, " {}"), ":"), `"`)
	rest = lines[1:]
	for len(rest) > 0 && indent(rest[0]) > indent(lines[0]) {
		var child engine.Node
		child, rest = nest(rest)
		node.Children = append(node.Children, child)
	}
	return node, rest
}

// blowUp adds variations of the rows until there are n (TDS, section 6.3): of each, some
// attributes are replaced by values of their domain.
func blowUp(c enginetest.Codes, n int) enginetest.Codes {
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
		for _, a := range order[:1+r.IntN(len(order))] {
			c.Columns[a][i] = uint32(r.IntN(c.Attributes[a].Len()))
		}
		c.Class = append(c.Class, c.Class[i%originals])
	}
	c.Rows = n
	return c
}

// all returns one set of the first n attributes.
func all(n, k int) engine.Requirement {
	set := engine.Set{K: k}
	for a := range n {
		set.Columns = append(set.Columns, a)
	}
	return engine.Requirement{Sets: []engine.Set{set}}
}

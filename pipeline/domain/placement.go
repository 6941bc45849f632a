package domain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Placement describes which leaves are under the nodes of a declared tree, without names. It has
// two words for each node, sorted: a hash of its name, and the sum of the hashes of its leaves,
// which does not depend on their order.
type Placement []byte

const placedBytes = 16

// hashesOf returns the hash of a node's name, and the hash that it adds to sums if it is a leaf.
func hashesOf(name string) (node, leaf uint64) {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])
}

// PlacementOf returns the placement of the leaves of a declared tree.
func PlacementOf(t job.Taxonomy) Placement {
	var nodes [][placedBytes]byte
	tree := job.TreeOf(t.Tree)
	eachNode(&tree, func(string) bool { return true }, func(name string, leaves uint64) {
		var node [placedBytes]byte
		hash, _ := hashesOf(name)
		binary.BigEndian.PutUint64(node[:], hash)
		binary.BigEndian.PutUint64(node[8:], leaves)
		nodes = append(nodes, node)
	})
	slices.SortFunc(nodes, func(a, b [placedBytes]byte) int { return bytes.Compare(a[:], b[:]) })
	var p Placement
	for i := range nodes {
		p = append(p, nodes[i][:]...)
	}
	return p
}

// eachNode calls f with every node of a tree and the sum of those of its leaves that count.
func eachNode(n *engine.Node, counts func(leaf string) bool,
	f func(name string, leaves uint64)) (sum uint64) {
	if len(n.Children) == 0 && counts(n.Name) {
		_, sum = hashesOf(n.Name)
	}
	for i := range n.Children {
		sum += eachNode(&n.Children[i], counts, f)
	}
	f(n.Name, sum)
	return sum
}

// leaves returns the sum of the leaves of a node, if there was one with that name.
func (p Placement) leaves(name string) (sum uint64, found bool) {
	hash, _ := hashesOf(name)
	at := sort.Search(len(p)/placedBytes, func(i int) bool {
		return binary.BigEndian.Uint64(p[i*placedBytes:]) >= hash
	})
	if node := p[at*placedBytes:]; len(node) >= placedBytes &&
		binary.BigEndian.Uint64(node) == hash {
		return binary.BigEndian.Uint64(node[8:]), true
	}
	return 0, false
}

// moved returns the nodes of a tree under which other leaves are now, among the leaves that existed
// before: new leaves do not count.
func (p Placement) moved(tree *engine.Node) map[string]bool {
	moved := make(map[string]bool)
	known := func(name string) bool {
		_, leaf := hashesOf(name)
		sum, found := p.leaves(name)
		return found && sum == leaf
	}
	eachNode(tree, known, func(name string, leaves uint64) {
		if was, found := p.leaves(name); found && was != leaves {
			moved[name] = true
		}
	})
	return moved
}

// MovedLabels returns the number of labels of this cut of a column that are nodes of its declared
// tree under which other leaves are than when the cut was made, without its root. Without a
// placement that is unknown, and it returns 0.
func (g *Cut) MovedLabels(name string, t job.Taxonomy) (labels int) {
	p, known := g.Placements[name]
	column := g.columnOf(name)
	if !known || column == nil || t.Tree == nil {
		return 0
	}
	tree := job.TreeOf(t.Tree)
	moved := p.moved(&tree)
	for _, label := range column.Cut {
		if !label.Null && label.Label != tree.Name && moved[label.Label] {
			labels++
		}
	}
	return labels
}

// columnOf returns the cut of a column by its name, or nil.
func (g *Cut) columnOf(name string) *cutfile.Column {
	if i := g.Columns.Position(name); i >= 0 {
		return &g.Columns[i]
	}
	return nil
}

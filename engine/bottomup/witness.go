package bottomup

import "slices"

// maxWitnesses is how many anonymity vids are kept. There may be more, but these few last
// for most of a search, and what they cannot tell is counted.
const maxWitnesses = 4096

// vid is a combination of nodes of the current cut that records have, by column. It is
// not written to once it is made.
type vid []int32

// block shows that the generalization to a node is not critical: it merges some anonymity
// vids with no other. It is none without a vid.
type block struct {
	node int32
	vids []vid
}

// generalized notes a generalization that was performed. Witnesses that it may have merged
// with others are none any more.
func (s *census) generalized(g generalization) {
	s.stale = true
	var same []vid // known to be merged with nothing
	if b := s.blocked[g.column]; b.node == g.node {
		same = b.vids
		s.blocked[g.column] = block{}
	}
	s.witnesses = s.untouched(s.witnesses, g)
	for _, v := range same {
		s.witnesses = append(s.witnesses, v.with(g))
	}
	for i := range s.blocked {
		s.blocked[i].vids = s.untouched(s.blocked[i].vids, g)
	}
}

// untouched returns the vids without children of a generalization's node. A single child
// only gets another name.
func (s *census) untouched(vids []vid, g generalization) []vid {
	c := s.columns[g.column]
	left := vids[:0]
	for _, v := range vids {
		if c.tree.Parent(int(v[g.column])) != int(g.node) {
			left = append(left, v)
		} else if c.children[g.node] == 1 {
			left = append(left, v.with(g))
		}
	}
	return left
}

// with returns the vid after a generalization of its node.
func (v vid) with(g generalization) vid {
	v = slices.Clone(v)
	v[g.column] = g.node
	return v
}

// candidates returns the valid generalizations that all witnesses have in common and that
// are not known to be not critical.
func (s *census) candidates() (list []generalization) {
	for i, c := range s.columns {
		node := c.up(s.witnesses[0][i])
		if node < 0 || c.children[node] == 1 || s.isBlocked(i, node) {
			continue
		}
		other := func(v vid) bool { return c.up(v[i]) != node }
		if !slices.ContainsFunc(s.witnesses, other) {
			list = append(list, generalization{column: i, node: node})
		}
	}
	return list
}

// isBlocked reports whether the generalization of a column to a node is known to be not critical.
func (s *census) isBlocked(column int, node int32) bool {
	return len(s.blocked[column].vids) > 0 && s.blocked[column].node == node
}

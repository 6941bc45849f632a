package recheck

// RegionIndex finds regions by labels: a tree with a level for every column, whose branches
// are labels.
type RegionIndex struct {
	columns int
	nodes   []regionNode
}

// regionNode is a node of the tree. At the last level, first is the region itself.
type regionNode struct {
	first    int32 // the first region below
	children map[uint32]int32
}

// NewRegionIndex returns an index of regions, each of which has a label of every column.
func NewRegionIndex(columns int, released []uint32) *RegionIndex {
	x := &RegionIndex{columns: columns, nodes: []regionNode{{}}}
	for region := 0; region*columns < len(released); region++ {
		at := int32(0)
		for _, label := range released[region*columns:][:columns] {
			next, ok := x.nodes[at].children[label]
			if !ok {
				next = int32(len(x.nodes))
				x.nodes = append(x.nodes, regionNode{first: int32(region)})
				if x.nodes[at].children == nil {
					x.nodes[at].children = make(map[uint32]int32)
				}
				x.nodes[at].children[label] = next
			}
			at = next
		}
	}
	return x
}

// First returns the first region all of whose labels are among the given ones, by column,
// or −1. It is safe for concurrent use.
func (x *RegionIndex) First(labels [][]uint32) int32 {
	if len(x.nodes) == 1 {
		return -1
	}
	return x.first(0, labels, -1)
}

// first returns the first region below a node, if it is before the best one that is known.
func (x *RegionIndex) first(at int32, labels [][]uint32, best int32) int32 {
	n := &x.nodes[at]
	if best >= 0 && n.first >= best {
		return best
	}
	if len(labels) == 0 {
		return n.first
	}
	for _, label := range labels[0] {
		if child, ok := n.children[label]; ok {
			best = x.first(child, labels[1:], best)
		}
	}
	return best
}

// regionNodeBytes is what a node takes, with its place in a map.
const regionNodeBytes = 100

// Bytes returns about how much memory the index takes.
func (x *RegionIndex) Bytes() int64 { return regionNodeBytes * int64(len(x.nodes)) }

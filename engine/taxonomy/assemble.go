package taxonomy

import "fmt"

// AssembleTree makes the tree that has the given nodes in preorder: their names, the node that
// each is under, -1 of the root, and the values that each pruned one stands for, 0 of others. It
// undoes Name, Parent and Values.
func AssembleTree(names []string, parents []int, pruned []int) (*Tree, error) {
	t := newTree(len(names))
	open := []int{} // the path to the last node
	for i, name := range names {
		for len(open) > 0 && open[len(open)-1] != parents[i] {
			t.finish(open[len(open)-1])
			open = open[:len(open)-1]
		}
		if (len(open) == 0) != (i == 0 && parents[i] < 0) {
			return nil, fmt.Errorf("assemble taxonomy: node %d is not in preorder", i+1)
		}
		open = append(open, t.begin(name, parents[i]))
		if i+1 == len(names) || parents[i+1] != i {
			t.leaf(pruned[i])
		}
	}
	for len(open) > 0 {
		t.finish(open[len(open)-1])
		open = open[:len(open)-1]
	}
	return t, t.check()
}

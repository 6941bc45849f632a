package domain

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kcut/kcut/spill"
)

// newLabels are labels that a cut lacks, in the order in which they are met.
type newLabels struct {
	column string
	budget *spill.Budget

	mu     sync.Mutex
	number map[string]uint32
	names  []string
}

// newLabelBytes is what a new label takes, beside its name.
const newLabelBytes = 160

// add returns the number of a label.
func (n *newLabels) add(name string) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, ok := n.number[name]; ok {
		return number, nil
	}
	if err := n.budget.Draw("the new labels of column "+n.column, newLabelBytes+2*int64(len(name))); err != nil {
		return 0, err
	}
	if n.number == nil {
		n.number = make(map[string]uint32)
	}
	number := uint32(len(n.names))
	n.number[name] = number
	n.names = append(n.names, name)
	return number, nil
}

func (n *newLabels) len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.names)
}

// occurring returns the names of the labels that have records, bytewise, and where each was.
func (n *newLabels) occurring(records []uint64) (names []string, at []int) {
	for i := range n.names {
		if i < len(records) && records[i] > 0 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(n.names[a], n.names[b]) })
	for _, i := range at {
		names = append(names, n.names[i])
	}
	return names, at
}

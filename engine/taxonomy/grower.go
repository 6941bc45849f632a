package taxonomy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut/partition"
)

// Frequency is the number of records of a class.
type Frequency struct {
	Class uint32
	Count uint64
}

// AddFrequencies adds up two lists of frequencies by ascending class.
func AddFrequencies(to, from []Frequency) []Frequency {
	for _, f := range from {
		at, ok := slices.BinarySearchFunc(to, f.Class, func(e Frequency, class uint32) int {
			return int(e.Class) - int(class)
		})
		if ok {
			to[at].Count += f.Count
		} else {
			to = slices.Insert(to, at, f)
		}
	}
	return to
}

// Pruning determines the nodes of a taxonomy that no search refines: those with children of fewer
// than K records, those whose records have one class, and those of the finest level. The zero value
// prunes nothing.
type Pruning struct {
	Level    int    // the finest level, in steps from the root; 0: any
	K        uint64 // the largest k of the sets with the column
	Outliers uint64 // number of records that such children may have together all the same
	Classes  bool   // the job declares a class
	// Kind returns the class of a kind of records, and the weight of each of its records, if
	// frequencies are by kind; K is then a sum of weights. Nil: frequencies are by class, and K
	// counts records.
	Kind func(kind uint32) (class uint32, weight uint64)
	// Hold is called with changes of the held bytes, negative when they shrink. May be nil.
	Hold func(bytes int64) error
}

// Size returns the number or the weight of some records, as K counts them.
func (p *Pruning) Size(frequencies []Frequency) (size uint64) {
	for _, f := range frequencies {
		weight := uint64(1)
		if p.Kind != nil {
			_, weight = p.Kind(f.Class)
		}
		size += f.Count * weight
	}
	return size
}

// alike reports whether records have one class.
func (p *Pruning) alike(frequencies []Frequency) bool {
	if p.Kind == nil || len(frequencies) == 0 {
		return len(frequencies) == 1
	}
	first, _ := p.Kind(frequencies[0].Class)
	return !slices.ContainsFunc(frequencies, func(f Frequency) bool {
		class, _ := p.Kind(f.Class)
		return class != first
	})
}

// Held calls Hold, unless it is nil.
func (p Pruning) Held(bytes int64) error {
	if p.Hold == nil || bytes == 0 {
		return nil
	}
	return p.Hold(bytes)
}

// Grower grows a generated taxonomy from values in the bytewise order of their texts. It forgets
// the nodes below a pruned node at once, so that it holds at most one node for every K records of
// each level, however many values there are.
type Grower struct {
	Rooted bool // texts that are not of the generator's kind become leaves below the root

	generator Generator
	pruning   Pruning
	open      []*branch // the path of the last text, from the root on
	waiting   map[step]*branch
	path      []step

	texts    int
	unmapped int
	hasRoot  bool   // a text is the root's name
	roots    uint64 // its number of records
}

// branch is a node while it grows.
type branch struct {
	step
	children    []*branch
	values      int    // number of leaves below it, pruned or not; 1: a leaf, or above one leaf
	spelling    string // of a joined value: the only one, in a copy; empty: there are several
	size        uint64 // number or weight of its records, as K counts them
	records     uint64
	frequencies []Frequency // of its records, until its parent takes them
	parent      *branch     // parent of an open node
	depth       int
	pruned      bool
	isValue     bool   // a value has its name
	outliers    uint64 // number of records of children with fewer than K
	nodes       int    // number of nodes below it in memory
	held        int64  // bytes of these
	waits       int64  // bytes of the node itself while it waits
}

// The memory of one node without its name and frequencies, and of one frequency: while the tree
// grows, in the tree and the histogram, and in the search.
const (
	branchBytes    = 224
	FrequencyBytes = 32
)

// NewGrower returns a grower that has only the generator's root.
func NewGrower(generator Generator, pruning Pruning) *Grower {
	return &Grower{
		generator: generator, pruning: pruning,
		open: []*branch{{step: step{stem: generator.root()}}}, waiting: make(map[step]*branch),
	}
}

// Add adds a value with its records. Texts must ascend. A value with the name of a node is that
// node, which is not refined: the values below it could not be distinguished from it.
func (g *Grower) Add(text string, frequencies []Frequency) error {
	var isNode, ok bool
	g.path, isNode, ok = place(g.generator, text, g.path[:0])
	g.texts++
	leaf := branch{
		step:        step{stem: text},
		values:      1,
		size:        g.pruning.Size(frequencies),
		frequencies: frequencies,
	}
	for _, f := range frequencies {
		leaf.records += f.Count
	}
	switch {
	case text == g.generator.root():
		g.hasRoot, g.roots = true, leaf.records
		return nil
	case !ok && g.Rooted:
		return g.join(g.open[0], &leaf)
	case !ok:
		g.unmapped++
		return nil
	}
	if err := g.turn(g.path); err != nil {
		return err
	}
	last := g.open[len(g.open)-1]
	if last.parent != nil && g.generator.joins() {
		g.spell(last, &leaf)
		return nil
	}
	if isNode && len(g.open)-1 == len(g.path) {
		last.isValue = true
		if err := g.prune(last); err != nil {
			return err
		}
	}
	return g.join(last, &leaf)
}

// spell adds a spelling to a value: a leaf with the name of its node, or of its only spelling.
func (g *Grower) spell(value, spelling *branch) {
	if value.spelling = ""; value.values == 0 && !value.pruned {
		value.spelling = strings.Clone(spelling.stem)
	}
	value.values, value.isValue = 1, true
	value.add(spelling)
}

// add adds the records of a branch.
func (b *branch) add(records *branch) {
	b.size += records.size
	b.records += records.records
	b.frequencies = AddFrequencies(b.frequencies, records.frequencies)
}

// turn closes the nodes that are not on a path and opens those that are, down to a pruned one.
func (g *Grower) turn(path []step) error {
	depth := 0
	for depth < min(len(g.open)-1, len(path)) && g.open[depth+1].step == path[depth] {
		depth++
	}
	if err := g.close(depth + 1); err != nil {
		return err
	}
	for ; depth < len(path) && !g.open[depth].pruned; depth++ {
		b, ok := g.waiting[path[depth]]
		if !ok {
			b = &branch{
				step:   path[depth],
				parent: g.open[depth],
				depth:  depth,
				pruned: depth+1 == g.pruning.Level,
			}
			b.stem = strings.Clone(b.stem) // a copy, so that the text is not kept in memory
		}
		g.open = append(g.open, b)
	}
	return nil
}

// close closes nodes until left of them are open.
func (g *Grower) close(left int) error {
	for len(g.open) > left {
		last := len(g.open) - 1
		b := g.open[last]
		g.open = g.open[:last]
		if g.generator.scattered() {
			if err := g.wait(b); err != nil {
				return err
			}
		} else if err := g.join(g.open[last-1], b); err != nil {
			return err
		}
	}
	return nil
}

// wait keeps a node until all values are seen: more values may come below it.
func (g *Grower) wait(b *branch) error {
	drawn := b.waits
	b.waits = branchBytes + 2*int64(len(b.stem)+len(b.spelling)) +
		FrequencyBytes*int64(len(b.frequencies))
	g.waiting[b.step] = b
	return g.pruning.Held(b.waits - drawn)
}

// join makes a complete node the child of another, or prunes.
func (g *Grower) join(parent, child *branch) error {
	if child.spelling != "" {
		child.step = step{stem: child.spelling}
	}
	parent.values += child.values
	parent.add(child)
	if g.pruning.Classes && len(child.children) > 0 && g.pruning.alike(child.frequencies) {
		if err := g.prune(child); err != nil {
			return err
		}
	}
	switch {
	case parent.pruned:
		return g.prune(child)
	case child.size < g.pruning.K:
		if parent.outliers += child.records; parent.outliers > g.pruning.Outliers {
			return errors.Join(g.prune(child), g.prune(parent))
		}
		if len(child.children) > 0 { // outliers are not refined further
			if err := g.prune(child); err != nil {
				return err
			}
		}
	}
	return g.attach(parent, child)
}

// prune forgets the nodes below a node.
func (g *Grower) prune(b *branch) error {
	held := b.held
	b.children, b.nodes, b.held, b.pruned = nil, 0, 0, true
	return g.pruning.Held(-held)
}

// attach adds a child to a node. Frequencies are kept where the tree will end.
func (g *Grower) attach(parent, child *branch) error {
	kept := *child
	kept.frequencies = nil
	if len(child.children) == 0 {
		kept.frequencies = slices.Clone(child.frequencies)
	}
	bytes := branchBytes + 2*int64(len(child.stem)) + FrequencyBytes*int64(len(kept.frequencies))
	if err := g.pruning.Held(bytes); err != nil {
		return err
	}
	parent.children = append(parent.children, &kept)
	parent.nodes += 1 + child.nodes
	parent.held += bytes + child.held
	return nil
}

// Finish returns the taxonomy and the records of its leaves. It returns an error, ErrUnmapped or
// ErrRoot, if a text was not of the generator's kind or is the name of the root; the error has the
// number of records.
func (g *Grower) Finish() (*Tree, partition.Pairs, error) {
	switch {
	case g.unmapped > 0:
		return nil, nil, fmt.Errorf("%w: %w", g.generator.unmapped(g.unmapped, g.texts),
			ErrUnmapped)
	case g.hasRoot:
		return nil, nil, fmt.Errorf("generate taxonomy: values of %d rows: %w", g.roots, ErrRoot)
	}
	if err := g.close(1); err != nil {
		return nil, nil, err
	}
	waiting := slices.SortedFunc(maps.Values(g.waiting), func(a, b *branch) int {
		// nodes below another one join it first
		return cmp.Or(b.depth-a.depth, cmp.Compare(a.name(), b.name()))
	})
	for _, b := range waiting {
		if err := errors.Join(g.pruning.Held(-b.waits), g.join(b.parent, b)); err != nil {
			return nil, nil, err
		}
	}
	root := g.open[0]
	t := newTree(root.nodes + 1)
	pairs := g.lay(t, root, -1, nil)
	return t, pairs, t.check()
}

// lay adds a branch to the tree, and the records of its leaves to pairs. It takes the branch apart.
func (g *Grower) lay(t *Tree, b *branch, parent int, pairs partition.Pairs) partition.Pairs {
	at := t.begin(b.name(), parent)
	if len(b.children) == 0 {
		for _, f := range b.frequencies {
			pairs = append(pairs, partition.Pair{
				Code:  uint32(len(t.leaves)),
				Class: f.Class,
				Count: f.Count,
			})
		}
		values := 0
		if b.pruned && !(b.isValue && b.values == 1) {
			values = b.values
		}
		t.leaf(values)
	}
	g.generator.arrange(b.children)
	for i, c := range b.children {
		pairs = g.lay(t, c, at, pairs)
		b.children[i] = nil
	}
	t.finish(at)
	return pairs
}

package engine

// List has the methods that all heaps of container/heap need, except Less.
type List[T any] []T

// Len returns the number of elements.
func (l List[T]) Len() int { return len(l) }

// Swap swaps two elements.
func (l List[T]) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push appends an element.
func (l *List[T]) Push(x any) { *l = append(*l, x.(T)) }

// Pop removes the last element, and returns it.
func (l *List[T]) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	*l = (*l)[:last]
	return x
}

package tips

// links holds, for every value, the partitions that its refinement has to visit (the
// papers' Link_x; TDS, section 5.3): singly linked lists in one array. A list is consumed
// as it is walked.
type links struct {
	heads []int32 // by value: position of the first entry, plus one
	items []link
	free  int32 // first unused item, plus one
}

type link struct {
	partition int32
	next      int32 // position of the next entry, plus one
}

// add links a partition to a value.
func (l *links) add(value, partition int32) {
	entry := link{partition: partition, next: l.heads[value]}
	if at := l.free; at != 0 {
		l.free = l.items[at-1].next
		l.items[at-1] = entry
		l.heads[value] = at
		return
	}
	l.items = append(l.items, entry)
	l.heads[value] = int32(len(l.items))
}

// pop removes and returns one of a value's partitions.
func (l *links) pop(value int32) (partition int32, ok bool) {
	at := l.heads[value]
	if at == 0 {
		return 0, false
	}
	entry := l.items[at-1]
	l.heads[value] = entry.next
	l.items[at-1].next, l.free = l.free, at
	return entry.partition, true
}

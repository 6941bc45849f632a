package tips

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/partition"
)

// subpartition is a chunk list of a spilled leaf partition, with what is known of its records: how
// many have the codes of which cells of the fields that can be refined.
type subpartition struct {
	partition.ChunkList
	spreads []spread // nil: nothing is known
	counts  []uint64 // by cell of all spreads that are not listed, one after the other
}

// spread says which cells of a field are counted. Cells follow each other or, where a field
// has very many, those with records are listed, by one of their codes, maybe twice.
type spread struct {
	grid   *grid
	field  int32
	lo, hi uint32 // cells of the grid; none where they are listed
	merged uint32 // so many of the list were left when it was last looked through
	list   []childCount
}

// spread returns what is known of a field with the counts by cell, or nil.
func (p *subpartition) spread(field int) (s *spread, counts []uint64) {
	at := uint32(0)
	for i := range p.spreads {
		s := &p.spreads[i]
		n := s.hi - s.lo
		if int(s.field) == field {
			return s, p.counts[at : at+n]
		}
		at += n
	}
	return nil, nil
}

// learn adds what is known of other records of the subpartition, in the same fields and cells.
func (p *subpartition) learn(spreads []spread, counts []uint64) {
	if p.spreads == nil {
		p.spreads, p.counts = spreads, counts
		return
	}
	for i, n := range counts {
		p.counts[i] += n
	}
	for i, s := range spreads {
		p.spreads[i].add(s.list)
	}
}

// add adds to the list. Now and then cells that are listed more than once become one.
func (s *spread) add(list []childCount) {
	const few = 32
	s.list = append(s.list, list...)
	if len(s.list) < 2*int(s.merged)+few {
		return
	}
	slices.SortFunc(s.list, func(a, b childCount) int { return cmp.Compare(a.child, b.child) })
	last := 0
	for _, l := range s.list[1:] {
		if l.child == s.list[last].child {
			s.list[last].size += l.size
			continue
		}
		last++
		s.list[last] = l
	}
	s.list = s.list[:last+1]
	s.merged = uint32(len(s.list))
}

// forget drops what is known.
func (p *subpartition) forget() { p.spreads, p.counts = nil, nil }

// Sizes of what is known of subpartitions, in bytes.
const (
	spreadBytes = 48
	countBytes  = 8
	listedBytes = 16
)

// known returns the memory that takes.
func (p *subpartition) known() int64 {
	n := int64(cap(p.spreads))*spreadBytes + int64(cap(p.counts))*countBytes
	for _, s := range p.spreads {
		n += int64(cap(s.list)) * listedBytes
	}
	return n
}

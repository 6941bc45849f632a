package tips

import (
	"github.com/kcut/kcut/partition"

	"cmp"
	"slices"
)

const (
	// blocksTogether is how many blocks of records make partitions that are refined at once.
	blocksTogether = 4
	// assembledTogether is how many partitions are assembled at once.
	assembledTogether = 128
	// piecesTogether is how many pieces one goroutine looks at before others are asked to help.
	piecesTogether = 256
	// cellRecords is how many records there must be to a cell for counts to be kept.
	cellRecords = 16
	// shareOfSpreads is the part of a pool's share that the counts of pieces may take.
	shareOfSpreads = 4
)

// piecesPay is how many codes a table must have to be divided in pieces although it fits the
// memory: it is several times as large as a cache then, and the more columns there are the more
// often records would be moved in place.
const piecesPay = 64 << 20

// takeApart makes the table a piece, if that pays and there is room for both.
func (t *TIPS) takeApart() {
	bytes := t.table.Bytes()
	if t.records*len(t.columns) >= t.pool.sizes.piecesPay && t.pool.hasRoom(bytes+bytes/4) {
		t.fail(t.moveOut(t.pool.Add))
	}
}

// spill moves all partitions out of the table into the store.
func (t *TIPS) spill() error {
	return t.moveOut(t.pool.AddStored)
}

// moveOut makes every partition in the table a piece, whose records are added some at a time,
// and frees the table. What was known of partitions is forgotten: most will be counted anew
// before it is of use.
func (t *TIPS) moveOut(add func(p *partition.ChunkList, b partition.Block) error) error {
	table := t.table
	defer func() { t.pool.Release(table.Bytes()) }()
	t.table, t.inPieces = &partition.Table{Layout: table.Layout}, true
	for p := range t.leaves {
		l := &t.leaves[p]
		if l.Records() == 0 {
			continue
		}
		to := &piece{}
		if err := t.moveLeaf(table, l.Rows, func(b partition.Block) error { return add(&to.ChunkList, b) }); err != nil {
			return err
		}
		t.sums -= l.sums
		*l = leaf{Rows: partition.Rows{Hi: l.Records(), Size: l.Size}, pieces: []*piece{to}}
		t.schedule(int32(p))
		t.pieces++
	}
	return nil
}

// moveLeaf hands out the records of a partition in a table as fragments, made by several
// goroutines.
func (t *TIPS) moveLeaf(table *partition.Table, l partition.Rows, add func(b partition.Block) error) error {
	made := make([]partition.Block, t.pool.sharing.Threads)
	for lo := l.Lo; lo < l.Hi; lo += len(made) * t.block {
		n := min(len(made), (l.Hi-lo+t.block-1)/t.block)
		partition.Each(n, t.pool.sharing.ThreadsFor(n*t.block), func(_, i int) {
			lo := lo + i*t.block
			made[i] = t.codec.Block(table, table.Rows(lo, min(lo+t.block, l.Hi)))
		})
		for _, b := range made[:n] {
			if err := add(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// adopt makes a pile the first partition's only piece.
func (t *TIPS) adopt(p *partition.ChunkList) {
	if len(t.leaves) > 0 {
		t.leaves[0].pieces = []*piece{{ChunkList: *p}}
		t.pieces = 1
	}
}

// survey finds out how the records of the first partition are spread: as the view tells or,
// where it does not, by dividing them.
func (t *TIPS) survey() {
	all := t.leaves[0].pieces[0]
	t.outlook.turn(-1, nil)
	fields := t.active(0, true)
	if slices.ContainsFunc(fields, func(a active) bool { return t.outlook.column(a.field).Records == nil }) {
		t.divideAgain([]int32{0}, func(*visitor, *piece) bool { return true })
		return
	}
	for _, a := range fields {
		g := t.outlook.close(a.field)
		s := spread{grid: g, field: int32(a.field), hi: uint32(len(g.starts) - 1)}
		all.spreads = append(all.spreads, s)
		counts := make([]uint64, s.hi)
		for code, n := range t.outlook.column(a.field).Records {
			counts[g.cell[code]] += n
		}
		all.counts = append(all.counts, counts...)
	}
	t.sums += all.known()
}

// refinePieces refines partitions that have pieces. Those that are known to lie
// in one child go there as they are, the others are divided.
func (t *TIPS) refinePieces(visits []int32, field int, r *partition.Refinement) {
	t.outlook.show(field)
	works := t.divideAgain(visits, func(v *visitor, p *piece) bool { return !v.whole(t, p) })
	if t.err != nil {
		return
	}
	for len(visits) > 0 {
		n := min(len(visits), assembledTogether)
		t.assemble(visits[:n], field, r)
		visits = visits[n:]
	}
	t.thin(works)
}

// divideAgain divides those pieces of partitions that need it.
func (t *TIPS) divideAgain(visits []int32, needs func(v *visitor, p *piece) bool) []*work {
	x := dividing{TIPS: t, works: t.choose(visits, needs)}
	t.fail(x.run())
	for _, w := range x.works {
		t.pieces--
		t.sums -= w.piece.known()
		l := &t.leaves[w.leaf]
		for _, piece := range w.pieces {
			if piece != nil {
				t.pieces++
				t.sums += piece.known()
				l.pieces = append(l.pieces, piece)
			}
		}
	}
	return x.works
}

// choose takes the pieces that need to be divided from partitions.
func (t *TIPS) choose(visits []int32, needs func(v *visitor, p *piece) bool) []*work {
	t.reserveVisitors()
	var all []*piece
	for _, p := range visits {
		all = append(all, t.leaves[p].pieces...)
	}
	chosen := make([]bool, len(all))
	shares := partition.Rows{Hi: len(all)}.Cut((len(all) + piecesTogether - 1) / piecesTogether)
	partition.Each(len(shares), t.pool.sharing.Threads, func(worker, i int) {
		for at := shares[i].Lo; at < shares[i].Hi; at++ {
			chosen[at] = needs(t.visitors[worker], all[at])
		}
	})
	var works []*work
	for _, p := range visits {
		l := &t.leaves[p]
		kept := l.pieces[:0]
		for _, piece := range l.pieces {
			if chosen[0] {
				works = append(works, &work{leaf: p, piece: piece})
			} else {
				kept = append(kept, piece)
			}
			chosen = chosen[1:]
		}
		clear(l.pieces[len(kept):])
		l.pieces = kept
	}
	return works
}

// whole reports whether the records of a piece are known to agree in the child that the
// refinement sends them to, and how they are spread over what may become of that. What the
// outlook shows of its field is there.
func (v *visitor) whole(t *TIPS, p *piece) bool {
	o := t.outlook
	if o.by.Children == 1 {
		if v.fields = t.listActive(v.fields[:0], p.Sample, false); position(v.fields, o.field) < 0 {
			return true
		}
	}
	s, counts := p.spread(o.field)
	if s == nil {
		return false
	}
	return o.agreeListed(s.list) && o.agree(s, counts)
}

// assemble makes partitions of the pieces of some, each of which lies in one child: first all
// are visited, then every one is replaced by its parts.
func (t *TIPS) assemble(partitions []int32, field int, r *partition.Refinement) {
	t.reserveVisitors()
	t.made = slices.Grow(t.made[:0], len(partitions))[:len(partitions)]
	pieces := 0
	for _, p := range partitions {
		pieces += len(t.leaves[p].pieces)
	}
	shares := partition.Rows{Hi: len(partitions)}.Cut(max(1, min(len(partitions), pieces/piecesTogether)))
	partition.Each(len(shares), t.pool.sharing.Threads, func(worker, i int) {
		for at := shares[i].Lo; at < shares[i].Hi; at++ {
			t.made[at] = t.visitors[worker].assemble(t, partitions[at], field, r)
		}
	})
	t.replaceAll(field)
}

// assemble makes parts of a partition's pieces, and counts these.
func (v *visitor) assemble(t *TIPS, p int32, field int, r *partition.Refinement) visit {
	made := v.deal(t, p, field, r)
	for i := range made.parts {
		made.parts[i].counts = v.gather(t, made.parts[i].pieces, v.knownFields(t, made, i, field))
	}
	return made
}

// deal makes parts of a partition's pieces.
func (v *visitor) deal(t *TIPS, p int32, field int, r *partition.Refinement) visit {
	f := t.table.Layout.Fields[field]
	v.children = v.children[:0]
	for _, piece := range t.leaves[p].pieces {
		child := r.ChildOf(f.Code(piece.Sample))
		at, found := slices.BinarySearchFunc(v.children, child, func(l childLeaf, child uint32) int { return cmp.Compare(l.child, child) })
		if !found {
			v.children = slices.Insert(v.children, at, childLeaf{child: child})
		}
		v.children[at].take(piece)
	}
	from := len(v.parts)
	for _, child := range v.children {
		v.parts = append(v.parts, part{leaf: child.leaf})
	}
	return newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
}

// knownFields lists the fields of a part of a visited partition that its pieces tell of.
func (v *visitor) knownFields(t *TIPS, made visit, i, field int) []active {
	v.fields = t.listActive(v.fields[:0], t.sample(made.parts[i].leaf), false)
	if len(made.parts) == 1 {
		return only(v.fields, field)
	}
	return v.fields
}

// gather counts the records of pieces, from what is known of them.
func (v *visitor) gather(t *TIPS, pieces []*piece, fields []active) []counted {
	from := len(v.counts)
	for _, a := range fields {
		v.counts = append(v.counts, v.gatherField(t, pieces, a))
	}
	return v.counts[from:len(v.counts):len(v.counts)]
}

// gatherField counts the records of pieces by a field.
func (v *visitor) gatherField(t *TIPS, pieces []*piece, a active) counted {
	at := len(v.cells)
	v.cells = v.tally.gather(pieces, a, t.outlook.column(a.field).Child, v.cells)
	return counted{field: a.field, cells: v.cells[at:len(v.cells):len(v.cells)]}
}

// childLeaf is the part of a partition that is sent to a child.
type childLeaf struct {
	leaf
	child uint32
}

func (l *childLeaf) take(p *piece) {
	l.Hi += p.Records
	l.Size += p.Size
	l.pieces = append(l.pieces, p)
}

// thin forgets how records are spread in fresh pieces of which that takes too much memory.
func (t *TIPS) thin(works []*work) {
	full := t.spreadsRoom() < 0
	for _, w := range works {
		for _, p := range w.pieces {
			if p != nil && (full || p.Records < cellRecords*p.cells()) {
				t.sums -= p.known()
				p.forget()
			}
		}
	}
}

// forget forgets how records are spread in all pieces.
func (t *TIPS) forget() {
	for _, l := range t.leaves {
		for _, p := range l.pieces {
			p.forget()
		}
	}
	t.sums = 0
}

// spare gives back memory that the search can do without, if there is any.
func (t *TIPS) spare() bool {
	switch {
	case t.pool.spareVisitors():
	case cap(t.leaves) > len(t.leaves):
		t.leaves = append(make([]leaf, 0, len(t.leaves)), t.leaves...)
	case !t.inPieces:
		return false
	case t.pool.spareBlocks():
	case t.sums > 0:
		t.forget()
	default:
		return false
	}
	return true
}

// drop frees a piece.
func (t *TIPS) drop(p *piece) {
	t.pieces--
	t.sums -= p.known()
	p.forget()
	t.fail(t.pool.Free(&p.ChunkList))
}

// piecesVary reports whether the records of pieces differ in the bits of the mask.
func (t *TIPS) piecesVary(pieces []*piece) bool {
	first := pieces[0].Sample
	for _, p := range pieces {
		for k, mask := range t.mask {
			if (p.Varying[k]|(p.Sample[k]^first[k]))&mask != 0 {
				return true
			}
		}
	}
	return false
}

// schedule notes when the pieces of a partition, if it has any, will be read.
func (t *TIPS) schedule(p int32) {
	for _, piece := range t.leaves[p].pieces {
		piece.Turn = t.turnOf(p)
	}
}

// turnOf tells when the piles of a partition are read, compared with those of others.
func (t *TIPS) turnOf(p int32) uint64 {
	return uint64(t.number)<<32 | uint64(uint32(p))
}

package check

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
)

// digest represents values. Digests of a tuple are combined by exclusive or: each depends on its
// column, so that exchanged values give another sum.
type digest [pieces]uint32

// pieces of a digest are codes of the counted tuples.
const pieces = 4

// digests are the digests of the values of one column, for one goroutine.
type digests struct {
	place  uint32
	of     *formats.Values
	byCode []digest // the null's first
	text   []byte   // scratch
}

// learn computes the digests of the values that are new to it.
func (d *digests) learn(values *formats.Values) {
	if d.of != values {
		d.of, d.byCode = values, append(d.byCode[:0], d.sum(false, nil))
	}
	var word [8]byte
	for i := len(d.byCode) - 1; i < values.Len(); i++ {
		value := word[:]
		if values.Type.InWords() {
			binary.LittleEndian.PutUint64(value, domain.CanonicalWord(values, i))
		} else {
			value = values.Bytes(i)
		}
		d.byCode = append(d.byCode, d.sum(true, value))
	}
}

// sum returns the digest of a value, or of the null.
func (d *digests) sum(some bool, value []byte) (digest digest) {
	d.text = binary.LittleEndian.AppendUint32(d.text[:0], d.place)
	if some {
		d.text = append(append(d.text, 1), value...)
	}
	sum := sha256.Sum256(d.text)
	for i := range digest {
		digest[i] = binary.LittleEndian.Uint32(sum[4*i:])
	}
	return digest
}

// add adds the digests of rows to those of tuples, which have a list for every piece.
func (d *digests) add(codes []uint32, tuples [][]uint32) {
	n := len(codes)
	a, b, c, e := tuples[0][:n], tuples[1][:n], tuples[2][:n], tuples[3][:n]
	for row, code := range codes {
		digest := &d.byCode[code]
		a[row] ^= digest[0]
		b[row] ^= digest[1]
		c[row] ^= digest[2]
		e[row] ^= digest[3]
	}
}

// Where there is a population, the last code of a tuple is one of these.
const (
	ofTable = iota
	ofPopulation
)

// scanner counts the tuples of rows for one worker: the digests of the columns and of the entity,
// the codes of sensitive values and whether the rows are of the population. Rows of the population
// have no entity and no sensitive values.
type scanner struct {
	*Request
	source  uint32
	columns []digests // followed by the entity and the household, if there are any
	values  []domain.Mapping
	counter *partition.Counter
	codes   [][]uint32
	domains []int
}

// countRows is the number of rows that are counted at a time: their codes stay in a first-level
// cache.
const countRows = 1024

// digests returns the number of codes of digests in a tuple.
func (r *Request) digests() int {
	if len(r.Columns) == 0 {
		return 0
	}
	return (1 + len(r.owners())) * pieces
}

func (r *Request) newScanner(
	source uint32, values []*domain.Interner, space partition.Space,
) *scanner {
	s, n := &scanner{Request: r, source: source}, r.digests()
	for i := range r.Columns {
		s.columns = append(s.columns, digests{place: uint32(i)})
	}
	for range r.owners() {
		s.columns = append(s.columns, digests{})
	}
	for _, v := range values {
		s.values = append(s.values, domain.NewMapping(v))
	}
	for i := range n + len(values) {
		s.domains = append(s.domains, 1<<32) // a store must know them beforehand
		s.codes = append(s.codes, nil)
		if i < n || source == ofPopulation {
			s.codes[i] = make([]uint32, countRows)
		}
	}
	if r.Population != nil {
		s.domains = append(s.domains, 2)
		s.codes = append(s.codes, slices.Repeat([]uint32{source}, countRows))
	}
	s.counter = partition.NewCounter(s.domains, space)
	return s
}

// Block counts rows of a batch, whose columns are in the order of fields.
func (s *scanner) Block(b *formats.Batch, from, to int) error {
	return s.add(b.Columns, from, to, b.CountsOf(from, to), nil)
}

// add counts rows from..to-1. Without their classes, the columns begin with those that make them.
func (s *scanner) add(columns []*formats.Column, from, to int, counts, classes []uint64) error {
	digested, sensitive := s.columns, []*formats.Column(nil)
	if classes != nil {
		digested = s.columns[len(s.Columns):]
	}
	if s.source == ofTable {
		columns, sensitive = columns[:len(digested)], columns[len(digested):]
	}
	for i, column := range columns {
		digested[i].learn(column.Values)
	}
	for i, column := range sensitive {
		if err := s.values[i].Learn(column.Values); err != nil {
			return err
		}
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		first := s.digests()
		for _, codes := range s.codes[:first] {
			clear(codes)
		}
		for i, column := range columns {
			tuples := s.codes[:pieces]
			if owner := i - (len(digested) - len(s.owners())); owner >= 0 {
				tuples = s.codes[(1+owner)*pieces:]
			}
			digested[i].add(column.Codes[lo:hi], tuples)
		}
		for i, column := range sensitive {
			s.codes[first+i] = s.values[i].Apply(column.Codes[lo:hi], s.codes[first+i])
		}
		if classes != nil {
			for i, class := range classes[lo-from : hi-from] {
				s.codes[0][i], s.codes[1][i] = uint32(class>>32), uint32(class)
			}
		}
		own := counts
		if counts != nil {
			own = counts[lo-from : hi-from]
		}
		if err := s.counter.AddCounted(hi-lo, own, s.codes, s.domains); err != nil {
			return err
		}
	}
	return nil
}

// owners returns the columns that identify whose a row is: the entity, then the household.
func (r *Request) owners() (fields []int) {
	for _, field := range []int{r.Entity, r.Household} {
		if field >= 0 {
			fields = append(fields, field)
		}
	}
	return fields
}

// requests requests the columns, the owners and the numbered columns, in this order.
func (r *Request) requests() []formats.Request {
	return r.Dataset.Coded(slices.Concat(r.Columns, r.owners(), r.numbered())...)
}

// tabulate reads the table, and counts its tuples.
func (r *Request) tabulate(ctx context.Context, res *count.Resources, space partition.Space,
	values []*domain.Interner) (*partition.Table, error) {
	var counters []*partition.Counter
	if r.Classes != nil {
		part := space
		part.Share /= int64(res.Threads)
		err := r.Classes(ctx, append(r.owners(), r.numbered()...), func() func(
			[]*formats.Column, int, int, []uint64, []uint64) error {
			s := r.newScanner(ofTable, values, part)
			counters = append(counters, s.counter)
			return s.add
		})
		if err != nil {
			return nil, err
		}
		return partition.Tabulate(ctx, counters, space, res.Threads)
	}
	sources := []*dataset.Dataset{ofTable: r.Dataset}
	requests := [][]formats.Request{ofTable: r.requests()}
	if r.Population != nil {
		sources = append(sources, r.Population)
		requests = append(requests, r.Population.Coded(r.PopulationColumns...))
	}
	scanners, all := make([][]*scanner, len(sources)), 0
	for i, in := range sources {
		n := in.BlockScanners(res.Threads)
		// workers without a split of their own would take a part of the others' share
		if space.Store != nil {
			n = in.Scanners(res.Threads)
		}
		scanners[i], all = make([]*scanner, n), all+n
	}
	part := space
	part.Share /= int64(all)
	before, rows := int64(0), r.rows()
	for i, in := range sources {
		for at := range scanners[i] {
			s := r.newScanner(uint32(i), values, part)
			scanners[i][at], counters = s, append(counters, s.counter)
		}
		if err := dataset.ScanBlocks(ctx, in, requests[i], scanners[i], func(done int64) {
			res.Advanced(before+done, rows)
		}); err != nil {
			return nil, err
		}
		before += in.Rows()
	}
	return partition.Tabulate(ctx, counters, space, res.Threads)
}

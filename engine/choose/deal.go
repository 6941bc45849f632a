package choose

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/partition"
)

// MostJudged is the approximate number of records by which candidates are judged: a larger table is
// sampled.
const MostJudged = 1 << 15

// folds is the number of parts to which records are dealt: some test the results found in the
// others.
const folds = 10

// dealt are the records by which candidates are judged, in the order in which they were dealt:
// class after class, and within a class in the order of the tuples' hashes. The first record goes
// to the first fold, the next one to the next.
type dealt struct {
	*judge.Records
	first []uint8 // the fold of every tuple's first record
	size  uint64  // number of all records
	whole uint64  // number of the table's records
	most  uint64  // approximate number of records to draw
}

// hashed is a tuple with its sort key.
type hashed struct {
	hash  uint64
	class uint32
	at    int32
}

const hashedBytes = 16

// deal draws the records and deals them. Their memory stays drawn.
func deal(ctx context.Context, table *engine.Table, most int, space partition.Space) (*dealt,
	error) {
	all := table.Groupings[0]
	d := &dealt{Records: &judge.Records{Table: table}, whole: all.Size(), most: uint64(most)}
	layout := partition.NewLayout(domainsOf(table))
	tuples := min(all.Len(), most+most/32) // there are hardly ever more
	bytes := int64(tuples) * (2*layout.TableBytes(1) + hashedBytes + 1)
	if err := space.Budget.Draw("records that algorithms are judged by", bytes); err != nil {
		return nil, err
	}
	drawn, order, key := &partition.Table{Layout: layout}, []hashed(nil),
		make([]uint64, layout.Words)
	fields := all.Layout.Fields
	err := all.Each(ctx, space, func(from []uint64, n uint64) {
		clear(key)
		code := uint32(0)
		for c, to := range layout.Fields {
			if code = 0; c < len(fields) {
				code = fields[c].Code(from)
			}
			key[to.Word] |= uint64(code) << to.Shift
		}
		hash := hashOf(key)
		if n = d.share(hash, n); n == 0 {
			return
		}
		class := table.Kinds.ClassOf(code)
		order = append(order, hashed{hash: hash, class: class, at: int32(len(order))})
		drawn.Put(key, n)
		d.size += n
	})
	if err != nil {
		return nil, err
	}
	d.order(drawn, order)
	return d, nil
}

// domainsOf returns the sizes of the domains of the attributes and of the kinds.
func domainsOf(table *engine.Table) (domains []int) {
	for a := range table.Attributes {
		domains = append(domains, table.Attributes[a].Len())
	}
	return append(domains, table.KindsLen())
}

// hashOf returns a number that looks random and depends only on the key.
func hashOf(key []uint64) (hash uint64) {
	for _, word := range key {
		hash = engine.Mix(hash ^ word)
	}
	return hash
}

// share returns how many of a tuple's records are drawn: its proportional share, rounded up or down
// as the hash decides.
func (d *dealt) share(hash, records uint64) uint64 {
	if d.whole <= d.most {
		return records
	}
	chance, _ := bits.Mul64(engine.Mix(hash), d.whole) // less than the number of all records
	return (records*d.most + chance) / d.whole
}

// order orders the tuples for dealing, and deals them.
func (d *dealt) order(drawn *partition.Table, order []hashed) {
	w := drawn.Layout.Words
	slices.SortFunc(order, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.hash, b.hash),
			slices.Compare(drawn.Keys[int(a.at)*w:][:w], drawn.Keys[int(b.at)*w:][:w]))
	})
	d.Counts, d.first = &partition.Table{Layout: drawn.Layout}, make([]uint8, len(order))
	next := uint64(0)
	for i, h := range order {
		n := drawn.Counts[h.at]
		d.Counts.Put(drawn.Keys[int(h.at)*w:][:w], n)
		d.first[i] = uint8(next % folds)
		next += n
	}
}

// trainFolds returns the number of folds that are searched. Together they have at most about a
// fifth of the largest number of judged records: a search of more would take as long as that of a
// table of that size, and hardly help to find the best candidate. For a table with at most two
// ninths of that number it is all but one.
func trainFolds(size, most uint64) int {
	return max(1, min(folds-1, int(folds*most/5/max(1, size))))
}

// testedOfFew returns how many of some consecutive records a round tests, by the fold of the first
// record and their number, which is at most that of the folds.
func testedOfFew(round, tests int) (n [folds][folds + 1]uint64) {
	for first := range folds {
		for records := range folds {
			n[first][records+1] = n[first][records]
			if (first+records-round%folds+folds)%folds < tests {
				n[first][records+1]++
			}
		}
	}
	return n
}

// part returns the records with which a round tests: those of the fold with its number and, if one
// is not enough, of the following folds. Without test it returns those of all others.
func (d *dealt) part(round int, test bool) judge.Source {
	few := testedOfFew(round, folds-trainFolds(d.size, d.most))
	return d.Part(func() judge.Take {
		at := 0
		return func(_ []uint64, all uint64) uint64 {
			of := &few[d.first[at]]
			n := all/folds*of[folds] + of[all%folds]
			at++
			if test {
				return n
			}
			return all - n
		}
	})
}

// scaled returns the requirement for a training part of a number of records: the number of records
// that may be taken away shrinks in proportion to the records. K is that of the requirement where
// all folds but one of the whole table are searched, and shrinks in proportion where fewer records
// are, so that groups are as hard to fill as there; the average risk grows likewise.
func (d *dealt) scaled(requirement engine.Requirement, records uint64) engine.Requirement {
	requirement.Sets = slices.Clone(requirement.Sets)
	for i := range requirement.Sets {
		k := &requirement.Sets[i].K
		rounded := (proportion(2*k.Size(), folds*records, (folds-1)*d.whole) + 1) / 2
		*k = min(*k, max(leastK, engine.KAnonymity(rounded)))
	}
	requirement.MaxSuppressed = proportion(requirement.MaxSuppressed, records, d.whole)
	requirement.AverageRisk *= float64((folds-1)*d.whole) / float64(folds*records)
	return requirement
}

// leastK is the smallest k of a training part, unless the requirement's k is smaller.
const leastK = 2

// proportion returns n·part/whole, rounded down.
func proportion(n, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(n, part)
	quotient, _ := bits.Div64(hi, lo, whole)
	return quotient
}

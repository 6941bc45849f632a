package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

// Measured has the measures of a sensitive column in the equivalence classes of a set, for the
// measures that the cut has: in the class where each is worst.
type Measured struct {
	Set    int    `json:"set"` // from 1 on
	Column string `json:"column"`
	engine.Measurements
}

// valueHash identifies the values of a column by their texts. It is the same in every process; that
// two values have the same hash is so unlikely that it never happens.
func valueHash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}

// nullHash is the hash of null, an arbitrary constant.
const nullHash = 0x6a09e667f3bcc909

// hashed says how the sensitive columns are read, and then the class, unless it is one of these.
func (r *rules) hashed() (kept []release.Kept) {
	hash := func(values *formats.Values, i int) uint64 { return valueHash(values.Text(i)) }
	for i := range r.values {
		k := release.Kept{Name: r.values[i].Column, Hash: hash, Null: nullHash}
		if o := r.orders[i]; o != nil {
			k.Hash = o.hash
		}
		kept = append(kept, k)
	}
	if len(classOf(r.cut, r.values)) > 0 {
		kept = append(kept, release.Kept{Name: r.cut.Class, Hash: risk.HashValue, Null: risk.Null})
	}
	return kept
}

// claim is a sensitive column in the classes of a set. The cut or a job may say something about it.
type claim struct{ set, column int }

// claims returns all claims. Their keys come after all other keys, in the same order.
func (r *rules) claims() (claims []claim) {
	for set := range r.sets {
		for column := range r.values {
			claims = append(claims, claim{set, column})
		}
	}
	return claims
}

// claimOf returns the number of a key's claim. It is negative for other keys.
func (r *rules) claimOf(key int) int { return key - len(r.keys) + len(r.sets)*len(r.values) }

// withValue returns a key that adds, in a last word of its own, the hash of a sensitive column's
// value to the labels of a set.
func (k labelKey) withValue(column int) labelKey {
	k.value, k.size, k.combinations = column, k.size+1, math.Inf(1)
	return k
}

// packValues writes the last word of the keys of a block of rows, as pack writes the other words.
func (k *labelKey) packValues(keys []uint64, column *release.Hashes) (same bool) {
	for row, at := 0, k.size-1; at < len(keys); row, at = row+1, at+k.size {
		number := column.One
		if !column.Same {
			number = column.Every[row]
		}
		keys[at] = column.List[number]
	}
	return column.Same
}

// valueRows counts the records of each value of a column in all rows, by its hash, for several
// goroutines.
type valueRows struct {
	mutex sync.Mutex
	*table
	needed bool // by a measure; else values beyond mostValues need no count
}

// newWhole returns the counts for the hashed columns that have measures that need them, within the
// given bytes in all, and for lone columns.
func (r *rules) newWhole(limit int64) []*valueRows {
	all := make([]*valueRows, len(r.hashed()))
	for _, column := range r.lone {
		all[column.at] = &valueRows{table: newTable(1, newShareRange(math.MaxInt64))}
	}
	for i := range r.values {
		if r.values[i].Relative() != "" {
			shares := newShareRange(limit / int64(len(r.values)))
			all[i] = &valueRows{table: newTable(1, shares), needed: true}
		}
	}
	return all
}

// count counts a block of rows.
func (c *valueRows) count(rows int, column *release.Hashes) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.needed && c.used > mostValues {
		return nil
	}
	if column.Same {
		return c.add(column.List[column.One:][:1], uint64(rows))
	}
	every := column.Every[:rows]
	if len(column.List) > rows {
		for from, to := 0, 0; from < rows; from = to { // equal rows often follow each other
			for to = from + 1; to < rows && every[to] == every[from]; to++ {
			}
			if err := c.add(column.List[every[from]:][:1], uint64(to-from)); err != nil {
				return err
			}
		}
		return nil
	}
	var counts [release.BlockRows]uint64
	for _, number := range every {
		counts[number]++
	}
	for number, n := range counts[:len(column.List)] {
		if n == 0 {
			continue
		}
		if err := c.add(column.List[number:][:1], n); err != nil {
			return err
		}
	}
	return nil
}

// arrangeWhole arranges the values of all rows for the measures that need that. All values that
// measures need must have had room.
func (v *verifier) arrangeWhole() error {
	for i := range v.values {
		whole := v.whole[i]
		if whole != nil && !whole.shares.all() {
			return errManyGroups
		}
		if o := v.orders[i]; o != nil {
			o.arrange(whole.table)
		}
		if t := v.trees[i]; t != nil {
			t.arrange(whole.table)
		}
	}
	return nil
}

// sorted returns the slots of the keys that the pass has counted, sorted by the words of the keys.
func (t *table) sorted() (slots []uint32) {
	stride := t.stride()
	for i := range t.room {
		if slot := t.slots[i*stride:][:stride]; slot[stride-1] > 0 &&
			t.counts(hashOf(slot[:t.size]), slot[:t.size]) {
			slots = append(slots, uint32(i))
		}
	}
	slices.SortFunc(slots, func(a, b uint32) int {
		return slices.Compare(t.slots[int(a)*stride:][:t.size], t.slots[int(b)*stride:][:t.size])
	})
	return slots
}

// addTable adds the classes of a claim that a pass has counted. All values of a class are in one
// pass.
func (v *verifier) addTable(claim int, t *table) {
	m, slots, stride := &v.measures[claim], t.sorted(), t.stride()
	for len(slots) > 0 {
		m.begin(uint64(v.rows))
		class := t.slots[int(slots[0])*stride:][:t.class]
		for ; len(slots) > 0; slots = slots[1:] {
			slot := t.slots[int(slots[0])*stride:][:stride]
			if !slices.Equal(slot[:t.class], class) {
				break
			}
			value := slot[t.class:t.size]
			whole := uint64(0)
			if of := v.whole[m.column]; of != nil && of.needed {
				whole = of.records(value)
			}
			m.add(value[0], slot[stride-1], whole)
		}
		m.end()
	}
}

// measures are the measures of the classes of one claim, so far.
type measures struct {
	claim
	of    *cutfile.Sensitive
	order *order // nil: no measure needs it
	tree  *tree  // nil: no measure needs it
	// most has, by hash of a value, its largest allowed share; nil: there are none.
	most     map[uint64]float64
	seen     map[uint64]bool // the values of most that some row has
	verdicts []engine.Verdict

	class engine.Histogram // the current class
}

func (r *rules) newMeasures() (all []measures) {
	for _, c := range r.claims() {
		s := &r.values[c.column]
		m := measures{claim: c, of: s, order: r.orders[c.column],
			tree: r.trees[c.column], seen: make(map[uint64]bool)}
		for _, l := range s.Limits() {
			m.verdicts = append(m.verdicts, engine.Verdict{Limit: l})
			for value, most := range l.Of {
				if m.most == nil {
					m.most = make(map[uint64]float64)
				}
				m.most[valueHash(value)] = most
			}
			if m.order != nil && m.most != nil {
				m.most = m.order.named
			}
		}
		all = append(all, m)
	}
	return all
}

// begin begins a class of a release with the given number of rows.
func (m *measures) begin(rows uint64) {
	c := &m.class
	*c = engine.Histogram{Records: c.Records[:0], Whole: c.Whole[:0], Most: c.Most[:0], Total: rows,
		Rank: c.Rank[:0], Leaf: c.Leaf[:0]}
	if m.tree != nil {
		c.Spread = m.tree.all
	}
	if m.order != nil {
		c.Order = m.order.all
	}
}

// add adds a value with its number of rows in the class, and in the whole release.
func (m *measures) add(value, rows, whole uint64) {
	c := &m.class
	c.Records, c.Whole = append(c.Records, rows), append(c.Whole, whole)
	if value == nullHash && m.of.Nulls != job.NullsCount {
		c.Null = len(c.Records)
	}
	if m.tree != nil {
		c.Leaf = append(c.Leaf, m.tree.leaf(value))
	}
	if m.order != nil {
		c.Rank = append(c.Rank, m.order.rank(value))
	}
	if m.most == nil {
		return
	}
	most := 1.0
	if of, named := m.most[value]; named {
		most, m.seen[value] = of, true
	}
	c.Most = append(c.Most, most)
}

// end adds the class to the measures.
func (m *measures) end() {
	for i := range m.verdicts {
		m.verdicts[i].Add(m.class)
	}
}

// checkSensitive compares the measures of all claims with the cut.
func (v *verifier) checkSensitive() (measured []Measured) {
	for i := range v.measures {
		m := &v.measures[i]
		if m.set >= len(v.cut.Sets) || m.column >= len(v.cut.Sensitive) {
			continue // the cut claims nothing about it
		}
		v.checkMeasures(m, fmt.Sprintf("quasi-identifier set %d", m.set+1), "its cut claims")
		measured = append(measured, Measured{m.set + 1, m.of.Column, engine.WorstOf(m.verdicts)})
	}
	return measured
}

// unseen returns the key of a limit that names a value which no row has; empty: there is none.
func (m *measures) unseen() string {
	for i := range m.verdicts {
		if is := &m.verdicts[i]; len(is.Of) > len(m.seen) {
			return is.Key
		}
	}
	return ""
}

// checkMeasures compares the measures of a claim with the limits that somebody says it has.
func (v *verifier) checkMeasures(m *measures, set, says string) {
	for i := range m.verdicts {
		is := &m.verdicts[i]
		finding := fmt.Sprintf("%s %.6g, %s %.6g", is.Key, is.Worst, says, is.Bound)
		switch {
		case is.Of != nil:
			finding = is.Key + ": a value has a larger share than " + says
		case is.Measure == engine.HierarchicalCloseness && m.tree.all == nil:
			finding = is.Key + ": its taxonomy lacks values of the rows"
		case is.Measure == engine.OrderedCloseness && m.order.all == nil:
			finding = is.Key + ": the values have no order"
		}
		if is.Broken {
			v.find("%s: column %s: %s", set, m.of.Column, finding)
		}
	}
}

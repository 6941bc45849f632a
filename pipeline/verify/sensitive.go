package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Measured is what was counted of a sensitive column's values in the equivalence classes of a set, of those
// measures that the cut has: in the class where it is worst.
type Measured struct {
	Set    int    `json:"set"` // from 1 on
	Column string `json:"column"`
	engine.Measurements
}

// valueHash tells the values of a column apart by their texts: it is the same in every process, and the same of two
// values by an accident only that nobody meets.
func valueHash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}

// nullHash is the hash of the null, as good as any.
const nullHash = 0x6a09e667f3bcc909

// sensitive returns how the sensitive columns are read.
func (r *rules) sensitive() (kept []release.Kept) {
	hash := func(values *formats.Values, i int) uint64 { return valueHash(values.Text(i)) }
	for i := range r.values {
		kept = append(kept, release.Kept{Name: r.values[i].Column, Hash: hash, Null: nullHash})
	}
	return kept
}

// claim is what a cut says of a sensitive column in the classes of a set, if it says something.
type claim struct{ set, column int }

// claims returns the claims of the cut. Their keys come after all others, in this order.
func (r *rules) claims() (claims []claim) {
	for set := range r.cut.Sets {
		for column := range r.values {
			claims = append(claims, claim{set, column})
		}
	}
	return claims
}

// claimOf returns which claim a key is of; below 0, of none.
func (r *rules) claimOf(key int) int { return key - len(r.keys) + len(r.cut.Sets)*len(r.values) }

// withValue returns the key of a set's labels and, in a word of its own that is the last, the hash of the value of
// a sensitive column.
func (k labelKey) withValue(column int) labelKey {
	k.value, k.size, k.combinations = column, k.size+1, math.Inf(1)
	return k
}

// packValues writes the last word of the keys of a block of rows, as pack writes the others.
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

// newWhole returns tables that count the values of the sensitive columns of all rows, in so many bytes
// for all; nil for a column of which the cut compares nothing with these.
func (r *rules) newWhole(counters int, limit int64) (tables [][]*table) {
	tables = make([][]*table, counters)
	for c := range r.values {
		span, relative := newSpan(limit/int64(len(r.values))), r.values[c].Relative() != ""
		for i := range tables {
			var t *table
			if relative {
				t = newTable(1, span)
			}
			tables[i] = append(tables[i], t)
		}
	}
	return tables
}

// countWhole counts the values of a block of rows.
func (c *counter) countWhole(rows int, kept []release.Hashes) error {
	for i, t := range c.whole {
		if t == nil {
			continue
		}
		keys, one := c.keys[:rows], labelKey{size: 1}
		one.packValues(keys, &kept[i])
		for from, to := 0, 0; from < rows; from = to { // rows that are alike often follow each other
			for to = from + 1; to < rows && keys[to] == keys[from]; to++ {
			}
			if err := t.add(keys[from:from+1], uint64(to-from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// joinWhole adds up what the workers have counted. All values must have had room.
func (v *verifier) joinWhole(counters []*counter) error {
	for i, sum := range counters[0].whole {
		if sum == nil {
			continue
		}
		for _, c := range counters[1:] {
			for value, records := range c.whole[i].all() {
				if err := sum.add(value, records); err != nil {
					return err
				}
			}
			c.whole[i].clear()
		}
		if sum.span.until.Load() < hashShares {
			return errManyGroups
		}
	}
	v.whole = counters[0].whole
	for _, c := range counters {
		c.whole = nil
	}
	return nil
}

// sorted returns the slots of the keys that the pass has counted, in the order of their words.
func (t *table) sorted() (slots []uint32) {
	stride := t.size + 1
	for i := range t.room {
		if slot := t.slots[i*stride:][:stride]; slot[t.size] > 0 && t.counts(hashOf(slot[:t.size]), slot[:t.size]) {
			slots = append(slots, uint32(i))
		}
	}
	slices.SortFunc(slots, func(a, b uint32) int {
		return slices.Compare(t.slots[int(a)*stride:][:t.size], t.slots[int(b)*stride:][:t.size])
	})
	return slots
}

// addTable takes in the classes of a claim that a pass has counted, all values of each.
func (v *verifier) addTable(claim int, t *table) {
	m, slots, stride := &v.measures[claim], t.sorted(), t.size+1
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
			if of := v.whole[m.column]; of != nil {
				whole = of.records(value)
			}
			m.add(value[0], slot[t.size], whole)
		}
		m.end()
	}
}

// measures are those of the classes of one claim, so far.
type measures struct {
	claim
	of       *cutfile.Sensitive
	most     map[uint64]float64 // largest shares of single values by their hashes; nil: none
	verdicts []engine.Verdict
	alike    Homogeneity

	class engine.Histogram // the last one
}

func (r *rules) newMeasures() (all []measures) {
	for _, c := range r.claims() {
		s := &r.values[c.column]
		m := measures{claim: c, of: s}
		for _, l := range s.Limits() {
			m.verdicts = append(m.verdicts, engine.Verdict{Limit: l})
			for value, most := range l.Of {
				if m.most == nil {
					m.most = make(map[uint64]float64)
				}
				m.most[valueHash(value)] = most
			}
		}
		all = append(all, m)
	}
	return all
}

// begin begins a class, of a release of so many rows.
func (m *measures) begin(rows uint64) {
	c := &m.class
	*c = engine.Histogram{Records: c.Records[:0], Whole: c.Whole[:0], Most: c.Most[:0], Total: rows}
}

// add takes in a value that rows of the class, and of the whole release, have.
func (m *measures) add(value, rows, whole uint64) {
	c := &m.class
	c.Records, c.Whole = append(c.Records, rows), append(c.Whole, whole)
	if value == nullHash && m.of.Nulls != job.NullsCount {
		c.Null = len(c.Records)
	}
	if m.most == nil {
		return
	}
	most, limited := m.most[value]
	if !limited {
		most = 1
	}
	c.Most = append(c.Most, most)
}

// end takes in the class.
func (m *measures) end() {
	for i := range m.verdicts {
		m.verdicts[i].Add(m.class)
	}
	if len(m.class.Records) == 1 {
		m.alike.Classes++
		m.alike.Records += m.class.Records[0]
	}
}

// checkSensitive compares the measures of all claims with what the cut says.
func (v *verifier) checkSensitive() (measured []Measured) {
	for i := range v.measures {
		m := &v.measures[i]
		if m.column >= len(v.cut.Sensitive) {
			continue // the cut claims nothing
		}
		for j := range m.verdicts {
			is := &m.verdicts[j]
			finding := fmt.Sprintf("%s %.6g, its cut claims %.6g", is.Key, is.Worst, is.Bound)
			if is.Of != nil {
				finding = is.Key + ": a value has a larger share than its cut claims"
			}
			if is.Broken {
				v.find("quasi-identifier set %d: column %s: %s", m.set+1, m.of.Column, finding)
			}
		}
		measured = append(measured, Measured{m.set + 1, m.of.Column, engine.WorstOf(m.verdicts)})
	}
	return measured
}

// homogeneous returns how many classes have one value of a column, of every claim.
func (v *verifier) homogeneous() (all []Homogeneity) {
	for i := range v.measures {
		m := &v.measures[i]
		m.alike.Set, m.alike.Column = m.set+1, m.of.Column
		all = append(all, m.alike)
	}
	return all
}

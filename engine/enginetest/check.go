package enginetest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
)

// CheckTrue fails the test unless every released label is true for the row's value.
func (d Data) CheckTrue(t *testing.T, released [][]engine.Label) {
	t.Helper()
	type pair struct{ value, label engine.Label }
	for c, column := range d.Columns {
		checked := map[pair]bool{}
		for r, labels := range released {
			if labels == nil {
				continue
			}
			p := pair{d.Rows[r][c], labels[c]}
			if !checked[p] && !column.Covers(p.label, p.value) {
				t.Fatalf("%s: %+v is released as %+v", column.Name, p.value, p.label)
			}
			checked[p] = true
		}
	}
}

// Covers reports whether a label is true for a value. A root is true for the null, a mark for
// everything.
func (c Column) Covers(label, value engine.Label) bool {
	if label == value || label.Mark {
		return true
	}
	if label.Null {
		return false
	}
	switch c.Mask {
	case engine.Generalize:
		return slices.ContainsFunc(Members(label.Text), func(name string) bool {
			return name == `\N` && value.Null || c.under(c.Tree, name, value)
		})
	case engine.Discretize:
		named := Members(label.Text)
		ends := strings.Split(strings.Trim(named[0], "[]()"), ",")
		if value.Null {
			return len(named) > 1 || ends[0] == c.Lower && ends[1] == c.Upper
		}
		x := Number(value.Text)
		above := ends[0] == "" || x >= Number(ends[0])
		below := ends[1] == "" || x < Number(ends[1]) || x == Number(ends[1]) &&
			strings.HasSuffix(named[0], "]")
		return above && below
	}
	own := `\N`
	if !value.Null {
		own = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `{`, `\{`, `}`, `\}`).Replace(value.Text)
	}
	return label.Text == engine.Suppressed || strings.HasPrefix(label.Text, "{") &&
		slices.Contains(Members(label.Text), own)
}

// Interval returns the label of the interval between two values of a discretized column. An empty
// end is the column's own.
func (c Column) Interval(lower, upper string) string {
	opening, closing := "[", ")"
	if lower == "" {
		lower = c.Lower
	}
	if lower == "" {
		opening = "("
	}
	if upper == "" && c.Upper != "" {
		upper, closing = c.Upper, "]"
	}
	return opening + lower + "," + upper + closing
}

// RowKey returns the key of the copy of a cell with a number, as its definition reads.
func RowKey(seed uint64, scope string, values []engine.Label, class string, number int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00", seed, scope)
	for _, v := range values {
		if v.Null {
			v.Text = "\x1e"
		}
		fmt.Fprintf(h, "%s\x1f", v.Text)
	}
	fmt.Fprintf(h, "%s\x1f", class)
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(number)))
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Members returns the members in the label of a set of values, or the one value.
func Members(label string) (members []string) {
	if !strings.HasPrefix(label, "{") {
		return []string{label}
	}
	member := ""
	for i := 1; i < len(label); i++ {
		switch c := label[i]; c {
		case '\\':
			member += label[i : i+2]
			i++
		case '|', '}':
			members, member = append(members, member), ""
		default:
			member += string(c)
		}
	}
	return members
}

// under reports whether a name is that of a node of a tree, above a value.
func (c Column) under(n taxonomy.Node, name string, value engine.Label) bool {
	if n.Name == name {
		return value.Null && n.Name == c.Tree.Name || slices.Contains(leafNames(n), value.Text)
	}
	return slices.ContainsFunc(n.Children, func(child taxonomy.Node) bool {
		return c.under(child, name, value)
	})
}

// CheckAnonymous fails the test unless every combination of labels of every set has k rows. It
// returns A(QID) of every set.
func CheckAnonymous(t *testing.T, released [][]engine.Label,
	sets []engine.Set) (anonymity []uint64) {
	t.Helper()
	for i, set := range sets {
		groups, smallest := Groups(released, set), uint64(len(released))
		for _, rows := range groups {
			smallest = min(smallest, uint64(len(rows)))
		}
		if !Holds(set, smallest) {
			t.Errorf("set %d: the smallest of %d groups has %d records, k is %d", i+1, len(groups),
				smallest, set.K)
		}
		anonymity = append(anonymity, smallest)
	}
	return anonymity
}

// CheckProtected fails the test unless every combination of labels of every set meets the set's
// protections, and has K different entities where the set counts these. It returns A(QID) of every
// set.
func (d Data) CheckProtected(t *testing.T, released [][]engine.Label,
	sets []engine.Set) (anonymity []uint64) {
	t.Helper()
	for i, set := range sets {
		least := uint64(math.MaxUint64)
		for _, rows := range Groups(released, set) {
			stats := d.Stats(rows)
			least = min(least, stats.Size)
			if !set.Holds(stats) {
				t.Errorf("set %d: a group of %d rows has %+v, asked for are k %d and %+v", i+1,
					len(rows), stats, set.K, set.Others)
			}
			if people := d.People(rows); set.Entities && people < int(set.K) {
				t.Errorf("set %d: a group of %d rows is of %d entities, k is %d", i+1, len(rows),
					people, set.K)
			}
		}
		anonymity = append(anonymity, least)
	}
	return anonymity
}

// Groups returns the rows of every combination of labels of a set.
func Groups(released [][]engine.Label, set engine.Set) map[string][]int {
	groups := map[string][]int{}
	var key []byte
	for r, row := range released {
		if row == nil {
			continue
		}
		key = key[:0]
		for _, c := range set.Columns {
			key = strconv.AppendBool(strconv.AppendQuote(key, row[c].Text), row[c].Null)
		}
		groups[string(key)] = append(groups[string(key)], r)
	}
	return groups
}

// Holds reports whether a set that has no protection except K holds for a number of records.
func Holds[Number int | uint64](set engine.Set, records Number) bool {
	return set.Holds(engine.Stats{Size: uint64(records)})
}

// EightAttributes are the attributes of Adult that the papers after TDS use as quasi-identifiers.
var EightAttributes = []string{"age", "workclass", "education", "marital-status", "occupation",
	"race", "sex", "native-country"}

package enginetest

import (
	"slices"

	"github.com/kcut/kcut/engine"
)

// Unit is the weight of a whole entity in test data.
const Unit = 60

// kind is the common properties of the rows of one kind, as a key.
type kind struct {
	class  uint32
	values [2]uint32 // by sensitive column; there are at most two
	weight uint64
}

// AddKinds numbers the kinds of rows of a coded table.
func (d Data) AddKinds(c *Codes) {
	rows := make([]kind, len(d.Rows))
	weights := d.Weights()
	k := &engine.Kinds{Unit: Unit}
	for s, column := range d.Sensitive {
		values := distinct(column)
		k.Sensitive = append(k.Sensitive, engine.SensitiveValues{Values: Values(values...)})
		for r := range rows {
			at, _ := slices.BinarySearch(values, column[r])
			rows[r].values[s] = uint32(at)
		}
	}
	numbers := map[kind]uint32{}
	for r := range rows {
		if len(c.Class) > 0 {
			rows[r].class = c.Class[r]
		}
		if weights != nil {
			rows[r].weight = weights[r]
		}
		number, ok := numbers[rows[r]]
		if !ok {
			number = uint32(len(numbers))
			numbers[rows[r]] = number
			k.Class = append(k.Class, rows[r].class)
			for s := range k.Sensitive {
				k.Sensitive[s].Code = append(k.Sensitive[s].Code, rows[r].values[s])
			}
			if weights != nil {
				k.Weight = append(k.Weight, rows[r].weight)
			}
		}
		c.Kind = append(c.Kind, number)
	}
	c.Kinds = k
}

// Weights returns the weight of every row, nil where k counts records.
func (d Data) Weights() (weights []uint64) {
	if len(d.Entities) == 0 {
		return nil
	}
	rows := map[string]uint64{}
	for _, entity := range d.Entities {
		rows[entity]++
	}
	for _, entity := range d.Entities {
		weights = append(weights, Unit/rows[entity])
	}
	return weights
}

// Stats returns the figures of some rows that protections ask for, from the rows themselves.
func (d Data) Stats(rows []int) engine.Stats {
	stats := engine.Stats{Size: uint64(len(rows))}
	if weights := d.Weights(); weights != nil {
		weight := uint64(0)
		for _, r := range rows {
			weight += weights[r]
		}
		stats.Size = (weight + Unit - 1) / Unit
	}
	for _, column := range d.Sensitive {
		values := distinct(column)
		counts := make([]uint64, len(values))
		for _, r := range rows {
			at, _ := slices.BinarySearch(values, column[r])
			counts[at]++
		}
		stats.Values = append(stats.Values, counts)
	}
	return stats
}

// People returns the number of different entities of some rows; the number of rows if there are no
// entities.
func (d Data) People(rows []int) int {
	if len(d.Entities) == 0 {
		return len(rows)
	}
	people := map[string]bool{}
	for _, r := range rows {
		people[d.Entities[r]] = true
	}
	return len(people)
}

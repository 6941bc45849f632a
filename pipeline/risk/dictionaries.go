package risk

import (
	"bytes"
	"slices"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// dictionaries collect the distinct values of the kept columns, for all scanners. When they outgrow
// their part of the budget, the largest dictionary is given up.
type dictionaries struct {
	mu     sync.Mutex
	of     []*formats.Distinct // by kept column; nil: none so far, or given up
	given  []bool              // by kept column: its dictionary was given up
	drawn  []int64             // by kept column: bytes
	budget *spill.Budget
}

const (
	// mostValues is the largest number of values of a dictionary: finding more values takes longer
	// than they save.
	mostValues = 1 << 16
	// longestValue is the largest number of bytes of each value.
	longestValue = 1 << 8
	// valueBytes is the memory of a value in addition to its bytes: in the table that finds the
	// value, or in lists of ranks.
	valueBytes = 96
)

func newDictionaries(columns int, budget *spill.Budget) *dictionaries {
	return &dictionaries{
		of: make([]*formats.Distinct, columns), given: make([]bool, columns),
		drawn:  make([]int64, columns),
		budget: budget.Part(budget.Grant(&spill.KeptValues)),
	}
}

// MostDictionaryValues returns the largest number of values of a kept column that has a dictionary,
// with the given memory of a run.
func MostDictionaryValues(memory int64) int64 {
	return min(mostValues, spill.KeptValues.Part(spill.Exposure.Part(memory))/valueBytes)
}

// learn adds the values of a column, from a position on, to its dictionary.
func (d *dictionaries) learn(column int, values *formats.Values, from int) {
	if from == values.Len() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[column] == nil && !d.given[column] {
		d.of[column] = formats.NewDistinct(&formats.Values{Type: values.Type})
	}
	for i := from; i < values.Len() && !d.given[column]; i++ {
		if !values.Type.InWords() && len(values.Bytes(i)) > longestValue {
			d.giveUp(column)
			return
		}
		known := d.of[column].Values.Len()
		if int(d.of[column].CodeOf(values, i)) > known {
			d.draw(column, values, i)
		}
	}
}

// draw draws the memory of one more value.
func (d *dictionaries) draw(column int, values *formats.Values, i int) {
	bytes := int64(valueBytes)
	if !values.Type.InWords() {
		bytes += 3 * int64(len(values.Bytes(i)))
	}
	if d.of[column] != nil && d.of[column].Values.Len() > mostValues {
		d.giveUp(column)
	}
	for !d.given[column] && d.budget.Draw("the values of kept columns", bytes) != nil {
		d.giveUp(d.largest())
	}
	if !d.given[column] {
		d.drawn[column] += bytes
	}
}

// largest returns the column with the largest dictionary.
func (d *dictionaries) largest() int { return slices.Index(d.drawn, slices.Max(d.drawn)) }

func (d *dictionaries) giveUp(column int) {
	d.budget.Return(d.drawn[column])
	d.of[column], d.given[column], d.drawn[column] = nil, true, 0
}

// take returns the sorted dictionaries, nil for a column without one, and the bytes that are drawn
// for them. The caller returns these bytes.
func (d *dictionaries) take() (all []*formats.Values, drawn int64) {
	for column, known := range d.of {
		if known == nil {
			all = append(all, nil)
			continue
		}
		all = append(all, sorted(known.Values))
		drawn += d.drawn[column]
		d.of[column], d.drawn[column] = nil, 0
	}
	return all, drawn
}

func (d *dictionaries) close() {
	for column := range d.of {
		d.giveUp(column)
	}
}

// sorted returns values in ascending order.
func sorted(values *formats.Values) *formats.Values {
	if values.Type.InWords() {
		slices.Sort(values.Words)
		return values
	}
	order := positions(0, values.Len())
	slices.SortFunc(order,
		func(a, b int) int { return bytes.Compare(values.Bytes(a), values.Bytes(b)) })
	to := &formats.Values{Type: values.Type, Ends: make([]uint32, 0, len(order)),
		Data: make([]byte, 0, len(values.Data))}
	for _, i := range order {
		to.AppendBytes(values.Bytes(i))
	}
	return to
}

// Package enginetest builds the small tables that tests of engines search, and checks releases by
// their definition.
package enginetest

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
)

// Column describes a masked column of Data.
type Column struct {
	Name         string
	Mask         engine.Mask
	Tree         taxonomy.Node // Generalize
	Lower, Upper string        // Discretize: declared bounds, or empty
	// Discretize: values with no multiple of it between them, above the lower one, are one value;
	// 0: not rounded
	Round    int
	MinWidth int // Discretize: smallest width of intervals; 0: any
	// Suppress: values with fewer records or entities, and a null with fewer, are the rest; 0: no
	// rest
	Rare     int
	Reversed bool // Suppress: a job gives the values the reverse of their bytewise order
}

// Data is a table as text. Classes is empty when there is no class.
type Data struct {
	Columns   []Column
	Rows      [][]engine.Label // by row and column
	Classes   []string         // by row
	Sensitive [][]string       // by sensitive column and row
	Entities  []string         // by row; empty when k counts records
	// Population has the people, by person and column. Every value is that of some row.
	Population [][]engine.Label
}

// Values returns a row without nulls.
func Values(texts ...string) []engine.Label {
	row := make([]engine.Label, len(texts))
	for i, text := range texts {
		row[i] = engine.Label{Text: text}
	}
	return row
}

// Table compresses the data as an engine's plan asks. It panics where Codes does.
func (d Data) Table(plan engine.Plan) *engine.Table { return d.Codes().Table(plan) }

// Codes encodes the data. It panics when a tree is invalid, or lacks a value.
func (d Data) Codes() Codes {
	c := Codes{Rows: len(d.Rows)}
	for i := range d.Columns {
		a := d.attribute(i)
		c.Attributes = append(c.Attributes, a)
		c.Columns = append(c.Columns, d.encode(&a, i, d.Rows))
		c.People = append(c.People, d.encode(&a, i, d.Population))
	}
	labels := distinct(d.Classes)
	c.Classes = len(labels)
	for _, class := range d.Classes {
		code, _ := slices.BinarySearch(labels, class)
		c.Class = append(c.Class, uint32(code))
	}
	if len(d.Sensitive) > 0 || len(d.Entities) > 0 {
		d.AddKinds(&c)
	}
	return c
}

// encode returns a column's codes in some rows.
func (d Data) encode(a *engine.Attribute, column int, rows [][]engine.Label) []uint32 {
	domain := map[string]uint32{}
	for code, text := range a.Texts {
		domain[text] = uint32(code)
	}
	codes := make([]uint32, len(rows))
	for r, row := range rows {
		code, ok := domain[row[column].Text]
		switch {
		case row[column].Null:
			code, ok = uint32(a.Len()-1), true // the code of the rest, where the null is rare
		case !ok && a.HasRest:
			code, ok = uint32(len(a.Texts)), true
		}
		if !ok && d.Columns[column].Round > 0 {
			code, ok = uint32(len(a.Texts)-1), true
			for code > 0 && Number(a.Texts[code]) > Number(row[column].Text) {
				code--
			}
		}
		if !ok {
			panic("a value is not in the domain of " + a.Name)
		}
		codes[r] = code
	}
	return codes
}

// Released returns the rows as a recoding releases them, nil for a dropped row.
func (d Data) Released(recoding engine.Recoding) [][]engine.Label {
	c := d.Codes()
	rows := engine.Rows{
		N:       c.Rows,
		Codes:   c.Columns,
		Classes: c.Class,
		Taken:   make([]uint64, recoding.Cells()),
	}
	labels := make([][]uint32, len(c.Columns))
	for a := range labels {
		labels[a] = make([]uint32, c.Rows)
	}
	recoding.Recode(rows, labels)
	released := make([][]engine.Label, c.Rows)
	for r := range released {
		if labels[0][r] == engine.DroppedLabel {
			continue
		}
		for a := range labels {
			released[r] = append(released[r], recoding.Labels(a)[labels[a][r]])
		}
	}
	return released
}

// attribute returns the domain of a column.
func (d Data) attribute(i int) engine.Attribute {
	c := d.Columns[i]
	a := engine.Attribute{
		Name:      c.Name,
		Mask:      c.Mask,
		LowerText: c.Lower,
		UpperText: c.Upper,
		MinWidth:  float64(c.MinWidth),
	}
	var texts []string
	for _, row := range d.Rows {
		if row[i].Null {
			a.HasNull = true
		} else {
			texts = append(texts, row[i].Text)
		}
	}
	a.Texts = distinct(texts)
	switch c.Mask {
	case engine.Suppress:
		listed, rareNull := d.frequent(i)
		a.HasRest, a.HasNull = len(listed) < len(a.Texts) || rareNull, a.HasNull && !rareNull
		if c.Reversed {
			slices.Reverse(listed)
		}
		a.SetTexts(listed)
	case engine.Generalize:
		tree, err := taxonomy.NewTree(c.Tree)
		if err != nil {
			panic(err)
		}
		a.Tree, a.Texts = tree, tree.Leaves()
	case engine.Discretize:
		place(&a, c.Round)
	}
	return a
}

// rounded returns those of ascending numbers that a multiple separates from the number before; in
// bins it keeps the smallest number.
func rounded(texts []string, round int) (firsts []string) {
	for i, text := range texts {
		if i == 0 || round == 0 ||
			Number(text) >= float64(round)*(math.Floor(Number(texts[i-1])/float64(round))+1) {
			firsts = append(firsts, text)
		}
	}
	return firsts
}

// frequent returns the distinct texts of a column that are not rare, and whether the null is rare.
func (d Data) frequent(column int) (texts []string, rareNull bool) {
	rows := map[engine.Label][]int{}
	for r, row := range d.Rows {
		rows[row[column]] = append(rows[row[column]], r)
	}
	for value, of := range rows {
		isRare := d.Columns[column].Rare > 0 && d.Stats(of).Size < uint64(d.Columns[column].Rare)
		switch {
		case value.Null:
			rareNull = isRare
		case !isRare:
			texts = append(texts, value.Text)
		}
	}
	return distinct(texts), rareNull
}

// place orders the values of a discretized attribute by their numbers, and joins those that round
// does not separate.
func place(a *engine.Attribute, round int) {
	slices.SortFunc(a.Texts, func(x, y string) int { return cmp.Compare(Number(x), Number(y)) })
	if len(a.Texts) > 0 {
		a.Upper = Number(a.Texts[len(a.Texts)-1])
	}
	a.Texts = rounded(a.Texts, round)
	for _, text := range a.Texts {
		a.Positions = append(a.Positions, Number(text))
	}
	if len(a.Positions) > 0 {
		a.Lower = a.Positions[0]
	}
	if a.LowerText != "" {
		a.Lower = Number(a.LowerText)
	}
	if a.UpperText != "" {
		a.Upper = Number(a.UpperText)
	}
}

// Number parses a number.
func Number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

func distinct(texts []string) []string {
	set := make(map[string]struct{})
	for _, text := range texts {
		set[text] = struct{}{}
	}
	return slices.Sorted(maps.Keys(set))
}

// Domain returns the values of a column by code: numbers ascending, other texts bytewise or in the
// order of the tree, the null last.
func (d Data) Domain(column int) (values []engine.Label) {
	a := d.attribute(column)
	values = Values(a.Texts...)
	if a.HasNull {
		values = append(values, engine.Label{Null: true})
	}
	return values
}

// Entropy returns the entropy of class counts, in bits.
func Entropy[Key comparable](counts map[Key]int) float64 {
	total, sum := 0, 0.0
	for _, n := range counts {
		total += n
	}
	for _, n := range counts {
		if p := float64(n) / float64(total); n > 0 {
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

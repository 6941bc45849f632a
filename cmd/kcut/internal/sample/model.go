package sample

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// The columns, in order.
const (
	colID = iota
	colName
	colEmail
	colBirth
	colAge
	colSex
	colRace
	colCountry
	colZip
	colEducation
	colEducationNum
	colMarital
	colRelationship
	colWorkclass
	colOccupation
	colHours
	colGain
	colLoss
	colIncome
	numColumns
)

const (
	youngest, oldest = 17, 90
	// censusDay is the day of which ages are told: 2024-12-31, in days since 1970-01-01.
	censusDay = 20088
)

//go:embed model.json
var modelText []byte

// people is the model of the sample's population: what depends on what, and how often what
// occurs. The weights follow the Adult census extract roughly, with round numbers. They are in
// model.json; docs/demo/taxonomies.yaml has trees over the same values.
//
//	sex, age ──▶ education ──▶ workclass, occupation ──▶ hours ──┐
//	     └─────▶ marital status ──▶ relationship                 ├──▶ income
//	race ──▶ native country        zip      capital gain, loss ──┘
type people struct {
	seed       uint64
	Columns    []*column
	FirstNames []string `json:"first_names"` // of women, and then of as many men
	LastNames  []string `json:"last_names"`
	// Odds are the probabilities of the higher income by score, times 2^16: one in two at 45, the
	// odds growing by a fifth every point. They are written down so that every machine agrees.
	Odds []uint32

	addresses   []string // of emails, by name, up to the number
	oldestBirth int64
}

// column is one column of the sample. What is each person's own has no domain.
type column struct {
	Name     string
	Type     string
	Nullable bool
	Values   []string            // its domain: the place of a value in it is its number everywhere
	From, To int                 // of a domain of whole numbers: the first and the last
	Weights  [][]uint64          // how often values occur, by the kind of people that make chooses by
	Peaks    []map[string]uint64 // the same, of frequent values; all others occur too
	Points   []int               // what values add to the score of income; nil: nothing

	field  formats.Field
	domain *formats.Values // nil: each person has a value of their own
	draws  []alias         // by the kind of people
}

// types are those of columns by their names in the model.
var types = map[string]formats.Type{
	"string": {Kind: formats.String}, "date": {Kind: formats.Date}, "int32": {Kind: formats.Int, Bits: 32}, "int64": {Kind: formats.Int, Bits: 64},
}

func newPeople(seed uint64) *people {
	p := &people{seed: seed, oldestBirth: birthday(oldest, 364)}
	workers.Must(json.Unmarshal(modelText, p))
	for _, first := range p.FirstNames {
		for _, last := range p.LastNames {
			p.Columns[colName].Values = append(p.Columns[colName].Values, first+" "+last)
			p.addresses = append(p.addresses, strings.ToLower(first+"."+last))
		}
	}
	for day := p.oldestBirth; day <= birthday(youngest, 0); day++ {
		p.Columns[colBirth].Values = append(p.Columns[colBirth].Values, time.Unix(day*86400, 0).UTC().Format(time.DateOnly))
	}
	p.Columns[colZip].addZips()
	for _, c := range p.Columns {
		c.prepare()
	}
	return p
}

// prepare makes what is drawn and written of what the model says.
func (c *column) prepare() {
	for n := c.From; n <= c.To && c.To > 0; n++ {
		c.Values = append(c.Values, strconv.Itoa(n))
	}
	c.field = formats.Field{Name: c.Name, Type: types[c.Type], Nullable: c.Nullable}
	if c.Values != nil {
		c.domain = &formats.Values{Type: c.field.Type}
	}
	for _, value := range c.Values {
		workers.Must(c.domain.Parse(value))
	}
	for _, peaks := range c.Peaks {
		weights := make([]uint64, len(c.Values))
		for i, value := range c.Values {
			weights[i] = 1 + peaks[value]
		}
		c.Weights = append(c.Weights, weights)
	}
	for _, weights := range c.Weights {
		c.draws = append(c.draws, newAlias(weights))
	}
}

// addZips draws a made-up country of postal codes: ten regions of seven areas of twelve codes. It
// is the same one for every seed of people. Areas differ in wealth.
func (c *column) addZips() {
	var weights []uint64
	r := random(1)
	for region := range 10 {
		regionWealth := int(r.below(15)) - 7
		for area := range 7 {
			prefix := region*100 + area*14 + int(r.below(14))
			wealth := regionWealth + int(r.below(9)) - 4
			size := 4 + r.below(20)
			for code := range 12 {
				c.Values = append(c.Values, fmt.Sprintf("%05d", prefix*100+code*8+int(r.below(8))))
				c.Points = append(c.Points, wealth)
				weights = append(weights, size*(1+r.below(9)))
			}
		}
	}
	c.Weights = [][]uint64{weights}
}

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
	// censusDay is the day at which ages are counted: 2024-12-31, in days since 1970-01-01.
	censusDay = 20088
)

//go:embed model.json
var modelText []byte

// people is the model of the sample's population: the dependencies and the frequencies. The weights
// follow the Adult census extract roughly, with round numbers. They are in model.json;
// docs/demo/taxonomies.yaml has trees over the same values.
//
//	sex, age ──▶ education ──▶ workclass, occupation ──▶ hours ──┐
//	     └─────▶ marital status ──▶ relationship                 ├──▶ income
//	race ──▶ native country        zip      capital gain, loss ──┘
type people struct {
	seed       uint64
	Columns    []*column
	FirstNames []string `json:"first_names"` // of women, followed by the same number of men
	LastNames  []string `json:"last_names"`
	// Odds are the probabilities of the higher income by score, times 2^16: one half at 45, with
	// odds that grow by a fifth for every point. They are stored so that every machine has the
	// same.
	Odds []uint32

	addresses   []string // of emails, by name, without the number at the end
	oldestBirth int64
}

// column is one column of the sample. A column of unique values has no domain.
type column struct {
	Name     string
	Type     string
	Nullable bool
	Values   []string            // its domain: positions in it are the numbers of values everywhere
	From, To int                 // first and last value of a domain of whole numbers
	Weights  [][]uint64          // frequencies of values, by the kind of people that make selects
	Peaks    []map[string]uint64 // the same, only for frequent values; all others occur, too
	Points   []int               // contributions of values to the score of income; nil: none

	field  formats.Field
	domain *formats.Values // nil: each person has a unique value
	draws  []alias         // by the kind of people
}

// types are the types of columns by their names in the model.
var types = map[string]formats.Type{
	"string": {Kind: formats.String}, "date": {Kind: formats.Date},
	"int32": {Kind: formats.Int, Bits: 32}, "int64": {Kind: formats.Int, Bits: 64},
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
		p.Columns[colBirth].Values = append(p.Columns[colBirth].Values,
			time.Unix(day*86400, 0).UTC().Format(time.DateOnly))
	}
	p.Columns[colZip].addZips()
	for _, c := range p.Columns {
		c.prepare()
	}
	return p
}

// prepare prepares drawing and writing according to the model.
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

// addZips draws an invented country of postal codes: ten regions of seven areas of twelve codes. It
// is the same for every seed of people. Areas differ in wealth.
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

package count

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
)

// Population is a table of the people from whom those of the input come. Both have the columns of
// the groupings with People. Values that only people of the population have get codes, too, but no
// counts: they change no gain.
type Population struct {
	Dataset *dataset.Dataset
	Fields  []int // by masked column; -1: it lacks the column
}

// columns returns the masked columns that the population has.
func (p *Population) columns() (columns []int) {
	for i, field := range p.Fields {
		if field >= 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

// classOfPeople stands for the class of a value that a person of the population has. It is above
// all classes.
const classOfPeople = math.MaxUint32

// ofPopulation returns a reading of the population: of the masked columns that it has, each in the
// given form. It returns nil if there is no population.
func (r *Request) ofPopulation(columns []column) *reading {
	if r.Population == nil {
		return nil
	}
	request := *r
	request.Dataset, request.Population, request.SideCount = r.Population.Dataset, nil, nil
	request.Class, request.Profile, request.Take = -1, nil, nil
	request.Columns, request.Groupings = nil, nil
	p := &reading{Request: &request, class: -1, source: engine.OfPeople}
	for _, i := range r.Population.columns() {
		column := r.Columns[i]
		column.Field = r.Population.Fields[i]
		request.Columns = append(request.Columns, column)
		p.columns = append(p.columns, columns[i])
	}
	return p
}

// readPopulation adds the values of the population to those that are counted in order.
func (s *reading) readPopulation(ctx context.Context) error {
	p := s.ofPopulation(s.columns)
	if p == nil {
		return nil
	}
	for _, c := range p.columns {
		c.values.ofPeople = true
	}
	p.lists, p.threads = s.lists, s.threads
	p.start(p.Dataset.Scanners(p.threads), nil)
	if err := p.read(ctx, func(int64) {}); err != nil {
		return fmt.Errorf("read the values of the population: %w", err)
	}
	return nil
}

// countPeople counts the people of the population in every code of the columns that it has.
func (r *Request) countPeople(
	ctx context.Context, c *Counts, res *Resources,
) (people [][]uint64, err error) {
	budget := res.Budget.Part(res.Budget.Limit())
	defer func() { budget.Return(budget.Used()) }()
	people, columns := make([][]uint64, r.Masked), make([]column, r.Masked)
	has := r.Population.columns()
	for _, i := range has {
		// the null has a code if nobody has it
		people[i] = make([]uint64, c.Columns[i].Attribute.Len()+1)
		if columns[i].coder, err = r.Coder(i, c.Columns[i], budget); err != nil {
			return nil, err
		}
		columns[i].domain = len(people[i])
	}
	p := r.ofPopulation(columns)
	p.space, p.threads, p.pairs = partition.Space{Budget: budget}, res.Threads, len(p.columns)
	p.start(p.Dataset.BlockScanners(p.threads), nil)
	if err := p.read(ctx, func(int64) {}); err != nil {
		return nil, fmt.Errorf("count the people of the population: %w", err)
	}
	for at, i := range has {
		pairs, err := p.joinPairs(ctx, at)
		if err != nil {
			return nil, err
		}
		for _, pair := range pairs {
			people[i][pair.Code] = pair.Count
		}
	}
	return people, nil
}

// population counts the people of the population in the codes of the reading, for the groupings
// with People. It returns nil if there is no population.
func (r *reading) population(ctx context.Context) (*reading, error) {
	p := r.ofPopulation(r.columns)
	if p == nil {
		return nil, nil
	}
	p.space, p.threads = r.space, r.threads
	has := r.Population.columns()
	for _, g := range r.groupings {
		if g.People {
			of := Grouping{People: true}
			for _, c := range g.Columns {
				of.Columns = append(of.Columns, slices.Index(has, c))
			}
			p.groupings = append(p.groupings, of)
		}
	}
	workers := p.Dataset.BlockScanners(p.threads)
	if p.space.Store != nil {
		workers = p.Dataset.Scanners(p.threads)
	}
	p.start(workers, nil)
	if err := p.read(ctx, func(int64) {}); err != nil {
		return nil, fmt.Errorf("count the tuples of the population: %w", err)
	}
	return p, nil
}

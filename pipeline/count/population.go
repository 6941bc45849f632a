package count

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/domain"
)

// Population is a table of the people from whom those of the input come. Both have the columns of
// the groupings with People. Values that only people of the population have get codes, too, but no
// counts: they change no gain.
type Population struct {
	Dataset *dataset.Dataset
	Fields  []int // by masked column; -1: it lacks the column
}

// columns returns the masked columns that the population has, and their requests.
func (p *Population) columns() (columns []int, requests []formats.Request) {
	for c, field := range p.Fields {
		if field >= 0 {
			columns = append(columns, c)
			requests = append(requests, formats.Request{Column: field, Coded: true})
		}
	}
	return columns, requests
}

// ofPeople stands for the class of a value that a person of the population has. It is above all
// classes.
const ofPeople = math.MaxUint32

// readPopulation adds the values of the population to those that are counted in order.
func (s *reading) readPopulation(ctx context.Context) error {
	if s.Population == nil {
		return nil
	}
	in := s.Population.Dataset
	columns, requests := s.Population.columns()
	scanners := make([]*valueScanner, in.Scanners(s.threads))
	for i := range scanners {
		v := &valueScanner{columns: make([]seenValues, len(columns))}
		for at, c := range columns {
			if i < len(s.workers) {
				v.columns[at].part = s.workers[i].columnCounters[c].part
			} else {
				v.columns[at].part = s.columns[c].values.newPart(s.columns[c].room)
			}
		}
		scanners[i] = v
	}
	if err := dataset.Scan(ctx, in, requests, scanners, func(int64) {}); err != nil {
		return fmt.Errorf("read the values of the population: %w", err)
	}
	for _, v := range scanners {
		for at, c := range columns {
			values := s.columns[c].values
			values.emptied = values.emptied || v.columns[at].emptied
		}
	}
	return nil
}

// valueScanner finds the values of a population for one worker.
type valueScanner struct{ columns []seenValues }

// seenValues are the values of a column that people have.
type seenValues struct {
	*part
	of      *formats.Values // the reader's list of values
	seen    []bool          // by the reader's code
	emptied bool            // see Values
}

// EndSplit adds the values, because the reader's lists of values end with the split.
func (s *valueScanner) EndSplit() error {
	for c := range s.columns {
		if err := s.columns[c].empty(); err != nil {
			return err
		}
	}
	return nil
}

// Batch notes the values of rows that stand for people.
func (s *valueScanner) Batch(b *formats.Batch) error {
	for c := range s.columns {
		v, column := &s.columns[c], b.Columns[c]
		if v.of != column.Values {
			if err := v.empty(); err != nil {
				return err
			}
			v.of = column.Values
		}
		if more := column.Values.Len() + 1 - len(v.seen); more > 0 {
			v.seen = append(v.seen, make([]bool, more)...)
		}
		for i, code := range column.Codes[:b.Rows] {
			if b.Counts == nil || b.Counts[i] > 0 {
				v.seen[code] = true
			}
		}
	}
	return nil
}

// empty adds the values that were seen.
func (v *seenValues) empty() error {
	for code, seen := range v.seen {
		switch {
		case !seen:
		case code == 0 || v.nanIsNull && domain.IsNaN(v.of, code-1):
			v.emptied = true
		default:
			people := engine.Frequency{Class: ofPeople, Count: 1}
			if err := v.add(v.of, uint32(code), people); err != nil {
				return err
			}
		}
	}
	v.of, v.seen = nil, v.seen[:0]
	return nil
}

// countPeople counts the people of the population in every code of the columns that it has.
func (r *Request) countPeople(
	ctx context.Context, c *Counts, res *Resources,
) (people [][]uint64, err error) {
	columns, requests := r.Population.columns()
	people = make([][]uint64, r.Masked)
	budget := res.Budget.Part(res.Budget.Limit())
	defer func() { budget.Return(budget.Used()) }()
	scanners := make([]*peopleScanner, r.Population.Dataset.BlockScanners(res.Threads))
	for i := range scanners {
		scanners[i] = &peopleScanner{}
	}
	for _, column := range columns {
		coder, err := r.Coder(column, c.Columns[column], budget)
		if err != nil {
			return nil, err
		}
		codes := c.Columns[column].Attribute.Len() + 1 // the null has a code if nobody has it
		people[column] = make([]uint64, codes)
		for _, s := range scanners {
			s.maps = append(s.maps, domain.NewMapping(coder))
			s.people = append(s.people, make([]uint64, codes))
		}
	}
	err = dataset.ScanBlocks(ctx, r.Population.Dataset, requests, scanners, func(int64) {})
	if err != nil {
		return nil, fmt.Errorf("count the people of the population: %w", err)
	}
	for _, s := range scanners {
		for at, column := range columns {
			for code, n := range s.people[at] {
				people[column][code] += n
			}
		}
	}
	return people, nil
}

// peopleScanner counts people by column and code, for one worker.
type peopleScanner struct {
	maps   []domain.Mapping
	people [][]uint64
	codes  []uint32 // scratch
}

// Block counts people of a batch.
func (s *peopleScanner) Block(b *formats.Batch, from, to int) error {
	counts := b.CountsOf(from, to)
	for c := range s.maps {
		if err := s.maps[c].Learn(b.Columns[c].Values); err != nil {
			return err
		}
		s.codes = s.maps[c].Apply(b.Columns[c].Codes[from:to], s.codes)
		people := s.people[c]
		for i, code := range s.codes {
			if counts == nil {
				people[code]++
			} else {
				people[code] += counts[i]
			}
		}
	}
	return nil
}

// population counts the people of the population in the codes of the reading, for the groupings
// with People. It returns nil if there is no population.
func (r *reading) population(ctx context.Context) (*reading, error) {
	if r.Population == nil {
		return nil, nil
	}
	request := *r.Request
	request.Dataset, request.Population, request.SideCount = r.Population.Dataset, nil, nil
	request.Class, request.Profile, request.Take = -1, nil, nil
	request.Columns, request.Groupings = nil, nil
	p := &reading{
		Request: &request, space: r.space, threads: r.threads, class: -1, source: engine.OfPeople,
	}
	has, _ := r.Population.columns()
	for _, c := range has {
		column := r.Columns[c]
		column.Field = r.Population.Fields[c]
		request.Columns = append(request.Columns, column)
		p.columns = append(p.columns, r.columns[c])
	}
	for _, g := range r.groupings {
		if g.People {
			of := Grouping{People: true}
			for _, c := range g.Columns {
				of.Columns = append(of.Columns, slices.Index(has, c))
			}
			p.groupings = append(p.groupings, of)
		}
	}
	workers := request.Dataset.BlockScanners(r.threads)
	if p.space.Store != nil {
		workers = request.Dataset.Scanners(r.threads)
	}
	p.start(workers, nil)
	if err := p.read(ctx, func(int64) {}); err != nil {
		return nil, fmt.Errorf("count the tuples of the population: %w", err)
	}
	return p, nil
}

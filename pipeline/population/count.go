// Package population counts the people of a population in the classes of a release: a class holds
// k-map if it has at least k of them, and δ-presence if the share of them who are in the table is
// within limits.
//
//	cut, population ──NewCount──▶ Count ◀──Class── classes of the release
//	                                └──Registers──▶ risk.Register of each set
//
// Contract: people are counted by the labels of the cut, without the search that chose them, and
// held to the limits of the cut and of the job. The classes, but not the population, take memory of
// the budget.
//
// Not promised: a count of releases with regions or suppressed records, whose labels say too little
// about the values of others.
package population

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// Count counts the people of a population in the classes of a release, by the labels of its
// cut. It first takes all classes, and then reads the population: only the classes need memory.
type Count struct {
	cut    *cutfile.File
	sets   []*set              // by set of the cut; nil: it is not counted
	limits []engine.Population // by set of the cut: those of the cut and the job
	people *binding.Bound      // the population
	coders []domain.Coder      // by its masked columns
	held   *spill.Budget
	run    *resources.Run

	registers []*risk.Register // the result
}

// set has the classes of a quasi-identifier set.
type set struct {
	columns []int // of the cut's columns in the set, in the cut's order: the population's column
	layout  partition.Layout
	keys    []uint64
	records []uint64
	people  []atomic.Uint64
	outside atomic.Uint64 // people in no class
	index   *partition.Index
}

// NewCount returns the count of the people of a population in the classes of a release. The
// population is bound to the job that made the cut, whose sets are given with their limits.
func NewCount(
	people *binding.Bound, asked []job.Set, cut *cutfile.File, run *resources.Run,
) (_ *Count, err error) {
	c := &Count{cut: cut, people: people, held: run.Budget.Part(run.Budget.Limit()), run: run}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	bound := &domain.Cut{File: cut}
	domains := make(map[string]int)
	for _, column := range people.CutColumns() {
		if err := bound.BindColumn(column); err != nil {
			return nil, err
		}
		shown := verify.Shown(column.Column)
		none := uint32(len(shown))
		coder, err := column.Released(shown, none, c.held)
		if err != nil {
			return nil, err
		}
		c.coders, domains[column.Name] = append(c.coders, coder), len(shown)+1
	}
	names, counted := people.Names(people.Masked...), false
	for i := range cut.Sets {
		of, fields := &set{}, []int(nil)
		for _, column := range cut.Columns {
			if slices.Contains(cut.Sets[i].Columns, column.Name) {
				of.columns = append(of.columns, slices.Index(names, column.Name))
				fields = append(fields, domains[column.Name])
			}
		}
		if slices.Contains(of.columns, -1) {
			of = nil
		} else {
			of.layout, counted = partition.NewLayout(fields), true
		}
		c.sets = append(c.sets, of)
		c.limits = append(c.limits, cut.Sets[i].OfPopulation())
		if of == nil && cut.Sets[i].OfPopulation().Asked() || i == len(cut.Sets)-1 && !counted {
			return nil, fault.Errorf(fault.Usage, "name the job that made the release, and a "+
				"population with the columns of its sets",
				"count the people of quasi-identifier set %d: the job does not ask for them", i+1)
		}
	}
	return c, c.limit(asked)
}

// limit adds the limits of the job's sets to those of the sets that are counted: to a set of the
// same columns, or else to one that has others, too, unless the limits of some such set imply them.
func (c *Count) limit(asked []job.Set) error {
	for _, set := range asked {
		limits := set.OfPopulation()
		if !limits.Asked() {
			continue
		}
		at, implied := -1, false
		for i, counted := range c.sets {
			of := c.cut.Sets[i].Columns
			lacks := func(name string) bool { return !slices.Contains(of, name) }
			if counted == nil || slices.ContainsFunc(set.Columns, lacks) {
				continue
			}
			implied = implied || c.limits[i].Implies(limits)
			if at < 0 || len(of) < len(c.cut.Sets[at].Columns) {
				at = i
			}
		}
		switch {
		case at < 0:
			return fault.Errorf(fault.Usage, "name the job that made the release",
				"count the people of the job's quasi-identifier set %s: the release has no set "+
					"with these columns whose people are counted", strings.Join(set.Columns, ", "))
		case !implied:
			c.limits[at] = c.limits[at].With(limits)
		}
	}
	return nil
}

// Limits returns the limits on the people of a set of the cut.
func (c *Count) Limits(set int) engine.Population { return c.limits[set] }

// Close returns the memory.
func (c *Count) Close() { c.held.Return(c.held.Used()) }

// Class takes a class.
func (c *Count) Class(set int, labels []uint32, records uint64) error {
	s := c.sets[set]
	if s == nil {
		return nil
	}
	if len(s.keys) == cap(s.keys) { // it takes twice the memory now, and its index later
		more := max(1024, len(s.records))
		bytes := s.layout.TableBytes(more) + 8*int64(more) + partition.IndexBytes(s.layout, more)
		if err := c.held.Draw("classes with people of the population", bytes); err != nil {
			return err
		}
		s.keys = slices.Grow(s.keys, more*s.layout.Words)
		s.records = slices.Grow(s.records, more)
	}
	s.keys = append(s.keys, s.key(labels, nil)...)
	s.records = append(s.records, records)
	return nil
}

// key returns the key of labels. It reuses the memory of another key.
func (s *set) key(labels []uint32, key []uint64) []uint64 {
	key = append(key[:0], make([]uint64, s.layout.Words)...)
	for i, f := range s.layout.Fields {
		key[f.Word] |= uint64(labels[i]) << f.Shift
	}
	return key
}

// Registers reads the population and returns what it shows about the classes of every set.
func (c *Count) Registers(ctx context.Context) ([]*risk.Register, error) {
	for _, s := range c.sets {
		if s == nil {
			continue
		}
		s.index = partition.NewIndex(s.layout, len(s.records))
		for at := 0; at < len(s.keys); at += s.layout.Words {
			s.index.Add(s.keys[at:][:s.layout.Words])
		}
		s.people, s.keys = make([]atomic.Uint64, len(s.records)), nil
	}
	var requests []formats.Request
	for _, field := range c.people.Masked {
		requests = append(requests, formats.Request{Column: field, Coded: true})
	}
	in := c.people.Dataset
	scanners := make([]*scanner, in.BlockScanners(c.run.Threads))
	for i := range scanners {
		scanners[i] = c.newScanner()
	}
	if err := dataset.ScanBlocks(ctx, in, requests, scanners, func(int64) {}); err != nil {
		return nil, err
	}
	for i, s := range c.sets {
		if s == nil {
			c.registers = append(c.registers, nil)
			continue
		}
		r := risk.NewRegister()
		for class, n := range s.records {
			r.Add(int64(n), int64(n), int64(s.people[class].Load()))
		}
		if outside := int64(s.outside.Load()); outside > 0 {
			r.Add(0, 0, outside)
		}
		if lacking := r.End(); lacking > 0 {
			return nil, fault.Errorf(fault.Input,
				"name the population of the job that made the release",
				"find the classes of quasi-identifier set %d in the population: it lacks those of "+
					"%s", i+1, text.Count(lacking, "row"))
		}
		c.registers = append(c.registers, r)
	}
	return c.registers, nil
}

// Note notes the figures of every set that was counted.
func (c *Count) Note() {
	for i, r := range c.registers {
		if r != nil {
			c.run.Noted(fmt.Sprintf("every class of quasi-identifier set %d has %s people of the "+
				"population or more; of the people of a class of the population %s to %s are in "+
				"the table", i+1,
				text.Grouped(r.KMap), text.Percent(r.MinPresence), text.Percent(r.MaxPresence)))
		}
	}
}

// scanner counts people for one worker.
type scanner struct {
	*Count
	maps   []domain.Mapping
	labels []uint32 // scratch
	key    []uint64 // scratch
}

func (c *Count) newScanner() *scanner {
	s := &scanner{Count: c}
	for _, coder := range c.coders {
		s.maps = append(s.maps, domain.NewMapping(coder))
	}
	return s
}

// Block counts people of a batch.
func (s *scanner) Block(b *formats.Batch, from, to int) error {
	codes := make([][]uint32, len(s.maps))
	for i := range s.maps {
		if err := s.maps[i].Learn(b.Columns[i].Values); err != nil {
			return err
		}
		codes[i] = s.maps[i].Apply(b.Columns[i].Codes[from:to], nil)
	}
	counts := b.CountsOf(from, to)
	for _, set := range s.sets {
		if set != nil {
			s.count(set, codes, counts, to-from)
		}
	}
	return nil
}

// count counts people in the classes of a set.
func (s *scanner) count(set *set, codes [][]uint32, counts []uint64, rows int) {
	for row := range rows {
		people := uint64(1)
		if counts != nil {
			people = counts[row]
		}
		s.labels = s.labels[:0]
		for _, column := range set.columns {
			s.labels = append(s.labels, codes[column][row])
		}
		s.key = set.key(s.labels, s.key)
		if class := set.index.Find(s.key); class >= 0 {
			set.people[class].Add(people)
		} else {
			set.outside.Add(people)
		}
	}
}

package risk

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// guard counts whom rows may be of, by what they have in some columns.
type guard struct {
	tally  *Tally // of records
	people *crowd // nil: there are no entities
}

// openGuards makes the tallies of a scanner, which take three quarters of the bytes, and what counts
// the entities of classes.
func (s *Scanner) openGuards(rows int64, budget *spill.Budget, bytes int64) {
	wide := 0
	if s.Raw {
		wide++
	}
	for _, g := range s.Guards {
		if len(s.Entity) == 0 && !g.Few {
			wide++
		}
	}
	if len(s.Entity) > 0 {
		wide++
	}
	tallies := NewTallies(wide, rows, budget, bytes/4*3)
	if s.Raw {
		s.raw, tallies = tallies[0], tallies[1:]
	}
	if len(s.Entity) > 0 {
		s.owners = tallies[0]
	}
	pairs := guardedPairs
	for pairs > 1 && int64(len(s.Guards)*pairs*pairBytes) > bytes/4 {
		pairs /= 2
	}
	for _, g := range s.Guards {
		switch {
		case len(s.Entity) > 0:
			s.guards = append(s.guards, guard{people: newCrowd(s.K, pairs, spill.NewLedger(budget, "the entities of kept columns"))})
		case g.Few:
			s.guards = append(s.guards, guard{tally: newTally(fewClasses, rows, budget)})
		default:
			s.guards, tallies = append(s.guards, guard{tally: tallies[0]}), tallies[1:]
		}
	}
}

// guard counts rows by those whom they may be of.
func (s *Scanner) guard(b *formats.Batch, from, to int) {
	if s.owners != nil {
		s.entities = append(s.entities[:0], s.hash(b, s.Entity, from, to)...)
		s.owners.AddCounted(s.entities, b.CountsOf(from, to))
	}
	for i, g := range s.Guards {
		hashes := s.hash(b, g.Columns, from, to)
		if s.owners != nil {
			s.guards[i].people.addAll(hashes, s.entities)
			continue
		}
		s.guards[i].tally.AddCounted(hashes, b.CountsOf(from, to))
	}
}

// guarded tells what the classes of a guard are like.
func (s *Scanner) guarded(i int) *Figures {
	if s.owners != nil {
		return s.guards[i].people.figures(s.owners.Figures(s.rows, 0).Classes)
	}
	return s.guards[i].tally.Figures(s.rows, s.K)
}

func (s *Scanner) mergeGuards(o *Scanner) {
	if s.owners != nil {
		s.owners.Merge(o.owners)
	}
	for i, g := range o.guards {
		if s.owners != nil {
			s.guards[i].people.merge(g.people)
			continue
		}
		s.guards[i].tally.Merge(g.tally)
	}
}

func (s *Scanner) closeGuards() {
	if s.owners != nil {
		s.owners.Close()
	}
	for _, g := range s.guards {
		if s.owners != nil {
			g.people.ledger.Close()
			continue
		}
		g.tally.Close()
	}
}

// rowNumbers are the numbers of rows in a block: codes of nested values, each of which is its row's.
var rowNumbers = func() (all [countRows]uint32) {
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}()

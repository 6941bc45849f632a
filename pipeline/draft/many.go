package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

const (
	// mostRead is the largest number of columns that have an entry each.
	mostRead = 200
	// mostListed is the largest number of masked columns of a wider table: nobody reads more.
	mostListed = 90
)

// isWide reports whether a table has more columns than somebody reads.
func (d *draft) isWide() bool { return len(d.profiles) > mostRead }

// dropMany drops the columns of a wide table but those that nearly every analysis asks for, that an
// acquaintance knows or that may be its class, and those that tell most of the class or, without
// one, texts that are no items, and of which most rows have a value. Of columns that determine each
// other it takes one.
func (d *draft) dropMany() {
	if !d.isWide() {
		return
	}
	masked, worth := d.worths(d.k())
	place := make(map[*Profile]int)
	for _, p := range masked {
		place[p] = d.afterKnown(p)
	}
	slices.SortStableFunc(masked, func(a, b *Profile) int {
		return cmp.Or(place[a]-place[b], cmp.Compare(worth[b], worth[a]))
	})
	var chosen []*Profile
	for _, p := range masked {
		same := slices.IndexFunc(chosen, func(by *Profile) bool {
			return d.determinesReliably(by, p) && d.determines(p, by)
		})
		switch {
		case same >= 0:
			p.role = drop("%s determines it", job.Quoted(chosen[same].name))
		case len(chosen) < mostListed:
			chosen = append(chosen, p)
		default:
			p.role = drop("other columns have more information")
			d.left = append(d.left, p)
		}
	}
}

// afterKnown is 0 for a column that nearly every analysis asks for, 1 for one that an acquaintance
// knows, 2 for one that may be the class of a table without one, 3 for other texts of such a table
// that are no items, 4 for others, and 5 for columns of which few rows have a value, as those of
// whom a form asks to specify another answer.
func (d *draft) afterKnown(p *Profile) int {
	switch {
	case d.afterAsked(p, nil) < 2: // often only the first of somebody's rows has a value
		return 0
	case float64(p.Field.Rows) < fewestAnswered*float64(p.Rows):
		return 5
	case d.isKnown(p):
		return 1
	case d.class != nil:
	case d.mayBeOutcome(p), p == d.last && p.couldBeClass():
		return 2
	case p.typ.Kind == formats.String && !d.hasMany(p):
		return 3
	}
	return 4
}

// fewestAnswered is the least share of the rows that have a value of a column that is listed before
// others.
const fewestAnswered = 0.05

// worths returns the masked columns, and what each says about the class. Without a class that is
// the information that a search kept of the column or, before any, the number of its values. Texts
// that fewer rows have than the least count as one.
func (d *draft) worths(least int) (masked []*Profile, worth map[*Profile]float64) {
	worth = make(map[*Profile]float64)
	says := d.class != nil && d.class.place >= 0 && (d.crowd == nil || d.saysOfClass())
	if d.crowd != nil {
		d.crowd.byClass = says
	}
	for _, p := range d.profiles {
		if !p.role.masked() {
			continue
		}
		switch {
		case says:
			worth[p] = d.information(p, d.class, least)
		case d.crowd != nil:
			worth[p] = d.crowd.parts[p.name] * d.information(p, p, least)
		default:
			worth[p] = float64(p.Field.Rows)
		}
		masked = append(masked, p)
	}
	return masked, worth
}

// saysOfClass reports whether a masked column says more of the class than three standard deviations
// above chance: of columns without a relation, 2 n times the information has about a chi-squared
// distribution.
func (d *draft) saysOfClass() bool {
	const ranges = 10 // of numbers
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		freedom := float64(min(p.Field.Distinct, ranges)-1) * float64(d.class.Field.Distinct-1)
		return (p.role.masked() || p.role.crowded) && 2*float64(d.looked)*d.information(p, d.class,
			int(d.looked)/ranges) > freedom+3*math.Sqrt(2*freedom)
	})
}

// information returns what a column says about another one.
func (d *draft) information(p, other *Profile, least int) float64 {
	numbers := p.numbers
	if p.Field.Distinct <= fewCodes || p.isCode() {
		numbers = nil // each value may say something else
	}
	return d.sample.Information(p.place, numbers, other.place, least)
}

// listed returns the columns that have an entry: all, or in a wide table those that are released or
// that the rows are too few for, those that are named by their position, and the entity.
func (d *draft) listed() []*Profile {
	return slices.DeleteFunc(slices.Clone(d.profiles), func(p *Profile) bool {
		return d.isWide() && p.role.Mask == job.MaskDrop && !p.role.crowded && p != d.entity &&
			p.position == 0
	})
}

// unlistedWords are about the columns of a wide table that have no entry.
const unlistedWords = `# Dropped without an entry: %s. %d of them look like identifiers, tell nothing, or are
# determined by others; %d have less information, about the class if there is one, than those above.
%sunlisted: drop
`

// leftWords name the columns that could be masked.
const leftWords = "# These can be masked, too, with entries of their own: %s.\n"

// writeUnlisted writes what becomes of the columns without an entry.
func (d *draft) writeUnlisted(out *strings.Builder, listed int) {
	if n := len(d.profiles) - listed; n > 0 {
		left := len(d.left)
		names := ""
		if left > 0 {
			names = fmt.Sprintf(leftWords, text.List(quoted(namesOf(d.left)), mostLost))
		}
		fmt.Fprintf(out, unlistedWords, text.Count(n, "column"), n-left, left, names)
	}
}

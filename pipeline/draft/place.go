package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/pipeline/job"
)

// units are words for parts of organizations, and for places at which people meet.
var units = words{alone: append(strings.Fields("college faculty department dept division hos "+
	"clinic"), attended...), not: []string{"type"}}

// isArea reports whether a masked column has areas by its name, such as cities, states or beats, or
// units, such as departments.
func (d *draft) isArea(p *Profile) bool {
	return p.role.masked() && p.Field.Distinct > 1 &&
		(p.role.Mask != job.MaskDiscretize || isCalled(postal)(p)) &&
		(isCalled(livedIn)(p) || isCalled(units)(p) ||
			isCalled(partsOfTowns)(p) && d.isContextual(p))
}

// isReleased reports whether areas, which most rows have, have rows enough, on average those of two
// groups, for a release to have many of their names.
func (d *draft) isReleased(p *Profile) bool {
	return p.Field.Rows*2 > p.Rows && p.Field.Distinct*2*int64(d.k()) <= p.Field.Rows
}

// dropNested drops areas of columns that are each within those of the next, as beats, sectors and
// precincts. The finest one stays of which many names are released, and the coarsest, and of two
// one that is generalized.
func (d *draft) dropNested() {
	for _, fitting := range d.profiles {
		var finer, coarser []*Profile
		for _, p := range d.profiles {
			switch {
			case !d.isArea(fitting) || !d.isArea(p):
			case d.nests(p, fitting):
				finer = append(finer, p)
			case d.nests(fitting, p):
				coarser = append(coarser, p)
			}
		}
		fits := func(p *Profile) bool { // words go before a few more codes
			return d.isReleased(p) && (fitting.isCode() || !p.isCode() ||
				p.Field.Distinct > 2*fitting.Field.Distinct)
		}
		if len(finer)+len(coarser) == 0 || slices.ContainsFunc(finer, fits) ||
			!d.isReleased(fitting) && len(coarser) > 0 {
			continue
		}
		coarsest := slices.MinFunc(append(coarser, fitting), func(a, b *Profile) int {
			return int(a.Field.Distinct - b.Field.Distinct)
		})
		if len(finer)+len(coarser) == 1 {
			finer = slices.DeleteFunc(finer, func(p *Profile) bool {
				return p.role.Mask != job.MaskSuppress
			})
		}
		for _, p := range finer {
			p.role = dropBy(fitting, "has larger ones, or nearly the same, with more rows each")
		}
		for _, p := range coarser {
			if p != coarsest {
				p.role = dropBy(fitting, isDetermined)
			}
		}
	}
}

// nests reports whether nearly all of one column's areas are within those of another one.
func (d *draft) nests(p, within *Profile) bool {
	return p.Field.Distinct > within.Field.Distinct &&
		p.Field.Distinct*rowsOfDate <= p.Rows &&
		d.sample.Information(p.place, nil, within.place, 1) >= nearlyAll*d.entropy(within)
}

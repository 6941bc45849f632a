package draft

import (
	"slices"

	"github.com/kcut/kcut/pipeline/job"
)

// isArea reports whether a masked column has areas by its name, such as cities, states or beats.
func (d *draft) isArea(p *Profile) bool {
	return p.role.masked() && p.Field.Distinct > 1 &&
		(p.role.Mask != job.MaskDiscretize || isCalled(postal)(p)) &&
		(isCalled(livedIn)(p) || isCalled(partsOfTowns)(p) && d.isContextual(p))
}

// isReleased reports whether areas, which most rows have, have rows enough, on average those of two
// groups, for a release to have many of their names.
func (d *draft) isReleased(p *Profile) bool {
	return p.Field.Rows*2 > p.Rows && p.Field.Distinct*2*int64(d.k()) <= p.Field.Rows
}

// dropNested drops areas of three or more columns that are each within those of the next, as beats,
// sectors and precincts. The finest one stays of which many names are released, and the coarsest.
func (d *draft) dropNested() {
	for _, fitting := range d.profiles {
		var finer, coarser []*Profile
		for _, p := range d.profiles {
			switch {
			case !d.isArea(fitting) || !d.isReleased(fitting) || !d.isArea(p):
			case d.nests(p, fitting):
				finer = append(finer, p)
			case d.nests(fitting, p):
				coarser = append(coarser, p)
			}
		}
		if len(finer)+len(coarser) < 2 || slices.ContainsFunc(finer, d.isReleased) {
			continue
		}
		coarsest := slices.MinFunc(append(coarser, fitting), func(a, b *Profile) int {
			return int(a.Field.Distinct - b.Field.Distinct)
		})
		for _, p := range finer {
			p.role = dropBy(fitting, "has areas around these, of which more are released")
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
		p.Field.Distinct*rowsOfTwins <= p.Rows &&
		d.sample.Information(p.place, nil, within.place, 1) >= nearlyAll*d.entropy(within)
}

package draft

import (
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/pipeline/job"
)

// units are words for parts of organizations, and for places at which people meet.
var units = words{alone: append(strings.Fields("college faculty department dept division hos "+
	"clinic agency"), attended...), not: []string{"type"}}

// clusters are the names of columns of numbers of the villages or blocks in which a survey asks.
var clusters = words{whole: append(pairs([]string{"cluster", "clust", "ea"}, numbered),
	"cluster", "clust", "ea", "enumerationarea")}

// isCluster reports whether a column has such numbers. Fewer may be kinds of people that somebody
// computed.
func (p *Profile) isCluster() bool {
	return clusters.has(p.words) && p.Field.Distinct > fewCodes && !p.isFractional()
}

// isArea reports whether a masked column has areas by its name, such as cities, states or beats, or
// units, such as departments.
func (d *draft) isArea(p *Profile) bool {
	return p.role.masked() && p.Field.Distinct > 1 &&
		(p.role.Mask != job.MaskDiscretize || isCalled(postal)(p)) &&
		(isCalled(livedIn)(p) || isCalled(units)(p) || p.isCluster() ||
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
			} else {
				fitting.role.within = p
			}
		}
	}
}

// dropCoordinates drops coordinates next to the areas that these are in, if none has most rows and
// a release has them or they are postal codes: wide intervals of coordinates say less, narrow ones
// show an address.
func (d *draft) dropCoordinates() {
	both := d.coordinates()
	if len(both) < 2 { // how_long alone is a duration
		return
	}
	isIn := func(area, p *Profile) bool {
		return showsArea*d.sample.Information(p.place, p.numbers, area.place, 1) >= d.entropy(area)
	}
	var by *Profile // the finest of the areas
	for _, p := range d.profiles {
		if d.isArea(p) && !slices.Contains(both, p) && p.others()*2 > p.Rows &&
			(d.isReleased(p) || isCalled(postal)(p)) && isIn(p, both[0]) &&
			(by == nil || p.Field.Distinct > by.Field.Distinct) {
			by = p
		}
	}
	for _, p := range both {
		if by != nil {
			p.role = dropBy(by, "says it in a larger unit")
		}
	}
}

// replacesCoordinates reports whether coordinates are dropped next to the areas of a column.
func (d *draft) replacesCoordinates(p *Profile) bool {
	return slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return of.role.by == p && places.has(of.words)
	})
}

// coordinates returns the masked columns with many coordinates, by their names.
func (d *draft) coordinates() (found []*Profile) {
	for _, p := range d.profiles {
		if p.role.masked() && p.hasMany() && places.has(p.words) {
			found = append(found, p)
		}
	}
	return found
}

// dropProjected drops numbers that are the same wherever two coordinates in degrees are, and differ
// elsewhere, as those of the same point in feet.
func (d *draft) dropProjected() {
	both := slices.DeleteFunc(d.coordinates(), func(p *Profile) bool {
		return !p.typ.Ordered() || p.least < -180 || p.greatest > 180
	})
	if len(both) != 2 {
		return
	}
	for _, p := range d.profiles {
		if p.role.masked() && !slices.Contains(both, p) && p.typ.Ordered() && p.hasMany() &&
			!p.isTime() && !p.isCode() && p.isAt(both[0], both[1]) {
			p.role = dropBy(both[0], "and "+job.Quoted(both[1].name)+" say where it is")
		}
	}
}

// isAt reports whether a column has one number for each point of two coordinates in nearly all
// rows, and most points have their own.
func (p *Profile) isAt(x, y *Profile) bool {
	met := make(map[[2]float64]float64)
	again, apart := 0, 0
	for row, number := range p.numbers {
		point := [2]float64{x.numbers[row], y.numbers[row]}
		isNowhere := math.IsNaN(point[0]) || math.IsNaN(point[1])
		first, is := met[point]
		switch {
		case isNowhere && !math.IsNaN(number), is && number != first:
			apart++
			fallthrough
		case is:
			again++
		case !isNowhere:
			met[point] = number
		}
	}
	return again >= fewRows && apart*renamed <= again && 2*p.Field.Distinct >= int64(len(met))
}

// showsArea is the part, one in these, of the information about areas that a tenth of the rows with
// the next coordinates say: kinds of places, which are called alike, follow from none.
const showsArea = 5

// nests reports whether nearly all of one column's areas are within those of another one, which are
// more than two: one of these may only be most of the others.
func (d *draft) nests(p, within *Profile) bool {
	return p.Field.Distinct > within.Field.Distinct && within.Field.Distinct > 2 &&
		p.Field.Distinct*rowsOfDate <= p.Rows &&
		d.sample.Information(p.place, nil, within.place, 1) >= nearlyAll*d.entropy(within)
}

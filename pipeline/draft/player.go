package draft

import (
	"slices"
	"strings"
)

var (
	// teams and roles are names of columns that tables of players have.
	teams = words{whole: strings.Fields("team teamname teamid teamcode tm club clubname squad")}
	roles = words{whole: strings.Fields("pos position positions playerposition primaryposition")}
	// results are names of columns of what players did in a season, which is published, without an
	// s at the end.
	results = words{whole: strings.Fields("g gp game gameplayed gamestarted app appearance start " +
		"min minute minuteplayed mp pt point reb rebound trb ast assist stl steal blk block tov " +
		"turnover goal shot save cleansheet yellowcard redcard ab atbat r run h hit hr homerun " +
		"rbi double triple walk bb strikeout so sb stolenbase win")}
)

// mostResults is the largest number of results that people who follow a sport know by heart.
const mostResults = 6

// isResult reports whether a column has a result of players, by its name.
func isResult(p *Profile) bool {
	name := slices.Clone(p.words)
	for i, word := range name {
		name[i] = strings.TrimSuffix(word, "s")
	}
	return p.typ.Ordered() && results.has(name)
}

// isOfPlayer reports whether a column has the position or a result of players, by the names of
// columns: the others have a team and a position.
func (d *draft) isOfPlayer(p *Profile) bool {
	return (isResult(p) || roles.has(p.words)) &&
		slices.ContainsFunc(d.profiles, isCalled(teams)) &&
		slices.ContainsFunc(d.profiles, isCalled(roles))
}

// knowsResult reports whether people who follow a sport know a column of players by heart: it has
// their position, or one of few results.
func (d *draft) knowsResult(p *Profile) bool {
	return d.isOfPlayer(p) && (roles.has(p.words) || numberOf(d.profiles, func(of *Profile) bool {
		return isResult(of) && of.role.masked()
	}) <= mostResults)
}

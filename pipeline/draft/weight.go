package draft

import (
	"math"
	"slices"
	"strings"
)

var (
	// ofRows are names of columns of how many people a row stands for, and propensities those of
	// how likely somebody was treated.
	ofRows = words{alone: append(pairs(strings.Fields("survey sample sampling samp design "+
		"probability raking frequency freq normalized poststratification person per household"),
		strings.Fields("weight weights wt wts wgt")),
		strings.Fields("fnlwgt finalwt perwt hhwt pweight pweights dweight pspwght anweight "+
			"wtssall asecwt earnwt sampwt sampweight")...),
		whole: strings.Fields("weights wts")}
	propensities = words{alone: strings.Fields("pscore psscore propensity propscore ipw iptw"),
		whole: strings.Fields("prob ps")}
	// ofCrowds are names of columns of a tool that asks a crowd for labels.
	ofCrowds = strings.Fields("_unit_id _golden _unit_state _trusted_judgments _last_judgment_at")
	// strata are names of columns of the parts of a sample, next to drawn, those of its first units
	strata = words{whole: strings.Fields("stratum strata ststr")}
	drawn  = words{whole: []string{"psu"}}
	// weighing are names that such columns share with those of what somebody weighs.
	weighing = words{whole: strings.Fields("weight wt wgt")}
)

// leastMean and mostMean are the limits of the mean of weights of rows that are around 1, mostGrams
// what nobody weighs in any unit, a hundredth of it on average with fractions, and finest the
// distance to which nobody is weighed.
const leastMean, mostMean, mostGrams, finest = 0.5, 1.5, 200_000, 1e-4

// isWeightOfRow reports whether a column says how many people a row stands for, by its name, or
// also by its numbers, around 1, of thousands with fractions or of hundreds of thousands, or finer
// in a longer name, as housewgt: no people weigh that.
func (p *Profile) isWeightOfRow() bool {
	name := strings.Join(p.words, "")
	isLonger := !weighing.has(p.words) &&
		slices.ContainsFunc(weighing.whole, func(end string) bool {
			return strings.HasSuffix(name, end)
		})
	if ofRows.has(p.words) || !weighing.has(p.words) && !isLonger {
		return ofRows.has(p.words)
	}
	if isLonger {
		return p.broken && p.least >= 0 && p.rounding > 0 && p.rounding <= finest
	}
	sum, n := 0.0, 0.0
	for _, x := range p.numbers {
		if !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return p.high > mostGrams || p.broken && p.least >= 0 &&
		(sum >= leastMean*n && sum <= mostMean*n || 100*sum > mostGrams*n)
}

// isOfCrowd reports whether a column is one of a tool that asks a crowd: a mark of its rows, how
// sure the crowd was of another column, the right values of that for a test, or how far somebody
// got in a form.
func (d *draft) isOfCrowd(p *Profile) bool {
	n := len(p.words) - 1
	return slices.Contains(ofCrowds, p.name) ||
		n > 0 && slices.Contains([]string{"confidence", "gold"}, p.words[n]) &&
			slices.ContainsFunc(d.profiles, func(of *Profile) bool {
				return slices.Equal(of.words, p.words[:n])
			}) ||
		d.isSurvey() && ofForms.has(p.words)
}

// ofForms are names of columns of how software of surveys got an answer.
var ofForms = words{whole: strings.Fields("status progress finished recordeddate " +
	"distributionchannel userlanguage")}

// dropWeights drops weights of rows and propensities, which are computed from what people know of
// others: each number goes with few ages, sexes and places.
func (d *draft) dropWeights() {
	if !slices.ContainsFunc(d.profiles, (*Profile).isBasic) {
		return
	}
	for _, p := range d.profiles {
		if p == d.class || !p.typ.Ordered() || p.isTime() || p.Field.Distinct <= fewCodes {
			continue
		}
		switch {
		case propensities.has(p.words):
			p.role = drop("computed from other columns, and may reveal them, with %s",
				distinctValues(p))
		case strata.has(p.words) && slices.ContainsFunc(d.profiles, isCalled(drawn)):
			p.role = drop("how the sample was drawn, with %s", distinctValues(p))
		case p.isWeightOfRow() && !d.isWeightOfHeight(p):
			p.role = discretize(p, distinctValues(p))
			p.role = drop("a weight computed from other columns may reveal them; to mask it, as "+
				"estimates need it: %s (%s)", d.entry(p), p.role.Reason)
		}
	}
}

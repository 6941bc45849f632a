package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// candidate is a way to search, as lines of a job.
type candidate struct {
	lines   []string
	regions bool   // it makes groups of the records, in memory, and new ones for the next input
	tight   bool   // few other rows fit its labels
	title   string // its line without the columns that are cut first; empty: there are none
}

// spread are the lines with which tdr keeps some information of many columns instead of much of a
// few.
var spread = []string{"balance: 1", "max_suppressed: 1%"}

// The purposes of a release: to train a classifier, to count, or both.
const (
	ForClassify = "classify"
	ForCount    = "count"
	ForBoth     = "both"
)

// purposes returns the ways to search for the draft's purpose. Cuts that an algorithm makes for a
// class keep little of what counting queries ask for; regions keep much of both.
func (d *draft) purposes() []*candidate {
	switch {
	case d.For == ForClassify:
		return []*candidate{{lines: []string{"algorithm: auto",
			"objective: " + job.ObjectiveClassification}}}
	case d.For == ForBoth && d.rows > mostGrouped:
		return []*candidate{{lines: []string{"algorithm: auto",
			"objective: " + job.ObjectiveBalanced}}}
	case d.For == ForBoth:
		tight := d.tight(job.AlgorithmInfoGainMondrian)
		tight.lines = append(tight.lines, "objective: "+job.ObjectiveBalanced)
		return []*candidate{tight}
	case d.rows > mostGrouped:
		return []*candidate{{lines: []string{"algorithm: auto",
			"objective: " + job.ObjectiveQueries}}}
	}
	return []*candidate{d.tight(job.AlgorithmMondrian)}
}

// tight returns a search that makes regions: their labels are no wider than their values, and it
// keeps several sets apart, since the k of what an acquaintance knows is larger than that of all
// columns.
func (d *draft) tight(algorithm string) *candidate {
	apart, options := "", ""
	if !d.known.all {
		apart = ", sets: " + job.SetsApart
	}
	if algorithm == job.AlgorithmMondrian {
		options = ", categories: " + job.CategoriesOrdered + ", cuts: " + job.CutsTightest
	}
	line := "algorithm: {name: " + algorithm + apart + ", region_labels: " +
		job.RegionLabelsTight + options
	c := &candidate{lines: []string{line + "}"}, regions: true, tight: true}
	if algorithm == job.AlgorithmMondrian && len(d.known.cutFirst) > 0 {
		c.title = c.lines[0]
		c.lines[0] = line + ", first: [" + quotedList(namesOf(d.known.cutFirst)) + "]}"
	}
	return c
}

// checkPurpose refuses a purpose that is unknown.
func (d *draft) checkPurpose() error {
	switch d.For {
	case "", ForClassify, ForCount, ForBoth:
		return nil
	}
	return fault.Errorf(fault.Usage, "name classify, count or both",
		"draft for %q: no such purpose", d.For)
}

// candidates returns the candidates of a draft, the simplest first; for a purpose the only one. The
// last ones are for tables for which a cut that lists all groups is no burden: for half a million
// rows about 40,000 groups in 2 MB, or 140,000 in 7 MB where sets are kept apart. It looks at no
// class: cuts for the class classify a little better, but far more groups have one class then.
func (d *draft) candidates() []*candidate {
	if d.For != "" {
		return d.purposes()
	}
	all := []*candidate{{lines: []string{"algorithm: tdr"}}, {lines: spread}}
	if d.rows <= mostGrouped {
		all = append(all, d.tight(job.AlgorithmMondrian))
	}
	return all
}

// words names a candidate in a comment.
func (c *candidate) words() string {
	return cmp.Or(c.title, strings.Join(c.lines, " and "))
}

const (
	// Largest numbers of rows and cells on which a candidate is tried, in about a second.
	mostTried      = 100_000
	mostTriedCells = 5_000_000
	// mostGrouped is the largest number of rows of a table that is divided into groups.
	mostGrouped = 500_000
	// mostLost is the largest number of lost columns that are named.
	mostLost = 12
)

// tried is the chosen candidate, with the result of its trial.
type tried struct {
	*candidate
	*forecast.Trial
	asked [2][]string // columns that analyses ask for: of ages, and of the sex
	known []string    // columns of the first set
	// columns of which few rows have a value: most of their information is who has none, and so it
	// does not show how much is left of their values
	sparse []string
	others []*tried
}

// counted returns the number of columns of which a search may keep little.
func (t *tried) counted() int { return t.Masked - len(t.sparse) }

// keeps returns the number of these of which more than little is left.
func (t *tried) keeps() int {
	keeps := t.counted()
	for _, name := range t.Lost {
		if !slices.Contains(t.sparse, name) {
			keeps--
		}
	}
	for name := range t.Parts {
		if t.isLittle(name) && !slices.Contains(t.sparse, name) {
			keeps--
		}
	}
	return keeps
}

// littlePart is the part of a column's information below which little is left.
const littlePart = 0.1

// isLittle reports whether little is left of a column, though it has several labels.
func (t *tried) isLittle(name string) bool {
	part, tried := t.Parts[name]
	return tried && part < littlePart && !slices.Contains(t.Lost, name)
}

const (
	// manyMasked is the least number of masked columns, and manyBelow that of those with less than
	// half of their information, from which a comment says that dropping some would help others.
	manyMasked = 16
	manyBelow  = 5
)

// belowHalf returns the columns of which less than half of the information is left.
func (d *draft) belowHalf() (names []string) {
	for _, p := range d.profiles {
		if part, tried := d.tried.Parts[p.name]; tried && part < 0.5 {
			names = append(names, p.name)
		}
	}
	return names
}

// loses returns how many of age and sex are asked for, while little is left of each column of it.
func (t *tried) loses() (n int) {
	for _, names := range t.asked {
		if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
			return !t.isLittle(name) && !slices.Contains(t.Lost, name)
		}) {
			n++
		}
	}
	return n
}

// betterThan compares first by columns that are asked for, then by all, then by information.
func (t *tried) betterThan(o *tried) bool {
	return o == nil || cmp.Or(cmp.Compare(o.loses(), t.loses()), cmp.Compare(t.keeps(), o.keeps()),
		cmp.Compare(t.information(), o.information())) > 0
}

// information returns the sum of the parts of the information of all columns, of those of the first
// set, which most analyses ask for, and of ages and sexes, which nearly all do.
func (t *tried) information() float64 {
	return t.Information + t.ofColumns(t.known) + t.ofColumns(slices.Concat(t.asked[0], t.asked[1]))
}

// ofColumns returns the part of the information of columns that is kept, on average.
func (t *tried) ofColumns(names []string) (part float64) {
	for _, name := range names {
		part += t.Parts[name] / float64(len(names))
	}
	return part
}

// chooseSearch tries the candidates on rows of the input. One that fails is left out; if all fail,
// as with little memory, the draft names none of them.
func (d *draft) chooseSearch(ctx context.Context, in *dataset.Dataset, try Try,
	budget *spill.Budget) error {
	d.sample = nil
	budget.Return(d.drawn)
	masked := 0
	for _, p := range d.profiles {
		p.numbers, p.parts = nil, nil
		if p.role.masked() {
			masked++
		}
	}
	part := in.Part(max(fewestRows, min(mostTried, mostTriedCells/int64(masked))))
	all, err := d.attempt(ctx, part, try, budget, d.candidates())
	if err != nil {
		return err
	}
	d.tried = bestOf(all)
	for _, t := range all {
		if t != d.tried {
			d.tried.others = append(d.tried.others, t)
		}
	}
	return nil
}

// asked returns the masked columns with an age or a date of birth, and those with a sex.
func (d *draft) asked() (names [2][]string) {
	for _, p := range d.profiles {
		if p.role.masked() && d.isAsked(p) {
			names[rank(p)] = append(names[rank(p)], p.name)
		}
	}
	return names
}

// sparse returns the masked columns of which few rows have one of several values.
func (d *draft) sparse() (names []string) {
	for _, p := range d.profiles {
		if p.role.masked() && p.Field.Distinct > 1 &&
			float64(p.Field.Rows) < fewestFilled*float64(p.Rows) {
			names = append(names, p.name)
		}
	}
	return names
}

// attempt tries candidates, and returns those that did not fail.
func (d *draft) attempt(ctx context.Context, part *dataset.Dataset, try Try,
	budget *spill.Budget, candidates []*candidate) (all []*tried, err error) {
	for _, c := range candidates {
		d.tried = &tried{candidate: c, asked: d.asked(), known: namesOf(d.known.columns),
			sparse: d.sparse()}
		j, err := d.parse()
		if err != nil {
			return nil, err
		}
		if d.tried.Trial, err = try(ctx, part, j, budget); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			all = append(all, d.tried)
		}
	}
	return all, nil
}

// bestOf returns the first of the best; nil: there is none.
func bestOf(all []*tried) (best *tried) {
	for _, t := range all {
		if t.betterThan(best) {
			best = t
		}
	}
	return best
}

// parse makes a job from the present draft.
func (d *draft) parse() (*job.Job, error) {
	text, err := d.yaml()
	if err != nil {
		return nil, err
	}
	j, err := job.Parse(d.File, []byte(text), nil)
	if err != nil {
		return nil, fmt.Errorf("read the draft: %w", err)
	}
	j.Limits = d.Limits
	return j, nil
}

// The comments of a draft about its search, and about the loss.
const (
	triedWords = `
# Tried on %s rows. Of %s, this many keep a tenth of their information:
`
	sparseWords = `# Not counted: %s of which less than a tenth of the rows have a value.
`
	regionsWords = `# It makes groups of the rows, and other groups of the next night's rows: for one release after
# another take %s.
`
	tightWords = `# Few other rows fit its labels: a model that learns from them is for raw rows, and not for rows
# that kcut apply masks.
`
	firstWords = `# Columns that are cut first keep one value, or a narrow range, in more rows.
`
	purposeWords = `# kcut init --for classify, count or both chooses the search for one of these purposes.
`
	lostWords = `# A single label, without information, is left of %s.
`
	littleWords = `# Less than a tenth of the information is left of %s.
`
	halfWords = `# Less than half of the information is left of %s.
`
	moreWords = `# To keep more of them, drop columns that nobody needs, add taxonomies, or lower k.
`
)

// little returns the columns of which the chosen search keeps little, though with several labels.
func (d *draft) little() (names []string) {
	for _, p := range d.profiles {
		if d.tried.isLittle(p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// writeSearch writes the job's way to search, with the reason.
func (d *draft) writeSearch(out *strings.Builder) {
	if d.tried == nil {
		return
	}
	if t := d.tried; t.Trial != nil {
		fmt.Fprintf(out, triedWords, text.Grouped(t.Rows), text.Count(t.counted(), "masked column"))
		for _, of := range append([]*tried{t}, t.others...) {
			fmt.Fprintf(out, "#   %d with %s\n", of.keeps(), of.words())
		}
		if n := len(t.sparse); n > 0 {
			fmt.Fprintf(out, sparseWords, text.Count(n, "column"))
		}
		if t.regions {
			fmt.Fprintf(out, regionsWords, strings.Join(spread, " and "))
		}
		if t.title != "" {
			out.WriteString(firstWords)
		}
		if t.tight && d.class != nil && d.For != ForCount {
			out.WriteString(tightWords)
		}
		if d.For == "" {
			out.WriteString(purposeWords)
		}
		if len(t.Lost) > 0 {
			fmt.Fprintf(out, lostWords, text.List(quoted(t.Lost), mostLost))
		}
		little := d.little()
		if len(little) > 0 {
			fmt.Fprintf(out, littleWords, text.List(quoted(little), mostLost))
		}
		switch below := d.belowHalf(); {
		case len(t.Lost)+len(little) > 0:
			out.WriteString(moreWords)
		case !d.crowd.isOfFew() && t.Masked >= manyMasked && len(below) >= manyBelow:
			fmt.Fprintf(out, halfWords, text.List(quoted(below), mostLost))
			out.WriteString(moreWords)
		}
	}
	for _, line := range d.tried.lines {
		fmt.Fprintln(out, line)
	}
}

package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

const (
	// MostUnique is the largest share of the rows, or the entities, that may be unique on kept
	// columns that nobody has accepted, and the largest share in classes below the smallest k.
	MostUnique = 0.01
	// mostClasses is the largest number of classes of a text that nobody has accepted.
	mostClasses = 100
)

// Identifies reports whether columns with these figures may identify people.
func Identifies(f *risk.Figures) bool { return f.Unique > MostUnique || f.Below > MostUnique }

// Found returns the figures because of which columns identify people.
func (g *Guard) Found(f *risk.Figures) string {
	if f.Unique > MostUnique {
		return fmt.Sprintf("%s of the %s are unique on", text.Percent(f.Unique), g.who())
	}
	return fmt.Sprintf("%s of the %s are in classes of fewer than %d on", text.Percent(f.Below),
		g.who(), g.SmallestK())
}

// FoundOnClass returns the figures because of which a class alone may identify people; empty: it
// does not.
func (g *Guard) FoundOnClass(f *risk.Figures) string {
	return FoundOnClass(f, g.who(), g.Specs[g.Class].Name, g.Type(g.Class))
}

// FoundOnClass returns the figures because of which a class of a type may identify the people who
// are counted; empty: it does not.
func FoundOnClass(f *risk.Figures, who, name string, of formats.Type) string {
	switch {
	case f.Unique > MostUnique:
		return fmt.Sprintf("%s of the %s are unique on class column %s, more than %s",
			text.Percent(f.Unique), who, name, text.Percent(MostUnique))
	case of.Kind == formats.String && f.Classes > mostClasses:
		return fmt.Sprintf("class column %s has %d classes, more than %d of a text: it may "+
			"identify people", name, f.Classes, mostClasses)
	}
	return ""
}

// checkClass refuses a class that may identify people.
func (g *Guard) checkClass(f *risk.Figures) error {
	name, found := g.Specs[g.Class].Name, g.FoundOnClass(f)
	if found == "" {
		return nil
	}
	return &fault.Error{
		Class: fault.Privacy,
		Hint: fmt.Sprintf("name another class or none, or accept it, as in %s: {keep: "+
			"{identifying: accepted}}", job.Quoted(name)),
		Err: g.Job.Located(name, "mask", errors.New(found)),
	}
}

// checkKept refuses kept columns that identify people, unless their entries accept that: columns
// that do so alone and, if the others still do so together, all the others. The class need not be
// accepted among the others. The figures of all together are nil if they cannot be refused.
func (g *Guard) checkKept(ctx context.Context, together *risk.Figures) error {
	if together == nil || !Identifies(together) {
		return nil
	}
	var alone, others []int
	highest, kept := &risk.Figures{}, g.Kept()
	for few := range slices.Chunk(kept, 8) { // columns at a time, since each has a table
		var each [][]int
		for _, field := range few {
			each = append(each, []int{field})
		}
		figures, err := g.findOn(ctx, each...)
		if err != nil {
			return err
		}
		for i, field := range few {
			if !Identifies(figures[i]) {
				others = append(others, field)
				continue
			}
			alone = append(alone, field)
			highest.Unique, highest.Below = max(highest.Unique, figures[i].Unique),
				max(highest.Below, figures[i].Below)
		}
	}
	what := "kept column"
	if len(alone) > 1 {
		what = "one or more of the kept columns"
	}
	if err := g.refuse(alone, highest, what); err != nil {
		return err
	}
	if len(alone) > 0 && len(others) > 0 {
		figures, err := g.findOn(ctx, others)
		if err != nil {
			return err
		}
		together = figures[0]
	}
	if !Identifies(together) || len(others) == 0 {
		return nil
	}
	what = "the kept columns"
	if at := slices.Index(others, g.Class); at >= 0 {
		others, what = slices.Delete(others, at, at+1), "the class and the kept columns"
	}
	return g.refuse(others, together, what)
}

// findOn reads groups of columns of the input once more, and returns the figures of each group.
func (g *Guard) findOn(ctx context.Context, groups ...[]int) (all []*risk.Figures, err error) {
	c := &Count{Guard: g, request: &risk.Request{K: g.SmallestK()}}
	for _, fields := range groups {
		c.request.Groups = append(c.request.Groups, risk.ColumnGroup{Columns: c.read(fields...)})
	}
	if g.Entity >= 0 {
		c.request.Entity = c.read(g.Entity)
	}
	defer c.Close()
	if err := c.Scan(ctx, g.Dataset); err != nil {
		return nil, err
	}
	for i := range groups {
		all = append(all, c.counts.Group(i))
	}
	return all, nil
}

// refuse returns the error of kept columns that identify people by the figures, unless all of them
// are accepted: then it notes that.
func (g *Guard) refuse(fields []int, figures *risk.Figures, what string) error {
	names := text.List(g.Names(fields...), text.MostNamed)
	finding := fmt.Sprintf("%s %s %s", g.Found(figures), what, names)
	first := slices.IndexFunc(fields, func(field int) bool { return !g.isAccepted(field) })
	if first < 0 {
		if len(fields) > 0 {
			g.Noted(finding + ": accepted")
		}
		return nil
	}
	name := g.Specs[fields[first]].Name
	entry := "{keep: {identifying: accepted}}"
	switch spec := g.Specs[fields[first]]; {
	case spec.With != "":
		entry = "{mask: replace, identifying: accepted, ...}"
	case spec.Mask == job.MaskPseudonym:
		entry = "{mask: pseudonym, identifying: accepted, ...}"
	}
	return &fault.Error{
		Class: fault.Privacy,
		Hint: fmt.Sprintf("drop or mask %s, or accept it in the entry of each, as in %s: %s",
			names, job.Quoted(name), entry),
		Err: g.Job.Located(name, "mask",
			fmt.Errorf("%s, more than %s", finding, text.Percent(MostUnique))),
	}
}

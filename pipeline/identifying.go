package pipeline

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
	// mostUnique is the share of the rows, or the entities, that may be unique on kept columns that nobody has
	// accepted, and the share that may be in classes below the smallest k.
	mostUnique = 0.01
	// mostNamed is how many columns a message names.
	mostNamed = 40
	// mostClasses is how many classes of a text there may be that nobody has accepted.
	mostClasses = 100
)

// identifies reports whether columns with such figures may tell who is who.
func identifies(f *risk.Figures) bool { return f.Unique > mostUnique || f.Below > mostUnique }

// found says of figures why columns identify.
func (b *Bound) found(f *risk.Figures) string {
	if f.Unique > mostUnique {
		return fmt.Sprintf("%s of the %s are unique on", text.Percent(f.Unique), b.who())
	}
	return fmt.Sprintf("%s of the %s are in classes of fewer than %d on", text.Percent(f.Below), b.who(), b.smallestK())
}

// isAccepted reports whether the entry of a kept column says that it may tell rows apart.
func (b *Bound) isAccepted(field int) bool {
	return b.specs[field].Identifying == job.IdentifyingAccepted
}

// accepts reports whether all of some kept columns are accepted, but for the class.
func (b *Bound) accepts(kept []int) bool {
	return !slices.ContainsFunc(kept, func(field int) bool { return field != b.class && !b.isAccepted(field) })
}

// foundOnClass says why a class may tell who is who by itself; empty: it does not.
func (b *Bound) foundOnClass(f *risk.Figures) string {
	name := b.specs[b.class].Name
	isText := b.Dataset.Schema().Fields[b.class].Type.Kind == formats.String
	switch {
	case f.Unique > mostUnique:
		return fmt.Sprintf("%s of the %s are unique on class column %s, more than %s", text.Percent(f.Unique), b.who(), name, text.Percent(mostUnique))
	case isText && f.Classes > mostClasses:
		return fmt.Sprintf("class column %s has %d classes, more than %d of a text: it may tell who is who", name, f.Classes, mostClasses)
	}
	return ""
}

// checkClass refuses a class that may tell who is who.
func (b *Bound) checkClass(f *risk.Figures) error {
	name, found := b.specs[b.class].Name, b.foundOnClass(f)
	if found == "" {
		return nil
	}
	return &fault.Error{
		Class: fault.Privacy,
		Hint:  fmt.Sprintf("name another class or none, or accept it, as in %s: {keep: {identifying: accepted}}", job.Quoted(name)),
		Err:   b.Job.Located(name, "mask", errors.New(found)),
	}
}

// checkKept refuses kept columns that identify, unless their entries accept that: those that do it alone and,
// when the others still do together, all of these. The class need not be accepted among the others. What is
// found on all of them together may be nil: nobody would refuse them.
func (b *Bound) checkKept(ctx context.Context, together *risk.Figures, res *resources) error {
	if together == nil || !identifies(together) {
		return nil
	}
	var alone, others []int
	highest, kept := &risk.Figures{}, b.kept()
	for few := range slices.Chunk(kept, 8) { // columns at a time: each has a table
		var each [][]int
		for i := range few {
			each = append(each, []int{i})
		}
		figures, err := b.findOn(ctx, few, each, res)
		if err != nil {
			return err
		}
		for i, field := range few {
			if !identifies(figures[i]) {
				others = append(others, field)
				continue
			}
			alone = append(alone, field)
			highest.Unique, highest.Below = max(highest.Unique, figures[i].Unique), max(highest.Below, figures[i].Below)
		}
	}
	what := "kept column"
	if len(alone) > 1 {
		what = "one or more of the kept columns"
	}
	if err := b.refuse(alone, highest, what, res); err != nil {
		return err
	}
	if len(alone) > 0 && len(others) > 0 {
		figures, err := b.findOn(ctx, others, [][]int{positions(0, len(others))}, res)
		if err != nil {
			return err
		}
		together = figures[0]
	}
	if !identifies(together) || len(others) == 0 {
		return nil
	}
	what = "the kept columns"
	if at := slices.Index(others, b.class); at >= 0 {
		others, what = slices.Delete(others, at, at+1), "the class and the kept columns"
	}
	return b.refuse(others, together, what, res)
}

// findOn reads some columns of the input once more, and tells what they identify in groups.
func (b *Bound) findOn(ctx context.Context, fields []int, groups [][]int, res *resources) (all []*risk.Figures, err error) {
	e := &exposing{Bound: b, fields: slices.Clone(fields), request: &risk.Request{K: b.smallestK()}}
	if b.entity >= 0 {
		e.request.Entity = e.read(b.entity)
	}
	for _, columns := range groups {
		e.request.Guards = append(e.request.Guards, risk.Guard{Columns: columns})
	}
	defer e.close()
	if err := e.scan(ctx, b.Dataset, res); err != nil {
		return nil, err
	}
	for i := range groups {
		all = append(all, e.counts.Guard(i))
	}
	return all, nil
}

// refuse returns the error of kept columns that identify as figures tell, unless all of them are accepted:
// that is a notice.
func (b *Bound) refuse(fields []int, figures *risk.Figures, what string, res *resources) error {
	names := text.List(b.names(fields), mostNamed)
	told := fmt.Sprintf("%s %s %s", b.found(figures), what, names)
	first := slices.IndexFunc(fields, func(field int) bool { return !b.isAccepted(field) })
	if first < 0 {
		if len(fields) > 0 {
			res.events.Noted(told + ": accepted")
		}
		return nil
	}
	name := b.specs[fields[first]].Name
	entry := "{keep: {identifying: accepted}}"
	if b.specs[fields[first]].Mask == job.MaskPseudonym {
		entry = "{mask: pseudonym, identifying: accepted, ...}"
	}
	return &fault.Error{
		Class: fault.Privacy,
		Hint:  fmt.Sprintf("drop or mask %s, or accept it in the entry of each, as in %s: %s", names, job.Quoted(name), entry),
		Err:   b.Job.Located(name, "mask", fmt.Errorf("%s, more than %s", told, text.Percent(mostUnique))),
	}
}

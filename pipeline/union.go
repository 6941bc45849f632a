package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// verify recounts the release, with none of the code that wrote it, and holds the rows that are alone
// on all labels together against what the job allows. Then the cut says how many there are.
func (a *assignment) verify(ctx context.Context, b *Bound, found *Found, l *ledger, res *resources) error {
	cut, err := cutfile.Parse(found.Cut)
	if err != nil {
		return err
	}
	known, ask := keptFigures(res.report, cut), b.exposure(cut)
	var members []verify.Member
	if res.report.Risk != nil {
		members = b.asMembers(res.report.Risk.Members, cut)
	}
	if ask != nil {
		if ask.Known = known != nil; b.entity < 0 {
			ask.Members = members
		}
	}
	exposed, err := verify.Unpublished(ctx, l.target.Path(), res.threads, res.budget, res.events.Verifying(), ask, known)
	if err != nil {
		return err
	}
	union := &risk.Union{}
	if ask != nil {
		union = exposed.Labels.Union()
		if b.entity >= 0 && !(cut.HidesAll() && len(members) == 0) {
			people, err := b.countPeople(ctx, found, b.asGroups(members, cut), res)
			if err != nil {
				return err
			}
			if exposed.Members = membersWith(members, cut, people[1:]); !cut.HidesAll() {
				union = people[0].Union()
			}
		}
		b.exposeRelease(exposed, cut, res)
		if err := b.checkMembers(res.report.Risk.Members, res); err != nil {
			return err
		}
	}
	res.report.Union = union
	b.noteUnionOf(cut, res)
	if err := b.checkUnion(union); err != nil {
		return err
	}
	cut.Union = union
	stamped, err := cutfile.Marshal(cut)
	if err != nil {
		return err
	}
	return l.target.Restamp(map[string]string{cutfile.Key: string(found.Cut)}, map[string]string{cutfile.Key: string(stamped)})
}

// countPeople counts entities instead of rows, in the input: the release does not say whose a row is.
func (b *Bound) countPeople(ctx context.Context, found *Found, groups []masking.Group, res *resources) ([]*risk.Figures, error) {
	recoder, err := found.recoder(b, res.budget)
	if err != nil {
		return nil, err
	}
	m, err := b.masker(recoder, res)
	if err != nil {
		return nil, err
	}
	return m.CountPeople(ctx, b.entity, groups)
}

// uniteCounts counts the union in a table of counts that has all masked columns, as a run of the rows
// counts it in what it has written, and notes where there is none.
func (b *Bound) uniteCounts(ctx context.Context, found *Found, res *resources) error {
	cut, err := cutfile.Parse(found.Cut)
	if err != nil {
		return err
	}
	union := &risk.Union{}
	if !cut.HidesAll() {
		whole, err := b.ofWholeTable()
		if err != nil {
			return err
		}
		if whole == nil {
			res.events.Noted("how many rows are alone on the labels of all masked columns together is not known: " +
				"no table of counts has all of these; kcut check counts it in an extract of the masked one")
			return nil
		}
		people, err := whole.countPeople(ctx, found, whole.asGroups(nil, cut), res)
		if err != nil {
			return err
		}
		union = people[0].Union()
	}
	res.report.Union = union
	b.noteUnionOf(cut, res)
	if err := b.checkUnion(union); err != nil {
		return err
	}
	cut.Union = union
	found.Cut, err = cutfile.Marshal(cut)
	return err
}

// ofWholeTable binds the job to the table of counts that has all masked columns; nil: none has. It
// is not to be closed.
func (b *Bound) ofWholeTable() (*Bound, error) {
	for _, table := range b.Dataset.Tables() {
		has := func(field int) bool { return table.Schema().Index(b.names([]int{field})[0]) >= 0 }
		if slices.ContainsFunc(b.masked, func(field int) bool { return !has(field) }) {
			continue
		}
		of := newBound(b.Job, b.Taxonomies)
		of.Dataset = table
		return of, of.bind(table.Schema(), table.Rows())
	}
	return nil, nil
}

// who returns what the shares of the union are shares of.
func (b *Bound) who() string {
	if b.entity >= 0 {
		return "entities"
	}
	return "rows"
}

// exposure says what is counted of the release beside its sets, nil if that is known: nobody is alone
// where some set has all masked columns, and nothing is kept but the class.
func (b *Bound) exposure(cut *cutfile.File) *verify.Exposure {
	kept := b.kept()
	if len(kept) == 0 && cut.HidesAll() {
		return nil
	}
	ask := &verify.Exposure{}
	for _, field := range kept {
		if b.isAccepted(field) {
			ask.Accepted = append(ask.Accepted, b.names([]int{field})...)
		}
	}
	return ask
}

// noteUnionOf notes how well the rows hide each other on all labels, and of which two sets who
// knows both finds most.
func (b *Bound) noteUnionOf(cut *cutfile.File, res *resources) {
	union, k := res.report.Union, cut.SmallestK()
	note := fmt.Sprintf("%s of the %s are alone on the labels of all masked columns together, %s are in classes of fewer than %d",
		text.Percent(union.Unique), b.who(), text.Percent(union.BelowK), k)
	if union.Part > 0 {
		note += fmt.Sprintf(" (counted in %s of the classes, give or take %s)", text.Percent(union.Part), text.Percent(union.Error))
	}
	if r := res.report.Risk; r != nil && r.Both != nil && r.Both != r.Labels {
		note += fmt.Sprintf("; with kept columns %s and %s", text.Percent(r.Both.Unique), text.Percent(r.Both.Below))
	}
	res.events.Noted(note)
	if res.report.Risk == nil {
		return
	}
	for _, pair := range res.report.Risk.Pairs {
		if pair.Below > mostUnique {
			res.events.Noted(fmt.Sprintf("who knows quasi-identifier sets %d and %d finds %s of the rows in classes of fewer than %d, and %s alone",
				pair.Sets[0], pair.Sets[1], text.Percent(pair.Below), pair.K, text.Percent(pair.Unique)))
		}
	}
}

// checkUnion refuses a release in which more rows are alone on all labels than the job allows.
func (b *Bound) checkUnion(union *risk.Union) error {
	most := *b.Job.MaxUnique
	if union.Unique <= float64(most) {
		return nil
	}
	const way = "add the set {columns: all, k: 2}, which leaves nobody alone; with max_suppressed: 1% it costs less"
	enough := job.Share(math.Ceil(100*union.Unique) / 100)
	return fault.Errorf(fault.Privacy,
		fmt.Sprintf("%s. max_unique: %s accepts it: it is your word that nobody knows more than one set", way, enough),
		"publish release: %s of the %s are alone on the labels of all masked columns together, max_unique is %s", text.Percent(union.Unique), b.who(), most)
}

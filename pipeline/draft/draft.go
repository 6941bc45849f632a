// Package draft drafts the first job for an input that nobody has described:
//
//	Profile   what some of the rows show of a column: counts and patterns, no value
//	Role      what is proposed for a column, and why
//	Job       the job, written as YAML
//
// A draft is a proposal to be read by somebody who knows the data. It errs to the safe side:
// what looks like an identifier is dropped, k counts one that repeats, everything else but the class is masked. It loads
// and runs as it is, but for what only the rows that were not looked at can tell. No text in
// it comes from a cell: it names columns and counts, and its taxonomies are generators.
package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
)

// Options say what to draft a job for.
type Options struct {
	Input []string // files, directories, globs
	K     int      // of the one set; 0: 10, or what a smaller table has
	Class string   // empty: the column that looks like one
}

const (
	usualK = 10
	// mostRows is how many rows are looked at, and mostBytes what their hashes may take.
	mostRows  = 200_000
	mostBytes = 64 << 20
	// mostMasked is how many columns are put into the set: with more of them little is left of each.
	mostMasked = 12
	// An identifier that repeats is what k counts when this many are there, several for each that k asks for, and
	// of no more rows on average: the search takes who has very many rows for nobody, in larger tables sooner.
	fewestEntities    = 200
	entitiesByK       = 20
	mostRowsPerEntity = 20
	mostEntityRows    = 5_000_000
)

// draft is a job being drafted.
type draft struct {
	Options
	rows     int64
	profiles []*Profile
	excerpt  *forecast.Excerpt
	class    *Profile // nil: none
	entity   *Profile // nil: none
	set      []string
	output   string
}

// Job looks at some rows of the input and returns a job file with a proposed role for every
// column. The same input gives the same text.
//
// It returns an error of fault.Usage when there is no column of the class's name, or it has too
// many values, and of fault.Input when the input has no rows, or no column that could be masked.
func Job(ctx context.Context, opt Options) (_ string, err error) {
	in, err := dataset.Open(ctx, opt.Input, formats.ReadOptions{})
	if err != nil {
		return "", fmt.Errorf("open input: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	d := &draft{Options: opt, rows: in.Rows()}
	if d.rows == 0 {
		return "", &fault.Error{Class: fault.Input, Hint: "give an input with rows", Err: errors.New("look at the input: it has no rows")}
	}
	if err := d.profile(ctx, in); err != nil {
		return "", err
	}
	if err := d.chooseClass(); err != nil {
		return "", err
	}
	d.chooseRoles()
	if len(d.set) == 0 {
		return "", &fault.Error{
			Class: fault.Input,
			Hint:  "kcut config --schema prints every key of a job file, to write one by hand",
			Err:   errors.New("choose quasi-identifiers: every column looks like an identifier, or cannot be masked"),
		}
	}
	if d.K == 0 {
		d.K = int(min(usualK, d.rows))
	}
	d.chooseEntity()
	if d.output, err = outputFor(opt.Input); err != nil {
		return "", err
	}
	return d.yaml(), nil
}

// profile looks at some rows.
func (d *draft) profile(ctx context.Context, in *dataset.Dataset) error {
	var columns []int // those that can be read as codes
	for i, field := range in.Schema().Fields {
		p := &Profile{name: field.Name, typ: field.Type, place: -1, texts: textProfile{low: math.Inf(1), high: math.Inf(-1)}}
		if field.Type.Kind != formats.Nested {
			p.place = len(columns)
			columns = append(columns, i)
		}
		d.profiles = append(d.profiles, p)
	}
	rows := min(mostRows, in.Rows(), max(1000, mostBytes/int64(8*(len(columns)+1))))
	d.excerpt = forecast.NewExcerpt(len(columns), rows)
	var counts []int64
	err := in.Excerpt(ctx, rows, columns, func(b *formats.Batch) error {
		d.excerpt.Add(b)
		for i, column := range b.Columns {
			counts = d.profiles[columns[i]].observe(column, counts)
		}
		return nil
	})
	for i, column := range columns {
		d.profiles[column].Field = d.excerpt.Values(i)
	}
	return err
}

// chooseClass finds the column that models are to predict: of those that could be, the one with the
// likeliest name, or else with a name that ends like one.
func (d *draft) chooseClass() error {
	find := func(is func(p *Profile) bool) bool {
		i := slices.IndexFunc(d.profiles, is)
		if i >= 0 {
			d.class = d.profiles[i]
		}
		return i >= 0
	}
	if d.Class == "" {
		for _, name := range predicted {
			if find(func(p *Profile) bool { return strings.EqualFold(p.name, name) && p.couldBeClass() }) {
				return nil
			}
		}
		find(func(p *Profile) bool {
			name := wordsOf(p.name)
			return len(name) > 1 && p.couldBeClass() && slices.Contains(predicted, name[len(name)-1])
		})
		return nil
	}
	cause := ""
	switch {
	case !find(func(p *Profile) bool { return p.name == d.Class }):
		cause = "the input has no such column"
	case d.class.typ.Kind == formats.Nested:
		cause = "it is nested"
	case d.class.Field.Distinct > mostClasses:
		cause = fmt.Sprintf("it has more than %d distinct values", mostClasses)
	default:
		return nil
	}
	return &fault.Error{
		Class: fault.Usage, Hint: "name a column with few distinct values with --class",
		Err: fmt.Errorf("take column %s as class: %s", d.Class, cause),
	}
}

// mostClasses is how many values a class has at most that is asked for, and usualClasses one
// that is proposed.
const (
	mostClasses  = 1000
	usualClasses = 20
)

// couldBeClass reports whether a column has few values, with several rows each.
func (p *Profile) couldBeClass() bool {
	switch p.typ.Kind {
	case formats.String, formats.Boolean, formats.Int, formats.Uint:
		return p.Field.Distinct >= 2 && p.Field.Distinct <= usualClasses && p.Field.Distinct*2 <= p.Field.Rows && p.texts.broken == 0
	}
	return false
}

// chooseRoles proposes a role for every column, and takes no more columns into the set than
// leave something of each: first those that are widely known, then the others in their order,
// and none that another one tells.
func (d *draft) chooseRoles() {
	for _, p := range d.profiles {
		if p == d.class {
			p.role = &Role{Mask: job.MaskKeep, Reason: "the class, " + distinctValues(p)}
		} else {
			p.role = roleOf(p)
		}
	}
	for _, p := range d.profiles {
		if teller := d.teller(p); p.role.masked() && teller != nil {
			p.role = drop("%s tells it", job.Quoted(teller.name))
		}
	}
	for _, widely := range []bool{true, false} {
		for _, p := range d.profiles {
			switch {
			case !p.role.masked() || known.has(wordsOf(p.name)) != widely:
			case len(d.set) < mostMasked:
				d.set = append(d.set, p.name)
			default:
				p.role = drop("or %s, in a set of its own: this one is full", p.role.Mask)
			}
		}
	}
}

// chooseEntity finds what k is to count: of the identifiers that repeat, the one with the fewest values.
func (d *draft) chooseEntity() {
	for _, p := range d.profiles {
		n := p.Field.Distinct
		counts := p.role.Repeats && n >= max(fewestEntities, int64(entitiesByK*d.K)) && n*mostRowsPerEntity >= p.Rows
		if counts && d.rows <= mostEntityRows && (d.entity == nil || n < d.entity.Field.Distinct) {
			d.entity = p
		}
	}
}

// reason says why a column has its role.
func (d *draft) reason(p *Profile) string {
	switch {
	case p == d.entity:
		return fmt.Sprintf("%s, in %s rows: it repeats, and is taken for the entity that k counts", p.role.Reason, text.Grouped(p.Field.Rows))
	case p.role.Repeats:
		return fmt.Sprintf("%s, in %s rows: it repeats, and may be the entity that k is to count", p.role.Reason, text.Grouped(p.Field.Rows))
	}
	return p.role.Reason
}

// teller returns a masked column of which every value goes with one value of a column, or nil.
// Its values have many rows each, so that this is no accident. Of two that tell each other
// the first stays.
func (d *draft) teller(of *Profile) *Profile {
	determines := func(p, other *Profile) bool {
		return p.place >= 0 && other.place >= 0 && d.excerpt.Determines(p.place, other.place)
	}
	before := true
	for _, p := range d.profiles {
		often := p.Field.Distinct >= 2 && p.Field.Distinct*20 <= p.Rows
		switch {
		case p == of:
			before = false
		case of.Field.Distinct >= 2 && often && p.role.masked() && determines(p, of) && (before || !determines(of, p)):
			return p
		}
	}
	return nil
}

// outputFor returns where the release of an input goes: a place that is not among the input
// itself.
func outputFor(input []string) (string, error) {
	stem := stemOf(input[0])
	candidates := []string{stem + "-release.parquet", "release/", "../" + stem + "-release.parquet"}
	for _, output := range candidates {
		file := path.Clean(output)
		if strings.HasSuffix(output, "/") {
			file = path.Join(output, "part.parquet")
		}
		isInput := false
		for _, pattern := range input {
			found, err := dataset.Finds(pattern, file)
			if err != nil {
				return "", err
			}
			isInput = isInput || found
		}
		if !isInput {
			return output, nil
		}
	}
	return candidates[0], nil
}

// stemOf is the name of an input without wildcards and endings.
func stemOf(input string) string {
	stem, _, _ := strings.Cut(path.Base(filepath.ToSlash(input)), ".")
	for _, sign := range `*?[]\/ ` {
		stem = strings.ReplaceAll(stem, string(sign), "")
	}
	return cmp.Or(strings.Trim(stem, "-_"), "table")
}

// headWords come before what a job reads and writes.
const headWords = `# A draft by kcut init, from %s of %s rows. What a release tells about people is for
# somebody to judge who knows them and the data: read every line, change it, then try kcut plan.
`

// setWords are the set and what goes before the columns.
const setWords = `
# What somebody may know of a person, here all of it at once. Several sets, each with what one
# source tells, leave more of the data.
quasi_identifiers:
  - columns: [%s]
    k: %d
%s
# A taxonomy of your own, and generalize, leaves more than suppress. Declare bounds of what is
# discretized when they are public. Keep what nobody can know.
columns:
`

// entityWords are what k counts.
const entityWords = `
# Several rows may be of one person: k counts the values of this column, not rows. Leave it out if it is none of a person.
entity: %s
`

// yaml writes the draft as a job file.
func (d *draft) yaml() string {
	var out strings.Builder
	looked := d.profiles[0].Rows
	for _, p := range d.profiles {
		looked = max(looked, p.Rows)
	}
	fmt.Fprintf(&out, headWords, text.Grouped(looked), text.Grouped(d.rows))
	input := job.Quoted(d.Input[0])
	if len(d.Input) > 1 {
		input = "[" + quotedList(d.Input) + "]"
	}
	fmt.Fprintf(&out, "input: %s\n", input)
	fmt.Fprintf(&out, "output: %s\n", job.Quoted(d.output))
	if d.class != nil {
		fmt.Fprintf(&out, "class: %s\n", job.Quoted(d.class.name))
	} else {
		out.WriteString("# class: no column looks like one; name what a model is to predict, and keep it\n")
	}
	entity := ""
	if d.entity != nil {
		entity = fmt.Sprintf(entityWords, job.Quoted(d.entity.name))
	}
	fmt.Fprintf(&out, setWords, quotedList(d.set), d.K, entity)
	d.writeColumns(&out)
	return out.String()
}

// writeColumns writes an entry a column, with the reasons below one another.
func (d *draft) writeColumns(out *strings.Builder) {
	names, entries := make([]string, len(d.profiles)), make([]string, len(d.profiles))
	nameWidth, entryWidth := 0, 0
	for i, p := range d.profiles {
		names[i], entries[i] = job.Quoted(p.name)+":", p.role.Mask
		if p.role.Taxonomy != "" {
			entries[i] = fmt.Sprintf("{mask: %s, taxonomy: %s}", p.role.Mask, p.role.Taxonomy)
		}
		nameWidth = max(nameWidth, utf8.RuneCountInString(names[i]))
		if n := utf8.RuneCountInString(entries[i]); n <= widestEntry {
			entryWidth = max(entryWidth, n)
		}
	}
	for i, p := range d.profiles {
		fmt.Fprintf(out, "  %-*s %-*s  # %s\n", nameWidth, names[i], entryWidth, entries[i], d.reason(p))
	}
}

// widestEntry is how wide an entry is at most that moves the reasons of others to the right.
const widestEntry = 60

func quotedList(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = job.Quoted(text)
	}
	return strings.Join(list, ", ")
}

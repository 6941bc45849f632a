package draft

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// headWords precede the input and the output of the job.
const headWords = `# A draft by kcut init, from %s of %s rows. Somebody who knows the people and
# the data has to judge what a release reveals: read every line, change it, then try kcut plan.
`

// lackedWords allow files without columns that others have.
const lackedWords = "missing_columns: null # some files lack columns that others have\n"

// encodingWords follow the encoding of CSV that is not UTF-8.
const encodingWords = " # it is not UTF-8: check that its letters are read correctly"

// headerWords follow CSV whose first line looks like a row.
const headerWords = " # its first line looks like a row: header: [age, ...] gives names"

// secondHeaderWords follow CSV of which one row seems to be another header.
const secondHeaderWords = `# One row has texts where all others have numbers, in %d columns:
# remove it if it is another header.
`

// fewestOdd is the least number of columns of numbers with one text each that show such a row.
const fewestOdd = 3

// oddColumns returns the number of such columns if they show such a row, else 0.
func (d *draft) oddColumns() int {
	n := numberOf(d.profiles, d.hasOddText)
	if n < fewestOdd {
		return 0
	}
	return n
}

// hasOddText reports whether all values of a column but one are of one type, as numbers.
func (d *draft) hasOddText(p *Profile) bool {
	return d.filled[p.name]-p.Field.Rows == 1 ||
		p.Field.Rows > fewRows && p.texts.forms[number] == p.Field.Rows-1
}

// nullsWords follow texts that stand for no value, signsWords the signs in numbers, and bothWords
// both.
const (
	bothWords  = " # nulls and signs in numbers were found by their form: check both"
	nullsWords = " # nulls were found by their form: check that they mean no value"
	signsWords = " # signs in numbers were found by their form: check that they are read correctly"
)

// noClassWords replace the class.
const noClassWords = `# class: no column looks like a class. Name the column that a model is to predict and keep it, or use
# kcut init --class NAME%s.
`

// numberWords replace the class where a number is the outcome that a run would not keep.
const numberWords = `# class: none. A model may predict %s, a number, but too many rows are alone with theirs to keep it:
# its intervals are released. If no recipient can know it: {keep: {identifying: accepted}}.
`

// givenWords replace the class where known columns give it.
const givenWords = `# class: none. %s follows from %s, which acquaintances know: so it is in the first set.
# kcut init --class %s keeps it outside k for a model: drop those columns then.
`

// refusedWords follow a class that a run refuses.
const refusedWords = `# %s: a run ends with 4.
# If that identifies nobody, accept it in the entry of the column: {keep: {identifying: accepted}}.
`

// tellersWords follow a class that other columns determine.
const tellersWords = `# It is determined by %s: drop columns that a model would not know when it predicts.
`

// rememberedWords replace the class where people remember it.
const rememberedWords = `# class: none. Acquaintances know %s, too: so it is in the first set, and k counts it.
# kcut init --class %s keeps it outside k for a model.
`

// giverWords follow a class that known columns give, seenWords one that people know anyway.
const (
	giverWords = `# It follows from %s, which acquaintances know: they know it, too, and it is outside k. Drop
# those columns, or remove class and add it to the first set, with suppress.
`
	seenWords = `# Acquaintances know it, too. It is outside k, as models predict it: if it is to count for k, remove
# class and add it to the first set, with suppress.
`
)

// hintWords follow a class about which other columns say much.
const hintWords = `# Much of it is in %s: drop columns that a model would not know when it predicts.
`

// sensitiveWords follow the class: a key that prevents groups of one class.
const sensitiveWords = `# If all rows of a group have one class, whoever finds the group learns it. This leaves none:
# sensitive: [{column: %s, l: 2%s}]
`

// nullClassWords follow a class that some rows lack.
const nullClassWords = "# %s without a value: null is a class of its own. Leave them out if " +
	"theirs is\n# unknown.\n"

// setWords precede the sets, columnWords the columns.
const (
	setWords = `
# Columns that somebody may know about a person. k holds against people who know the columns of one
# set. Move columns between sets, or add sets: a hospital, a bank and an employer know other columns.
quasi_identifiers:
`
	nobodyWords = `  # NO NAME SAYS WHAT AN ACQUAINTANCE KNOWS. Name a set of that, with your k, if there is something.
`
	doubtedWords = `  # In doubt, as their names do not say that others cannot know them: %s.
`
	asideWords = `  # In doubt, and not in this set, as fewer know them or too little would be left: %s.
`
	columnWords = `
# generalize with a taxonomy of your own keeps more than suppress. Declare the bounds of discretized
# columns if they are public. Keep columns that nobody can know.
`
	unknownWords = `# Make codes for unknown null, or they are numbers as others: csv.nulls does so in all columns.
`
)

// allWords are the set that leaves nobody alone.
const allWords = `  # all masked columns: nobody is unique
  - {columns: all, k: 2}
`

// entityWords introduce the entity that k counts, and lowerWords say why k is lower than it was to
// be.
const (
	entityWords = `
# A person may have several rows: k counts the values of this column, not rows. Remove this line if
# the column does not identify people.
entity: %s
`
	lowerWords = `# k is %d, since the column has only %s: k = %d takes %d.
`
)

// uncountedWords say that k does not count an identifier that repeats, fewWords and manyWords why.
const (
	uncountedWords = `
# k COUNTS ROWS, NOT PEOPLE: %s repeats, with %s in %s rows. If these are people, a
# group of k rows may be one of them. %s
`
	// seldomWords are about one of which few values have several rows
	seldomWords = `
# %s repeats seldom, with %s in %s rows: if the rows of one value are those of
# one person, k counts this person several times. Give one row of each.
`
	fewWords = `They are fewer than %d:
# give rows of more people, or one row of each%s, or try entity: %s.`
	manyWords = `There are too many rows of each or of all, or too few with
# several: give fewer rows of more people, or one row of each, or try entity: %s.`
)

// yaml writes the draft as a job file.
func (d *draft) yaml() (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, headWords, text.Grouped(d.looked), text.Grouped(d.rows))
	for _, note := range d.notes {
		fmt.Fprintf(&out, "# Note: %s.\n", note)
	}
	inputs, err := d.inputPaths()
	if err != nil {
		return "", err
	}
	input := job.Quoted(inputs[0])
	if len(inputs) > 1 {
		input = "[" + quotedList(inputs) + "]"
	}
	fmt.Fprintf(&out, "input: %s\noutput: %s\n", input, job.Quoted(d.output))
	if d.lacked {
		out.WriteString(lackedWords)
	}
	if csv := d.CSV.YAML(); csv != "" {
		comment := ""
		switch {
		case d.headless:
			comment = headerWords
		case d.guessed:
			comment = encodingWords
		case d.signed && d.lacking:
			comment = bothWords
		case d.signed:
			comment = signsWords
		case d.lacking:
			comment = nullsWords
		}
		fmt.Fprintf(&out, "csv: %s%s\n", csv, comment)
	}
	if n := d.oddColumns(); n > 0 {
		fmt.Fprintf(&out, secondHeaderWords, n)
	}
	if d.class != nil {
		fmt.Fprintf(&out, "class: %s\n", job.Quoted(d.class.name))
		if d.classFound != "" {
			fmt.Fprintf(&out, refusedWords, d.classFound)
		}
		if len(d.classTellers) > 0 {
			fmt.Fprintf(&out, tellersWords, text.List(quoted(d.classTellers), mostLost))
		}
		switch {
		case len(d.classGivers) > 0:
			fmt.Fprintf(&out, giverWords, text.List(quoted(d.classGivers), mostLost))
		case witnessed.has(withoutEnds(d.class.words)), d.class.saysWhoDied():
			out.WriteString(seenWords)
		}
		if len(d.classHints) > 0 {
			fmt.Fprintf(&out, hintWords, text.List(quoted(d.classHints), mostLost))
		}
		counted := ""
		if n := d.class.Rows - d.class.Field.Rows; n > 0 {
			fmt.Fprintf(&out, nullClassWords, text.Count(n, "row"))
			counted = ", nulls: count"
		}
		fmt.Fprintf(&out, sensitiveWords, job.Quoted(d.class.name), counted)
	} else if i := slices.IndexFunc(d.profiles, (*Profile).isGiven); i >= 0 {
		p := d.profiles[i]
		if name := job.Quoted(p.name); p.remembered {
			fmt.Fprintf(&out, rememberedWords, name, name)
		} else {
			fmt.Fprintf(&out, givenWords, name, quotedList(namesOf(p.givenBy)), name)
		}
	} else if d.number != nil {
		fmt.Fprintf(&out, numberWords, job.Quoted(d.number.name))
	} else {
		could := ""
		if names := d.classCandidates(); len(names) > 0 {
			could = ". Few values have: " + quotedList(names)
		}
		fmt.Fprintf(&out, noClassWords, could)
	}
	d.writeUncounted(&out)
	d.writePanel(&out)
	d.writeRepetition(&out)
	d.writeSeveral(&out)
	out.WriteString(setWords)
	fmt.Fprintf(&out, "  # %s: %s of the rows are unique in these columns\n", d.known.knownTo,
		text.Percent(d.known.unique))
	if d.known.knownTo != acquaintance {
		out.WriteString(nobodyWords)
	}
	writeDoubted := func(columns []*Profile, words string) {
		if len(columns) > 0 {
			names := text.List(quoted(namesOf(columns)), mostLost)
			fmt.Fprintf(&out, words, names)
		}
	}
	isAside := func(p *Profile) bool { return slices.Contains(d.known.aside, p) }
	writeDoubted(slices.DeleteFunc(slices.Clone(d.known.doubted), isAside), doubtedWords)
	writeDoubted(d.known.aside, asideWords)
	columns := "all"
	if !d.known.all {
		columns = "[" + quotedList(namesOf(d.known.columns)) + "]"
	}
	fmt.Fprintf(&out, "  - columns: %s\n    k: %d\n", columns, d.k())
	if !d.known.all || d.k() < 2 {
		out.WriteString(allWords)
	}
	d.writeEntity(&out)
	d.writeCrowd(&out)
	d.writeSearch(&out)
	out.WriteString(columnWords)
	if slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.masked() && p.unknown != "" && strings.Contains(p.role.Reason, p.unknown)
	}) {
		out.WriteString(unknownWords)
	}
	out.WriteString("columns:\n")
	d.writeColumns(&out)
	return out.String(), nil
}

// writeEntity writes the entity that k counts, and why k is lower than it was to be.
func (d *draft) writeEntity(out *strings.Builder) {
	if d.entity == nil {
		return
	}
	fmt.Fprintf(out, entityWords, job.Quoted(d.entity.name))
	if k := d.kOf(d.entity); k < d.K {
		fmt.Fprintf(out, lowerWords, k, text.Count(int(d.entity.Field.Distinct), "value"), d.K,
			entitiesByK*d.K)
	}
}

// writeUncounted writes that k does not count an identifier that repeats, and why.
func (d *draft) writeUncounted(out *strings.Builder) {
	p := d.uncounted
	if p == nil {
		return
	}
	name, n := job.Quoted(p.name), int(p.Field.Distinct)
	if p.Field.Rows-p.Field.Distinct <= p.Field.Rows/renamed {
		fmt.Fprintf(out, seldomWords, name, text.Count(n, "value"), text.Grouped(p.Field.Rows))
		return
	}
	why := fmt.Sprintf(manyWords, name)
	if n < d.fewest(p) {
		smaller := ""
		if k := n / entitiesByK; k > 1 && k < d.K {
			smaller = fmt.Sprintf(", or kcut init --k %d", k)
		}
		why = fmt.Sprintf(fewWords, d.fewest(p), smaller, name)
	}
	fmt.Fprintf(out, uncountedWords, name, text.Count(n, "value"), text.Grouped(p.Field.Rows), why)
}

// writeColumns writes an entry for each listed column, with the reasons aligned.
func (d *draft) writeColumns(out *strings.Builder) {
	listed := d.listed()
	names, entries := make([]string, len(listed)), make([]string, len(listed))
	nameWidth, entryWidth := 0, 0
	for i, p := range listed {
		names[i], entries[i] = job.Quoted(p.name)+":", d.entry(p)
		nameWidth = widened(nameWidth, names[i])
		entryWidth = widened(entryWidth, entries[i])
	}
	for i, p := range listed {
		fmt.Fprintf(out, "  %-*s %-*s  # %s\n", nameWidth, names[i], entryWidth, entries[i],
			d.reason(p))
	}
	d.writeUnlisted(out, len(listed))
}

// entry returns the entry of a column.
func (d *draft) entry(p *Profile) string {
	detail := slices.DeleteFunc([]string{d.typeOf(p), p.role.Detail},
		func(text string) bool { return text == "" })
	if len(detail) == 0 {
		return p.role.Mask
	}
	return "{" + strings.Join(append([]string{"mask: " + p.role.Mask}, detail...), ", ") + "}"
}

// widest is the largest width of a name or of an entry that moves what follows others to the right.
const widest = 66

// widened returns the width of texts one of which is another one.
func widened(width int, by string) int {
	if n := utf8.RuneCountInString(by); n <= widest {
		return max(width, n)
	}
	return width
}

// reason returns the reason for a column's role.
func (d *draft) reason(p *Profile) string {
	switch {
	case p == d.entity:
		return fmt.Sprintf("%s, in %s rows: it repeats, and is taken for the entity that k counts",
			p.role.Reason, text.Grouped(p.Field.Rows))
	case p.role.second:
		return fmt.Sprintf("%s, in %s rows: of a second person or thing in a row, which k does "+
			"not count", p.role.Reason, text.Grouped(p.Field.Rows))
	case p.repeats():
		return fmt.Sprintf("%s, in %s rows: it repeats, and may be the entity that k is to count",
			p.role.Reason, text.Grouped(p.Field.Rows))
	case d.filled[p.name] > 0 && d.typeOf(p) != "":
		return fmt.Sprintf("%s; null replaces %s of another form", p.role.Reason,
			text.Count(d.filled[p.name]-p.Field.Rows, "text"))
	}
	return p.role.Reason
}

func namesOf(columns []*Profile) (names []string) {
	for _, p := range columns {
		names = append(names, p.name)
	}
	return names
}

func quotedList(texts []string) string { return strings.Join(quoted(texts), ", ") }

// quoted quotes texts where YAML needs it.
func quoted(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = job.Quoted(text)
	}
	return list
}

package verify

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// rules are what a release may hold, going by its cut alone.
type rules struct {
	cut    *cutfile.File
	checks []columnCheck       // released columns of masked columns
	first  map[string][]int    // positions in checks of a masked column's released columns
	keys   []labelKey          // of every set, of a cut of regions of all checks, and of every claim
	values []cutfile.Sensitive // kept columns whose values are counted in every class: those of the cut, then those that it claims nothing of

	marks []uint32 // of a cut that tells of suppressed records, and has marks in all columns: of every check, the number of its mark
	exact bool     // no other record can look like one of marks alone

	unstamped bool // the files need not have the cut
}

// rulesOf returns the rules of a cut. The values of the class are counted beside those of sensitive
// columns if that is asked for.
func rulesOf(cut *cutfile.File, withClass bool) *rules {
	cut.Raw = bytes.TrimSpace(cut.Raw) // a file of its own ends a line
	r := &rules{cut: cut, first: make(map[string][]int), values: slices.Clip(cut.Sensitive)}
	isClass := func(s cutfile.Sensitive) bool { return s.Column == cut.Class }
	if withClass && cut.Class != "" && !slices.ContainsFunc(r.values, isClass) {
		r.values = append(r.values, cutfile.Sensitive{Column: cut.Class})
	}
	var all []int
	for i := range cut.Columns {
		for _, check := range checksOf(&cut.Columns[i]) {
			all = append(all, len(r.checks))
			r.first[cut.Columns[i].Name] = append(r.first[cut.Columns[i].Name], len(r.checks))
			r.checks = append(r.checks, check)
		}
	}
	for _, name := range cut.Pseudonyms {
		r.checks = append(r.checks, columnCheck{name: name, fits: isText, tokens: true})
	}
	for _, set := range cut.Sets {
		var columns []int
		for _, name := range set.Columns {
			columns = append(columns, r.first[name]...)
		}
		r.keys = append(r.keys, r.key(columns))
	}
	if r.hasRegions() {
		r.keys = append(r.keys, r.key(all))
	}
	for _, c := range r.claims() {
		r.keys = append(r.keys, r.keys[c.set].withValue(c.column))
	}
	if _, claims := cut.Marked(); claims {
		r.findMarks()
	}
	return r
}

func (r *rules) hasRegions() bool { return r.cut.Kind == cutfile.KindRegions }

// key returns the key of some checks.
func (r *rules) key(checks []int) labelKey {
	below := make([]uint64, len(checks))
	for i, check := range checks {
		below[i] = r.checks[check].below()
	}
	return newLabelKey(checks, below)
}

// regions returns the keys of the regions.
func (r *rules) regions() *table {
	k := &r.keys[len(r.cut.Sets)]
	regions, numbers := newTable(k.size, newSpan(math.MaxInt64)), make([]uint32, len(r.checks))
	for _, region := range r.cut.Regions {
		for a, label := range region {
			for _, check := range r.first[r.cut.Columns[a].Name] {
				numbers[check] = r.checks[check].numberOf(label)
			}
		}
		workers.Must(regions.add(k.of(numbers), 1)) // it has no limit
	}
	return regions
}

// findMarks finds the marks, unless the cut has none in some column.
func (r *rules) findMarks() {
	marks := make([]uint32, len(r.checks))
	for i := range r.cut.Columns {
		column := &r.cut.Columns[i]
		mark := len(column.Cut)
		if column.Suppressed == "" { // a node may look like one: the top of prefixes does
			mark = slices.IndexFunc(column.Cut, func(l cutfile.Label) bool { return !l.Null && l.Label == engine.Suppressed })
			if mark < 0 && (len(column.Cut) == 1 || len(column.Cut) == 2 && column.Cut[1].Null) {
				mark = 0 // the root, or the full interval
			}
		}
		if mark < 0 {
			return
		}
		for _, check := range r.first[column.Name] {
			marks[check] = r.checks[check].numberOf(uint32(mark))
			own := marks[check] == uint32(len(r.checks[check].numbers)-1)
			r.exact = r.exact || column.Mask != job.MaskSuppress && column.Render == "" && column.Suppressed != "" && own
		}
	}
	r.marks = marks
}

// masked says how the masked columns are read.
func (r *rules) masked() []release.Masked {
	masked := make([]release.Masked, len(r.checks))
	for i := range r.checks {
		check := &r.checks[i]
		masked[i] = release.Masked{Name: check.name, Part: check.part, Number: check.number, Fits: check.fits}
		if check.part != "" {
			masked[i].Whole = check.numberOfNone
		}
	}
	return masked
}

// readFolders gives a part the labels that the folders above it name, in the columns that it lacks.
func (r *rules) readFolders(path string, file *release.File) {
	has := file.Columns()
	for i := range r.checks {
		check := &r.checks[i]
		if check.part != "" || slices.Contains(has, check.name) {
			continue
		}
		if label, null, found := fileset.LabelIn(path, check.name); found {
			if number, ok := check.number(label, null); ok {
				file.Give(check.name, number)
			}
		}
	}
}

// isFolder reports whether a part may lie in folders: all name a label of the cut.
func (r *rules) isFolder(name string) bool {
	levels := strings.Split(name, "/")
	for at := range levels[:len(levels)-1] {
		is := func(c columnCheck) bool {
			label, null, found := fileset.LabelIn(levels[at]+"/", c.name)
			if !found || c.part != "" || c.tokens {
				return false
			}
			_, ok := c.number(label, null)
			return ok
		}
		if !slices.ContainsFunc(r.checks, is) {
			return false
		}
	}
	return true
}

// lackingColumn returns the first column that the cut speaks of and a part lacks, or nothing.
func (r *rules) lackingColumn(file *release.File) string {
	has := file.Columns()
	for i := range r.checks {
		if name := r.checks[i].name; !slices.Contains(has, name) && !file.Given(name) {
			return name
		}
	}
	if r.cut.Class != "" && !slices.Contains(has, r.cut.Class) {
		return r.cut.Class
	}
	for i := range r.cut.Sensitive {
		if name := r.cut.Sensitive[i].Column; !slices.Contains(has, name) {
			return name
		}
	}
	return ""
}

// namesakes returns the masked columns that were released under other names, and whose name a column of a part has.
func (r *rules) namesakes(file *release.File) (names []string) {
	has := file.Columns()
	for _, c := range r.cut.Columns {
		released := func(check int) bool { return r.checks[check].name == c.Name }
		if slices.Contains(has, c.Name) && !slices.ContainsFunc(r.first[c.Name], released) {
			names = append(names, c.Name)
		}
	}
	return names
}

// otherParts returns the columns of structs that have other fields in a part of the release than they must.
func (r *rules) otherParts(file *release.File) (names []string) {
	for _, c := range r.cut.Columns {
		if c.Render == job.RenderInterval && !slices.Equal(file.Parts(c.Name), []string{"lower", "upper", "closed"}) {
			names = append(names, c.Name)
		}
	}
	return names
}

// rendered reports whether a column of a set is released as numbers instead of labels, so
// that different labels may look alike and groups be larger than the cut claims.
func (r *rules) rendered(set cutfile.Set) bool {
	return slices.ContainsFunc(r.cut.Columns, func(c cutfile.Column) bool {
		return c.Render != "" && slices.Contains(set.Columns, c.Name)
	})
}

// columnCheck has the values that a released column may hold, going by the cut alone.
type columnCheck struct {
	name    string
	part    string // of a column of structs: the field
	fits    func(formats.Type) bool
	labels  []look          // in the order of the cut, the mark of a suppressed value last
	numbers map[look]uint32 // of every look, from 0 on
	// any pseudonym is accepted, and all have one number: the column is kept
	tokens bool
}

// look is the form of a label of the cut in a released column.
type look struct {
	text string
	null bool
	none bool // there is no struct
}

// numberOf returns the number of the cut's label at a position.
func (c *columnCheck) numberOf(label uint32) uint32 { return c.numbers[c.labels[label]] }

// numberOfNone is number for a row without a struct.
func (c *columnCheck) numberOfNone() (uint32, bool) {
	n, ok := c.numbers[look{none: true}]
	return n, ok
}

// checksOf returns the checks of the columns that a masked column was released as.
func checksOf(c *cutfile.Column) []columnCheck {
	lower := func(l cutfile.Label) look { return lookOfEnd(l.Lower) }
	upper := func(l cutfile.Label) look { return lookOfEnd(l.Upper) }
	switch c.Render {
	case job.RenderBounds:
		return []columnCheck{
			newCheck(c, c.Name+"_lower", "", lower), newCheck(c, c.Name+"_upper", "", upper),
		}
	case job.RenderInterval:
		closed := newCheck(c, c.Name, "closed", lookOfClosed)
		closed.fits = isText
		return []columnCheck{
			newCheck(c, c.Name, "lower", lower), newCheck(c, c.Name, "upper", upper), closed,
		}
	}
	label := func(l cutfile.Label) look { return look{text: l.Label, null: l.Null} }
	return []columnCheck{newCheck(c, c.Name, "", label)}
}

// newCheck returns the check of a column, or of a field of its structs, in which labels have the
// look that is given. A mark of suppressed values is null in a column of numbers, and in structs,
// like null, no struct.
func newCheck(c *cutfile.Column, name, part string, lookOf func(cutfile.Label) look) columnCheck {
	check := columnCheck{name: name, part: part, fits: isText, numbers: make(map[look]uint32)}
	if c.Render != "" {
		check.fits = isNumber
	}
	add := func(l look) {
		if check.labels = append(check.labels, l); !check.has(l) {
			check.numbers[l] = uint32(len(check.numbers))
		}
	}
	for _, label := range c.Cut {
		if label.Null && part != "" {
			add(look{none: true})
		} else {
			add(lookOf(label))
		}
	}
	switch {
	case c.Suppressed == "":
	case c.Render == "":
		add(look{text: c.Suppressed})
	default:
		add(look{null: part == "", none: part != ""})
	}
	return check
}

func (c *columnCheck) has(l look) bool {
	_, has := c.numbers[l]
	return has
}

// isText reports whether a column of a type is released as labels.
func isText(t formats.Type) bool { return t.Kind == formats.String }

// isNumber reports whether a column of a type is released as numbers, of which there may be none.
func isNumber(t formats.Type) bool { return t.Ordered() || t.Kind == formats.Null }

// lookOfEnd returns the look of an interval's end, which is null when it is open.
func lookOfEnd(end json.RawMessage) look {
	text, ok := cutfile.EndText(end)
	return look{text: text, null: !ok}
}

// lookOfClosed says which ends of an interval belong to it.
func lookOfClosed(l cutfile.Label) look {
	if strings.HasSuffix(l.Label, "]") {
		return look{text: "both"}
	}
	return look{text: "left"}
}

// number returns the number of a released text or of null, and whether the cut accepts it.
// What it does not accept is numbered 0.
func (c *columnCheck) number(text string, null bool) (uint32, bool) {
	if c.tokens {
		return 0, null || isToken(text)
	}
	l := look{text: text}
	if null {
		l = look{null: true}
	}
	n, ok := c.numbers[l]
	return n, ok
}

// isToken reports whether a text has the form of a pseudonym.
func isToken(text string) bool {
	return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == ""
}

// below returns the number that all numbers are below.
func (c *columnCheck) below() uint64 { return max(uint64(len(c.numbers)), 1) }

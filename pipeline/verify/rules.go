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
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// rules say what a release may contain, by its cut alone.
type rules struct {
	cut    *cutfile.File
	sets   []cutfile.Set    // the cut's, then others that are counted
	checks []columnCheck    // the released columns of masked columns, then pseudonyms
	first  map[string][]int // by masked column: positions of its released columns in checks
	// keys has the key of every set, then for a cut of regions that of all checks, then that of
	// every claim.
	keys []labelKey
	// values has the kept columns whose values are counted in every class: the cut's, then those
	// about which the cut claims nothing.
	values []cutfile.Sensitive
	lone   []loneColumn // of the cut's sets
	orders []*order     // by these columns; nil: no measure needs an order of the values
	trees  []*tree      // the same for a tree

	// marks has the number of the mark of every check, if the cut counts suppressed records and all
	// columns have marks.
	marks []uint32
	exact bool // no other record can look like a suppressed one

	unstamped bool // the files need not contain the cut
}

// rulesOf returns the rules of a cut. The given sets and kept columns are counted in addition to
// those of the cut.
func rulesOf(cut *cutfile.File, sets []cutfile.Set, values []cutfile.Sensitive) *rules {
	cut.Raw = bytes.TrimSpace(cut.Raw) // a cut in a file of its own ends with a line break
	r := &rules{cut: cut, first: make(map[string][]int), sets: slices.Concat(cut.Sets, sets),
		values: slices.Concat(cut.Sensitive, values)}
	for i := range r.values {
		r.orders = append(r.orders, newOrder(&r.values[i]))
		r.trees = append(r.trees, newTree(&r.values[i]))
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
		r.checks = append(r.checks, columnCheck{
			name: name, fits: isText, pseudonyms: true, form: cut.Replacements[name],
		})
	}
	for _, set := range r.sets {
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
	r.setLone()
	if _, claims := cut.Marked(); claims {
		r.findMarks()
	}
	return r
}

// classOf returns the class of a cut as a column whose values are counted, unless it is among those
// that are counted anyway.
func classOf(cut *cutfile.File, counted []cutfile.Sensitive) []cutfile.Sensitive {
	isClass := func(s cutfile.Sensitive) bool { return s.Column == cut.Class }
	if cut.Class == "" || slices.ContainsFunc(counted, isClass) {
		return nil
	}
	return []cutfile.Sensitive{{Column: cut.Class}}
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
	k := &r.keys[len(r.sets)]
	regions, numbers := newTable(k.size, newShareRange(math.MaxInt64)),
		make([]uint32, len(r.checks))
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

// findMarks finds the marks, unless some column has none.
func (r *rules) findMarks() {
	marks := make([]uint32, len(r.checks))
	for i := range r.cut.Columns {
		column := &r.cut.Columns[i]
		mark := len(column.Cut)
		// a node may look like a mark, as the root of prefixes does
		if column.Suppressed == "" {
			mark = slices.IndexFunc(column.Cut,
				func(l cutfile.Label) bool { return !l.Null && l.Label == engine.Suppressed })
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
			r.exact = r.exact ||
				!column.Is(engine.Suppress) && column.Render == "" && column.Suppressed != "" &&
					own
		}
	}
	r.marks = marks
}

// masked says how masked columns are read.
func (r *rules) masked() []release.Masked {
	masked := make([]release.Masked, len(r.checks))
	for i := range r.checks {
		check := &r.checks[i]
		masked[i] = release.Masked{Name: check.name, Part: check.part, Number: check.number,
			Fits: check.fits}
		if check.part != "" {
			masked[i].Whole = check.numberOfNone
		}
	}
	return masked
}

// readFolders gives a part the labels in the names of its folders, for the columns that it lacks.
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

// isFolder reports whether a part may be in its folders: all must name a label of the cut.
func (r *rules) isFolder(name string) bool {
	levels := strings.Split(name, "/")
	for at := range levels[:len(levels)-1] {
		is := func(c columnCheck) bool {
			label, null, found := fileset.LabelIn(levels[at]+"/", c.name)
			if !found || c.part != "" || c.pseudonyms {
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

// lackingColumn returns the first column of the cut that a part lacks, or nothing.
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
	for i := range r.values {
		if name := r.values[i].Column; !slices.Contains(has, name) {
			return name
		}
	}
	return ""
}

// namesakes returns the masked columns that were released under other names, but whose own name a
// column of a part has.
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

// otherParts returns the columns of structs that do not have the fields of intervals in a part of
// the release.
func (r *rules) otherParts(file *release.File) (names []string) {
	for _, c := range r.cut.Columns {
		if c.Render == job.RenderInterval &&
			!slices.Equal(file.Parts(c.Name), []string{"lower", "upper", "closed"}) {
			names = append(names, c.Name)
		}
	}
	return names
}

// rendered reports whether a column of a set is released as numbers instead of labels. Then
// different labels may look the same, and groups may be larger than the cut claims.
func (r *rules) rendered(set cutfile.Set) bool {
	return slices.ContainsFunc(r.cut.Columns, func(c cutfile.Column) bool {
		return c.Render != "" && slices.Contains(set.Columns, c.Name)
	})
}

// columnCheck has the values that a released column may hold, by the cut alone.
type columnCheck struct {
	name    string
	part    string // the field, in a column of structs
	fits    func(formats.Type) bool
	labels  []labelForm          // in the order of the cut, the mark of a suppressed value last
	numbers map[labelForm]uint32 // by form, from 0 on
	// Any pseudonym of the form is accepted, and all have the same number: the column is kept.
	pseudonyms bool
	form       string
}

// labelForm is the form of a label of the cut in a released column.
type labelForm struct {
	text string
	null bool
	none bool // the row has no struct
}

// numberOf returns the number of the cut's label at a position.
func (c *columnCheck) numberOf(label uint32) uint32 { return c.numbers[c.labels[label]] }

// numberOfNone returns the number of a row without a struct.
func (c *columnCheck) numberOfNone() (uint32, bool) {
	n, ok := c.numbers[labelForm{none: true}]
	return n, ok
}

// checksOf returns the checks of the columns that a masked column becomes in a release.
func checksOf(c *cutfile.Column) []columnCheck {
	lower := func(l cutfile.Label) labelForm { return formOfEnd(l.Lower) }
	upper := func(l cutfile.Label) labelForm { return formOfEnd(l.Upper) }
	switch c.Render {
	case job.RenderBounds:
		return []columnCheck{
			newCheck(c, c.Name+"_lower", "", lower), newCheck(c, c.Name+"_upper", "", upper),
		}
	case job.RenderInterval:
		closed := newCheck(c, c.Name, "closed", formOfClosed)
		closed.fits = isText
		return []columnCheck{
			newCheck(c, c.Name, "lower", lower), newCheck(c, c.Name, "upper", upper), closed,
		}
	}
	label := func(l cutfile.Label) labelForm { return labelForm{text: l.Label, null: l.Null} }
	return []columnCheck{newCheck(c, c.Name, "", label)}
}

// newCheck returns the check of a column, or of a field of its structs. The form of each label is
// given. In a column of numbers, the mark of suppressed values is null. In structs, null and the
// mark have no struct.
func newCheck(
	c *cutfile.Column, name, part string, formOf func(cutfile.Label) labelForm,
) columnCheck {
	check := columnCheck{name: name, part: part, fits: isText, numbers: make(map[labelForm]uint32)}
	if c.Render != "" {
		check.fits = isNumber
	}
	add := func(l labelForm) {
		if check.labels = append(check.labels, l); !check.has(l) {
			check.numbers[l] = uint32(len(check.numbers))
		}
	}
	for _, label := range c.Cut {
		if label.Null && part != "" {
			add(labelForm{none: true})
		} else {
			add(formOf(label))
		}
	}
	switch {
	case c.Suppressed == "":
	case c.Render == "":
		add(labelForm{text: c.Suppressed})
	default:
		add(labelForm{null: part == "", none: part != ""})
	}
	return check
}

func (c *columnCheck) has(l labelForm) bool {
	_, has := c.numbers[l]
	return has
}

// isText reports whether a column of a type is released as labels.
func isText(t formats.Type) bool { return t.Kind == formats.String }

// isNumber reports whether a column of a type is released as numbers. It may have no values.
func isNumber(t formats.Type) bool { return t.Ordered() || t.Kind == formats.Null }

// formOfEnd returns the form of an interval's end. An open end is null.
func formOfEnd(end json.RawMessage) labelForm {
	text, ok := cutfile.EndText(end)
	return labelForm{text: text, null: !ok}
}

// formOfClosed returns the ends that belong to an interval.
func formOfClosed(l cutfile.Label) labelForm {
	if l.Ends().Closed() {
		return labelForm{text: "both"}
	}
	return labelForm{text: "left"}
}

// number returns the number of a released text or of null, and whether the cut accepts it. Texts
// that it does not accept have number 0.
func (c *columnCheck) number(text string, null bool) (uint32, bool) {
	if c.pseudonyms {
		return 0, null || pseudonym.Makes(c.form, text)
	}
	l := labelForm{text: text}
	if null {
		l = labelForm{null: true}
	}
	n, ok := c.numbers[l]
	return n, ok
}

// below returns a number larger than all numbers.
func (c *columnCheck) below() uint64 { return max(uint64(len(c.numbers)), 1) }

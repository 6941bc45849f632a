package domain

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Refined reports whether the cut that was found for a column of a job tells more of some value than
// this earlier cut does: whether there is one whose earlier label does not lead to its label now. Where
// that cannot be told it is so: without an earlier cut of the column, with another mask, or when that
// is no cut of the job's taxonomy, of the column's type or within its declared bounds. What covers
// everything tells nothing.
//
// Labels mean what the job's taxonomy says, unless it is known that other leaves lay under them. Earlier labels that have nothing to do with any label of
// now, and the other way round, are of values that only one of the two inputs has.
func (g *Cut) Refined(spec *job.Column, found *cutfile.Column, t formats.Type, taxonomy job.Taxonomy, budget *spill.Budget) (bool, error) {
	all, err := coversAll(found, taxonomy)
	if err != nil {
		return true, Untreed(spec, err)
	}
	earlier := g.columnOf(spec.Name)
	if all || earlier == nil || earlier.Mask != found.Mask {
		return !all, nil
	}
	l, err := g.labeler(spec, earlier, t, taxonomy, budget)
	if err != nil {
		if fault.ClassOf(err) == fault.Usage { // it does not fit the job
			err = nil
		}
		return true, err
	}
	was, now := newLabelSpace(earlier), newLabelSpace(found)
	switch l := l.(type) {
	case *spans:
		lone := l.n == 1 && !(was.hasNull && now.n == 1) // a single interval covers the null, too, unless that is beside it
		return lone || l.parts(found), nil
	case *members:
		return l.all || l.parts(now.texts(), taxonomy) || g.MovedLabels(spec.Name, taxonomy) > 0, nil
	}
	return now.hasNull && !was.hasNull || len(missing(now.texts(), was.texts())) > 0, nil
}

// coversAll reports whether a column has one label for all values, nulls too.
func coversAll(column *cutfile.Column, taxonomy job.Taxonomy) (bool, error) {
	switch {
	case column.Mask == job.MaskSuppress:
		return len(column.Cut) == 0, nil
	case len(column.Cut) != 1 || column.Cut[0].Null:
		return false, nil
	case column.Mask == job.MaskDiscretize:
		return true, nil
	}
	generator, err := job.GeneratorOf(taxonomy)
	return err == nil && engine.Ancestry(generator, "")[0] == column.Cut[0].Label, err
}

// missing returns the texts that others lack.
func missing(texts, others []string) []string {
	has := make(map[string]bool, len(others))
	for _, text := range others {
		has[text] = true
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return has[text] })
}

// parts reports whether intervals of another cut of the column have an end within one of these.
func (s *spans) parts(other *cutfile.Column) bool {
	var ends, starts []string
	for i, label := range slices.DeleteFunc(slices.Clone(other.Cut), func(l cutfile.Label) bool { return l.Null }) {
		if lower, _ := cutfile.EndText(label.Lower); i > 0 {
			ends = append(ends, lower)
		}
	}
	for i := range s.starts.Len() {
		starts = append(starts, s.starts.Text(i))
	}
	return len(missing(ends, starts)) > 0
}

// parts reports whether some nodes, of which none is above another, are below one of these labels.
func (m *members) parts(nodes []string, taxonomy job.Taxonomy) bool {
	is, above := make(map[string]bool), make(map[string]bool)
	for _, node := range nodes {
		is[node] = true
		for _, name := range engine.Ancestry(m.generator, node) {
			above[name] = above[name] || name != node
		}
	}
	nodes = slices.Sorted(slices.Values(nodes))
	return slices.ContainsFunc(m.texts(), func(label string) bool {
		covered := slices.ContainsFunc(engine.Ancestry(m.generator, label), func(name string) bool { return is[name] })
		return !covered && (above[label] || begins(label, nodes, taxonomy))
	})
}

// begins reports whether a label is above one of some nodes, which are sorted, by its name alone: the
// generator may have had prefixes of other lengths, or days, when the label was made.
func begins(label string, nodes []string, taxonomy job.Taxonomy) bool {
	stem, starred := strings.CutSuffix(label, "*")
	if !(starred && taxonomy.Prefix != nil || taxonomy.Date != nil || taxonomy.USDate != nil) {
		return false
	}
	i, _ := slices.BinarySearch(nodes, stem)
	return slices.ContainsFunc(nodes[i:min(i+2, len(nodes))], func(node string) bool { // the value that is the stem comes first
		return len(node) > len(stem) && strings.HasPrefix(node, stem)
	})
}

// HasRegions reports whether this cut has every region of another one, but for that of suppressed
// records: the same labels of the same columns, masked in the same way.
func (g *Cut) HasRegions(of *cutfile.File) bool {
	if g.Kind != cutfile.KindRegions || of.Kind != cutfile.KindRegions || len(g.Columns) != len(of.Columns) {
		return false
	}
	const none = ^uint32(0)
	positions := make([][]uint32, len(of.Columns)) // here, of the other's labels; the mark is the last
	order := make([]int, len(of.Columns))          // of its columns here
	for a := range of.Columns {
		is := &of.Columns[a]
		order[a] = slices.IndexFunc(g.Columns, func(c cutfile.Column) bool { return c.Name == is.Name && c.Mask == is.Mask })
		if order[a] < 0 {
			return false
		}
		here := make(map[string]uint32)
		was := &g.Columns[order[a]]
		for i, label := range was.Cut {
			here[keyOf(label)] = uint32(i)
		}
		for _, label := range is.Cut {
			position, ok := here[keyOf(label)]
			if !ok {
				position = none
			}
			positions[a] = append(positions[a], position)
		}
		positions[a] = append(positions[a], uint32(len(was.Cut)))
	}
	known := make(map[string]bool, len(g.Regions))
	var key []byte
	for _, region := range g.Regions {
		key = key[:0]
		for _, at := range order {
			key = binary.LittleEndian.AppendUint32(key, region[at])
		}
		known[string(key)] = true
	}
	return !slices.ContainsFunc(of.Regions, func(region cutfile.Region) bool {
		key = key[:0]
		marks := true
		for a, label := range region {
			key = binary.LittleEndian.AppendUint32(key, positions[a][label])
			marks = marks && int(label) == len(of.Columns[a].Cut)
		}
		return !marks && !known[string(key)]
	})
}

// keyOf tells labels of a column apart.
func keyOf(label cutfile.Label) string {
	if label.Null {
		return ""
	}
	return "=" + label.Label
}

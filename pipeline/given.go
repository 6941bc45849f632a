package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// given is the cut of an earlier release, which a run takes as it is or stays above.
type given struct {
	*cutfile.File
	path    string
	columns []*cutfile.Column // by attribute
}

// readGiven reads the cut of an earlier release, or of a file that holds its JSON alone.
func readGiven(path string) (*given, error) {
	cut, err := cutfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read the earlier cut: %w", err)
	}
	return &given{File: cut, path: path}, nil
}

// identifyGiven writes down what bounds the job beside itself: an earlier cut, and what
// happens when that does not hold.
func (r *run) identifyGiven(w io.Writer) error {
	if r.given == nil {
		return nil
	}
	if reuse := r.opt.reuse; reuse != nil {
		fmt.Fprintf(w, "apply %s %+v ", reuse.OnBreak, reuse.MaxSuppressed)
	}
	return json.NewEncoder(w).Encode(r.given.File)
}

// misfit is the error of a cut that does not fit the job.
func (g *given) misfit(format string, args ...any) error {
	return &fault.Error{
		Class: fault.Usage,
		Hint:  "name a release of this job, or run the job anew",
		Err:   fmt.Errorf("fit the cut of %s to the job: %w", g.path, fmt.Errorf(format, args...)),
	}
}

// bind finds the cut of every masked column. Columns and masks must be the same, and every
// set of the cut must be within one of the job: else the job would demand less than what
// was released before.
func (g *given) bind(job *jobfile.Job, p *prepared) error {
	g.columns = nil
	for _, field := range p.masked {
		spec := p.specs[field]
		i := slices.IndexFunc(g.Columns, func(c cutfile.Column) bool { return c.Name == spec.Name })
		switch {
		case i < 0:
			return g.misfit("column %s: the cut lacks it", spec.Name)
		case g.Columns[i].Mask != spec.Mask:
			return g.misfit("column %s: the cut has mask %s, the job %s", spec.Name, g.Columns[i].Mask, spec.Mask)
		}
		g.columns = append(g.columns, &g.Columns[i])
	}
	for i := range g.Columns {
		if !slices.Contains(g.columns, &g.Columns[i]) {
			return g.misfit("column %s: the job does not mask it", g.Columns[i].Name)
		}
	}
	for i, set := range g.Sets {
		if !slices.ContainsFunc(job.Sets, func(s jobfile.Set) bool { return includes(s.Columns, set.Columns) }) {
			return g.misfit("quasi-identifier set %d of the cut is within none of the job's", i+1)
		}
	}
	return nil
}

// includes reports whether all of some names are there.
func includes(names, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(names, name) })
}

// labelers returns the coders of all attributes. What they learn is drawn from the budget.
func (g *given) labelers(r *run, budget *spill.Budget) (labelers []labeler, err error) {
	fields := r.dataset.Schema().Fields
	for a, field := range r.prepared.masked {
		spec, column := r.prepared.specs[field], g.columns[a]
		var l labeler
		switch {
		case g.Kind == cutfile.KindRegions:
			l, err = g.cover(spec, column, fields[field].Type, r.taxonomies[spec.Name], budget)
		case spec.Mask == jobfile.MaskGeneralize:
			l, err = g.members(spec, column, r.taxonomies[spec.Name], budget)
		case spec.Mask == jobfile.MaskDiscretize:
			l, err = g.spans(spec, column, fields[field].Type)
		default:
			l = newDisclosure(column)
		}
		if err != nil {
			return nil, err
		}
		labelers = append(labelers, l)
	}
	return labelers, nil
}

// spans checks that the intervals lie one behind the other, and takes up all there is.
func (g *given) spans(spec *jobfile.Column, column *cutfile.Column, t formats.Type) (*spans, error) {
	s := &spans{labelSpace: newLabelSpace(column), starts: formats.Values{Type: t}}
	intervals := s.intervals()
	if len(intervals) != s.n || s.n == 0 {
		return nil, g.misfit("column %s: its labels are no intervals", spec.Name)
	}
	for i, interval := range intervals {
		lower, closed := cutfile.EndText(interval.Lower)
		upper, bounded := cutfile.EndText(interval.Upper)
		if i > 0 && (!closed || s.starts.Parse(lower) != nil || s.starts.Len() > 1 && coding.CompareValues(&s.starts, i-2, &s.starts, i-1) >= 0) ||
			i < s.n-1 && (!bounded || string(interval.Upper) != string(intervals[i+1].Lower)) {
			return nil, g.misfit("column %s: its intervals are no cut of a column of type %s", spec.Name, t)
		}
		var err error
		if i == 0 {
			if s.Lower, err = g.end(spec, t, spec.Bounds.Lower, lower); err != nil {
				return nil, err
			}
		}
		if i == s.n-1 {
			if s.Upper, err = g.end(spec, t, spec.Bounds.Upper, upper); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// end returns an end of the number line: what the job declares or the cut has. If both say
// something, they must say the same.
func (g *given) end(spec *jobfile.Column, t formats.Type, declared, of string) (*formats.Values, error) {
	bound, err := coding.ParseBound(spec, t, cmp.Or(declared, of))
	if err != nil || bound == nil || declared == "" || of == "" {
		return bound, err
	}
	other := &formats.Values{Type: t}
	if other.Parse(of) != nil || coding.CompareValues(bound, 0, other, 0) != 0 {
		return nil, g.misfit("column %s: the job declares other bounds", spec.Name)
	}
	return bound, nil
}

// members checks that the labels are a cut of the column's taxonomy.
func (g *given) members(spec *jobfile.Column, column *cutfile.Column, t jobfile.Taxonomy, budget *spill.Budget) (*members, error) {
	m := &members{labelSpace: newLabelSpace(column)}
	if spec.Unknown == jobfile.UnknownRoot {
		m.unknown = &novelties{column: spec.Name, budget: budget}
	}
	if t.Tree != nil {
		return m, g.cutTree(m, spec, t)
	}
	generator, err := jobfile.GeneratorOf(t)
	if err != nil {
		return nil, coding.Untreed(spec, err)
	}
	labels := m.texts()
	if slices.ContainsFunc(labels, func(label string) bool { return !engine.Takes(generator, label) }) {
		return nil, g.misfit("column %s: its taxonomy has no nodes like the cut's", spec.Name)
	}
	var nested bool
	if m.finder, nested = engine.NewCutFinder(generator, labels); nested || len(labels) == 0 {
		return nil, g.misfit("column %s: its labels do not make a cut of its taxonomy", spec.Name)
	}
	return m, nil
}

// cutTree finds the labels in a given tree. Those that it lacks were unknown values before,
// where the column takes such.
func (g *given) cutTree(m *members, spec *jobfile.Column, t jobfile.Taxonomy) error {
	tree, err := engine.NewTree(jobfile.TreeOf(t.Tree))
	if err != nil {
		return coding.Untreed(spec, err)
	}
	m.tree, m.isLabel, m.added = tree, make([]bool, tree.Len()), make(map[string]uint32)
	m.label = make([]uint32, len(tree.Leaves()))
	covered := 0
	for i, text := range m.texts() {
		n, ok := tree.Node(text)
		if !ok {
			m.added[text] = uint32(i)
			continue
		}
		m.isLabel[n] = true
		lo, hi := tree.Range(n)
		covered += hi - lo
		for leaf := lo; leaf < hi; leaf++ {
			m.label[leaf] = uint32(i)
		}
	}
	if len(m.added) > 0 && m.unknown == nil {
		return g.misfit("column %s: its taxonomy lacks %d nodes of the cut", spec.Name, len(m.added))
	}
	for leaf, label := range m.label {
		n, _ := tree.Node(m.column.Cut[label].Label)
		if lo, hi := tree.Range(n); !m.isLabel[n] || leaf < lo || leaf >= hi || covered != len(m.label) {
			return g.misfit("column %s: its labels do not make a cut of its taxonomy", spec.Name)
		}
	}
	if m.isLabel[0] && m.n > 1 {
		return g.misfit("column %s: its labels do not make a cut of its taxonomy", spec.Name)
	}
	return nil
}

package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/text"
)

// Sensitive is a requirement on a kept column's values among the records of every equivalence class
// of every set. It has at least one measure: a measure is set if its field is not zero. Cuts
// contain its JSON.
type Sensitive struct {
	Column        string   `key:"column" json:"column" opt:"required"`
	L             int      `key:"l" json:"l,omitempty" range:"[2,2147483648]"`
	Nulls         string   `key:"nulls" json:"nulls,omitempty" enum:"count"`
	C             float64  `key:"c" json:"c,omitempty" range:"(0,)"`
	EntropyL      float64  `key:"entropy_l" json:"entropy_l,omitempty" range:"(1,)"`
	MaxConfidence *Shares  `key:"max_confidence" json:"max_confidence,omitempty" range:"(0,1)"`
	T             *float64 `key:"t" json:"t,omitempty" range:"[0,1)"`
	TOrdered      *float64 `key:"t_ordered" json:"t_ordered,omitempty" range:"[0,1)"`
	THierarchical *float64 `key:"t_hierarchical" json:"t_hierarchical,omitempty" range:"[0,1)"`
	Taxonomy      Taxonomy `key:"taxonomy" json:"taxonomy,omitzero"` // of THierarchical, a tree
	BasicBeta     float64  `key:"basic_beta" json:"basic_beta,omitempty" range:"(0,)"`
	EnhancedBeta  float64  `key:"enhanced_beta" json:"enhanced_beta,omitempty" range:"(0,)"`
	Delta         float64  `key:"delta" json:"delta,omitempty" range:"(0,)"`
}

// Limits returns the limits of all measures that are set, in the order of engine.Measures: the
// field of a measure has its key.
func (s *Sensitive) Limits() (limits []engine.Limit) {
	for _, m := range engine.Measures {
		l := engine.Limit{Measure: m, CountsNull: s.Nulls == NullsCount}
		if m == engine.RecursiveC {
			l.L = s.L
		}
		v := reflect.ValueOf(s).Elem().Field(fieldAt("sensitive[]." + m.Key).index)
		if v.IsZero() {
			continue
		}
		switch bound := reflect.Indirect(v).Interface().(type) {
		case int:
			l.Bound = float64(bound)
		case float64:
			l.Bound = bound
		case Shares:
			l.Bound, l.Of = bound.Every, bound.Of
		}
		limits = append(limits, l)
	}
	return limits
}

// Relative returns the key of a measure that compares classes with the whole table; empty: no such
// measure is set.
func (s *Sensitive) Relative() string {
	for _, l := range s.Limits() {
		if l.Relative {
			return l.Key
		}
	}
	return ""
}

// Demands reports whether there is a limit, and all limits are allowed in a job: a limit that every
// class meets, or none does, is not.
func (s *Sensitive) Demands() bool {
	limits := s.Limits()
	for _, l := range limits {
		bounds := []float64{l.Bound}
		if l.Of != nil {
			bounds = slices.Collect(maps.Values(l.Of))
		}
		of := fieldAt("sensitive[]." + l.Key)
		lacks := l.Measure == engine.RecursiveC && s.L == 0 || l.Given && s.Taxonomy.Tree == nil
		if len(bounds) == 0 || lacks ||
			slices.ContainsFunc(bounds, func(bound float64) bool { return !of.within(bound) }) {
			return false
		}
	}
	return len(limits) > 0
}

// String returns the column and its limits with the job's keys.
func (s Sensitive) String() string {
	var words []string
	for _, l := range s.Limits() {
		if l.Of == nil {
			words = append(words, l.Key+" "+textOf(reflect.ValueOf(l.Bound)))
		}
		for _, value := range slices.Sorted(maps.Keys(l.Of)) {
			words = append(words,
				fmt.Sprintf("%s of %q %s", l.Key, value, textOf(reflect.ValueOf(l.Of[value]))))
		}
		if l.Measure == engine.DistinctL && s.Nulls != "" {
			words = append(words, "nulls "+s.Nulls)
		}
	}
	return s.Column + ": " + strings.Join(words, ", ")
}

// Shares are the largest shares that values may have among the records of an equivalence class,
// above 0 and below 1.
type Shares struct {
	Every float64            // of every value, if Of is nil
	Of    map[string]float64 // of single values by their texts; other values may have any share
}

// MarshalJSON writes a number or, for single values, an object.
func (s Shares) MarshalJSON() ([]byte, error) {
	if s.Of == nil {
		return json.Marshal(s.Every)
	}
	return text.JSON(s.Of)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (s *Shares) UnmarshalJSON(data []byte) error {
	*s = Shares{}
	if data[0] == '{' {
		return json.Unmarshal(data, &s.Of)
	}
	return json.Unmarshal(data, &s.Every)
}

// role is a column that a key of the job names, for a purpose that requires a mask.
type role struct {
	what, name string // "entity column", and the name of the column
	path       string // path of the key
	mask       string // keep or drop
	masked     string // the path at which a wrong mask is reported
	why        string
}

// roles returns the columns that have a role.
func (j *Job) roles() []role {
	of := func(name string) string { return columnPath(name) + ".mask" }
	all := []role{
		{"class column", j.Class, "class", MaskKeep, of(j.Class),
			"a model is to predict it from the release"},
		{"entity column", j.Entity, "entity", MaskDrop, of(j.Entity),
			"it is read to tell whose a record is, and not released"},
		{"column of counts", j.Count, "count", MaskDrop, of(j.Count),
			"it says how many records a row stands for, and needs no entry"},
		{"column of weights", j.Weight, "weight_of_row", MaskDrop, of(j.Weight),
			"it is read to measure risks, and not released"},
		{"column of households", j.Household, "household", MaskDrop, of(j.Household),
			"it is read to measure risks, and not released"},
	}
	for i, s := range j.Sensitive {
		path := itemPath("sensitive", i) + ".column"
		all = append(all, role{"sensitive column", s.Column, path, MaskKeep, path,
			"what is masked or dropped is protected so"})
	}
	return slices.DeleteFunc(all, func(r role) bool { return r.name == "" })
}

// roleRules checks that a column with a role is released unchanged, or not at all, and then has no
// other role. An entity may be released as pseudonyms, also as those that look real.
func (r *reader) roleRules() {
	roles := r.roles()
	for _, c := range roles {
		at := slices.IndexFunc(roles,
			func(o role) bool { return o.name == c.name && o.what != c.what })
		inSet := slices.ContainsFunc(r.Sets, func(s Set) bool {
			return slices.Contains(s.Names(), c.name)
		})
		hint := fmt.Sprintf("as in: %s: %s; %s", Quoted(c.name), c.mask, c.why)
		switch spec := r.Column(c.name); {
		case c.mask == MaskDrop && at >= 0:
			r.add(c.path, hint, "the %s %q is the %s, too", c.what, c.name, roles[at].what)
		case c.mask == MaskDrop && inSet:
			r.add(c.path, hint, "the %s %q is in a set", c.what, c.name)
		// Unlisted is the name of a mask, too.
		case spec == nil && c.path != "count" && r.hasColumns() && r.Unlisted != c.mask:
			near := cmp.Or(text.DidYouMean(c.name, r.columnNames()), hint)
			r.add(c.path, near, "the %s %q has no entry in columns", c.what, c.name)
		case spec != nil && slices.Contains(keyed, spec.Mask) && c.path == "entity":
		case spec != nil && spec.Mask != "" && spec.Mask != c.mask:
			r.add(c.masked, hint,
				"the %s %q must have mask %s: its mask is %s", c.what, c.name, c.mask, spec.Mask)
		}
	}
}

// weightRules checks that the rows, which have weights or households, are read, and that those with
// weights are what k counts.
func (r *reader) weightRules() {
	if r.Household != "" && len(r.InputCounts) > 0 {
		r.add("household", "leave it out", "household takes rows, and the job has counts")
	}
	switch {
	case r.Weight == "":
	case r.Entity != "":
		r.add("weight_of_row", "leave out one of them",
			"weight_of_row has the weights of rows, and entity counts people")
	case len(r.InputCounts) > 0:
		r.add("weight_of_row", "leave it out", "weight_of_row takes rows, and the job has counts")
	}
}

// sensitiveRules checks that every sensitive column is there once, with measures that are
// compatible with the rest of the job.
func (r *reader) sensitiveRules() {
	for i := range r.Sensitive {
		s, path := &r.Sensitive[i], itemPath("sensitive", i)
		r.measureRules(s, path)
		same := func(o Sensitive) bool { return o.Column == s.Column }
		if s.Column != "" && slices.ContainsFunc(r.Sensitive[:i], same) {
			r.add(path+".column", "one entry has all measures of a column",
				"column %q is sensitive twice", s.Column)
		}
	}
	if r.Algorithm.Partitioning == PartitioningRelaxed && (r.Entity != "" || len(r.Sensitive) > 0) {
		r.add("algorithm.partitioning", "partitioning: strict",
			"relaxed partitioning can do neither entity nor sensitive: it parts records that are "+
				"alike")
	}
}

// measureRules checks that a sensitive column has a measure, and that each measure is compatible
// with the algorithm and with suppression.
func (r *reader) measureRules(s *Sensitive, path string) {
	r.treeRules(s, path)
	asked, limits := 0, s.Limits()
	for _, m := range engine.Measures {
		at := path + "." + m.Key
		given := slices.ContainsFunc(limits, func(l engine.Limit) bool { return l.Measure == m })
		if given || r.rejected(at) {
			asked++
		}
		if given && !m.Suppressible && r.MaxSuppressed != (Quota{}) {
			r.add(at, "leave max_suppressed out, or ask for l alone",
				"%s does not go with max_suppressed: taking records away can break it", m.Key)
		}
		if a := r.Algorithm; given && m.Relative && a.Name == AlgorithmKACTUS &&
			a.Leftover != LeftoverRecruit && !r.rejected("algorithm.leftover") {
			r.add(at, "algorithm: {name: kactus, leftover: recruit}", "%s does not go with "+
				"leftover: drop: what is left out changes the whole that %[1]s compares with",
				m.Key)
		}
	}
	for _, with := range []struct {
		key   string
		given bool
	}{{"nulls", s.Nulls != ""}, {"c", s.C != 0}} {
		if with.given && s.L == 0 && !r.rejected(path+".l") {
			r.add(path+"."+with.key, "add l", "%s is given without l", with.key)
		}
	}
	if asked == 0 && !r.rejected(path) {
		keys := measureKeys()
		last := len(keys) - 1
		r.add(path, "add "+strings.Join(keys[:last], ", ")+" or "+keys[last],
			"a sensitive column without a measure")
	}
}

// treeRules checks that a sensitive column has a tree if a measure needs it, and only then.
func (r *reader) treeRules(s *Sensitive, path string) {
	t, at := s.Taxonomy, path+".taxonomy"
	named, known := r.Taxonomies[t.Name]
	const hint = "as in: taxonomy: NAME, with a file or a tree of that name under taxonomies"
	switch given := t.Name != "" || t.Tree != nil || t.Generated(); {
	case r.rejected(at) || r.rejected(path+".t_hierarchical"):
	case s.THierarchical == nil && given:
		r.add(at, "add t_hierarchical", "taxonomy is given without t_hierarchical")
	case s.THierarchical == nil:
	case s.TOrdered != nil:
		r.add(path+".t_hierarchical", "leave one of them out",
			"t_ordered and t_hierarchical are two distances of the same values")
	case !given:
		r.add(path+".t_hierarchical", hint, "t_hierarchical is given without taxonomy")
	case t.Generated() || named.Generated():
		r.add(at, "list the values, or put a hierarchy of them into a file",
			"the taxonomy of t_hierarchical must be a tree")
	case t.Name != "" && !known && r.TaxonomyFile == "" && !r.rejected("taxonomies"):
		r.add(at, cmp.Or(text.DidYouMean(t.Name, slices.Sorted(maps.Keys(r.Taxonomies))), hint),
			"no taxonomy named %q", t.Name)
	}
}

// measureKeys returns the keys of all measures.
func measureKeys() (keys []string) {
	for _, m := range engine.Measures {
		keys = append(keys, m.Key)
	}
	return keys
}

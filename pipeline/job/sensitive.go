package job

import (
	"cmp"
	"fmt"
	"slices"
)

// role is a column that a key of the job names, for something that asks for a mask.
type role struct {
	what, name string // "entity column"
	path       string // of the key
	mask       string // keep or drop
	masked     string // the path at which another mask is reported
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
	}
	for i, s := range j.Sensitive {
		path := itemPath("sensitive", i) + ".column"
		all = append(all, role{"sensitive column", s.Column, path, MaskKeep, path,
			"what is masked or dropped is protected so"})
	}
	return slices.DeleteFunc(all, func(r role) bool { return r.name == "" })
}

// roleRules: a column with a role is released as it is, or not at all, and then has no other role.
func (r *reader) roleRules() {
	roles := r.roles()
	for _, c := range roles {
		at := slices.IndexFunc(roles, func(o role) bool { return o.name == c.name && o.what != c.what })
		inSet := slices.ContainsFunc(r.Sets, func(s Set) bool {
			return slices.Contains(s.Columns, c.name)
		})
		hint := fmt.Sprintf("as in: %s: %s; %s", Quoted(c.name), c.mask, c.why)
		switch spec := r.Column(c.name); {
		case c.mask == MaskDrop && at >= 0:
			r.add(c.path, hint, "the %s %q is the %s, too", c.what, c.name, roles[at].what)
		case c.mask == MaskDrop && inSet:
			r.add(c.path, hint, "the %s %q is in a set", c.what, c.name)
		case spec == nil && c.path != "count" && r.listed() && r.Unlisted != c.mask: // a mask, too
			near := cmp.Or(DidYouMean(c.name, r.columnNames()), hint)
			r.add(c.path, near, "the %s %q has no entry in columns", c.what, c.name)
		case spec != nil && spec.Mask != "" && spec.Mask != c.mask:
			r.add(c.masked, hint,
				"the %s %q must have mask %s: its mask is %s", c.what, c.name, c.mask, spec.Mask)
		}
	}
}

// sensitiveRules: every sensitive column is there once, and has measures that can hold beside what
// else the job asks for.
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
			"relaxed partitioning can do neither entity nor sensitive: it parts records that are alike")
	}
}

// measureRules: a sensitive column has a measure, and each goes with the algorithm and with what may be
// suppressed.
func (r *reader) measureRules(s *Sensitive, path string) {
	asked := 0
	for _, m := range []struct {
		key   string
		given bool
	}{
		{"l", s.L > 0}, {"entropy_l", s.EntropyL > 0}, {"max_confidence", s.MaxConfidence > 0 || len(s.Confidences) > 0}, {"t", s.T != nil},
	} {
		at := path + "." + m.key
		if !m.given {
			if r.rejected(at) {
				asked++
			}
			continue
		}
		asked++
		if m.key != "l" && r.MaxSuppressed != (Quota{}) {
			r.add(at, "leave max_suppressed out, or ask for l alone", "%s does not go with max_suppressed: taking records away can break it", m.key)
		}
		if a := r.Algorithm; m.key == "t" && a.Name == AlgorithmKACTUS && a.Leftover != LeftoverRecruit && !r.rejected("algorithm.leftover") {
			r.add(at, "algorithm: {name: kactus, leftover: recruit}", "t does not go with leftover: drop: what is left out changes the whole that t compares with")
		}
	}
	if s.Nulls != "" && s.L == 0 && !r.rejected(path+".l") {
		r.add(path+".nulls", "add l", "nulls is given without l")
	}
	if asked == 0 && !r.rejected(path) {
		r.add(path, "add l, entropy_l, max_confidence or t", "a sensitive column without a measure")
	}
	for i, c := range s.Confidences {
		if slices.ContainsFunc(s.Confidences[:i], func(before Confidence) bool { return before.Value == c.Value }) {
			r.add(path+".max_confidence", "", "max_confidence has value %q twice", c.Value)
		}
	}
}

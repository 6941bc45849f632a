package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// sensitiveEngines are the algorithms that see the values of sensitive columns, entityEngines those that count
// entities.
var (
	sensitiveEngines = []string{AlgorithmTDR, AlgorithmTDS, AlgorithmKACTUS, AlgorithmMondrian, AlgorithmInfoGainMondrian, AlgorithmGuided, AlgorithmAuto}
	entityEngines    = append(sensitiveEngines[:len(sensitiveEngines):len(sensitiveEngines)], AlgorithmIACk)
)

// entityRules: the entity column is read, and not released.
func (r *reader) entityRules() {
	name := r.Entity
	if name == "" {
		return
	}
	r.kindRules("entity", entityEngines)
	hint := fmt.Sprintf("as in: %s: drop; it is read to tell whose a record is, and not released", Quoted(name))
	switch spec := r.Column(name); {
	case name == r.Class:
		r.add("entity", "a column is either to be predicted or tells whose a record is", "the entity column %q is the class", name)
	case slices.ContainsFunc(r.Sensitive, func(s Sensitive) bool { return s.Column == name }):
		r.add("entity", "a sensitive column is kept, the entity dropped", "the entity column %q is sensitive", name)
	case slices.ContainsFunc(r.Sets, func(s Set) bool { return slices.Contains(s.Columns, name) }):
		r.add("entity", hint, "the entity column %q is in a set", name)
	case spec == nil && r.listed() && r.Unlisted != UnlistedDrop:
		r.add("entity", cmp.Or(DidYouMean(name, r.columnNames()), hint), "the entity column %q has no entry in columns", name)
	case spec != nil && spec.Mask != "" && spec.Mask != MaskDrop:
		r.add(columnPath(name)+".mask", hint, "the entity column %q must be dropped: its mask is %s", name, spec.Mask)
	}
}

// countRules: the column of counts is nothing else.
func (r *reader) countRules() {
	name := r.Count
	if name == "" {
		return
	}
	const hint = "it says how many records a row stands for, and is not released; it needs no entry in columns"
	switch spec := r.Column(name); {
	case name == r.Class, name == r.Entity, slices.ContainsFunc(r.Sensitive, func(s Sensitive) bool { return s.Column == name }):
		r.add("count", hint, "the column of counts %q has another role", name)
	case slices.ContainsFunc(r.Sets, func(s Set) bool { return slices.Contains(s.Columns, name) }):
		r.add("count", hint, "the column of counts %q is in a set", name)
	case spec != nil && spec.Mask != "" && spec.Mask != MaskDrop:
		r.add(columnPath(name)+".mask", hint, "the column of counts %q must be dropped: its mask is %s", name, spec.Mask)
	}
}

// sensitiveRules: every sensitive column is kept, is there once, and has measures that can hold beside
// what else the job asks for.
func (r *reader) sensitiveRules() {
	if len(r.Sensitive) > 0 {
		r.kindRules("sensitive", sensitiveEngines)
	}
	for i := range r.Sensitive {
		s, path := &r.Sensitive[i], itemPath("sensitive", i)
		r.measureRules(s, path)
		if s.Column == "" || r.rejected(path+".column") {
			continue
		}
		switch spec := r.Column(s.Column); {
		case slices.ContainsFunc(r.Sensitive[:i], func(o Sensitive) bool { return o.Column == s.Column }):
			r.add(path+".column", "one entry has all measures of a column", "column %q is sensitive twice", s.Column)
		case spec == nil && r.listed() && r.Unlisted != UnlistedKeep:
			r.add(path+".column", cmp.Or(DidYouMean(s.Column, r.columnNames()), "add it with the mask keep"), "the sensitive column %q has no entry in columns", s.Column)
		case spec != nil && spec.Mask != "" && spec.Mask != MaskKeep:
			r.add(path+".column", "keep it: what is masked or dropped is protected so", "the sensitive column %q must be kept: its mask is %s", s.Column, spec.Mask)
		}
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
	if s.MaxConfidence > 0 && len(s.Confidences) > 0 {
		r.add(path+".max_confidence", "", "max_confidence is given for every value and for single ones")
	}
}

// kindRules reports a key that the algorithm, or its options, cannot do. It is never left aside: it protects people.
func (r *reader) kindRules(key string, engines []string) {
	a := r.Algorithm
	if a.Name != "" && !slices.Contains(engines, a.Name) {
		r.add(key, "choose one of "+strings.Join(engines, ", "), "algorithm %s cannot do %s", a.Name, key)
	}
	if a.Partitioning == PartitioningRelaxed {
		r.add("algorithm.partitioning", "partitioning: strict", "relaxed partitioning cannot do %s: it parts records that are alike", key)
	}
}

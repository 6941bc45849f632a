package job

import (
	"cmp"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/text"
)

// Resolve checks the whole job, and returns a copy in which missing values have their defaults. All
// problems are reported together, as an *Error. Resolve opens no file.
func (j *Job) Resolve() (*Job, error) {
	r := &reader{Job: &Job{File: j.File, origins: j.origins}}
	r.origins.places = make(map[string]place)
	maps.Copy(r.origins.places, j.origins.places)
	return r.read(writer{Job: j}.tree(jobFields, "", reflect.ValueOf(j).Elem()))
}

// Validate reports the same problems with the job as Resolve.
func (j *Job) Validate() error {
	_, err := j.Resolve()
	return err
}

func (r *reader) add(path, hint, format string, args ...any) {
	r.problems = append(r.problems, r.origins.problem(path, hint, format, args...))
}

// reject reports a problem with a value, which is then left out. Rules that need it report nothing.
func (r *reader) reject(path, hint, format string, args ...any) {
	r.add(path, hint, format, args...)
	r.origins.reject(path)
}

// has reports whether there is a value at a path, and it is not wrong.
func (r *reader) has(path string) bool {
	at, found := r.origins.places[path]
	return found && !at.rejected
}

// rejected reports whether the value at a path was wrong.
func (r *reader) rejected(path string) bool { return r.origins.places[path].rejected }

// rules checks the parts of a job against each other. Wrong values are missing here, and rules that
// need them report nothing.
func (r *reader) rules() {
	for i := range r.Sets {
		path := itemPath("quasi_identifiers", i)
		r.setRules(&r.Sets[i].Columns, path+".columns")
		r.setRules(&r.Sets[i].Of, path+".of")
	}
	r.subsetRules()
	seen := make(map[string]bool, len(r.Columns))
	for i := range r.Columns {
		if name := r.Columns[i].Name; seen[name] {
			r.add(columnPath(name), "", "column %q is there twice", name)
		} else {
			seen[name] = true
			r.columnRules(i)
		}
	}
	r.classRules()
	r.roleRules()
	r.firstRules()
	r.cutsRules()
	r.countedRules()
	r.weightRules()
	r.sensitiveRules()
	r.populationRules()
	r.estimateRules()
	r.outputRules()
	r.csvRules()
	for i := range r.Columns {
		if spec := &r.Columns[i]; spec.Mask == MaskReplace { // it is a pseudonym with a form
			spec.Mask = MaskPseudonym
		}
	}
}

// setRules replaces AllColumns in the columns of a set, and checks them.
func (r *reader) setRules(columns *[]string, path string) {
	if slices.Equal(*columns, []string{AllColumns}) && r.hasColumns() {
		if *columns = r.maskedNames(); len(*columns) == 0 {
			r.add(path, "", "all stands for all masked columns, and none is masked")
		}
	}
	r.maskedRules(*columns, path, "a set")
}

// classified are the algorithms that need a class: they use its frequencies.
var classified = []string{AlgorithmBottomUp, AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc,
	AlgorithmInfoGainMondrian, AlgorithmGuided}

// regional are the algorithms that choose the labels of several columns together. Their cuts have
// regions, which are new for every input: two inputs have the same ones only by chance.
var regional = []string{AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc, AlgorithmMondrian,
	AlgorithmInfoGainMondrian, AlgorithmGuided}

// MakesRegions reports whether the cuts of an algorithm have regions.
func MakesRegions(algorithm string) bool { return slices.Contains(regional, algorithm) }

// MakesCuts reports whether an algorithm makes cuts, and does not only choose another one.
func MakesCuts(algorithm string) bool {
	return slices.Contains(algorithms, algorithm) && algorithm != AlgorithmAuto
}

// hasColumns reports whether the columns of the job are known.
func (r *reader) hasColumns() bool { return !r.rejected("columns") && len(r.Columns) > 0 }

// maskedNames returns the names of the masked columns.
func (r *reader) maskedNames() (names []string) {
	for i := range r.Columns {
		if r.Columns[i].Masked() {
			names = append(names, r.Columns[i].Name)
		}
	}
	return names
}

// maskedRules checks that every column of a list is there once, and is masked.
func (r *reader) maskedRules(names []string, path, list string) {
	for i, name := range names {
		at := itemPath(path, i)
		switch spec := r.Column(name); {
		case slices.Contains(names[:i], name):
			r.add(at, "", "column %q is twice in %s", name, list)
		case name == r.Class:
			r.add(at, "a column is either to be predicted or a quasi-identifier",
				"the class column %q is in %s", name, list)
		case spec == nil && r.hasColumns():
			hint := text.DidYouMean(name, r.columnNames())
			if name == "all" {
				hint = "columns: all stands alone, for all masked columns"
			}
			r.add(at, hint, "column %q is in %s and has no entry in columns", name, list)
		case spec != nil && spec.Mask != "" && !spec.Masked():
			last := len(labeling) - 1
			r.add(at, "use "+strings.Join(labeling[:last], ", ")+" or "+labeling[last],
				"column %q is in %s and not masked: its mask is %s", name, list, spec.Mask)
		}
	}
}

// cutsRules checks that the tightest cuts have tight labels of columns in an order, and part no
// equal records.
func (r *reader) cutsRules() {
	a := &r.Algorithm
	if a.Cuts != CutsTightest || a.RegionLabels == RegionLabelsTight &&
		a.Categories == CategoriesOrdered && a.Partitioning != PartitioningRelaxed {
		return
	}
	r.add("algorithm.cuts", "region_labels: tight, categories: ordered and partitioning: strict",
		"cuts: tightest needs tight labels, ordered categories and strict partitioning")
}

// firstRules checks that the columns to cut first have entries. Those that are not masked do not
// matter.
func (r *reader) firstRules() {
	for i, name := range r.Algorithm.First {
		if r.Column(name) == nil && r.hasColumns() {
			r.add(itemPath("algorithm.first", i), text.DidYouMean(name, r.columnNames()),
				"column %q is in first and has no entry in columns", name)
		}
	}
}

// columnRules checks that a masked column has a name, is in a set, and has a taxonomy if it needs
// one.
func (r *reader) columnRules(i int) {
	spec, path := &r.Columns[i], columnPath(r.Columns[i].Name)
	if spec.Name == "" && spec.Masked() {
		r.add(path+":", "name it where it comes from",
			"a column without a name can only be dropped or kept")
		return
	}
	// A column counts as in a set if the sets, or the columns of a set, are not known.
	inSet := len(r.Sets) == 0 || slices.ContainsFunc(r.Sets, func(s Set) bool {
		return len(s.Names()) == 0 || slices.Contains(s.Names(), spec.Name)
	})
	if spec.Masked() && spec.Name != r.Class && !inSet {
		r.add(path+":", "add it to a set, or keep or drop it",
			"column %q is masked and in no quasi-identifier set", spec.Name)
	}
	for i, value := range spec.Order {
		if slices.Contains(spec.Order[:i], value) {
			r.add(itemPath(path+".order", i), "", "a value is twice in the order of column %q",
				spec.Name)
		}
	}
	r.limitRules(spec, path)
	if spec.Mask == MaskReplace && spec.With == "" && !r.rejected(path+".with") {
		r.add(path+":", "say what its values look like, as in with: name",
			"column %q is to be replaced, and nothing says with what", spec.Name)
	}
	if slices.Contains(keyed, spec.Mask) {
		r.keyRules(spec, path)
	}
	if spec.Is(engine.Generalize) && spec.Taxonomy.Name != "" && r.TaxonomyFile == "" &&
		!r.rejected("taxonomies") {
		r.taxonomyRules(spec)
	}
}

// limitRules checks that the limits of a generalized column are levels, and that a discretized
// column has a width only with the algorithms that support it.
func (r *reader) limitRules(spec *Column, path string) {
	for _, limit := range []struct{ key, value string }{
		{".at_most", spec.AtMost}, {".at_least", spec.AtLeast},
	} {
		if limit.value != "" && spec.Is(engine.Generalize) &&
			!regexp.MustCompile(levelPattern).MatchString(limit.value) {
			r.add(path+limit.key, "",
				"%s of a generalized column must be a level, an integer of at least 1, not %q",
				limit.key[1:], limit.value)
		}
	}
	if name := r.Algorithm.Name; spec.AtMost != "" && spec.Is(engine.Discretize) && name != "" &&
		name != AlgorithmTDR && name != AlgorithmTDS {
		r.add(path+".at_most",
			"with every algorithm round keeps bounds apart: they are multiples of what it says",
			"at_most of a discretized column is for algorithm tdr or tds, the algorithm is %s",
			name)
	}
	if finest := spec.FinestLevel(); finest > 0 && spec.CoarsestLevel() > finest {
		r.add(path+".at_least", "", "at_least: %s is finer than at_most: %s", spec.AtLeast,
			spec.AtMost)
	}
}

// keyed are the masks that need a key.
var keyed = []string{MaskPseudonym, MaskReplace}

// keyRules checks that a column of pseudonyms has one key.
func (r *reader) keyRules(spec *Column, path string) {
	file, variable := path+".key_file", path+".key_env"
	switch {
	case spec.KeyFile != "" && spec.KeyEnv != "":
		r.add(variable, "leave out key_file or key_env", "column %q has two keys", spec.Name)
	case spec.KeyFile == "" && spec.KeyEnv == "" && !r.rejected(file) && !r.rejected(variable):
		r.add(path+":",
			"name a file that holds it with key_file, or an environment variable with key_env",
			"column %q has no key for its pseudonyms", spec.Name)
	}
}

// taxonomyRules checks that the taxonomy that a column names exists. Whether a file of named trees
// has it is known only when the file is read.
func (r *reader) taxonomyRules(spec *Column) {
	name, at := spec.Taxonomy.Name, r.namedAt(spec)
	if _, ok := r.Taxonomies[name]; ok {
		return
	}
	hint := text.DidYouMean(name, slices.Sorted(maps.Keys(r.Taxonomies)))
	if strings.HasSuffix(at, ":") {
		hint = cmp.Or(hint, "name one, or add it to taxonomies; without a taxonomy use suppress")
		r.add(at, hint, "column %q is generalized and has no taxonomy", spec.Name)
		return
	}
	r.add(at, cmp.Or(hint, "files go under taxonomies, by name"), "no taxonomy named %q", name)
}

// classRules checks that there is a class column if one is needed, and the objective.
func (r *reader) classRules() {
	if name := r.Algorithm.Name; r.Class == "" && slices.Contains(classified, name) &&
		!r.rejected("class") {
		r.add("algorithm.name", "name the column that a model is to predict: class: …",
			"algorithm %s needs a class", name)
	}
	if r.Class == "" &&
		(r.Objective == ObjectiveClassification || r.Objective == ObjectiveBalanced) &&
		!r.rejected("class") {
		r.add("objective", "name the column that a model is to predict: class: …",
			"objective %s needs a class", r.Objective)
	}
	if r.Algorithm.Name == AlgorithmInfoGainMondrian && r.Objective == ObjectiveQueries &&
		r.Class != "" {
		if r.overridden && r.origins.places["objective"].name == "" { // that of another algorithm
			r.Objective = ObjectiveClassification
			return
		}
		r.add("objective", "take classification or balanced; mondrian serves queries",
			"objective queries is for algorithm auto, the algorithm is %s", r.Algorithm.Name)
	}
}

// maxLevels are the highest levels of compressions with levels.
var maxLevels = map[string]int{"zstd": 22, "gzip": 9}

// countedRules checks the job of an input of counts: no column may need a step that only kcut does
// with rows, nor may the job ask for figures that several tables of counts do not have.
func (r *reader) countedRules() {
	if len(r.InputCounts) == 0 {
		return
	}
	for i := range r.Columns {
		if c := &r.Columns[i]; slices.Contains(keyed, c.Mask) {
			r.add(columnPath(c.Name)+".mask", "keep or drop it, or let kcut read the rows",
				"column %q has pseudonyms, which no counts have and no statement of SQL can make",
				c.Name)
		}
	}
	if r.Unlisted == UnlistedKeep {
		r.add("unlisted", "name every column that is kept",
			"unlisted: keep needs the names of all columns, which counts do not have")
	}
	if len(r.InputCounts) > 1 && (r.Entity != "" || len(r.Sensitive) > 0) {
		r.add("input_counts", "kcut sql count prints the statement that makes it",
			"entity and sensitive take one table of counts with all columns")
	}
}

// estimateRules checks that figures of rows, which are not of entities, have rows to count.
func (r *reader) estimateRules() {
	for _, key := range []struct {
		given           bool
		path, what, use string
	}{
		{r.Population.Size > 0, "population.size", "the estimate",
			"leave out size, and estimate with kcut check"},
		{r.MaxRisk.Average > 0, "max_risk.average", "the risk",
			"leave out average: no average risk is above 1 divided by the smallest k"},
	} {
		const together = "%s and %s do not go together: %s counts %s"
		if key.given && r.Entity != "" {
			r.add(key.path, key.use, together, key.path, "entity", key.what,
				"rows, and an entity may have several")
		}
		if key.given && len(r.InputCounts) > 0 {
			r.add(key.path, key.use, together, key.path, "input_counts", key.what,
				"rows of the release, which counts do not make")
		}
	}
	if at := "max_risk.average"; r.has(at) && r.MaxRisk.Average == 0 {
		r.add(at, "as in: average: 5%", "an average risk is above 0%%")
	}
}

// outputRules checks that the level is one of the compression's, and that the output is no input.
func (r *reader) outputRules() {
	if level := r.Output.Level; level > 0 && r.Output.Compression != "" {
		highest, ok := maxLevels[r.Output.Compression]
		if !ok {
			r.add("output.level", "", "compression %s has no levels", r.Output.Compression)
		} else if level > highest {
			r.add("output.level", "", "levels of %s are 1 to %d, not %d", r.Output.Compression,
				highest, level)
		}
	}
	// cleaned returns the one spelling of a path. Keys of objects have only their own, except for
	// the slash at the end of a directory.
	cleaned := func(path string) string {
		if storage.IsRemote(path) {
			return strings.TrimSuffix(path, "/")
		}
		return filepath.Clean(path)
	}
	if filepath.Base(r.Output.Path) == "-" {
		r.add("output.path", "name a file, or a directory by a slash at its end",
			"output is not a stream: a release is recounted before it gets its name")
	}
	for i, input := range r.Input {
		if r.Output.Path != "" && cleaned(input) == cleaned(r.Output.Path) {
			r.add(itemPath("input", i), "", "input and output are the same")
		}
	}
	r.partitionRules()
}

// partitionRules checks that folders are named by labels, never by values.
func (r *reader) partitionRules() {
	if len(r.Output.PartitionBy) == 0 {
		return
	}
	const key = "output.partition_by"
	switch {
	case !strings.HasSuffix(r.Output.Path, "/"):
		r.add(key, "end output.path with a slash",
			"partitions are folders of a directory, and the output is a file")
	case r.Order == OrderInput:
		r.add(key, "leave order out",
			"rows of a partition are together, which they are not in the order of the input")
	}
	released := 0
	for i := range r.Columns {
		if r.Columns[i].Mask != MaskDrop {
			released++
		}
	}
	r.maskedRules(r.Output.PartitionBy, key, "partition_by")
	for i, name := range r.Output.PartitionBy {
		at, spec := itemPath(key, i), r.Column(name)
		if isHidden(name) {
			r.add(at, "give the column another name, in a CSV file with rename: NUMBER in its "+
				"entry, or name another column",
				"column %q would name folders that readers pass over: those without a name, or "+
					"whose name begins with _ or .", name)
		}
		if spec != nil && spec.Masked() && spec.Render != "" && spec.Render != RenderLabel {
			r.add(at, "leave render out",
				"column %q has no labels that could name folders: it is rendered as %s", name,
				spec.Render)
		}
	}
	if released > 0 && released <= len(r.Output.PartitionBy) {
		r.add(key, "", "no column is left for the files")
	}
}

// isHidden reports whether readers of partitions ignore the folders of a column as hidden ones, or
// see no column in them.
func isHidden(column string) bool {
	return column == "" || column[0] == '_' || column[0] == '.'
}

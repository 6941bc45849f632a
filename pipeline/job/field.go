package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
)

// kind says what a field of the job file holds.
type kind uint8

const (
	kindText       kind = iota // one word or name
	kindTexts                  // a list of names
	kindColumns                // a list of names, or "all"
	kindHeader                 // a list of names, or false
	kindPath                   // one path
	kindPaths                  // a path or a list of paths
	kindInteger                // a whole number
	kindFraction               // a number from 0 to 1
	kindNumber                 // a number
	kindShares                 // a number, or numbers by value
	kindBoolean                // true or false
	kindSize                   // bytes, with a unit or without
	kindQuota                  // a number of records, or a share of them
	kindShare                  // a share of them
	kindCharacter              // one ASCII character
	kindStep                   // a number above zero, or a unit of time
	kindLimit                  // a level of a taxonomy, or a width of intervals
	kindBounds                 // [lower, upper]
	kindTaxonomy               // a name, an inline tree or a generator
	kindTaxonomies             // a path, or a map from names to taxonomies
	kindMap                    // fields of its own
	kindList                   // a list of maps with fields of their own
	kindNamed                  // a map from free names to maps with fields of their own
)

// kinds says of every kind what the reference calls it, what messages call one value of it, the
// JSON Schema of its values, and what parts its path from those of its fields. A row of the table
// may say more.
var kinds = [...]struct{ words, one, schema, below string }{
	kindText:       {"text", "a text", nameSchema, ""},
	kindTexts:      {"list of names", "a name", `{"type":"array","items":` + nameSchema + `,"minItems":1,"uniqueItems":true}`, ""},
	kindColumns:    {"list of names, or `all`", "a name", `{"anyOf":[{"const":"all"},{"type":"array","items":` + nameSchema + `,"minItems":1,"uniqueItems":true}]}`, ""},
	kindHeader:     {"list of names, or `false`", "a name", `{"anyOf":[{"type":"boolean"},{"type":"array","items":` + nameSchema + `,"minItems":1,"uniqueItems":true}]}`, ""},
	kindPath:       {"path", "a path", pathSchema, ""},
	kindPaths:      {"path or list of paths", "a path", `{"anyOf":[` + pathSchema + `,{"type":"array","items":` + pathSchema + `,"minItems":1}]}`, ""},
	kindInteger:    {"integer", "an integer", `{"type":"integer","minimum":%d`, ""},
	kindFraction:   {"number from 0 to 1", "a number from 0 to 1", `{"type":"number","minimum":0,"maximum":1}`, ""},
	kindNumber:     {"number", "a number", "", ""},
	kindShares:     {"number, or map by value", "a number", `{"anyOf":[%s,{"type":"object","additionalProperties":%s,"minProperties":1}]}`, ""},
	kindBoolean:    {"`true` or `false`", "true or false", `{"type":"boolean"}`, ""},
	kindSize:       {"size", "a size such as 1GiB, 512MiB or 2GB", `{"type":["string","integer"],"pattern":%s,"minimum":%d}`, ""},
	kindQuota:      {"number or share", "a number of records, or a share of them as 0.5%", `{"type":["string","integer"],"pattern":%s,"minimum":0}`, ""},
	kindShare:      {"share", "a share from 0% to 100%, as 1%", "", ""},
	kindCharacter:  {"character", `one character such as ",", ";" or "\t"`, `{"type":"string","minLength":1,"maxLength":1}`, ""},
	kindStep:       {"number or unit", "a number above zero, or one of year, month, day, hour, minute, second", `{"anyOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":%s}]}`, ""},
	kindLimit:      {"level or width", "a number above zero, of dates and times with a unit, as 30d, 12h, 5m or 1s", `{"type":["number","string"],"pattern":%s,"exclusiveMinimum":0}`, ""},
	kindBounds:     {"`[lower, upper]`", "", `{"type":"array","items":{"type":["string","number","null"]},"minItems":2,"maxItems":2}`, ""},
	kindTaxonomy:   {"name, tree or generator", "", `{"anyOf":[` + nameSchema + `,` + inlineSchema + `]}`, ""},
	kindTaxonomies: {"path or map", "", `{"anyOf":[` + pathSchema + `,{"type":"object","additionalProperties":` + taxonomySchema + `,"minProperties":1}]}`, ""},
	kindMap:        {"map", "", "%s", "."},
	kindList:       {"list of maps", "", `{"type":"array","items":%s,"minItems":1}`, "[]."},
	kindNamed:      {"map by name", "", `{"type":"object","additionalProperties":%s,"minProperties":1}`, ".*."},
}

// field is one row of the table that defines the job file. Reading, checking, defaults, overrides,
// printing, the JSON Schema and the reference in docs/job-file.md all come from it.
type field struct {
	path     string // keys joined by "."; "[]" is every item, "*" every name
	kind     kind
	at       func(j *Job, i int) any // a pointer to the value in a job; i: of which item or column
	doc      string
	def      string                     // value when absent
	defOf    func(j *Job, i int) string // value when absent, where that depends on others
	defWords string                     // what absence means, when that is not a value
	enum     []string                   // the only values
	pattern  string                     // regular expression of the values
	example  string                     // of a value that matches the pattern
	min, max int64                      // of numbers; max 0: none
	open     string                     // which ends of numbers are none: "min", "max" or "min max"
	flag     string                     // of the command line, without dashes; the variable follows from it
	masks    []string                   // columns: only with these masks
	engines  []string                   // only with these algorithms
	local    bool                       // paths: no URLs of object stores
	required bool
	excused  []string // algorithms with which it is not required
	without  string   // the field that takes its place: one of both is required
	empty    bool     // texts may be empty
	bare     bool     // a map's key that a bare word in the map's place stands for
}

// algorithms are the names of all searches.
var algorithms = []string{
	AlgorithmTDR, AlgorithmTDS, AlgorithmBottomUp, AlgorithmKACTUS,
	AlgorithmIACk, AlgorithmIACc, AlgorithmMondrian, AlgorithmInfoGainMondrian, AlgorithmGuided, AlgorithmAuto,
}

// fieldTable defines the job file, in the order of the reference.
var fieldTable = []field{
	{path: "input", kind: kindPaths, at: func(j *Job, _ int) any { return &j.Input }, required: true, without: "input_counts", flag: "input",
		doc: "what to read: a file, a directory (hive partitions too) or a glob, or a list of them; paths or URLs `s3://`, `gs://`, `azblob://`, `file://`"},
	{path: "input_counts", kind: kindPaths, at: func(j *Job, _ int) any { return &j.InputCounts }, defWords: "none", flag: "input-counts",
		doc: "instead of the input, tables of its counts, as the statements of `kcut sql count` make them: each a file, a directory or a glob; a run then writes a cut, not a release"},
	{path: "input_missing", kind: kindText, at: func(j *Job, _ int) any { return &j.InputMissing }, enum: []string{"error", InputRetry}, defWords: "`error`",
		doc: "an input that does not exist: `error` (exit 3), or `retry` (exit 6), so that a scheduler tries again until it is there"},
	{path: "missing_columns", kind: kindText, at: func(j *Job, _ int) any { return &j.MissingColumns }, enum: []string{"error", MissingNull}, defWords: "`error`",
		doc: "a column that is not dropped and that a file of the input lacks, where others have it: `error` (exit 3), or `null`, its value in the rows of that file"},
	{path: "output", kind: kindMap, at: func(j *Job, _ int) any { return &j.Output }, required: true,
		doc: "what to write; a bare path is short for `{path: …}`"},
	{path: "output.path", kind: kindPath, at: func(j *Job, _ int) any { return &j.Output.Path }, required: true, bare: true, flag: "output",
		doc: "a file, or a directory of part files when it ends in `/`; a path or a URL; with `input_counts` the file of the cut, which ends in `.json`"},
	{path: "output.compression", kind: kindText, at: func(j *Job, _ int) any { return &j.Output.Compression },
		def: "zstd", enum: []string{"zstd", "snappy", "gzip", "none"}, flag: "compression",
		doc: "of pages"},
	{path: "output.level", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Output.Level }, min: 1, max: 22, defWords: "the compression's own",
		doc: "of compression: zstd 1 to 22, gzip 1 to 9"},
	{path: "output.row_group_rows", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Output.RowGroupRows },
		min: 1, max: 1 << 31, defWords: "262,144, fewer where rows are large",
		doc: "rows a row group of the release"},
	{path: "output.partition_by", kind: kindTexts, at: func(j *Job, _ int) any { return &j.Output.PartitionBy }, defWords: "none",
		doc: "masked columns whose labels become hive partitions of a directory, `region=Europe/`, the first one outermost; files do not have these columns"},
	{path: "class", kind: kindText, at: func(j *Job, _ int) any { return &j.Class }, defWords: "none: the search gains granularity", flag: "class",
		doc: "the column that a model will be trained to predict from the release"},
	{path: "quasi_identifiers", kind: kindList, at: func(j *Job, _ int) any { return &j.Sets }, required: true,
		doc: "the sets of columns that hold in the release, all at once"},
	{path: "quasi_identifiers[].columns", kind: kindColumns, at: func(j *Job, i int) any { return &j.Sets[i].Columns }, required: true,
		doc: "the columns of the set, each of them masked; `all`: all masked columns"},
	{path: "quasi_identifiers[].k", kind: kindInteger, at: func(j *Job, i int) any { return &j.Sets[i].K },
		min: 1, required: true, excused: []string{AlgorithmIACc}, flag: "k",
		doc: "the smallest number of records that share one combination of the set's released values; the flag and the variable are for every set"},
	{path: "entity", kind: kindText, at: func(j *Job, _ int) any { return &j.Entity }, defWords: "none: k counts rows",
		doc: "the dropped column that tells of whom a row is: every k counts its values, not rows; all nulls are one. For `tdr`, `tds`, `kactus`, `iack`, `mondrian` with `partitioning: strict`, `infogain-mondrian`, `guided` and `auto`"},
	{path: "count", kind: kindText, at: func(j *Job, _ int) any { return &j.Count }, defWords: "none: a row is one record",
		doc: "the column of integers that says how many records a row of the input stands for; the release has a row for each of these, and not the column. Of `input_counts` it is `kcut_count` when absent"},
	{path: "sensitive", kind: kindList, at: func(j *Job, _ int) any { return &j.Sensitive }, defWords: "none",
		doc: "what must hold of kept columns in every equivalence class of every set, with at least one measure each; for the algorithms that `entity` is for, but `iack`"},
	{path: "sensitive[].column", kind: kindText, at: func(j *Job, i int) any { return &j.Sensitive[i].Column }, required: true,
		doc: "a kept column, which may be the class"},
	{path: "sensitive[].l", kind: kindInteger, at: func(j *Job, i int) any { return &j.Sensitive[i].L },
		min: 2, max: 1 << 31, defWords: "not asked for",
		doc: "the fewest different values in a class, nulls not among them; the only measure beside `max_suppressed`"},
	{path: "sensitive[].nulls", kind: kindText, at: func(j *Job, i int) any { return &j.Sensitive[i].Nulls },
		enum: []string{NullsCount}, defWords: "a null is no value",
		doc: "`count`: for `l` a null is a value like others"},
	{path: "sensitive[].entropy_l", kind: kindNumber, at: func(j *Job, i int) any { return &j.Sensitive[i].EntropyL },
		min: 1, open: "min", defWords: "not asked for",
		doc: "the values of a class are as hard to guess as so many of equal frequency"},
	{path: "sensitive[].max_confidence", kind: kindShares, at: atConfidence,
		min: 0, max: 1, open: "min max", defWords: "not asked for",
		doc: "the most that one value may have of a class, as a share: of every value, or of those that are named"},
	{path: "sensitive[].t", kind: kindNumber, at: func(j *Job, i int) any { return &j.Sensitive[i].T },
		min: 0, max: 1, open: "max", defWords: "not asked for",
		doc: "the most that must be moved between the values of a class so that their shares are those of the whole table; not for `kactus` with `leftover: drop`"},
	{path: "columns", kind: kindNamed, at: func(j *Job, _ int) any { return &j.Columns }, required: true,
		doc: "what happens to every input column, by name; a bare word is short for `{mask: word}`"},
	{path: "columns.*.mask", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].Mask }, required: true, bare: true,
		enum: []string{MaskGeneralize, MaskDiscretize, MaskSuppress, MaskKeep, MaskPseudonym, MaskDrop},
		doc:  "`generalize`: along a taxonomy; `discretize`: into intervals; `suppress`: a value or `*`; `keep`: unchanged; `pseudonym`: a keyed token instead; `drop`: not released"},
	{path: "columns.*.bounds", kind: kindBounds, at: func(j *Job, i int) any { return &j.Columns[i].Bounds },
		masks: []string{MaskDiscretize}, defWords: "open ends",
		doc: "`[lower, upper]`, the ends of the outer intervals; `null` for an end that stays open"},
	{path: "columns.*.round", kind: kindStep, at: func(j *Job, i int) any { return &j.Columns[i].Round },
		masks: []string{MaskDiscretize}, pattern: stepPattern, example: "5", defWords: "any value, the roundest",
		doc: "what inner bounds are multiples of: a number; of dates and times `year`, `month`, `day`, `hour`, `minute` or `second`"},
	{path: "columns.*.at_most", kind: kindLimit, at: func(j *Job, i int) any { return &j.Columns[i].AtMost },
		masks: []string{MaskGeneralize, MaskDiscretize}, pattern: limitPattern, example: "2", defWords: "no limit",
		doc: "the finest that the column may be released: a level of its taxonomy, in steps from the root; with `tdr` and `tds` also a width that no interval is below, as `10`, or `30d` of dates"},
	{path: "columns.*.at_least", kind: kindLimit, at: func(j *Job, i int) any { return &j.Columns[i].AtLeast },
		masks: []string{MaskGeneralize, MaskDiscretize}, engines: []string{AlgorithmTDR, AlgorithmTDS, AlgorithmBottomUp}, pattern: limitPattern, example: "1", defWords: "no limit",
		doc: "the coarsest that the column may be released, as `at_most` says it: a run that does not come so far ends with exit code 4"},
	{path: "columns.*.weight", kind: kindNumber, at: func(j *Job, i int) any { return &j.Columns[i].Weight },
		masks: []string{MaskGeneralize, MaskDiscretize, MaskSuppress}, engines: []string{AlgorithmTDR, AlgorithmTDS}, min: 0, open: "min", defWords: "1",
		doc: "how much the column counts when the search chooses: the scores of its specializations are multiplied by it"},
	{path: "columns.*.taxonomy", kind: kindTaxonomy, at: func(j *Job, i int) any { return &j.Columns[i].Taxonomy },
		masks: []string{MaskGeneralize}, defWords: "the tree of the column's name",
		defOf: func(j *Job, i int) string { return j.Columns[i].Name },
		doc:   "a name in `taxonomies`, an inline tree or a generator"},
	{path: "columns.*.unknown", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].Unknown },
		masks: []string{MaskGeneralize}, def: UnknownError, enum: []string{UnknownError, UnknownRoot},
		doc: "values that the taxonomy lacks: `error`, or `root`: a child of their own under the root"},
	{path: "columns.*.render", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].Render },
		masks: []string{MaskDiscretize}, def: RenderLabel, enum: []string{RenderLabel, RenderBounds, RenderInterval},
		doc: "the released form: `label`: range text; `bounds`: two numeric columns; `interval`: one of structs with both ends"},
	{path: "columns.*.identifying", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].Identifying },
		masks: []string{MaskKeep, MaskPseudonym}, enum: []string{IdentifyingAccepted}, defWords: "a column that tells rows apart stops the run",
		doc: "`accepted`: the kept column, or the pseudonyms, may be released although it tells rows apart; `{keep: {identifying: accepted}}` is the same entry"},
	{path: "columns.*.key_file", kind: kindPath, at: func(j *Job, i int) any { return &j.Columns[i].KeyFile },
		masks: []string{MaskPseudonym}, local: true, defWords: "`key_env`",
		doc: "the file that holds the key of the pseudonyms: 16 bytes or more, without the line end behind them"},
	{path: "columns.*.key_env", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].KeyEnv },
		masks: []string{MaskPseudonym}, defWords: "`key_file`",
		doc: "the environment variable that holds the key"},
	{path: "columns.*.type", kind: kindText, at: func(j *Job, i int) any { return &j.Columns[i].Type },
		pattern: typePattern, example: "decimal(10,2)", defWords: "inferred",
		doc: "the type of a CSV column: `text`, `boolean`, `integer`, `number`, `date`, `time`, `timestamp`, `decimal(p,s)`, `date(MM/DD/YYYY)`, `timestamp(D.M.YYYY hh:mm)`, `time(hh:mm AM)`"},
	{path: "columns.*.rename", kind: kindInteger, at: func(j *Job, i int) any { return &j.Columns[i].Rename },
		min: 1, max: 65536, defWords: "the header's name",
		doc: "the number of the CSV column, from 1 on, that has this name instead of the header's, where that has one twice"},
	{path: "unlisted", kind: kindText, at: func(j *Job, _ int) any { return &j.Unlisted },
		def: UnlistedError, enum: []string{UnlistedError, UnlistedDrop, UnlistedKeep},
		doc: "input columns without an entry in `columns`"},
	{path: "taxonomies", kind: kindTaxonomies, at: atTaxonomies, defWords: "none",
		doc: "a YAML file of named trees, or a map from names to taxonomies: a file (YAML or CSV), an inline tree or a generator"},
	{path: "algorithm", kind: kindMap, at: func(j *Job, _ int) any { return &j.Algorithm },
		doc: "the search and its options; a bare word is short for `{name: word}`"},
	{path: "algorithm.name", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Name },
		def: AlgorithmTDR, enum: algorithms, bare: true, flag: "algorithm",
		doc: "the search: docs/algorithms.md says what each is for"},
	{path: "algorithm.seed", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Algorithm.Seed },
		min: 0, def: "0", engines: []string{AlgorithmKACTUS, AlgorithmMondrian},
		doc: "of the choice among records that are alike; the same seed makes the same choice"},
	{path: "algorithm.bins", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Algorithm.Bins },
		min: 2, max: 1 << 16, def: "16", engines: []string{AlgorithmBottomUp, AlgorithmIACk, AlgorithmIACc},
		doc: "bins of as many records that the hierarchy of a discretized column is made of"},
	{path: "algorithm.loss", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Loss },
		def: "information", enum: []string{"information", LossWeighted}, engines: []string{AlgorithmBottomUp},
		doc: "what a generalization loses: `information`, as in the paper, or `weighted` by its share of the records"},
	{path: "algorithm.min_objects", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Algorithm.MinObjects },
		min: 1, max: 1 << 31, defWords: "the largest k", engines: []string{AlgorithmKACTUS},
		doc: "records that two branches of a test have at least"},
	{path: "algorithm.prune", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Prune },
		def: "none", enum: []string{"none", PrunePessimistic}, engines: []string{AlgorithmKACTUS},
		doc: "whether the decision tree is pruned before its records are released"},
	{path: "algorithm.leftover", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Leftover },
		def: "drop", enum: []string{"drop", LeftoverRecruit}, engines: []string{AlgorithmKACTUS},
		doc: "fewer than k records that are left in the end: `drop` them, or `recruit` others and suppress them all"},
	{path: "algorithm.small", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Small },
		def: "drop", enum: []string{"drop", SmallTopUp}, engines: []string{AlgorithmIACk},
		doc: "fewer than k suppressed records: `drop` them, or `topup`: suppress the next smallest equivalence classes, too"},
	{path: "algorithm.max_divergence", kind: kindFraction, at: func(j *Job, _ int) any { return &j.Algorithm.MaxDivergence },
		def: "0.1", max: 1, engines: []string{AlgorithmIACc},
		doc: "the most that suppressing may change a column's values, as a share of the largest possible divergence"},
	{path: "algorithm.max_information_change", kind: kindFraction, at: func(j *Job, _ int) any { return &j.Algorithm.MaxInformationChange },
		def: "0.1", max: 1, engines: []string{AlgorithmIACc},
		doc: "the most that suppressing may change what a column tells of the class, as a share of the largest possible information"},
	{path: "algorithm.partitioning", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Partitioning },
		def: "strict", enum: []string{"strict", PartitioningRelaxed}, engines: []string{AlgorithmMondrian},
		doc: "`strict`: records that are alike stay together; `relaxed`: they may be parted at a median"},
	{path: "algorithm.categories", kind: kindText, at: func(j *Job, _ int) any { return &j.Algorithm.Categories },
		def: "hierarchy", enum: []string{"hierarchy", CategoriesOrdered}, engines: []string{AlgorithmMondrian},
		doc: "how generalized columns are cut: along the taxonomy, or at a median of its leaves"},
	{path: "objective", kind: kindText, at: func(j *Job, _ int) any { return &j.Objective }, engines: []string{AlgorithmAuto},
		enum: []string{ObjectiveClassification, ObjectiveQueries, ObjectiveBalanced}, defWords: "`classification`; without a class `queries`", defOf: ownObjective, flag: "objective",
		doc: "what `auto` judges algorithms by: the error of a decision tree, the errors of counting queries and the certainty penalty, or `balanced`: both"},
	{path: "score", kind: kindText, at: func(j *Job, _ int) any { return &j.Score },
		enum: []string{"tdr", "tds", "infogain"}, defWords: "the algorithm's own", defOf: ownScore, flag: "score",
		doc: "`tdr` and `tds`: what makes a specialization the best; other algorithms leave it aside"},
	{path: "balance", kind: kindNumber, at: func(j *Job, _ int) any { return &j.Balance }, min: 0, max: 10,
		engines: []string{AlgorithmTDR, AlgorithmTDS}, defWords: "0",
		doc: "keeps one column from taking all specializations: a score is divided by 1 + the number of those of its column so far, to this power"},
	{path: "max_steps", kind: kindInteger, at: func(j *Job, _ int) any { return &j.MaxSteps }, min: 0, defWords: "no limit", flag: "max-steps",
		doc: "`tdr` and `tds`: the most specializations to perform, 0: none; other algorithms leave it aside"},
	{path: "max_suppressed", kind: kindQuota, at: func(j *Job, _ int) any { return &j.MaxSuppressed },
		pattern: quotaPattern, example: "0.5%", engines: []string{AlgorithmTDR, AlgorithmTDS, AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc, AlgorithmMondrian, AlgorithmInfoGainMondrian, AlgorithmGuided, AlgorithmAuto}, defWords: "0",
		doc: "`tdr` and `tds`: the most records that the search may take away, so that rare ones do not keep all others masked: a number, or a share as `0.5%`; others: the most that may be left in groups which are too small, without it any number"},
	{path: "suppressed", kind: kindText, at: func(j *Job, _ int) any { return &j.Suppressed },
		def: "mark", enum: []string{"mark", SuppressedDrop}, engines: []string{AlgorithmTDR, AlgorithmTDS, AlgorithmAuto},
		doc: "the records that `max_suppressed` takes away: `mark`: released with the widest label in every masked column; `drop`: not released"},
	{path: "max_unique", kind: kindShare, at: func(j *Job, _ int) any { return &j.MaxUnique }, def: DefaultMaxUnique.String(), pattern: sharePattern, example: "35%", flag: "max-unique",
		doc: "the share of the rows, with `entity` of the entities, that may be alone on the labels of all masked columns together: a release with more is not published. To say more is to say that nobody knows more than one set; `{columns: all, k: 2}` among the sets leaves nobody alone"},
	{path: "order", kind: kindText, at: func(j *Job, _ int) any { return &j.Order }, def: OrderReleased, enum: []string{OrderReleased, OrderInput}, flag: "order",
		doc: "of the release's rows: `released`: by their labels and kept values, so that it tells nothing; `input`: that of the input, which is faster and tells whose row is whose to who knows it"},
	{path: "previous", kind: kindPath, at: func(j *Job, _ int) any { return &j.Previous }, defWords: "none", flag: "previous",
		doc: "an earlier release of the same people, or a file with its cut: nothing is published unless the cut equals that one or is coarser, column by column; a path or a URL"},
	{path: "allow_new_cut", kind: kindBoolean, at: func(j *Job, _ int) any { return &j.AllowNewCut }, defWords: "false", flag: "allow-new-cut",
		doc: "publish, with a note, although the cut is neither equal to that of `previous` nor coarser"},
	{path: "limits", kind: kindMap, at: func(j *Job, _ int) any { return &j.Limits },
		doc: "what the run may use"},
	{path: "limits.memory", kind: kindSize, at: func(j *Job, _ int) any { return &j.Limits.Memory },
		pattern: sizePattern, example: "1GiB", defWords: "60 % of the memory there is", flag: "memory",
		doc: "resident memory, as `1GiB`, `512MiB`, `2GB` or in bytes"},
	{path: "limits.threads", kind: kindInteger, at: func(j *Job, _ int) any { return &j.Limits.Threads },
		min: 1, max: 1024, defWords: "one a CPU", flag: "threads",
		doc: "processors that work at the same time; the result does not depend on them"},
	{path: "limits.spill_dir", kind: kindPath, at: func(j *Job, _ int) any { return &j.Limits.SpillDir },
		local: true, defWords: "beside the output", flag: "spill-dir",
		doc: "where data beyond the memory limit goes until the run ends"},
	{path: "limits.time", kind: kindText, at: func(j *Job, _ int) any { return &j.Limits.Time },
		engines: []string{AlgorithmAuto}, pattern: timePattern, example: "10m", defWords: "no limit", flag: "time",
		doc: "what `auto` may take to judge and search, as `90s`, `10m` or `2h`: algorithms are left out that are predicted to take longer, so the result does not depend on the machine"},
	{path: "csv", kind: kindMap, at: func(j *Job, _ int) any { return &j.CSV },
		doc: "how to read CSV input"},
	{path: "csv.delimiter", kind: kindCharacter, at: func(j *Job, _ int) any { return &j.CSV.Delimiter }, defWords: "found in the lines",
		doc: "the one character between fields; when absent, that of `,`, `;`, tab and `|` under which all lines have as many fields as the first one"},
	{path: "csv.header", kind: kindHeader, at: func(j *Job, _ int) any { return &j.CSV.Header }, defWords: "the first line has names",
		doc: "`false`: there is no line with names, and columns are called `column1`, `column2`, ...; a list: so they are called"},
	{path: "csv.quote", kind: kindCharacter, at: func(j *Job, _ int) any { return &j.CSV.Quote }, defWords: "the double quote",
		doc: "the one character around a field that may have delimiters and line ends in it"},
	{path: "csv.escape", kind: kindCharacter, at: func(j *Job, _ int) any { return &j.CSV.Escape }, defWords: "none: quotes are doubled",
		doc: "the one character that has the next one taken as it is, often `\\`"},
	{path: "csv.encoding", kind: kindText, at: func(j *Job, _ int) any { return &j.CSV.Encoding },
		enum: []string{formats.EncodingUTF8, formats.EncodingUTF16, formats.EncodingLatin1, formats.EncodingWindows1252}, defWords: "`utf-8`, or `utf-16` where the file begins with its byte order mark",
		doc: "how the text is written"},
	{path: "csv.nulls", kind: kindTexts, at: func(j *Job, _ int) any { return &j.CSV.Nulls }, empty: true, defWords: "none",
		doc: "texts that stand for null, in quotes or not, as `[NA, NaN, \"?\"]`; an empty field without quotes always does, one in quotes where `\"\"` is named, and in columns that are not of texts"},
	{path: "csv.decimal", kind: kindCharacter, at: func(j *Job, _ int) any { return &j.CSV.Decimal }, enum: []string{".", ","}, defWords: "`.`; `,` where `thousands` is `.`",
		doc: "the one character in front of the fraction of a number"},
	{path: "csv.thousands", kind: kindCharacter, at: func(j *Job, _ int) any { return &j.CSV.Thousands }, enum: []string{".", ",", "'", " "}, defWords: "none; where `decimal` is given, the other one of `.` and `,` in numbers that have both",
		doc: "the one character between groups of three digits, as in 1.234.567,89"},
}

// atTaxonomies returns where the taxonomies are, or else the path of a file that has them.
func atTaxonomies(j *Job, _ int) any {
	if j.Taxonomies == nil && j.TaxonomyFile != "" {
		return &j.TaxonomyFile
	}
	return &j.Taxonomies
}

// atConfidence returns where the most that single values may have is, or else the most of every one.
func atConfidence(j *Job, i int) any {
	if s := &j.Sensitive[i]; len(s.Confidences) == 0 {
		return &s.MaxConfidence
	}
	return &j.Sensitive[i].Confidences
}

// ownScore returns the score that an algorithm has of its own: it has the algorithm's name.
func ownScore(j *Job, _ int) string {
	if name := j.Algorithm.Name; name == AlgorithmTDR || name == AlgorithmTDS {
		return name
	}
	return ""
}

// ownObjective returns what auto judges by when nothing is said: without a class there is nothing to learn.
func ownObjective(j *Job, _ int) string {
	if j.Class == "" {
		return ObjectiveQueries
	}
	return ObjectiveClassification
}

// timePattern matches durations.
const timePattern = `^[1-9][0-9]*[smh]$`

// fieldAt returns the field of a path, or nil.
func fieldAt(path string) *field {
	for i := range fieldTable {
		if fieldTable[i].path == path {
			return &fieldTable[i]
		}
	}
	return nil
}

// fieldsUnder returns the fields directly under a prefix: "" for the file itself, else as
// field.prefix gives it.
func fieldsUnder(prefix string) []*field {
	var fields []*field
	for i := range fieldTable {
		rest, ok := strings.CutPrefix(fieldTable[i].path, prefix)
		if ok && !strings.ContainsAny(rest, ".[") {
			fields = append(fields, &fieldTable[i])
		}
	}
	return fields
}

// prefix returns what the paths of the fields under a field start with.
func (f *field) prefix() string { return f.path + kinds[f.kind].below }

// key returns the last key of a field's path.
func (f *field) key() string { return f.path[strings.LastIndexByte(f.path, '.')+1:] }

// title returns what messages call a field: its key, and its owner's if that is all there is
// to a name.
func (f *field) title() string {
	if owner, named := strings.CutSuffix(f.path, ".name"); named {
		return owner
	}
	return f.key()
}

// isPath reports whether the values are paths.
func (f *field) isPath() bool { return f.kind == kindPath || f.kind == kindPaths }

// number reports whether the values are numbers.
func (f *field) number() bool { return f.kind >= kindInteger && f.kind <= kindShares }

// plain reports whether the values are never in quotes.
func (f *field) plain() bool { return f.number() || f.kind == kindBoolean }

// plainDoc is the documentation without its marks.
func (f *field) plainDoc() string { return strings.ReplaceAll(f.doc, "`", "") }

// variable returns the environment variable of a field with a flag.
func (f *field) variable() string {
	return "KCUT_" + strings.ToUpper(strings.ReplaceAll(f.flag, "-", "_"))
}

// bareField returns the field that a bare word stands for among those under a prefix, or nil.
func bareField(prefix string) *field {
	for _, f := range fieldsUnder(prefix) {
		if f.bare {
			return f
		}
	}
	return nil
}

// keptFields returns what the entry of a kept column may have beside its mask.
func keptFields() (fields []*field) {
	for _, f := range fieldsUnder("columns.*.") {
		if !f.bare && (f.masks == nil || slices.Contains(f.masks, MaskKeep)) {
			fields = append(fields, f)
		}
	}
	return fields
}

// serves reports whether an algorithm has a use for the field.
func (f *field) serves(algorithm string) bool {
	return len(f.engines) == 0 || slices.Contains(f.engines, algorithm)
}

// slot is the place of a field in a job.
type slot struct {
	*field
	path  string // "columns.age.mask"
	owner string // path of the map that it is a key of: "columns.age"
	i     int    // which set, sensitive column or column it is of
	value any    // a pointer to it
}

// slots calls a function for the slots of all fields of a job, in the order of the table.
func (j *Job) slots(visit func(slot)) { j.slotsUnder("", "", 0, visit) }

func (j *Job) slotsUnder(prefix, owner string, i int, visit func(slot)) {
	for _, f := range fieldsUnder(prefix) {
		path := strings.TrimPrefix(owner+"."+f.key(), ".")
		visit(slot{f, path, owner, i, f.at(j, i)})
		switch f.kind {
		case kindMap:
			j.slotsUnder(f.prefix(), path, 0, visit)
		case kindList:
			for item := range reflect.ValueOf(f.at(j, i)).Elem().Len() {
				j.slotsUnder(f.prefix(), itemPath(path, item), item, visit)
			}
		case kindNamed:
			for column := range j.Columns {
				j.slotsUnder(f.prefix(), columnPath(j.Columns[column].Name), column, visit)
			}
		}
	}
}

// itemPath returns the path of an item of a list.
func itemPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// Parts of the schema. Names may be what YAML takes for numbers.
const (
	pathSchema     = `{"type":"string","minLength":1}`
	nameSchema     = `{"type":["string","number","boolean"],"minLength":1}`
	taxonomySchema = `{"anyOf":[` + pathSchema + `,` + inlineSchema + `]}`
	inlineSchema   = `{"$ref":"#/$defs/generator"},{"$ref":"#/$defs/tree"}`
	nodeSchema     = `{"$ref":"#/$defs/tree/$defs/node"}`
	mapOfNodes     = `{"type":"object","additionalProperties":` + nodeSchema + `}`

	treeSchema = `{"description":"a taxonomy tree: nested maps from a node to its children, with one root; a leaf is {}, null or an item of a list",` +
		`"type":"object","additionalProperties":` + nodeSchema + `,"minProperties":1,"maxProperties":1,` +
		`"$defs":{"node":{"anyOf":[{"type":"null"},` + mapOfNodes + `,{"type":"array","items":{"anyOf":[` + nameSchema + `,` + mapOfNodes + `]}}]}}}`

	generatorSchema = `{"description":"a taxonomy made of the values that occur: prefixes of codes, units of dates, ranges of numbers",` +
		`"type":"object","properties":{` +
		`"prefix":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1},` +
		`"date":{"type":"array","items":{"type":"string","enum":%[1]s},"minItems":1},` +
		`"us_date":{"type":"array","items":{"type":"string","enum":%[1]s},"minItems":1},` +
		`"ranges":{"type":"array","items":{"type":"number"},"minItems":1}},` +
		`"additionalProperties":false,"minProperties":1,"maxProperties":1}`
)

// Schema returns the JSON Schema (draft 2020-12) of the job file, for editors. It says
// less than Load checks: nothing of what the parts say of each other.
func Schema() []byte {
	text := `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"kcut job",` + objectSchema(fieldsUnder(""))[1:]
	text = text[:len(text)-1] + `,"$defs":{"generator":` + fmt.Sprintf(generatorSchema, inJSON(engine.DateLevels)) + `,"tree":` + treeSchema + `}}`
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		panic(err) // the table is at fault
	}
	return append(b.Bytes(), '\n')
}

// inJSON returns texts as JSON, without escapes for HTML.
func inJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts have no other
	}
	return strings.TrimSpace(b.String())
}

// objectSchema returns the schema of a map with some fields.
func objectSchema(fields []*field) string {
	var properties, required []string
	for _, f := range fields {
		s := f.schema()
		s = `{"description":` + inJSON(f.plainDoc()) + `,` + s[1:]
		switch {
		case f.def != "" && f.number():
			s = s[:len(s)-1] + `,"default":` + f.def + `}`
		case f.def != "":
			s = s[:len(s)-1] + `,"default":` + inJSON(f.def) + `}`
		}
		properties = append(properties, inJSON(f.key())+":"+s)
		if f.required && f.excused == nil && f.without == "" {
			required = append(required, f.key())
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if required != nil {
		s += `,"required":` + inJSON(required)
	}
	return s + `,"additionalProperties":false}`
}

// schema returns the schema of a field's values.
func (f *field) schema() string {
	form := kinds[f.kind].schema
	switch {
	case f.kind >= kindMap:
		object := objectSchema(fieldsUnder(f.prefix()))
		if bare := bareField(f.prefix()); bare != nil {
			if f.kind == kindNamed {
				object += `,{"type":"object","properties":{"` + MaskKeep + `":` + objectSchema(keptFields()) + `},"required":["` + MaskKeep + `"],"additionalProperties":false}`
			}
			object = `{"anyOf":[` + bare.schema() + `,` + object + `]}`
		}
		return fmt.Sprintf(form, object)
	case slices.Contains(f.enum, MissingNull): // YAML has the bare word as null
		return `{"type":["string","null"],"enum":` + strings.TrimSuffix(inJSON(f.enum), "]") + `,null]}`
	case len(f.enum) > 0:
		return `{"type":"string","enum":` + inJSON(f.enum) + `}`
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf(form+`,"maximum":%d}`, f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf(form+"}", f.min)
	case f.kind == kindNumber:
		return f.numberSchema()
	case f.kind == kindShares:
		return fmt.Sprintf(form, f.numberSchema(), f.numberSchema())
	case f.kind == kindSize:
		return fmt.Sprintf(form, inJSON(f.pattern), minMemory)
	case f.kind == kindQuota, f.kind == kindStep, f.kind == kindLimit:
		return fmt.Sprintf(form, inJSON(f.pattern))
	case f.empty:
		return strings.Replace(form, `,"minLength":1`, "", 1)
	case f.pattern != "":
		return `{"type":"string","pattern":` + inJSON(f.pattern) + `}`
	}
	return form
}

// numberSchema returns the schema of a number between the field's ends.
func (f *field) numberSchema() string {
	s := `{"type":"number"`
	for _, end := range []struct {
		name, closed, open string
		of                 int64
	}{{"min", "minimum", "exclusiveMinimum", f.min}, {"max", "maximum", "exclusiveMaximum", f.max}} {
		switch {
		case end.name == "max" && end.of == 0:
		case strings.Contains(f.open, end.name):
			s += fmt.Sprintf(`,%q:%d`, end.open, end.of)
		default:
			s += fmt.Sprintf(`,%q:%d`, end.closed, end.of)
		}
	}
	return s + "}"
}

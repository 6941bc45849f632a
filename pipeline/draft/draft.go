// Package draft drafts the first job for an input without a description:
//
//	Profile   properties of a column in some of the rows: counts, patterns and numbers, no text
//	Role      the proposal for a column, with its reason: by the first rule that applies
//	set       the columns that an acquaintance knows, by the names of facts, or may know, unless
//	          names say that hardly anybody does; in addition all masked columns are a set in
//	          which nobody is alone
//	candidate a way to search; each is tried on the rows, and the draft proposes the one leaving
//	          most columns more than little, and most information
//	panel     several rows of each person without an identifier of them
//	crowd     too many columns for the rows: some are dropped
//	Job       the job, written as YAML
//
// A draft is a proposal for somebody who knows the data. It errs on the safe side: it drops columns
// that look like identifiers, lets k count one that repeats, and masks everything else except the
// class. It loads and runs unchanged, unless rows that the draft did not see prevent it. No text in
// it comes from a cell, but for nulls without a letter and a digit: it has names of columns and
// counts, its taxonomies are generators, and its ranges and steps are round.
package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Options are the options of a draft.
type Options struct {
	Input []string // files, directories, globs
	K     int      // k of the first set; 0: 10, or the number of rows of a smaller table
	Class string   // column that a model is to predict; empty: the column that looks like a class
	For   string   // the purpose of the release: classify, count or both; empty: any
	// File is the path of the job. Relative paths in the job start from its folder. Empty: no
	// file is written, and paths start from the current directory.
	File   string
	Limits job.Limits // memory and threads
	CSV    job.CSV    // how CSV is read

	Overwrite bool // Write replaces the file if it exists
}

// Try tries a job on an input, within the rest of a budget.
type Try func(ctx context.Context, in *dataset.Dataset, j *job.Job,
	budget *spill.Budget) (*forecast.Trial, error)

const (
	usualK = 10
	// partOfRare is the largest share of the rows with a text that fewer than k have, in a column
	// of texts of a few kinds.
	partOfRare = 0.2
	// partOfRareTitles is the same share of titles of jobs: people who know them need no others.
	partOfRareTitles = 2. / 3
	// mostRows is the largest number of rows that are read, and mostBytes the largest memory for
	// them.
	mostRows  = 200_000
	mostBytes = 128 << 20
	// cellBytes is the memory of a cell: a hash, a number if values have an order, and the number
	// of entries if some values are lists.
	cellBytes = 17
)

// draft is a job while it is drafted.
type draft struct {
	Options
	usualK   bool // none is asked for
	rows     int64
	profiles []*Profile
	sample   *forecast.Sample // until sets are chosen
	looked   int64            // number of rows read
	class    *Profile         // nil: none
	// the first and the last column that could be a class
	first, last *Profile
	number      *Profile // what a table without a class is about; nil: none was found
	// the class says what came of somebody: searches are tried without the sample that shows it
	forOutcome bool
	entity     *Profile              // nil: none
	times      map[*Profile]*Profile // of columns with the status of a time that another one has
	// how long something took, by the times at which it began and ended
	intervals []interval
	// the column whose people may have several rows, while k counts rows; nil: none
	uncounted *Profile
	// the largest number of columns in doubt that are in the first set, if not all are
	mostInDoubt int
	ageFirst    bool     // the age is cut before others
	late        []string // columns outside the first set that were cut too late
	panel       *panel   // rows of the same people without an identifier; nil: none were found
	// rows of the same people at the same time; nil: none were found
	repetition *repetition
	census     *Profile // days with the same people on each; nil: none were found
	visit      *Profile // by its name each row is a visit or the like; nil: none
	// the table has answers to questions about opinions
	asksForOpinions bool
	// masked columns that determine the class, those that people know, and that say much about it
	classTellers, classGivers, classHints []string

	classFound string       // why a run refuses the class that is asked for; empty: it does not
	known      *set         // nil: there is nothing to mask
	kinds      [][]*Profile // dummies of one kind each
	tried      *tried       // the job's way to search, with its result; nil: nothing was tried
	crowd      *crowd       // nil: the rows are enough for the columns
	output     string
	drawn      int64 // bytes drawn for the sample
	lacking    bool  // texts that stand for null were found
	signed     bool  // signs in numbers were found
	// columns of CSV with a type that no reader finds
	types   []job.Column
	filled  map[string]int64 // rows with a text, of those whose type makes some null, by name
	several []string         // columns with lists of as many entries in a row, by name
	left    []*Profile       // columns of a wide table that are dropped though they could be masked
	guessed bool             // the encoding of CSV, which is not UTF-8, was guessed
	lacked  bool             // some file does not have a column that others have
	notes   []string
	// CSV has no header, as its first line looks like a row
	headless bool
}

// Write writes the job to its file, in one step and only after success, and returns its text.
// Errors are those of Job, of fault.Exists when the file exists, and of fault.Usage when it cannot
// be written.
func Write(ctx context.Context, opt Options, try Try) (string, error) {
	// before anything is read
	if err := fileset.CheckFile("job", opt.File, opt.Overwrite); err != nil {
		return "", err
	}
	text, err := Job(ctx, opt, try)
	if err != nil {
		return "", err
	}
	if err := publish.Replace(opt.File, []byte(text)); err != nil {
		return "", fmt.Errorf("write job: %w", err)
	}
	return text, nil
}

// Job reads some rows of the input and returns a job file with a proposed role for every column,
// and among some ways to search the one that loses the least when it is tried on rows. The same
// input gives the same text, for any number of threads; with a small memory limit it reads fewer
// rows.
//
// It returns an error of fault.Usage when there is no column with the class's name, it has too many
// values, the purpose is unknown or needs a class and no column looks like one, or the job's file
// would be read as input; of fault.Input when the input has no rows, or no column that could be
// masked; of fault.Privacy when it has fewer rows than k; and of fault.Resources when reading takes
// more than the memory limit.
func Job(ctx context.Context, opt Options, try Try) (_ string, err error) {
	d := &draft{Options: opt, filled: make(map[string]int64), mostInDoubt: math.MaxInt}
	if err := errors.Join(d.checkFile(), d.checkPurpose()); err != nil {
		return "", err
	}
	budget := spill.NewBudget(cmp.Or(opt.Limits.Memory, spill.DefaultLimit()))
	defer spill.LimitHeap(budget.Limit())()
	in, err := d.open(ctx, budget)
	if err != nil {
		return "", fmt.Errorf("open input: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if d.rows = in.Rows(); d.rows == 0 {
		return "", &fault.Error{
			Class: fault.Input,
			Hint:  "name an input with rows, as kcut init people.parquet",
			Err:   errors.New("look at the input: it has no rows"),
		}
	}
	if d.usualK = d.K == 0; d.usualK {
		d.K = int(min(usualK, d.rows))
	}
	if int64(d.K) > d.rows {
		return "", fmt.Errorf("draft a job: the input has %d rows, k is %d: %w", d.rows, d.K,
			engine.ErrInfeasible)
	}
	given := len(d.CSV.Nulls)
	for again := true; again; {
		if err := d.profile(ctx, in, budget); err != nil {
			return "", err
		}
		if again = d.declare(in.Schema().Fields); again {
			budget.Return(d.drawn)
			if err := in.Close(); err != nil {
				return "", fmt.Errorf("look at the input: %w", err)
			}
			if in, err = d.open(ctx, budget); err != nil {
				return "", fmt.Errorf("open input: %w", err)
			}
		}
	}
	d.lacking = len(d.CSV.Nulls) > given
	if d.output, err = d.outputPath(); err != nil {
		return "", err
	}
	if err := d.propose(ctx, in, try, budget); err != nil {
		return "", err
	}
	proposeAgain := func() error {
		if err := d.profile(ctx, in, budget); err != nil {
			return err
		}
		return d.propose(ctx, in, try, budget)
	}
	for d.doubtCosts() {
		d.mostInDoubt = (len(d.known.doubted) - len(d.known.aside)) / 2
		if err := proposeAgain(); err != nil {
			return "", err
		}
	}
	for c := d.crowded(); c != nil; c = d.crowded() {
		d.crowd = c
		if err := proposeAgain(); err != nil {
			return "", err
		}
	}
	if d.ageCosts() {
		d.ageFirst = true
		if err := proposeAgain(); err != nil {
			return "", err
		}
	}
	if d.late = d.cutLate(); len(d.late) > 0 {
		if err := proposeAgain(); err != nil {
			return "", err
		}
	}
	d.notes = in.Notes(d.isNoted)
	return d.yaml()
}

// isNoted reports whether a note on how a column is read helps: not where the draft drops it as
// that of people's numbers or names, whatever their type.
func (d *draft) isNoted(column string) bool {
	return !slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.name == column && p.role.Mask == job.MaskDrop &&
			(p.role.owned || directMeaning(p.words).meaning != "")
	})
}

// propose proposes the job, from the rows that were read.
func (d *draft) propose(ctx context.Context, in *dataset.Dataset, try Try,
	budget *spill.Budget) error {
	for again := true; again; again = d.isRefused() || d.losesSums() {
		d.class, d.entity, d.uncounted, d.known = nil, nil, nil, nil
		d.classTellers, d.classGivers, d.classHints = nil, nil, nil
		d.left = nil
		if err := d.chooseClass(); err != nil {
			return err
		}
		d.forOutcome = d.class != nil &&
			(d.isOutcome(d.class) || d.class.isSuffered())
		if err := d.chooseRoles(ctx, in, budget); err != nil {
			return err
		}
		d.chooseEntity()
	}
	d.warnOfShortYears()
	d.findTellers()
	d.chooseSet()
	if d.known == nil {
		hint := "kcut config --schema prints every key of a job file, to write one by hand"
		if len(d.profiles) == 1 {
			hint = "there is one column: name the character between columns by --delimiter, or " +
				"replace runs of blanks by commas first, as tr -s ' ' ',' does"
		}
		return &fault.Error{
			Class: fault.Input,
			Hint:  hint,
			Err: errors.New("choose quasi-identifiers: every column looks like an identifier, " +
				"or cannot be masked"),
		}
	}
	if err := d.checkPeople(); err != nil {
		return err
	}
	d.noteZeros()
	d.findPanel()
	d.findRepetition()
	d.findVisits()
	return d.chooseSearch(ctx, in, try, budget)
}

// open opens the input. CSV that is not UTF-8 gets the most likely other encoding.
func (d *draft) open(ctx context.Context, budget *spill.Budget) (*dataset.Dataset, error) {
	opt := formats.ReadOptions{
		Threads: d.Limits.Threads, Hold: budget.HoldRead, MissingNull: true,
		Room: budget.Grant(&spill.Reading), Usual: spill.UsualPages, CSV: d.CSV.Read(d.types),
		Types: make(map[string]formats.Type),
		Remember: int(max(fewestRows, min(mostRows,
			budget.Grant(&spill.Remembering)/rememberedBytes))),
	}
	opt.CSV.Naming = true
	for i := range d.types {
		opt.Types[d.types[i].Name], _ = d.types[i].DeclaredType()
	}
	in, err := dataset.Open(ctx, d.Input, opt)
	if errors.Is(err, formats.ErrEncoding) {
		d.guessed, d.CSV.Encoding = true, formats.EncodingWindows1252
		opt.CSV.Encoding = d.CSV.Encoding
		in, err = dataset.Open(ctx, d.Input, opt)
	}
	return in, err
}

// profile reads some rows.
func (d *draft) profile(ctx context.Context, in *dataset.Dataset, budget *spill.Budget) error {
	d.profiles = nil
	var columns []int // columns that can be read as codes
	for i, field := range in.Schema().Fields {
		p := newProfile(field)
		d.lacked = d.lacked || field.Lacked
		if field.Type.Kind != formats.Nested && field.Differs == nil {
			p.place = len(columns)
			columns = append(columns, i)
		}
		d.profiles = append(d.profiles, p)
	}
	stripNumbers(d.profiles)
	stripPrefixes(d.profiles)
	readLongitudes(d.profiles)
	findCodebooks(d.profiles)
	room := min(mostBytes, budget.Grant(&spill.Sample)) / int64(cellBytes*(len(columns)+1))
	rows := min(mostRows, in.Rows(), max(fewestRows, room))
	d.drawn = rows * int64(cellBytes*(len(columns)+1))
	if err := budget.Draw("the rows that are looked at", d.drawn); err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	d.sample = forecast.NewSample(len(columns), rows)
	var counts []int64
	err := in.Sample(ctx, rows, columns, func(b *formats.Batch) error {
		d.sample.Add(b)
		for i, column := range b.Columns {
			counts = d.profiles[columns[i]].observe(column, counts)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	d.looked = d.sample.Rows
	for i, column := range columns {
		p := d.profiles[column]
		if p.Field = d.sample.Values(i); p.Field.Distinct <= namedClasses {
			p.alone = d.sample.Figures([]int{i}, 1).Unique
		}
		if p.hasManyWords() || p.isLong() {
			rare := d.sample.Figures([]int{i}, usualK).Below * float64(p.Rows)
			p.recurs = rare <= partOfRare*float64(p.Field.Rows) &&
				d.sample.Frequent(i, usualK, d.looked).AtLeast <= namedClasses ||
				titles.has(p.words) && rare <= partOfRareTitles*float64(p.Field.Rows)
		}
		p.measure()
	}
	d.findItems()
	d.findOptions()
	d.findSeveral()
	d.findKinds()
	d.findIntervals()
	d.kinds = d.kindsOfDummies()
	d.asksForOpinions = numberOf(d.profiles, (*Profile).hasOpinions) >= fewestOpinions
	return nil
}

// rememberedBytes is the memory of values that are known from one batch to the next, one value from
// each of some dozen columns: large values leave room for fewer.
const rememberedBytes = 1 << 10

// fewestRows is the number of rows that are read whatever their memory: fewer would show nothing.
const fewestRows = 1000

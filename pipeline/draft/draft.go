// Package draft drafts the first job for an input that nobody has described:
//
//	Profile   what some of the rows show of a column: counts, patterns and numbers, no text
//	Role      what is proposed for a column, and why: the first of a table of rules that is for it
//	set       what an acquaintance knows; beside it all masked columns are a set in which nobody is alone
//	candidate a way to search; each is tried on the rows, and that is proposed which leaves most columns more than one label
//	Job       the job, written as YAML
//
// A draft is a proposal to be read by somebody who knows the data. It errs to the safe side:
// what looks like an identifier is dropped, k counts one that repeats, everything else but the class is masked. It loads
// and runs as it is, but for what only the rows that were not looked at can tell. No text in
// it comes from a cell: it names columns and counts, its taxonomies are generators, and its ranges and steps are round.
package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Options say what to draft a job for.
type Options struct {
	Input  []string // files, directories, globs
	K      int      // of every set; 0: 10, or what a smaller table has
	Class  string   // empty: the column that looks like one
	File   string   // where the job will be: its paths start there. Empty: the current directory
	Limits job.Limits
	CSV    job.CSV // how CSV is read

	Overwrite bool // Write replaces the file if it exists
}

// Try finds out what a job makes of an input, in what is left of a budget.
type Try func(ctx context.Context, in *dataset.Dataset, j *job.Job, budget *spill.Budget) (*forecast.Trial, error)

const (
	usualK = 10
	// mostRows is how many rows are looked at, and mostBytes what is kept of them may take.
	mostRows  = 200_000
	mostBytes = 128 << 20
	// cellBytes is what is kept of a cell: a hash and, where values have an order, a number.
	cellBytes = 16
)

// draft is a job being drafted.
type draft struct {
	Options
	rows     int64
	profiles []*Profile
	excerpt  *forecast.Excerpt // until sets are chosen
	looked   int64             // rows
	class    *Profile          // nil: none
	entity   *Profile          // nil: none
	known    *set              // nil: there is nothing to mask
	tried    *tried            // how the job searches, and what that leaves; nil: nothing was tried
	output   string
	drawn    int64 // for the excerpt
	guessed  bool  // the encoding of CSV, which is no UTF-8
	lacked   bool  // some file lacks a column that others have
	notes    []string
}

// Write writes the job to its file, in one step and only when all went well, and returns its text. Errors are those of Job, of fault.Exists
// when the file is there, and of fault.Usage when it could not be written.
func Write(ctx context.Context, opt Options, try Try) (string, error) {
	if err := fileset.CheckFile("job", opt.File, opt.Overwrite); err != nil { // before anything is read
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

// Job looks at some rows of the input and returns a job file with a proposed role for every column,
// and of some ways to search that which leaves most of them when it is tried on rows. The same
// input gives the same text, whatever the threads; a small memory limit lets fewer rows be looked
// at.
//
// It returns an error of fault.Usage when there is no column of the class's name, it has too
// many values, or the job's file would be read as input; of fault.Input when the input has no rows, or no column that could be masked; and
// of fault.Resources when reading takes more than the memory limit.
func Job(ctx context.Context, opt Options, try Try) (_ string, err error) {
	d := &draft{Options: opt}
	if err := d.checkFile(); err != nil {
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
		return "", &fault.Error{Class: fault.Input, Hint: "name an input with rows, as kcut init people.parquet", Err: errors.New("look at the input: it has no rows")}
	}
	d.notes = in.Notes(func(string) bool { return true })
	if d.K == 0 {
		d.K = int(min(usualK, d.rows))
	}
	if err := d.profile(ctx, in, budget); err != nil {
		return "", err
	}
	if err := d.chooseClass(); err != nil {
		return "", err
	}
	d.chooseRoles()
	d.chooseSet()
	if d.known == nil {
		return "", &fault.Error{
			Class: fault.Input,
			Hint:  "kcut config --schema prints every key of a job file, to write one by hand",
			Err:   errors.New("choose quasi-identifiers: every column looks like an identifier, or cannot be masked"),
		}
	}
	d.chooseEntity()
	if d.output, err = d.outputPath(); err != nil {
		return "", err
	}
	if err := d.chooseSearch(ctx, in, try, budget); err != nil {
		return "", err
	}
	return d.yaml()
}

// open opens the input. CSV that is no UTF-8 is taken for what most of such is.
func (d *draft) open(ctx context.Context, budget *spill.Budget) (*dataset.Dataset, error) {
	opt := formats.ReadOptions{
		Threads: d.Limits.Threads, Hold: budget.HoldRead, MissingNull: true,
		Room: budget.Grant(&spill.Reading), Usual: spill.UsualPages, CSV: d.CSV.Read(nil),
		Remember: int(max(fewestRows, min(mostRows, budget.Grant(&spill.Remembering)/rememberedBytes))),
	}
	in, err := dataset.Open(ctx, d.Input, opt)
	if errors.Is(err, formats.ErrEncoding) {
		d.guessed, d.CSV.Encoding = true, formats.EncodingWindows1252
		opt.CSV.Encoding = d.CSV.Encoding
		in, err = dataset.Open(ctx, d.Input, opt)
	}
	return in, err
}

// profile looks at some rows.
func (d *draft) profile(ctx context.Context, in *dataset.Dataset, budget *spill.Budget) error {
	var columns []int // those that can be read as codes
	for i, field := range in.Schema().Fields {
		p := newProfile(field)
		d.lacked = d.lacked || field.Lacked
		if field.Type.Kind != formats.Nested && field.Differs == nil {
			p.place = len(columns)
			columns = append(columns, i)
		}
		d.profiles = append(d.profiles, p)
	}
	room := min(mostBytes, budget.Grant(&spill.Excerpt)) / int64(cellBytes*(len(columns)+1))
	rows := min(mostRows, in.Rows(), max(fewestRows, room))
	d.drawn = rows * int64(cellBytes*(len(columns)+1))
	if err := budget.Draw("the rows that are looked at", d.drawn); err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	d.excerpt = forecast.NewExcerpt(len(columns), rows)
	var counts []int64
	err := in.Excerpt(ctx, rows, columns, func(b *formats.Batch) error {
		d.excerpt.Add(b)
		for i, column := range b.Columns {
			counts = d.profiles[columns[i]].observe(column, counts)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	d.looked = d.excerpt.Rows
	for i, column := range columns {
		p := d.profiles[column]
		p.Field = d.excerpt.Values(i)
		p.measure()
	}
	return nil
}

// rememberedBytes is what values take that are known from one batch to the next, a value of each of some dozen columns: of large
// ones fewer are known.
const rememberedBytes = 1 << 10

// fewestRows are looked at whatever they take: of fewer nothing can be told.
const fewestRows = 1000

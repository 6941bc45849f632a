package pipeline

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// Runner has other processes do the steps of a run, one after the other. These processes are Workers; they share nothing with the
// run but the step's folder.
type Runner interface {
	// Do has all tasks of a step done, by Worker.Do, and then the blocks that they have emitted merged by key, by Worker.Merge.
	// In which order, and how often, does not matter.
	Do(ctx context.Context, s Step) error
}

// Step is what workers do of a run at a time.
type Step struct {
	Folder string // location that the run and all workers share
	Name   string // what is done, behind a number: its results have names that begin with it
	Tasks  int    // numbered from 0 on
	Keys   int    // what tasks emit has keys below; 0: they emit nothing
}

// What is done in a step.
const (
	stepWeigh  = "weigh"  // split → records of entities
	stepSurvey = "survey" // split → values of its columns
	stepCount  = "count"  // split, book → tuples
	stepMask   = "mask"   // task, cut → row groups in the order of the input
	stepSort   = "sort"   // split, cut, bounds → ranges of rows in the order of the release
	stepEncode = "encode" // span, cut, ranges → row group
	stepTally  = "tally"  // part file, cut → recount
)

// does returns what is done in the step.
func (s *Step) does() string { return s.Name[strings.LastIndexByte(s.Name, '-')+1:] }

// given is what all tasks of a step need, in a file of the shared folder.
type given struct {
	Weighed []string           `json:",omitempty"` // files of the shared folder: records of entities
	Exposes *exposes           `json:",omitempty"` // which rows are alike is counted, too, under as many keys again
	Cut     []byte             `json:",omitempty"`
	Recoded bool               `json:",omitempty"` // the cut does not tell all: there is a recoding, in the codes of the book
	Bounds  [][]byte           `json:",omitempty"`
	Ranges  []string           `json:",omitempty"` // files of the shared folder
	Begins  []masking.RowPlace `json:",omitempty"`
	Parts   []string           `json:",omitempty"` // files of the release
}

// exposes says of which rows it is counted whether they are alike: of the input, or of the release.
type exposes struct {
	Known    bool            `json:",omitempty"` // of the release: those on kept columns are known
	Accepted []string        `json:",omitempty"` // of the release: kept columns that do not come together with labels
	Members  []verify.Member `json:",omitempty"` // and those that come together with the labels of a set
}

// The files of a shared folder beside results.
const (
	jobFile      = "job"
	bookFile     = "book"     // that tuples are counted by
	recodingFile = "recoding" // portableRecoding
	givenSuffix  = "-given"
	errorSuffix  = "-error"
)

// elsewhere has the splits of a run worked on by other processes.
type elsewhere struct {
	runner Runner
	folder sharedFolder
	system *System
	steps  int
	res    *resources
}

// rowsOfRange is about how many rows one process puts in order at a time.
const rowsOfRange = 1 << 19

// attempts is how often a step is tried, since not every runner tries again what failed.
const attempts = 3

// mostKeys is how many processes may merge the counts of all splits.
const mostKeys = 64

// refuseElsewhere refuses what processes that share nothing but files cannot do with the run.
func refuseElsewhere(a *assignment) error {
	if a.given != nil {
		return fault.Errorf(fault.Usage, "leave out the runner", "work by an earlier cut: that is done on one machine only")
	}
	return nil
}

// toMask returns what workers need to mask by what was found: where every label depends on its own value alone, that is
// the cut. It is nil, and that is told, when this process must mask.
func (e *elsewhere) toMask(ctx context.Context, b *Bound, found *Found) (*given, error) {
	if e == nil {
		return nil, nil
	}
	if len(b.Job.Output.PartitionBy) > 0 {
		e.res.events.Noted("the release has partitions: this process masks the rows alone")
		return nil, nil
	}
	if found.recoding == nil {
		return &given{Cut: found.Cut}, nil
	}
	recoding := portable(found.recoding)
	if recoding == nil {
		e.res.events.Noted("labels depend on more than workers can be told: this process masks the rows alone")
		return nil, nil
	}
	text, err := recoding.encode(e.res.budget)
	if err != nil {
		return nil, err
	}
	return &given{Cut: found.Cut, Recoded: true}, e.putHeld(ctx, recodingFile, text)
}

// putHeld writes a file of the shared folder whose size grows with the input.
func (e *elsewhere) putHeld(ctx context.Context, name string, content []byte) error {
	held := int64(len(content))
	if err := e.res.budget.Draw("a file for workers", held); err != nil {
		return err
	}
	defer e.res.budget.Return(held)
	return e.folder.put(ctx, name, content)
}

// recounts reports whether workers recount a release: they see the parts of a local directory, but not what is in a store before it is published.
func (e *elsewhere) recounts(out *job.Output) bool {
	return e != nil && fileset.IsDirectory(out.Path) && len(out.PartitionBy) == 0 && !storage.IsRemote(out.Path) && !storage.IsRemote(string(e.folder))
}

// share opens the folder that a run shares with its workers, and tells them the job. close is owed.
func (l *ledger) share(ctx context.Context) (*elsewhere, error) {
	folder := sharedFolder(l.work.Path)
	if l.beside != "" {
		folder = sharedFolder(l.beside)
	}
	if l.opt.Shared != "" {
		folder = sharedFolder(l.opt.Shared)
	}
	e := &elsewhere{runner: l.opt.Runner, system: &l.opt.System, res: l.res}
	text, err := l.job.Portable()
	if err != nil {
		return nil, err
	}
	out, err := output.Absolute(l.job.Output.Path)
	if err != nil {
		return nil, err
	}
	prefix := sharedPrefix(out)
	if err := sweepShared(ctx, folder, prefix); err != nil {
		return nil, fmt.Errorf("sweep shared folder: %w", err)
	}
	e.folder = sharedFolder(storage.Join(string(folder), prefix+strings.ToLower(rand.Text())))
	if err := e.folder.make(); err != nil {
		return nil, fmt.Errorf("make shared folder: %w", err)
	}
	return e, e.folder.put(ctx, jobFile, text)
}

// close removes what was shared, although the run may have been stopped.
func (e *elsewhere) close(ctx context.Context) error {
	if e == nil {
		return nil
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return e.folder.remove(ctx)
}

// results are files of the shared folder, by task or by key; empty: there was nothing to merge.
type results struct {
	sharedFolder
	budget *spill.Budget // that the file which is being read is drawn from
	names  []string
}

func (r *results) all(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, name := range r.names {
			if name == "" {
				continue
			}
			more := false
			err := r.getHeld(ctx, r.budget, name, func(content []byte) error {
				more = yield(content, nil)
				return nil
			})
			if err != nil {
				yield(nil, err)
			}
			if !more {
				return
			}
		}
	}
}

// do has a step done, again when it may work then.
func (e *elsewhere) do(ctx context.Context, what string, tasks, keys int, g *given) (r *results, err error) {
	for attempt := 1; ; attempt++ {
		if r, err = e.try(ctx, what, tasks, keys, g); fault.ClassOf(err) != fault.Transient || attempt == attempts {
			return r, err
		}
		e.res.events.Noted(fmt.Sprintf("trying again: %v", err))
	}
}

// try has a step done.
func (e *elsewhere) try(ctx context.Context, what string, tasks, keys int, g *given) (*results, error) {
	e.steps++
	s := Step{Folder: string(e.folder), Name: fmt.Sprintf("%02d-%s", e.steps, what), Tasks: tasks, Keys: keys}
	if err := e.folder.putJSON(ctx, s.Name+givenSuffix, g); err != nil {
		return nil, err
	}
	if err := e.runner.Do(ctx, s); err != nil {
		return nil, e.failure(ctx, s, err)
	}
	names, err := e.folder.list(ctx, s.Name+"-0")
	if err != nil {
		return nil, err
	}
	r := &results{e.folder, e.res.budget, make([]string, cmp.Or(keys, tasks))}
	for _, name := range names {
		number, err := strconv.Atoi(strings.Split(name, "-")[2])
		if err != nil || number >= len(r.names) {
			return nil, fmt.Errorf("find the results of %s: %w", s.Name, count.ErrDamaged)
		}
		if r.names[number] != "" {
			return nil, fault.Errorf(fault.Transient, "do all workers run the same kcut, on the same files?", "find the results of %s: two workers say different things of number %d", s.Name, number)
		}
		r.names[number] = name
	}
	if keys == 0 && slices.Contains(r.names, "") {
		return nil, fault.Errorf(fault.Transient, "try again", "find the results of %s: of %d there are %d", s.Name, tasks, len(names))
	}
	return r, nil
}

// result is how the name of a result begins.
func (s *Step) result(number int) string { return fmt.Sprintf("%s-0%06d", s.Name, number) }

// workerError is the error of a worker, as it is left in the shared folder.
type workerError struct {
	Class         fault.Class
	Message, Hint string
}

// failure returns the error of a worker, if it was one that failed, or that of what ran the workers.
func (e *elsewhere) failure(ctx context.Context, s Step, err error) error {
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	names, failed := e.folder.list(ctx, s.Name+errorSuffix)
	var of workerError
	if failed != nil || len(names) == 0 || e.folder.getJSON(ctx, names[0], &of) != nil {
		if _, advised := errors.AsType[*fault.Error](err); advised {
			return fmt.Errorf("do %s: %w", s.Name, err)
		}
		return fault.Errorf(fault.Transient, "look at what the runner says, and try again", "do %s: %w", s.Name, err)
	}
	return &fault.Error{Class: of.Class, Hint: of.Hint, Err: errors.New(of.Message)}
}

// count counts the input, and what it exposes.
func (e *elsewhere) count(ctx context.Context, request *count.Request, counting *count.Resources, exposing *exposing) (*count.Counts, error) {
	splits := len(request.Dataset.Splits())
	keys := cmp.Or(e.system.Keys, min(splits, mostKeys))
	weighed := &results{}
	if request.Kinds != nil && request.Kinds.Entities {
		var held int64
		var err error
		if weighed, err = e.do(ctx, stepWeigh, splits, keys, &given{}); err != nil {
			return nil, err
		}
		if request, held, err = request.Weighed(counting.Budget, weighed.all(ctx)); err != nil {
			return nil, err
		}
		defer counting.Budget.Return(held)
	}
	surveys, err := e.survey(ctx, splits, min(keys, 8), weighed, exposing)
	if err != nil {
		return nil, err
	}
	survey, err := count.MergeSurveys(request, counting, surveys.all(ctx))
	if err != nil {
		return nil, err
	}
	counts, err := survey.Bind(ctx)
	if err != nil {
		return nil, err
	}
	book := count.NewBook(request, counts)
	text, err := book.Encode(counting)
	if err != nil {
		return nil, err
	}
	if err := e.putHeld(ctx, bookFile, text); err != nil {
		return nil, err
	}
	runs, err := e.do(ctx, stepCount, splits, keys, &given{Weighed: weighed.names})
	if err != nil {
		return nil, err
	}
	tuples, err := count.Merge(ctx, request, counting, book, runs.all(ctx))
	if err != nil {
		return nil, err
	}
	return counts, tuples.Bind(counts)
}

// survey has the values of splits counted by so many processes, and with them what the input exposes.
func (e *elsewhere) survey(ctx context.Context, splits, keys int, weighed *results, exposing *exposing) (*results, error) {
	if !exposing.counted() {
		return e.do(ctx, stepSurvey, splits, keys, &given{Weighed: weighed.names})
	}
	g := &given{Weighed: weighed.names, Exposes: &exposes{}}
	surveys, err := e.do(ctx, stepSurvey, splits, 2*keys, g)
	if err != nil {
		return nil, err
	}
	exposed := *surveys
	surveys.names, exposed.names = surveys.names[:keys], surveys.names[keys:]
	if err := exposing.merge(exposed.all(ctx), e.res); err != nil {
		return nil, err
	}
	if rows := exposing.counts.Rows(); rows != exposing.Dataset.Rows() {
		return nil, fmt.Errorf("read which rows are alike, of %d of an input of %d: %w", rows, exposing.Dataset.Rows(), count.ErrDamaged)
	}
	return surveys, nil
}

// mask has the row groups of the release made, and writes them.
func (e *elsewhere) mask(ctx context.Context, b *Bound, how *given, m *masking.Masker, parts *output.Parts) (err error) {
	var made *results
	if b.Job.Order == job.OrderReleased {
		made, err = e.maskInOrder(ctx, b, how, m)
	} else {
		made, err = e.do(ctx, stepMask, len(b.tasks()), 0, how)
	}
	if err != nil {
		return err
	}
	number := 0
	for groups, err := range made.all(ctx) {
		if err == nil {
			err = m.AddTask(ctx, number, groups, parts)
		}
		if err != nil {
			return err
		}
		number++
	}
	return nil
}

// maskInOrder has the rows of the release put in order, and row groups made of them.
func (e *elsewhere) maskInOrder(ctx context.Context, b *Bound, how *given, m *masking.Masker) (*results, error) {
	keys := cmp.Or(e.system.Keys, int(max(b.Dataset.Rows()/rowsOfRange, 1)))
	order := masking.Order{Store: func() (*spill.Store, error) { return e.res.scratch.open("rows of the release") }}
	bounds, err := m.Bounds(ctx, order, keys)
	if err != nil {
		return nil, err
	}
	sorting, encoding := *how, *how
	sorting.Bounds = bounds
	sorted, err := e.do(ctx, stepSort, len(b.Dataset.Splits()), keys, &sorting)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(sorted.names, func(name string) bool { return name == "" })
	begins, err := masking.LayOut(e.folder.ranges(ctx, names), int64(b.Job.Output.RowGroupRows), b.Dataset.Rows())
	if err != nil {
		return nil, err
	}
	encoding.Ranges, encoding.Begins = names, begins
	return e.do(ctx, stepEncode, len(begins), 0, &encoding)
}

// ranges opens ranges of rows, one after the other: each is closed before the next.
func (f sharedFolder) ranges(ctx context.Context, names []string) iter.Seq2[*masking.Range, error] {
	return func(yield func(*masking.Range, error) bool) {
		for _, name := range names {
			file, err := f.open(ctx, name)
			if err != nil {
				yield(nil, err)
				return
			}
			r, err := masking.OpenRange(file)
			more := yield(r, err)
			if err = file.Close(); err != nil && more {
				yield(nil, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// tally has the parts of the release recounted, which lie where workers see them, and judges them. When it asks,
// which rows are alike is counted; figures on kept columns may be known.
func (e *elsewhere) tally(ctx context.Context, release string, ask *verify.Exposure, known *risk.Figures) (*risk.Report, error) {
	parts, err := fileset.Parts(ctx, release)
	if err != nil {
		return nil, err
	}
	cut, err := cutfile.Read(ctx, release)
	if err != nil {
		return nil, err
	}
	g := &given{Cut: cut.Raw, Parts: parts}
	if ask != nil {
		g.Exposes = &exposes{Known: ask.Known, Accepted: ask.Accepted, Members: ask.Members}
	}
	counted, err := e.do(ctx, stepTally, len(parts), 0, g)
	if err != nil {
		return nil, err
	}
	var sum *verify.Recount
	for encoded, err := range counted.all(ctx) {
		if err != nil {
			return nil, err
		}
		recount, err := verify.DecodeRecount(encoded)
		if err == nil && sum != nil {
			recount, err = sum.Merge(recount)
		}
		if err != nil {
			return nil, err
		}
		sum = recount
	}
	if _, err = verify.Judge(release, cut, sum); err != nil || ask == nil {
		return nil, err
	}
	return sum.Exposed(cut, ask, known)
}

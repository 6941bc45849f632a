package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// Worker does tasks of a run that another process carries out. Its methods may be called from several goroutines at a time.
type Worker struct {
	folder sharedFolder
	bound  *Bound
	res    *resources
	base   int64  // bytes that are drawn while nothing is done
	heap   func() // undoes the limit of the heap

	mu      sync.Mutex
	working int
	step    string // that was worked on last
	last    *instructed
}

// instructed is what all tasks of a step need.
type instructed struct {
	given
	mu      sync.Mutex
	known   bool
	request *count.Request
	held    int64 // bytes that are drawn for all this
	book    *count.Book
	recoder masking.Recoder
	cut     *cutfile.File
}

// OpenWorker opens the job of a run, of whose steps the folder is.
func OpenWorker(ctx context.Context, folder string) (w *Worker, err error) {
	w = &Worker{folder: sharedFolder(folder)}
	text, err := w.folder.get(ctx, jobFile)
	if err != nil {
		return nil, err
	}
	j, err := job.ParsePortable(text)
	if err != nil {
		return nil, err
	}
	if w.res, err = newResources(j, &Report{}, Events{}, spill.Options{}); err != nil {
		return nil, err
	}
	w.heap = spill.LimitHeap(w.res.budget.Limit())
	defer func() {
		if err != nil {
			w.heap()
		}
	}()
	w.res.threads, w.res.scratch.beside = 1, filepath.Join(os.TempDir(), "kcut")
	if err := w.res.scratch.sweep(); err != nil {
		return nil, err
	}
	taxonomies, err := loadTaxonomies(j, w.res.budget)
	if err != nil {
		return nil, err
	}
	keys, err := loadKeys(j)
	if err != nil {
		return nil, err
	}
	if w.bound, err = Bind(ctx, j, taxonomies, w.res); err != nil {
		return nil, joinClosed(err, w.bound.close())
	}
	w.bound.keys, w.base = keys, w.res.budget.Used()
	return w, nil
}

// Close lets go of the input. Nothing is being done.
func (w *Worker) Close() error {
	defer w.heap()
	return w.bound.close()
}

// Do does a task of a step. What it emits is to be given to Merge, with that of all tasks with the same key.
func (w *Worker) Do(ctx context.Context, s Step, task int, emit func(key int, block []byte) error) error {
	return w.work(ctx, s, func(g *instructed) error {
		if s.Keys > 0 {
			blocks, err := w.blocks(ctx, s, g, task)
			if err != nil {
				return err
			}
			return w.emit(ctx, s, task, blocks, emit)
		}
		result, err := w.make(ctx, s.does(), g, task)
		if err != nil {
			return err
		}
		return w.folder.putResult(ctx, s.result(task), result)
	})
}

// Merge merges what tasks of a step have emitted with a key.
func (w *Worker) Merge(ctx context.Context, s Step, key int, blocks [][]byte) error {
	return w.work(ctx, s, func(g *instructed) (err error) {
		held := spill.NewLedger(w.res.budget, "blocks to be merged")
		defer held.Close()
		if blocks, err = w.unpacked(ctx, s, blocks, held); err != nil {
			return err
		}
		var result []byte
		switch s.does() {
		case stepWeigh:
			result, err = count.MergeEntities(ctx, w.res.counting(), each(blocks))
		case stepSurvey:
			if g.Exposes != nil && key >= s.Keys/2 {
				result, err = w.mergeExposed(g, blocks)
				break
			}
			var merged *count.Surveyed
			if merged, err = count.MergeSurveys(g.request, w.res.counting(), each(blocks)); err == nil {
				result, err = merged.Encode(ctx)
			}
		case stepCount:
			var merged *count.Tuples
			if merged, err = count.Merge(ctx, g.request, w.res.counting(), g.book, each(blocks)); err == nil {
				var parts [][]byte
				if parts, err = merged.Encode(ctx, 1); err == nil {
					result = parts[0]
				}
			}
		default:
			result, err = (&masking.Masker{Budget: w.res.budget}).MergeRange(ctx, w.order(), blocks)
		}
		if err != nil {
			return err
		}
		return w.folder.putResult(ctx, s.result(key), result)
	})
}

// mergeExposed merges what splits expose.
func (w *Worker) mergeExposed(g *instructed, blocks [][]byte) ([]byte, error) {
	e := w.bound.exposing()
	defer e.close()
	if err := e.merge(each(blocks), w.res); err != nil {
		return nil, err
	}
	return e.counts.Encode()
}

// work does something of a step. Its error is left for the run, since what brings it there may not keep its class.
func (w *Worker) work(ctx context.Context, s Step, do func(g *instructed) error) error {
	w.begin()
	err := workers.Fence(func() error {
		g, err := w.instructed(ctx, s)
		if err != nil {
			return err
		}
		return do(g)
	})
	err = errors.Join(err, w.end())
	if err == nil || ctx.Err() != nil {
		return err
	}
	advised := &fault.Error{}
	errors.As(fault.Advised(w.res.budget.Advise(err)), &advised)
	left := w.folder.putJSON(ctx, fmt.Sprintf("%s%s-%s", s.Name, errorSuffix, rand.Text()), workerError{advised.Class, err.Error(), advised.Hint})
	return errors.Join(err, left)
}

func (w *Worker) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working++
}

// end lets go of what was spilled, and of what a failed task has drawn, when nothing is being done.
func (w *Worker) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.working--; w.working > 0 {
		return nil
	}
	err := w.res.closeStore()
	held := w.base
	if w.last != nil {
		held += w.last.held
	}
	w.res.budget.Return(w.res.budget.Used() - held)
	return err
}

// instructed returns what all tasks of a step need.
func (w *Worker) instructed(ctx context.Context, s Step) (*instructed, error) {
	w.mu.Lock()
	if w.step != s.Name {
		w.step, w.last = s.Name, &instructed{}
	}
	g := w.last
	w.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known {
		return g, nil
	}
	err := w.instruct(ctx, s, g) // where it fails, as of a task that is stopped, the next task tries again
	g.known = err == nil
	return g, err
}

func (w *Worker) instruct(ctx context.Context, s Step, g *instructed) (err error) {
	if err = w.folder.getJSON(ctx, s.Name+givenSuffix, &g.given); err != nil {
		return err
	}
	held := w.res.budget.Part(w.res.budget.Limit())
	defer func() {
		if g.held = held.Used(); err != nil {
			held.Return(g.held)
		}
	}()
	g.request = w.bound.request(count.Tuning{})
	if len(g.Weighed) > 0 {
		weighed := results{w.folder, held, g.Weighed}
		if g.request, _, err = g.request.Weighed(held, weighed.all(ctx)); err != nil {
			return err
		}
	}
	switch s.does() {
	case stepCount:
		g.book, err = w.book(ctx, g.request, held)
	case stepMask, stepSort, stepEncode:
		if g.Recoded {
			g.recoder, err = w.recoder(ctx, g.request, held)
		} else {
			g.recoder, err = cutRecoder(w.bound, g.Cut, held)
		}
	case stepTally:
		g.cut, err = cutfile.Parse(g.Cut)
	}
	return err
}

// book reads what tuples are counted by.
func (w *Worker) book(ctx context.Context, r *count.Request, held *spill.Budget) (book *count.Book, err error) {
	err = w.folder.getHeld(ctx, held, bookFile, func(content []byte) (err error) {
		book, err = count.DecodeBook(r, held, content)
		return err
	})
	return book, err
}

// recoder reads how records are masked of which the cut does not tell all.
func (w *Worker) recoder(ctx context.Context, r *count.Request, held *spill.Budget) (recoder masking.Recoder, err error) {
	book, err := w.book(ctx, r, held)
	if err != nil {
		return recoder, err
	}
	err = w.folder.getHeld(ctx, held, recodingFile, func(content []byte) (err error) {
		recoder, err = portableRecoder(content, r, book, held)
		return err
	})
	return recoder, err
}

// split returns the split of a task, alone.
func (w *Worker) split(task int) (alone []formats.Split, err error) {
	all := w.bound.Dataset.Splits()
	if task >= len(all) {
		return nil, fmt.Errorf("read split %d: the input has %d: %w", task, len(all), formats.ErrChanged)
	}
	return all[task : task+1], nil
}

// blocks does a task whose blocks are merged, and returns them by key.
func (w *Worker) blocks(ctx context.Context, s Step, g *instructed, task int) ([][]byte, error) {
	splits, err := w.split(task)
	if err != nil {
		return nil, err
	}
	switch s.does() {
	case stepWeigh:
		return count.CountEntities(ctx, g.request, w.res.counting(), splits, s.Keys)
	case stepSurvey:
		return w.survey(ctx, s, g, task, splits)
	case stepCount:
		tuples, err := count.Count(ctx, g.request, w.res.counting(), g.book, splits)
		if err != nil {
			return nil, err
		}
		return tuples.Encode(ctx, s.Keys)
	}
	m, err := w.bound.masker(g.recoder, w.res)
	if err != nil {
		return nil, err
	}
	return m.SortSplit(ctx, w.order(), splits[0], g.Bounds)
}

// survey counts the values of a split, and with them what it exposes if that is asked for.
func (w *Worker) survey(ctx context.Context, s Step, g *instructed, task int, splits []formats.Split) ([][]byte, error) {
	request, blocks, keys := *g.request, make([][]byte, s.Keys), s.Keys
	var e *exposing
	if g.Exposes != nil {
		e = w.bound.exposing()
		defer e.close()
		request.Beside = e.beside(w.res)
		keys /= 2
	}
	survey, err := count.Survey(ctx, &request, w.res.counting(), splits)
	if err != nil {
		return nil, err
	}
	if blocks[task%keys], err = survey.Encode(ctx); err == nil && e != nil {
		e.counts.Join()
		blocks[keys+task%keys], err = e.counts.Encode()
	}
	return blocks, err
}

// order says how the worker puts rows in order.
func (w *Worker) order() masking.Order {
	return masking.Order{
		Store:   func() (*spill.Store, error) { return w.res.scratch.open("rows of the release") },
		Sharers: runtime.GOMAXPROCS(0),
	}
}

// make does what makes a result by itself.
func (w *Worker) make(ctx context.Context, what string, g *instructed, task int) ([]byte, error) {
	if what == stepTally {
		memory, sharers := w.res.budget.Limit(), int64(runtime.GOMAXPROCS(0))
		var exposure *verify.Exposure
		if g.Exposes != nil {
			exposure = &verify.Exposure{Budget: w.res.budget, Memory: spill.Exposure.Part(memory) / sharers, Known: g.Exposes.Known, Accepted: g.Exposes.Accepted, Members: g.Exposes.Members}
		}
		recount, err := verify.Tally(ctx, g.cut, g.Parts[task], 0, -1, spill.Recount.Part(memory)/sharers, exposure)
		if err != nil {
			return nil, err
		}
		return recount.Encode(), nil
	}
	m, err := w.bound.masker(g.recoder, w.res)
	if err != nil {
		return nil, err
	}
	if what == stepEncode {
		place := g.Begins[task]
		ranges := w.folder.ranges(ctx, g.Ranges[place.Range:])
		return m.EncodeFrom(ranges, place, int64(w.bound.Job.Output.RowGroupRows), w.bound.Dataset.Rows())
	}
	return m.MaskTask(ctx, w.bound.tasks()[task])
}

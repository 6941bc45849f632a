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
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// Worker masks rows for a run in another process. Several goroutines may call its methods at a
// time.
type Worker struct {
	folder    sharedFolder
	bound     *binding.Bound
	recoder   masking.Recoder
	res       *resources.Run
	baseDrawn int64  // bytes that are drawn while the worker has no task
	heap      func() // removes the limit of the heap

	mu      sync.Mutex
	working int
}

// OpenWorker opens the job of a run and its cut in a folder that Runner.Do received.
func OpenWorker(ctx context.Context, folder string) (*Worker, error) {
	w := &Worker{folder: sharedFolder(folder)}
	if err := w.open(ctx); err != nil {
		return nil, w.leaveError(ctx, err)
	}
	return w, nil
}

func (w *Worker) open(ctx context.Context) (err error) {
	text, err := w.folder.get(ctx, jobFile)
	if err != nil {
		return err
	}
	cutText, err := w.folder.get(ctx, cutFile)
	if err != nil {
		return err
	}
	cut, err := cutfile.Parse(cutText)
	if err != nil {
		return err
	}
	j, err := job.ParsePortable(text)
	if err != nil {
		return err
	}
	if w.res, err = resources.New(j, spill.Options{}, resources.Events{}); err != nil {
		return err
	}
	w.heap = spill.LimitHeap(w.res.Budget.Limit())
	defer func() {
		if err != nil {
			err = fault.Join(err, w.Close())
		}
	}()
	w.res.Threads, w.res.Scratch.Output = 1, filepath.Join(os.TempDir(), "kcut")
	if err := w.res.Scratch.Sweep(); err != nil {
		return err
	}
	taxonomies, err := binding.LoadTaxonomies(j, w.res.Budget)
	if err != nil {
		return err
	}
	keys, err := binding.LoadKeys(j)
	if err != nil {
		return err
	}
	if w.bound, err = binding.Open(ctx, j, taxonomies, w.res); err != nil {
		return err
	}
	w.bound.Keys = keys
	w.recoder, err = search.CutRecoder(w.bound, cut, w.res.Budget)
	w.baseDrawn = w.res.Budget.Used()
	return err
}

// Close closes the input. The worker must not have a task.
func (w *Worker) Close() error {
	defer w.heap()
	return w.bound.Close()
}

// Do does a task: it masks rows and leaves them in the folder.
func (w *Worker) Do(ctx context.Context, task int) error {
	w.begin()
	err := workers.Fence(func() error {
		masked, err := w.mask(ctx, task)
		if err != nil {
			return err
		}
		return w.folder.putResult(ctx, resultName(task), masked)
	})
	return w.leaveError(ctx, errors.Join(err, w.end()))
}

// mask masks the rows of a task.
func (w *Worker) mask(ctx context.Context, task int) ([]byte, error) {
	m, err := search.NewMasker(w.bound, w.recoder, w.res)
	if err != nil {
		return nil, err
	}
	splits, order := w.bound.Dataset.Splits(), rowOrder(w.bound, w.res)
	if task >= len(splits) {
		return nil, fmt.Errorf("do task %d: the input has fewer splits than before: %w",
			task, formats.ErrChanged)
	}
	order.Sharers = runtime.GOMAXPROCS(0)
	return m.MaskSplit(ctx, order, splits[task])
}

// leaveError leaves an error in the folder for the run: the runner may lose the class of the
// error.
func (w *Worker) leaveError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if w.res != nil {
		err = w.res.Budget.Advise(err)
	}
	advised := &fault.Error{}
	errors.As(fault.Advised(err), &advised)
	return errors.Join(err, w.folder.putJSON(ctx, errorPrefix+rand.Text(),
		workerError{advised.Class, err.Error(), advised.Hint}))
}

func (w *Worker) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working++
}

// end removes spilled data and returns the memory of failed tasks, once the worker has no task.
func (w *Worker) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.working--; w.working > 0 {
		return nil
	}
	_, err := w.res.Scratch.Close()
	w.res.Budget.Return(w.res.Budget.Used() - w.baseDrawn)
	return err
}

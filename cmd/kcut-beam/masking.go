package main

import (
	"context"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kcut/kcut"
)

// A pipeline masks the rows of a run. Its elements are the numbers of tasks. Masked rows stay in
// the shared folder.
//
//	numbers of tasks ──Reshuffle──▶ Worker.Do ──▶ files of the shared folder
//
// The runner chooses the bundles of elements. It may run a bundle again, or twice: a task always
// makes the same bytes, in a file whose name has a digest of them.

// These functions do the tasks of workers. Tests make them fail, repeat a task, or do something
// else.
var (
	openWorker = kcut.OpenWorker
	doTask     = (*kcut.Worker).Do
)

// maskFn does tasks of a run that shares a folder with its workers.
type maskFn struct{ Folder string }

// ProcessElement does a task, and returns its number.
func (f *maskFn) ProcessElement(ctx context.Context, task int) (int, bool, error) {
	w, err := workerOf(ctx, f.Folder)
	if err != nil {
		return task, false, err
	}
	return task, true, doTask(w, ctx, task)
}

// forget ends the pipeline: it ignores the results of the tasks.
func forget(int, func(*bool) bool) {}

func init() {
	register.DoFn2x3[context.Context, int, int, bool, error](&maskFn{})
	register.Function2x0(forget)
	register.Iter1[bool]()
}

// opened is the worker of the last run in this process.
var opened struct {
	sync.Mutex
	folder string
	worker *kcut.Worker
}

// workerOf returns the worker of a run in this process.
func workerOf(ctx context.Context, folder string) (*kcut.Worker, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.folder == folder {
		return opened.worker, nil
	}
	w, err := openWorker(ctx, folder)
	if err == nil {
		opened.folder, opened.worker = folder, w // the earlier worker may still be busy
	}
	return w, err
}

// pipelineOf returns the pipeline of tasks.
func pipelineOf(folder string, tasks []int) *beam.Pipeline {
	p, root := beam.NewPipelineWithRoot()
	numbers := beam.Reshuffle(root.Scope("tasks"), beam.CreateList(root, tasks))
	done := beam.ParDo(root.Scope("mask"), &maskFn{folder}, numbers)
	// Prism asks a bundle without output all the time whether it is done, so there is an output.
	beam.ParDo0(root.Scope("done"), forget, beam.GroupByKey(root, done))
	return p
}

// runner is a runner of Beam, by its name.
type runner string

// Do runs the pipeline of the given number of tasks.
func (r runner) Do(ctx context.Context, folder string, tasks int) error {
	if tasks == 0 {
		return nil
	}
	if err := reach(ctx); err != nil {
		return err
	}
	numbers := make([]int, tasks)
	for i := range numbers {
		numbers[i] = i
	}
	_, err := beam.Run(ctx, string(r), pipelineOf(folder, numbers))
	return err
}

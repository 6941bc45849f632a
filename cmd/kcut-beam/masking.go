package main

import (
	"context"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kcut/kcut"
)

// The masking of a run is a pipeline. Its elements are numbers of tasks: rows, masked, stay in the shared folder.
//
//	numbers of tasks ──Reshuffle──▶ Worker.Do ──▶ files of the shared folder
//
// Elements are in bundles as the runner likes. Bundles may be run again, or twice: what a task makes are always the same bytes,
// in a file whose name has a digest of them.

// What workers do. Tests have them fail, do it twice, or do something else.
var (
	openWorker = kcut.OpenWorker
	doTask     = (*kcut.Worker).Do
)

// maskFn does tasks of a run, which shares a folder with its workers.
type maskFn struct{ Folder string }

// ProcessElement does a task, and returns its number.
func (f *maskFn) ProcessElement(ctx context.Context, task int) (int, bool, error) {
	w, err := workerOf(ctx, f.Folder)
	if err != nil {
		return task, false, err
	}
	return task, true, doTask(w, ctx, task)
}

// forget ends the pipeline: it takes the answers of the tasks, and does nothing.
func forget(int, func(*bool) bool) {}

func init() {
	register.DoFn2x3[context.Context, int, int, bool, error](&maskFn{})
	register.Function2x0(forget)
	register.Iter1[bool]()
}

// opened is this process's worker of the last run that it has worked for.
var opened struct {
	sync.Mutex
	folder string
	worker *kcut.Worker
}

// workerOf returns this process's worker of a run.
func workerOf(ctx context.Context, folder string) (*kcut.Worker, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.folder == folder {
		return opened.worker, nil
	}
	w, err := openWorker(ctx, folder)
	if err == nil {
		opened.folder, opened.worker = folder, w // the one before may still be at work
	}
	return w, err
}

// pipelineOf returns the pipeline of tasks.
func pipelineOf(folder string, tasks []int) *beam.Pipeline {
	p, root := beam.NewPipelineWithRoot()
	numbers := beam.Reshuffle(root.Scope("tasks"), beam.CreateList(root, tasks))
	done := beam.ParDo(root.Scope("mask"), &maskFn{folder}, numbers)
	beam.ParDo0(root.Scope("done"), forget, beam.GroupByKey(root, done)) // of a bundle without output Prism asks all the time whether it is done
	return p
}

// runner is one of Beam's, by its name.
type runner string

// Do runs the pipeline of a number of tasks.
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

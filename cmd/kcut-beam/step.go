package main

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kcut/kcut"
)

// A step is a pipeline of its own. Its elements are numbers of tasks and blocks, as many as there are splits and keys: sorted runs of
// packed tuples or of values. Rows stay in the shared folder: of their sorted runs the blocks say where they are.
//
//	numbers of tasks ──Reshuffle──▶ Worker.Do ──(key, block)──▶ GroupByKey ──▶ Worker.Merge ──▶ file of the shared folder
//	                                    └──▶ file of the shared folder, where nothing is merged
//
// Elements are in bundles as the runner likes. Bundles may be run again, or twice: what a task makes are always the same bytes,
// in a file whose name tells what they are.

// What workers do. Tests have them fail, do it twice, or do something else.
var (
	openWorker = kcut.OpenWorker
	doTask     = (*kcut.Worker).Do
	mergeKey   = (*kcut.Worker).Merge
)

// doFn does tasks whose blocks are merged.
type doFn struct{ Step kcut.Step }

// ProcessElement does a task.
func (f *doFn) ProcessElement(ctx context.Context, task int, emit func(int, []byte)) error {
	w, err := workerOf(ctx, f.Step.Folder)
	if err != nil {
		return err
	}
	return doTask(w, ctx, f.Step, task, func(key int, block []byte) error {
		emit(key, block)
		return nil
	})
}

// makeFn does tasks that make a file each.
type makeFn struct{ Step kcut.Step }

// ProcessElement does a task, and returns its number.
func (f *makeFn) ProcessElement(ctx context.Context, task int) (int, bool, error) {
	w, err := workerOf(ctx, f.Step.Folder)
	if err != nil {
		return task, false, err
	}
	return task, true, doTask(w, ctx, f.Step, task, func(key int, _ []byte) error {
		return fmt.Errorf("task %d of %s emits a block of key %d, and nothing is merged", task, f.Step.Name, key)
	})
}

// mergeFn merges the blocks of a key.
type mergeFn struct{ Step kcut.Step }

// ProcessElement merges blocks, and returns their key.
func (f *mergeFn) ProcessElement(ctx context.Context, key int, next func(*[]byte) bool) (int, bool, error) {
	w, err := workerOf(ctx, f.Step.Folder)
	if err != nil {
		return key, false, err
	}
	var blocks [][]byte
	for block := []byte(nil); next(&block); block = nil {
		blocks = append(blocks, block)
	}
	return key, true, mergeKey(w, ctx, f.Step, key, blocks)
}

// forget takes what is done.
func forget(int, func(*bool) bool) {}

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&doFn{})
	register.DoFn2x3[context.Context, int, int, bool, error](&makeFn{})
	register.DoFn3x3[context.Context, int, func(*[]byte) bool, int, bool, error](&mergeFn{})
	register.Function2x0(forget)
	register.Iter1[bool]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	beam.RegisterType(reflect.TypeFor[kcut.Step]())
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

// pipelineOf returns the pipeline of a step, whose tasks have numbers.
func pipelineOf(s kcut.Step, numbers []int) *beam.Pipeline {
	p, root := beam.NewPipelineWithRoot()
	tasks := beam.Reshuffle(root.Scope("tasks"), beam.CreateList(root, numbers))
	var done beam.PCollection
	if s.Keys == 0 {
		done = beam.ParDo(root.Scope(s.Name), &makeFn{s}, tasks)
	} else {
		blocks := beam.ParDo(root.Scope(s.Name), &doFn{s}, tasks)
		done = beam.ParDo(root.Scope("merge"), &mergeFn{s}, beam.GroupByKey(root, blocks))
	}
	beam.ParDo0(root.Scope("done"), forget, beam.GroupByKey(root, done)) // of a bundle without output Prism asks all the time whether it is done
	return p
}

// runner is one of Beam's, by its name.
type runner string

// Do runs the pipeline of a step.
func (r runner) Do(ctx context.Context, s kcut.Step) error {
	if s.Tasks == 0 {
		return nil
	}
	if err := reach(ctx); err != nil {
		return err
	}
	numbers := make([]int, s.Tasks)
	for i := range numbers {
		numbers[i] = i
	}
	_, err := beam.Run(ctx, string(r), pipelineOf(s, numbers))
	return err
}

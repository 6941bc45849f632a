package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/search"
)

// remoteMasking lets other processes mask the rows of a run.
type remoteMasking struct {
	runner Runner
	folder sharedFolder
	noted  func(text string)
}

// masksRemotely reports whether other processes mask the rows. These processes know only the cut,
// and each makes whole row groups by itself.
func (r *runRecords) masksRemotely(b *binding.Bound, found *search.Found) bool {
	switch {
	case r.opt.Runner == nil:
	case !found.IsCut():
		r.res.Noted("labels depend on more than the value of their own column: this process " +
			"masks the rows alone")
	case len(b.Job.Output.PartitionBy) > 0:
		r.res.Noted("the release has partitions: this process masks the rows alone")
	default:
		return true
	}
	return false
}

// maskRemotely lets other processes mask the rows by a cut, with a task for each split, and
// passes the masked rows to use.
func (r *runRecords) maskRemotely(
	ctx context.Context, b *binding.Bound, cut []byte, use func(masking.Rows) error,
) error {
	remote, err := r.shareCut(ctx, cut)
	var names []string
	if err == nil {
		names, err = remote.do(ctx, len(b.Dataset.Splits()))
	}
	if err == nil {
		err = use(func(split int, use func([]byte) error) error {
			return remote.folder.getWithin(ctx, r.res.Budget, names[split], use)
		})
	}
	return fault.Join(err, remote.close(ctx))
}

// mostAttempts is the largest number of calls of a runner: some runners do not retry failed
// tasks.
const mostAttempts = 3

// shareCut puts the job and its cut into a new folder that workers can read. The caller must call
// close on the result, even if there is an error.
func (r *runRecords) shareCut(ctx context.Context, cut []byte) (*remoteMasking, error) {
	place := sharedFolder(r.work.Path)
	if r.remoteFolder != "" {
		place = sharedFolder(r.remoteFolder)
	}
	if r.opt.Shared != "" {
		place = sharedFolder(r.opt.Shared)
	}
	text, err := r.job.Portable()
	if err != nil {
		return nil, err
	}
	out, err := output.Absolute(r.job.Output.Path)
	if err != nil {
		return nil, err
	}
	prefix := sharedPrefixOf(out)
	if err := place.sweep(ctx, prefix); err != nil {
		return nil, fmt.Errorf("sweep shared folder: %w", err)
	}
	folder := place.subfolder(prefix + strings.ToLower(rand.Text()))
	if err := folder.make(); err != nil {
		return nil, fmt.Errorf("make shared folder: %w", err)
	}
	err = errors.Join(folder.put(ctx, jobFile, text), folder.put(ctx, cutFile, cut))
	return &remoteMasking{r.opt.Runner, folder, r.res.Noted}, err
}

// close removes the shared folder, even after the run was stopped.
func (r *remoteMasking) close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return r.folder.remove(ctx)
}

// do lets the runner do the tasks, again after transient errors, and returns the names of their
// results.
func (r *remoteMasking) do(ctx context.Context, tasks int) (names []string, err error) {
	for attempt := 1; ; attempt++ {
		if err = r.runner.Do(ctx, string(r.folder), tasks); err != nil {
			err = r.failure(ctx, err)
		} else {
			names, err = r.results(ctx, tasks)
		}
		if fault.ClassOf(err) != fault.Transient || attempt == mostAttempts {
			return names, err
		}
		r.noted(fmt.Sprintf("trying again: %v", err))
	}
}

// resultName returns the beginning of the names of a task's results.
func resultName(task int) string { return fmt.Sprintf("%s%07d", resultPrefix, task) }

// results returns the names of the results in the order of the tasks.
func (r *remoteMasking) results(ctx context.Context, tasks int) ([]string, error) {
	found, err := r.folder.list(ctx, resultPrefix)
	if err != nil {
		return nil, err
	}
	names := make([]string, tasks)
	for _, name := range found {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, resultPrefix), "-")
		task, err := strconv.Atoi(number)
		if err != nil || task >= tasks {
			return nil, fmt.Errorf("find the result %s: %w", name, formats.ErrDamaged)
		}
		if names[task] != "" {
			return nil, fault.Errorf(fault.Transient,
				"do all workers run the same kcut, on the same files?",
				"find the result of task %d: two workers have made different ones", task)
		}
		names[task] = name
	}
	if len(found) < tasks {
		return nil, fault.Errorf(fault.Transient, "try again",
			"find the results of %d tasks: there are %d", tasks, len(found))
	}
	return names, nil
}

// workerError is an error of a worker in the shared folder.
type workerError struct {
	Class         fault.Class
	Message, Hint string
}

// failure returns the error of a worker if one has failed, otherwise the error of the runner.
func (r *remoteMasking) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	names, failed := r.folder.list(ctx, errorPrefix)
	var left workerError
	if failed == nil && len(names) > 0 && r.folder.getJSON(ctx, names[len(names)-1], &left) == nil {
		return &fault.Error{Class: left.Class, Hint: left.Hint, Err: errors.New(left.Message)}
	}
	if _, advised := errors.AsType[*fault.Error](err); advised {
		return fmt.Errorf("mask by other processes: %w", err)
	}
	return fault.Errorf(fault.Transient, "look at what the runner says, and try again",
		"mask by other processes: %w", err)
}

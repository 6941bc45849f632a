package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// maskInput writes the part files of the release: the rows of the input with the labels of the
// cut.
func maskInput(
	ctx context.Context, b *binding.Bound, found *search.Found, res *runState, records *runRecords,
) error {
	remotely := records.masksRemotely(b, found)
	if remotely { // workers do not get the lists of values
		forgetDictionaries(found, res.Budget)
	}
	m, err := found.Masker(b, res.Run)
	if err != nil {
		return err
	}
	res.report.Columns = columnReports(b.Dataset.Schema(), b.Specs, m.Plan)
	records.target.Columns = m.Plan.Outputs()
	parts := &output.Parts{
		Target: records.target, Metadata: map[string]string{cutfile.Key: string(found.Cut.Raw)},
		Footer: spill.NewAccount(res.Budget, "the footer of the release"),
	}
	order := rowOrder(b, res.Run)
	order.Rows = int64(b.Job.Output.RowGroupRows)
	mask := func(rows masking.Rows) error { return m.Mask(ctx, order, rows, parts) }
	if remotely {
		err = records.maskRemotely(ctx, b, found.Cut.Raw, mask)
	} else {
		err = mask(nil)
	}
	if err == nil {
		err = b.CheckUnchanged(ctx)
	}
	if err = errors.Join(err, parts.Close(err == nil)); err == nil {
		notePartitions(b, records.target.Finished, res)
	}
	return err
}

// notePartitions notes partitions with fewer rows than k, where k is the largest k of the sets
// that have a partition column. Sets hold on their own columns alone: with partition columns of
// several sets, a combination of values may have fewer rows.
func notePartitions(b *binding.Bound, parts []fileset.Part, res *runState) {
	k, rows, small := 0, make(map[string]int64), 0
	for i := range b.Job.Sets {
		set := &b.Job.Sets[i]
		has := func(name string) bool { return slices.Contains(set.Names(), name) }
		if slices.ContainsFunc(b.Job.Output.PartitionBy, has) {
			k = max(k, set.K)
		}
	}
	for _, part := range parts {
		rows[path.Dir(part.Name)] += part.Rows
	}
	for _, n := range rows {
		if n < int64(k) {
			small++
		}
	}
	if small > 0 {
		res.Noted(fmt.Sprintf("%d of %s have fewer than k = %d rows: their folders reveal "+
			"what few people have in common", small, text.Count(len(rows), "partition"), k))
	}
}

// rowOrder returns the order of the rows in the release.
func rowOrder(b *binding.Bound, r *resources.Run) masking.Order {
	return masking.Order{Input: b.Job.Order == job.OrderInput, Store: r.StoreRows}
}

// forgetDictionaries drops the dictionaries of kept columns and returns their memory.
func forgetDictionaries(found *search.Found, budget *spill.Budget) {
	budget.Return(found.Dictionaries.Bytes)
	found.Dictionaries = guard.Dictionaries{}
}

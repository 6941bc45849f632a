package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/sql"
)

// SQLOptions say in which dialect a statement is, and of which tables: names such as people or shop.people, with double quotes
// around parts that have other characters in them.
type SQLOptions = pipeline.SQLOptions

// SQLDialects returns the names of the dialects that statements are written in.
func SQLDialects() []string { return sql.Dialects() }

// CountSQL returns the statements that count a table where it is. Their results, as files, are a job's InputCounts.
func CountSQL(job *Job, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) {
		job, err := resolve(job)
		if err != nil {
			return "", err
		}
		return pipeline.CountSQL(job, opt)
	})
}

// VerifySQL returns the statements that recount a table that was masked with the cut of a release, or of a file that has its JSON alone.
func VerifySQL(ctx context.Context, cut string, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) { return pipeline.VerifySQL(ctx, cut, opt) })
}

// MaskSQL returns the statement that masks a table where it is, with the cut of a release or of a file that has its JSON alone.
// The types of columns are those of the job's InputCounts, or of its Input. What the dialect cannot say is an error of ErrUsage.
func MaskSQL(ctx context.Context, job *Job, cut string, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) {
		job, err := resolve(job)
		if err != nil {
			return "", err
		}
		return pipeline.MaskSQL(ctx, job, cut, opt)
	})
}

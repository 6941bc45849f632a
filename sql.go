package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline/sql"
)

// SQLOptions name the dialect of a statement, and its tables: names such as people or shop.people,
// with double quotes around parts that have other characters in them.
type SQLOptions = sql.Options

// SQLDialects returns the names of the dialects that statements can be written in.
func SQLDialects() []string { return sql.Dialects() }

// CountSQL returns the statements with which another engine counts a table, or with Into the one
// that makes a table of counts. The files with their results are the InputCounts of a job.
func CountSQL(job *Job, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) {
		job, err := resolve(job)
		if err != nil {
			return "", err
		}
		return sql.CountJob(job, opt)
	})
}

// VerifySQL returns the statements with which another engine recounts a masked table. The cut that
// masked the table is in a release, or in a file with the JSON of the cut.
func VerifySQL(ctx context.Context, cut string, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) { return sql.VerifyCut(ctx, cut, opt) })
}

// MaskSQL returns the statement with which another engine masks a table, or without Into the query
// that returns the masked rows. The cut is in a release,
// or in a file with the JSON of the cut. The types of columns are those of the job's InputCounts,
// or of its Input. A cut that the dialect cannot express is an error of ErrUsage.
func MaskSQL(ctx context.Context, job *Job, cut string, opt SQLOptions) (string, error) {
	return guarded(func() (string, error) {
		job, err := resolve(job)
		if err != nil {
			return "", err
		}
		return sql.MaskJob(ctx, job, cut, opt)
	})
}

// DBTPackage returns the files of a package of dbt, by their names: macros that count and mask a
// relation as CountSQL and MaskSQL do, a test that recounts a masked relation, and a macro that
// prints a job which is written in the meta of a model and of its columns (docs/sql.md). The last
// one needs no job, and the one that counts no cut.
func DBTPackage(ctx context.Context, job *Job, cut, name, dialect string) (map[string]string,
	error) {
	return guarded(func() (map[string]string, error) {
		if job == nil {
			return sql.Package(ctx, nil, "", name, dialect)
		}
		job, err := resolve(job)
		if err != nil {
			return nil, err
		}
		return sql.Package(ctx, job, cut, name, dialect)
	})
}

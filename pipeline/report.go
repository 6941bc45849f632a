package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
)

// Report describes a run. `kcut run --json` prints it and --run-json keeps it. It must not be
// published: it may reveal more than the released file.
type Report struct {
	Output string `json:"output"`
	Rows   int64  `json:"rows"`
	search.Outcome
	// Union counts the rows that are alone, or in small classes, on the labels of all masked
	// columns together. It is nil until the release has been recounted.
	Union *risk.Union `json:"union,omitempty"`
	// Homogeneous has the classes of one value, for every set together with the class and every
	// sensitive column. It is nil until the release has been recounted.
	Homogeneous []verify.Homogeneity `json:"homogeneous,omitempty"`
	// AverageRisk has, by set, the average risk of a released row, if the job limits it.
	AverageRisk []float64 `json:"average_risk,omitempty"`
	// Risk is the disclosure risk of the input, of kept columns, of labels and of both together. It
	// is nil if the input has counts.
	Risk *risk.Report `json:"risk,omitempty"`
	// Weighted is the risk of rows by their sampling weights. It is nil without weight_of_row.
	Weighted *BeforeAndAfter[risk.Weighted] `json:"weighted,omitempty"`
	// Households is the risk of the members of households. It is nil without household.
	Households *BeforeAndAfter[check.Households] `json:"households,omitempty"`

	Notices []string `json:"notices,omitempty"`
	Inputs  []string `json:"inputs"` // without the values in names of partition folders
	// Columns are the columns of the input, with the released columns of each.
	Columns  []ColumnReport `json:"columns,omitempty"`
	Stages   []StageTime    `json:"stages"`
	PeakDraw int64          `json:"peak_budget_bytes"`
	Spilled  int64          `json:"spilled_bytes"` // written to disk
	// SpilledPeak is the largest disk space that spilled data took at one time, in bytes.
	SpilledPeak int64 `json:"spilled_peak_bytes"`
	PeakRSS     int64 `json:"peak_resident_bytes"`
	// Bytes and Files are the size of the release.
	Bytes int64 `json:"released_bytes"`
	Files int   `json:"released_files"`
	// Digests identify the job, the input and the release.
	Digests *Digests `json:"digests,omitempty"`
	// Job is the name of the job file, Version that of the program, and Began the time at which the
	// run began, in UTC, of the run that made the release. Empty: unknown.
	Job     string `json:"job,omitempty"`
	Version string `json:"version,omitempty"`
	Began   string `json:"began,omitempty"`
	CutOnly bool   `json:"cut_only,omitempty"` // the input has counts: the output is a cut
	// AlreadyDone says that the release existed already: the report is that of the run that made
	// it.
	AlreadyDone bool         `json:"already_done,omitempty"`
	Error       *ErrorReport `json:"error,omitempty"` // only of a run that failed
}

// BeforeAndAfter is a measure of the risk on the quasi-identifiers of all sets.
type BeforeAndAfter[Of any] struct {
	Raw    *Of `json:"raw"`    // as the input has them
	Labels *Of `json:"labels"` // as the release has them
}

// ErrorReport is the error of a run that failed.
type ErrorReport struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func reportOf(err error) *ErrorReport {
	return &ErrorReport{fault.ClassOf(err).String(), text.WithoutPartitions(err.Error())}
}

// ColumnReport describes a column of the input, and its released columns.
type ColumnReport struct {
	Name     string           `json:"name"`
	Type     string           `json:"type"`
	Mask     string           `json:"mask"`
	Released []ReleasedColumn `json:"released,omitempty"` // empty for a dropped column, and before masking
}

// ReleasedColumn is one column of the release.
type ReleasedColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// StageTime is the duration of a stage.
type StageTime struct {
	Stage   resources.Stage `json:"stage"`
	Seconds float64         `json:"seconds"`
}

// columnReports describes the columns of the input, and their released columns once these are
// planned.
func columnReports(schema *formats.Schema, specs []*job.Column, plan *masking.Plan) []ColumnReport {
	reports := make([]ColumnReport, len(schema.Fields))
	for i, field := range schema.Fields {
		reports[i] = ColumnReport{Name: field.Name, Type: field.Type.String(), Mask: specs[i].Mask}
	}
	if plan == nil {
		return reports
	}
	plan.EachReleased(func(source int, field formats.Field) {
		report := &reports[source]
		report.Released = append(report.Released, ReleasedColumn{
			Name: field.Name, Type: field.Type.String(),
		})
	})
	return reports
}

// measureSize puts the size of the release at a path into the report.
func (r *Report) measureSize(ctx context.Context, path string) error {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return err
	}
	r.Bytes, r.Files = 0, len(parts)
	for _, part := range parts {
		info, err := os.Stat(part)
		if err != nil {
			return fmt.Errorf("weigh release: %w", err)
		}
		r.Bytes += info.Size()
	}
	return nil
}

// ReadReport reads a report that --run-json wrote.
func ReadReport(text []byte) (*Report, error) {
	r := &Report{}
	if json.Unmarshal(text, r) != nil || r.Output == "" {
		return nil, noReport()
	}
	return r, nil
}

// ReadReports reads the report that --run-json wrote of a run of one table or several: those of all
// tables, in their order. Those of a run that failed have its error.
func ReadReports(text []byte) ([]*Report, error) {
	var all TablesReport
	if json.Unmarshal(text, &all) != nil || len(all.Tables) == 0 {
		r, err := ReadReport(text)
		return []*Report{r}, err
	}
	var reports []*Report
	for _, table := range all.Tables {
		if table.Report == nil || table.Output == "" {
			return nil, noReport()
		}
		table.Error = cmp.Or(table.Error, all.Error)
		reports = append(reports, table.Report)
	}
	return reports, nil
}

// noReport is the error of a file that is no report.
func noReport() error {
	return &fault.Error{
		Class: fault.Input, Hint: "name a file that kcut run --run-json has written",
		Err: errors.New("read report: it is no report of a run"),
	}
}

// save writes the report to a file; with an empty path it does nothing.
func (r *Report) save(path string) error { return saveReport(path, r) }

// saveReport writes a report to a file; with an empty path it does nothing.
func saveReport(path string, report any) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Digests identify the job, the input and the output of a run (docs/operations.md says which data
// each digest covers). Runs of the same job and input have the same digests, wherever the files
// are.
type Digests struct {
	Job    string `json:"job"`
	Input  string `json:"input"`
	Output string `json:"output,omitempty"`
}

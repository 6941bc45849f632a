package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
)

// Report says what a run did; it is what `kcut run --json` prints and --run-json keeps.
// It is not for release: it may tell more than the released file.
type Report struct {
	Output string `json:"output"`
	Rows   int64  `json:"rows"`
	search.Outcome
	// Union says how well the rows hide each other on the labels of all masked columns together;
	// nil before the release was recounted.
	Union *risk.Union `json:"union,omitempty"`
	// Risk says what kept columns, labels and both together tell; nil where one set has all
	// masked columns and nothing is kept but the class.
	Risk    *risk.Report `json:"risk,omitempty"`
	Notices []string     `json:"notices,omitempty"`
	Inputs  []string     `json:"inputs"` // without the values in names of partition folders
	// Columns are the input's, and what became of them.
	Columns  []ColumnReport `json:"columns,omitempty"`
	Stages   []StageTime    `json:"stages"`
	PeakDraw int64          `json:"peak_budget_bytes"`
	Spilled  int64          `json:"spilled_bytes"` // written to disk
	// SpilledPeak is the most disk space that was taken at one time, in bytes.
	SpilledPeak int64 `json:"spilled_peak_bytes"`
	PeakRSS     int64 `json:"peak_resident_bytes"`
	// Bytes and Files are the size of the release.
	Bytes int64 `json:"released_bytes"`
	Files int   `json:"released_files"`
	// Digests tell what made the release, and what it is.
	Digests *Digests `json:"digests,omitempty"`
	CutOnly bool     `json:"cut_only,omitempty"` // of counts: the output is a cut, and nothing is released
	// AlreadyDone says that the release stood, and this is the report of the run that made it.
	AlreadyDone bool         `json:"already_done,omitempty"`
	Error       *ErrorReport `json:"error,omitempty"` // of a run that failed
}

// ErrorReport is what ended a run that failed.
type ErrorReport struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

// ColumnReport is one column of the input, and the columns that were released of it.
type ColumnReport struct {
	Name     string           `json:"name"`
	Type     string           `json:"type"`
	Mask     string           `json:"mask"`
	Released []ReleasedColumn `json:"released,omitempty"` // none of a dropped column, nor before masking
}

// ReleasedColumn is one column of the release.
type ReleasedColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// StageTime is how long a stage took.
type StageTime struct {
	Stage   resources.Stage `json:"stage"`
	Seconds float64         `json:"seconds"`
}

// columnReports describes the input's columns, and those of the release once that is planned.
func columnReports(schema *formats.Schema, specs []*job.Column, plan *masking.Plan) []ColumnReport {
	reports := make([]ColumnReport, len(schema.Fields))
	for i, field := range schema.Fields {
		reports[i] = ColumnReport{Name: field.Name, Type: field.Type.String(), Mask: specs[i].Mask}
	}
	if plan == nil {
		return reports
	}
	plan.EachReleased(func(source int, field formats.Field) {
		of := &reports[source]
		of.Released = append(of.Released, ReleasedColumn{
			Name: field.Name, Type: field.Type.String(),
		})
	})
	return reports
}

// weigh notes the size of the release that lies at a path.
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

// ReadReport reads a report that --run-json has written.
func ReadReport(text []byte) (*Report, error) {
	r := &Report{}
	if json.Unmarshal(text, r) != nil || r.Output == "" {
		return nil, &fault.Error{Class: fault.Input, Hint: "name a file that kcut run --run-json " +
			"has written", Err: errors.New("read report: it is no report of a run")}
	}
	return r, nil
}

// text is the report as JSON.
func (r *Report) text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// save writes the report where the options say.
func (r *Report) save(path string) error {
	if path == "" {
		return nil
	}
	text, err := r.text()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Digests tell what made a release, and what it is (docs/operations.md says what they cover).
// Runs of the same job and input have the same, wherever the files lie.
type Digests struct {
	Job    string `json:"job"`
	Input  string `json:"input"`
	Output string `json:"output,omitempty"`
}

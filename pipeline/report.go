package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/risk"
)

// Report says what a run did; it is what `kcut run --json` prints and --run-json keeps.
// It is not for release: it may tell more than the released file.
type Report struct {
	Output   string `json:"output"`
	Rows     int64  `json:"rows"`
	Released int64  `json:"released"` // rows that are not dropped
	// Suppressed is how many of them are released with nothing but the widest labels, since
	// too few records were like them.
	Suppressed uint64        `json:"suppressed,omitempty"`
	Sets       []cutfile.Set `json:"quasi_identifiers"`
	Steps      int           `json:"steps"`
	// Information is how much of the masked columns is left, from 0, nothing, to 1: 1 less the normalized
	// certainty penalty, the mean over the input's rows and those columns. Nil where an earlier cut was given.
	Information *float64 `json:"information_kept,omitempty"`
	// Masked says how much of every masked column is left, and what it was; nil as Information.
	Masked []MaskedColumn `json:"masked,omitempty"`
	// Auto is what algorithm auto has chosen; nil where the job names another one.
	Auto    *algorithm.Choice `json:"auto,omitempty"`
	Applied *cutfile.Applied  `json:"applied,omitempty"` // of kcut apply: what became of the cut
	Live    []uint64          `json:"live,omitempty"`    // top-down, after each step: records that later steps may still tell apart, summed over the sets
	Tuples  []int             `json:"distinct_tuples"`   // of every grouping, before the search
	// Stopped says of every label of the cut why it is no finer; top-down only.
	Stopped []StoppedColumn `json:"stopped,omitempty"`
	Nulls   []NullCount     `json:"nulls,omitempty"`
	// Union says how well the rows hide each other on the labels of all masked columns together; nil before
	// the release was recounted.
	Union *risk.Union `json:"union,omitempty"`
	// Risk says what kept columns, labels and both together tell; nil where one set has all masked columns and nothing is kept but the class.
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

// StoppedColumn says why labels are no finer, in the order of the cut, the mark of a suppressed
// value last: "finest", nothing is or may be below; "empty", no record has it; "class", its records have
// one class; "records", a part would have fewer records than k; "set N", as many records as k
// would not be alike any more in quasi-identifier set N; "sensitive N", a class of set N would not have what is asked
// of sensitive values; "steps", the steps were used up; "suppressed", more records than may be would have to be
// suppressed; "few", the mark's records were too few for others.
type StoppedColumn struct {
	Column string   `json:"column"`
	Why    []string `json:"why"`
}

// MaskedColumn says of a masked column how much of it is left, as Report.Information says it of all, and how the input's values were
// spread, without naming one.
type MaskedColumn struct {
	Column      string   `json:"column"`
	Information float64  `json:"information_kept"`
	Values      int      `json:"values"`             // of the input that the search could tell apart, the null among them
	Frequent    []uint64 `json:"frequent,omitempty"` // records of the most frequent of these, as far as they have the largest k of the column's sets
}

// mostFrequent is how many values are told of in MaskedColumn.Frequent.
const mostFrequent = 12

// maskedColumns tells what is left of masked columns.
func maskedColumns(table *engine.Table, recoding engine.Recoding, sets []engine.Set) (columns []MaskedColumn) {
	for a := range table.Attributes {
		attribute := &table.Attributes[a]
		column := MaskedColumn{Column: attribute.Name, Information: 1 - labels.PenaltyOf(table, recoding, a), Values: attribute.Len()}
		k := uint64(1)
		for _, set := range sets {
			if slices.Contains(set.Columns, a) {
				k = max(k, set.K.Size())
			}
		}
		for code, records := range table.Histograms[a].Sizes() {
			if records >= k && !attribute.IsRest(code) {
				column.Frequent = append(column.Frequent, records)
			}
		}
		slices.SortFunc(column.Frequent, func(a, b uint64) int { return cmp.Compare(b, a) })
		column.Frequent = column.Frequent[:min(mostFrequent, len(column.Frequent))]
		columns = append(columns, column)
	}
	return columns
}

// NullCount is the number of nulls of a masked column.
type NullCount struct {
	Column string `json:"column"`
	Rows   uint64 `json:"rows"`
}

// StageTime is how long a stage took.
type StageTime struct {
	Stage   Stage   `json:"stage"`
	Seconds float64 `json:"seconds"`
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
		of.Released = append(of.Released, ReleasedColumn{Name: field.Name, Type: field.Type.String()})
	})
	return reports
}

// whys are the reasons of labels that are no finer.
var whys = [...]string{
	engine.WhyFinest: "finest", engine.WhyEmpty: "empty", engine.WhyClass: "class",
	engine.WhyRecords: "records", engine.WhySet: "set", engine.WhySteps: "steps",
	engine.WhyOutliers: "suppressed", engine.WhyProtection: "sensitive",
}

// stopped describes why a cut is no finer. No label is in it: a report has no values.
func stopped(cut *engine.Cut, attributes []engine.Attribute, specs []*job.Column) (columns []StoppedColumn) {
	for a, stops := range cut.Stops {
		column := StoppedColumn{Column: attributes[a].Name}
		for i, stop := range stops {
			if stop.Why != engine.WhyEmpty && isFinest(&attributes[a], specs[a], cut.Labels(a)[i]) {
				stop.Why = engine.WhyFinest
			}
			why := whys[stop.Why]
			if stop.Why == engine.WhySet || stop.Why == engine.WhyProtection {
				why = fmt.Sprintf("%s %d", why, stop.Set+1)
			}
			column.Why = append(column.Why, why)
		}
		if slices.ContainsFunc(cut.Labels(a), func(l engine.Label) bool { return l.Mark }) {
			column.Why = append(column.Why, "few")
		}
		columns = append(columns, column)
	}
	return columns
}

// isFinest reports whether a label is as fine as the job lets the column be.
func isFinest(a *engine.Attribute, spec *job.Column, label engine.Label) bool {
	level := spec.FinestLevel()
	if level == 0 || label.Null {
		return false
	}
	n, ok := a.Tree.Node(label.Text)
	return ok && a.Tree.Depth(n) == level
}

// weigh notes the size of the release that lies at a path.
func (r *Report) weigh(ctx context.Context, path string) error {
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
		return nil, &fault.Error{Class: fault.Input, Hint: "name a file that kcut run --run-json has written", Err: errors.New("read report: it is no report of a run")}
	}
	return r, nil
}

// failed notes in the report what ended the run, tells it, and returns the error. A report
// that cannot be written is the lesser trouble then.
func (r *Report) failed(err error, opt *RunOptions) error {
	r.Error = &ErrorReport{Class: fault.ClassOf(err).String(), Message: text.WithoutPartitions(err.Error())}
	_ = r.save(opt.RunJSON)
	if opt.Events.Failed != nil {
		opt.Events.Failed(r)
	}
	return err
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

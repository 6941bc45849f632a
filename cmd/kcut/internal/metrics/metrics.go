// Package metrics writes the metrics of a run in the text format of Prometheus, for the textfile
// collector of its node exporter: a batch job has ended before anybody could scrape it.
//
// Contract: a file describes the last run of one job, whether it failed or not, and the time of the
// last success. It is replaced in one step, so that a collector never reads half of it. Label
// values are names of the job file, of columns and of stages, never values of the data.
package metrics

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/text"
)

// Run is the outcome of a run.
type Run struct {
	JobFile string       // base name, the label of every sample
	Report  *kcut.Report // nil: the job could not be loaded
	Exit    int          // exit code; 0: success
	Began   time.Time
	Ended   time.Time
	// Succeeded is the time of the job's last successful run before this one; zero: there is none.
	Succeeded time.Time
}

// Write replaces the metrics file at path by the metrics of the run, in one step. It keeps the time
// of success in the file, if that belongs to the same job file.
func Write(path string, r Run) error {
	err := publish.CheckTarget(path) // writing to a pipe would never end
	if err == nil {
		if old, err := os.ReadFile(path); err == nil {
			r.Succeeded = succeeded(string(old), r.JobFile)
		}
		err = publish.Replace(path, r.Text())
	}
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

// lastSuccess is the only sample that is kept from earlier runs.
const lastSuccess = "last_success_timestamp_seconds"

// succeeded returns the time of a job's last success in a metrics file, or zero.
func succeeded(text, jobFile string) time.Time {
	start := prefix + lastSuccess + labels("job_file", jobFile) + " "
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, start); ok {
			if at, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return time.UnixMilli(int64(at*1000 + 0.5))
			}
		}
	}
	return time.Time{}
}

// Text returns the run in the text format, with families in a fixed order.
func (r Run) Text() []byte {
	e := encoder{jobFile: r.JobFile}
	report, success, done := r.Report, 0.0, 0.0
	if r.Exit == 0 {
		success, r.Succeeded = 1, r.Ended
	}
	if report != nil && report.AlreadyDone {
		done = 1
	}
	e.gauge("run_success", "Whether the last run succeeded.", success)
	e.gauge("run_exit_code", "Exit code of the last run.", float64(r.Exit))
	e.gauge("run_already_done", "Whether the last run found that its release stood; stages, rows "+
		"and sizes are then of the run that made it.", done)
	e.gauge("run_end_timestamp_seconds", "When the last run ended.", seconds(r.Ended))
	e.gauge("run_duration_seconds", "How long the last run took.", r.Ended.Sub(r.Began).Seconds())
	if !r.Succeeded.IsZero() {
		e.gauge(lastSuccess, "When a run last succeeded.", seconds(r.Succeeded))
	}
	if report == nil {
		return e.text
	}
	released, suppressed, bytes := report.Released, report.Suppressed, report.Bytes
	if r.Exit != 0 { // it has released nothing
		released, suppressed, bytes = 0, 0, 0
	}
	if len(report.Stages) > 0 {
		e.family("run_stage_duration_seconds", "How long the stages took that the last run came "+
			"through.")
	}
	for _, s := range report.Stages {
		e.sample("run_stage_duration_seconds", s.Seconds, "stage", string(s.Stage))
	}
	e.gauge("run_rows", "Rows of the input.", float64(report.Rows))
	e.gauge("run_rows_released", "Rows of the release.", float64(released))
	e.gauge("run_rows_suppressed", "Rows released with nothing but the widest labels.",
		float64(suppressed))
	if report.Information != nil && r.Exit == 0 {
		e.gauge("run_information_kept", "How much of the masked columns is left in the release: "+
			"1 less the normalized certainty penalty.", *report.Information)
	}
	if report.ColumnsKept != nil && r.Exit == 0 {
		e.gauge("run_columns_kept", "Masked columns that keep more than one label in the release.",
			float64(*report.ColumnsKept))
	}
	if report.Utility != nil && r.Exit == 0 {
		e.gauge("run_utility", "Share of what the masked columns tell about the class, each by "+
			"itself, that is left in the release.", *report.Utility)
	}
	if report.Union != nil {
		e.gauge("run_union_unique", "Share of the rows, or entities, that are alone on the "+
			"labels of all masked columns together.", report.Union.Unique)
		e.gauge("run_union_below_k", "Share of them that are in classes of fewer than the "+
			"smallest k on these labels.", report.Union.BelowK)
	}
	e.gauge("run_released_bytes", "Size of the release.", float64(bytes))
	e.gauge("run_steps", "Steps of the search.", float64(report.Steps))
	e.gauge("run_spilled_bytes", "Bytes written to spilled data.", float64(report.Spilled))
	e.gauge("run_spilled_peak_bytes", "The most disk space that spilled data took.",
		float64(report.SpilledPeak))
	e.gauge("run_budget_peak_bytes", "The most memory drawn from the budget.",
		float64(report.PeakDraw))
	e.gauge("run_resident_peak_bytes", "The largest resident set of the process.",
		float64(report.PeakRSS))
	if r.Exit == 0 && len(report.Sets) > 0 {
		e.sets(report.Sets, report.AverageRisk)
	}
	return e.text
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// prefix starts every metric's name.
const prefix = "kcut_"

// encoder appends to text. The first label of every sample is the job file. All metrics are gauges,
// since every run starts from zero.
type encoder struct {
	jobFile string
	text    []byte
}

// family begins a metric; its samples follow.
func (e *encoder) family(name, help string) {
	e.text = fmt.Appendf(e.text, "# HELP %s%s %s\n# TYPE %[1]s%[2]s gauge\n", prefix, name, help)
}

func (e *encoder) sample(name string, value float64, more ...string) {
	e.text = append(e.text, prefix+name+labels(append([]string{"job_file", e.jobFile}, more...)...)+
		" "...)
	e.text = append(strconv.AppendFloat(e.text, value, 'f', -1, 64), '\n')
}

// gauge writes a metric of one sample.
func (e *encoder) gauge(name, help string, value float64) {
	e.family(name, help)
	e.sample(name, value)
}

// sets writes the demanded and the reached anonymity of every quasi-identifier set.
func (e *encoder) sets(sets []kcut.CutSet, averageRisk []float64) {
	each := func(name string, of func(i int) float64) {
		for i, set := range sets {
			e.sample(name, of(i), "set", strconv.Itoa(i+1), "columns",
				strings.Join(set.Columns, ","))
		}
	}
	e.family("k", "Records that must share every combination of a quasi-identifier set.")
	each("k", func(i int) float64 { return float64(sets[i].K) })
	e.family("anonymity", "Fewest records that share a combination of a quasi-identifier set in "+
		"the release.")
	each("anonymity", func(i int) float64 { return float64(sets[i].Anonymity) })
	if len(averageRisk) > 0 {
		e.family("average_risk", "Classes of a quasi-identifier set, divided by the rows of the "+
			"release, if the job limits that.")
		each("average_risk", func(i int) float64 { return averageRisk[i] })
	}
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels writes names and values in turn. Characters that would control a terminal are escaped as
// in Go.
func labels(pairs ...string) string {
	var written []string
	for i := 0; i < len(pairs); i += 2 {
		written = append(written, pairs[i]+`="`+
			escape.Replace(strings.ToValidUTF8(text.Printable(pairs[i+1], "\n"), "\uFFFD"))+`"`)
	}
	return "{" + strings.Join(written, ",") + "}"
}

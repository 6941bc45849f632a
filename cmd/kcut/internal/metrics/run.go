package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut"
)

// Run is how a run went.
type Run struct {
	JobFile string       // base name, the label of every sample
	Report  *kcut.Report // nil: the job could not be loaded
	Exit    int          // exit code; 0: success
	Began   time.Time
	Ended   time.Time
	// Succeeded is when a run of the job last succeeded before this one; zero: never.
	Succeeded time.Time
}

// Text returns the run in the text format, families in a fixed order.
func (r *Run) Text() []byte {
	families := append(r.outcome(), r.stages())
	if r.Report != nil {
		families = append(append(families, r.counts()...), r.takes()...)
	}
	if r.Exit == 0 && r.Report != nil {
		families = append(families, r.sets()...)
	}
	e := encoder{common: label{"job_file", r.JobFile}}
	for _, f := range families {
		e.family(f)
	}
	return e.text
}

// outcome is what alerts watch.
func (r *Run) outcome() []family {
	success, done, succeeded := 0.0, 0.0, r.Succeeded
	if r.Exit == 0 {
		success, succeeded = 1, r.Ended
	}
	if r.Report != nil && r.Report.AlreadyDone {
		done = 1
	}
	families := []family{
		gauge("run_success", "Whether the last run succeeded.", success),
		gauge("run_exit_code", "Exit code of the last run.", float64(r.Exit)),
		gauge("run_already_done", "Whether the last run found that its release stood; stages, rows and sizes are then of the run that made it.", done),
		gauge("run_end_timestamp_seconds", "When the last run ended.", seconds(r.Ended)),
		gauge("run_duration_seconds", "How long the last run took.", r.Ended.Sub(r.Began).Seconds()),
	}
	if !succeeded.IsZero() {
		families = append(families, gauge(lastSuccess, "When a run last succeeded.", seconds(succeeded)))
	}
	return families
}

// lastSuccess is the one sample that outlives a run.
const lastSuccess = "last_success_timestamp_seconds"

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func (r *Run) stages() family {
	f := family{name: "run_stage_duration_seconds", help: "How long the stages took that the last run came through."}
	if r.Report == nil {
		return f
	}
	for _, s := range r.Report.Stages {
		f.samples = append(f.samples, sample{[]label{{"stage", string(s.Stage)}}, s.Seconds})
	}
	return f
}

// counts are those of rows and steps. A run that failed has released nothing.
func (r *Run) counts() []family {
	released, suppressed, bytes := r.Report.Released, int64(r.Report.Suppressed), r.Report.Bytes
	if r.Exit != 0 {
		released, suppressed, bytes = 0, 0, 0
	}
	return []family{
		gauge("run_rows", "Rows of the input.", float64(r.Report.Rows)),
		gauge("run_rows_released", "Rows of the release.", float64(released)),
		gauge("run_rows_suppressed", "Rows released with nothing but the widest labels.", float64(suppressed)),
		gauge("run_released_bytes", "Size of the release.", float64(bytes)),
		gauge("run_steps", "Steps of the search.", float64(r.Report.Steps)),
	}
}

// takes are what the run took of the machine.
func (r *Run) takes() []family {
	return []family{
		gauge("run_spilled_bytes", "Bytes written to spilled data.", float64(r.Report.Spilled)),
		gauge("run_spilled_peak_bytes", "The most disk space that spilled data took.", float64(r.Report.SpilledPeak)),
		gauge("run_budget_peak_bytes", "The most memory drawn from the budget.", float64(r.Report.PeakDraw)),
		gauge("run_resident_peak_bytes", "The largest resident set of the process.", float64(r.Report.PeakRSS)),
	}
}

// sets tell of every quasi-identifier set what was asked for and what was reached.
func (r *Run) sets() []family {
	k := family{name: "k", help: "Records that must share every combination of a quasi-identifier set."}
	reached := family{name: "anonymity", help: "Fewest records that share a combination of a quasi-identifier set in the release."}
	for i, set := range r.Report.Sets {
		labels := []label{{"set", strconv.Itoa(i + 1)}, {"columns", strings.Join(set.Columns, ",")}}
		k.samples = append(k.samples, sample{labels, float64(set.K)})
		reached.samples = append(reached.samples, sample{labels, float64(set.Anonymity)})
	}
	return []family{k, reached}
}

package lineage

import (
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

const producer = "https://github.com/kcut/kcut"

// event is a RunEvent.
type event struct {
	EventType string    `json:"eventType"` // START, COMPLETE, FAIL or ABORT
	EventTime string    `json:"eventTime"`
	Run       runOf     `json:"run"`
	Job       jobOf     `json:"job"`
	Inputs    []dataset `json:"inputs"`
	Outputs   []dataset `json:"outputs"`
	Producer  string    `json:"producer"`
	SchemaURL string    `json:"schemaURL"`
}

type runOf struct {
	RunID  string         `json:"runId"`
	Facets map[string]any `json:"facets,omitempty"`
}

type jobOf struct {
	name
	Facets map[string]any `json:"facets,omitempty"`
}

// name identifies a job, or a dataset by the naming conventions of OpenLineage: a path in the
// namespace "file", a key in that of its bucket.
type name struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// facet is what every facet begins with.
type facet struct {
	Producer  string `json:"_producer"`
	SchemaURL string `json:"_schemaURL"`
}

// facetOf returns the beginning of a facet that the specification defines.
func facetOf(version, name string) facet {
	return facet{producer, "https://openlineage.io/spec/facets/" + version + "/" + name + ".json#/$defs/" + name}
}

type processingEngine struct {
	facet
	Version string `json:"version"`
	Name    string `json:"name"`
}

type jobType struct {
	facet
	ProcessingType string `json:"processingType"`
	Integration    string `json:"integration"`
	JobType        string `json:"jobType"`
}

type errorMessage struct {
	facet
	Message             string `json:"message"`
	ProgrammingLanguage string `json:"programmingLanguage"`
}

// event returns an event of the run without facets of its outcome.
func (r *Run) event(state string, at time.Time) *event {
	e := &event{
		EventType: state, EventTime: at.UTC().Format("2006-01-02T15:04:05.000Z"),
		Run: runOf{r.id, map[string]any{
			"processing_engine": processingEngine{facetOf("1-1-1", "ProcessingEngineRunFacet"), r.options.Version, "kcut"},
		}},
		Job: jobOf{name{r.options.Namespace, r.options.Job}, map[string]any{
			"jobType": jobType{facetOf("2-0-4", "JobTypeJobFacet"), "BATCH", "KCUT", "JOB"},
		}},
		Producer: producer, SchemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
	}
	if r.options.Parent != nil {
		e.Run.Facets["parent"] = r.options.Parent
	}
	return e
}

// started is the event of a run's begin: what is known are the names of its datasets.
func (r *Run) started(at time.Time) *event {
	e := r.event("START", at)
	for _, name := range r.inputs {
		e.Inputs = append(e.Inputs, dataset{name: name})
	}
	e.Outputs = []dataset{{name: r.output}}
	return e
}

// ended is the event of a run's end. Its report may be nil.
func (r *Run) ended(at time.Time, report *kcut.Report, failure error) *event {
	e := r.event("COMPLETE", at)
	switch {
	case failure == nil:
	case kcut.ClassOf(failure) == kcut.ErrCancelled:
		e.EventType = "ABORT"
	default:
		e.EventType = "FAIL"
		message := text.WithoutPartitions(failure.Error())
		e.Run.Facets["errorMessage"] = errorMessage{facetOf("1-0-1", "ErrorMessageRunFacet"), message, "Go"}
	}
	if report == nil {
		report = &kcut.Report{}
	}
	e.Inputs = r.inputDatasets(report)
	e.Outputs = []dataset{r.outputDataset(report, failure == nil)}
	return e
}

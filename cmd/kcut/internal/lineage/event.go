package lineage

import (
	"regexp"
	"time"

	"github.com/kcut/kcut"
)

const (
	producer  = "https://github.com/kcut/kcut"
	schemaURL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
	facetsURL = "https://openlineage.io/spec/facets/"
)

// The states of a run that its events tell.
const (
	stateStart    = "START"
	stateComplete = "COMPLETE"
	stateFail     = "FAIL"
	stateAbort    = "ABORT"
)

// event is a RunEvent.
type event struct {
	EventType string    `json:"eventType"`
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
	Facets map[string]any `json:"facets"`
}

type jobOf struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Facets    map[string]any `json:"facets"`
}

// facet is what every facet begins with.
type facet struct {
	Producer  string `json:"_producer"`
	SchemaURL string `json:"_schemaURL"`
}

// facetOf returns the beginning of a facet that the specification defines.
func facetOf(version, name string) facet {
	return facet{producer, facetsURL + version + "/" + name + ".json#/$defs/" + name}
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

type parentRun struct {
	facet
	Run parentRunID `json:"run"`
	Job parentJob   `json:"job"`
}

type parentRunID struct {
	RunID string `json:"runId"`
}

type parentJob struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// event returns an event of the run without facets of its outcome.
func (r *Run) event(state string, at time.Time) *event {
	e := &event{
		EventType: state, EventTime: at.UTC().Format("2006-01-02T15:04:05.000Z"),
		Run: runOf{r.id, map[string]any{
			"processing_engine": processingEngine{facetOf("1-1-1", "ProcessingEngineRunFacet"), r.options.Version, "kcut"},
		}},
		Job: jobOf{r.options.Namespace, r.options.Job, map[string]any{
			"jobType": jobType{facetOf("2-0-4", "JobTypeJobFacet"), "BATCH", "KCUT", "JOB"},
		}},
		Producer: producer, SchemaURL: schemaURL,
	}
	if p := r.options.Parent; p != nil {
		e.Run.Facets["parent"] = parentRun{facetOf("1-2-0", "ParentRunFacet"), parentRunID{p.RunID}, parentJob{p.Namespace, p.Job}}
	}
	return e
}

// started is the event of a run's begin: what is known are the names of its datasets.
func (r *Run) started(at time.Time) *event {
	e := r.event(stateStart, at)
	for _, name := range r.inputs {
		e.Inputs = append(e.Inputs, dataset{datasetName: name})
	}
	e.Outputs = []dataset{{datasetName: r.output}}
	return e
}

// ended is the event of a run's end. Its report may be nil.
func (r *Run) ended(at time.Time, report *kcut.Report, failure error) *event {
	state := stateComplete
	switch {
	case failure != nil && kcut.ClassOf(failure) == kcut.ErrCancelled:
		state = stateAbort
	case failure != nil:
		state = stateFail
	}
	e := r.event(state, at)
	if state == stateFail {
		e.Run.Facets["errorMessage"] = errorMessage{facetOf("1-0-1", "ErrorMessageRunFacet"), withoutPartitions(failure.Error()), "Go"}
	}
	if report == nil {
		report = &kcut.Report{}
	}
	e.Inputs = r.inputDatasets(report)
	e.Outputs = []dataset{r.outputDataset(report, state == stateComplete)}
	return e
}

// partitionFolder is the name of a hive partition's folder: its column and its value.
var partitionFolder = regexp.MustCompile(`([^/\s=]+=)[^/]+/`)

// withoutPartitions leaves the values out that folders of partitions have in their names.
func withoutPartitions(message string) string {
	return partitionFolder.ReplaceAllString(message, "$1…/")
}

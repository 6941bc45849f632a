package lineage

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/text"
)

// object is a JSON object of an event. Names and facets are those of OpenLineage.
type object map[string]any

const (
	producer = "https://github.com/kcut/kcut"
	spec     = "https://openlineage.io/spec/"
)

// facet returns a facet that the specification defines, with its fields.
func facet(version, name string, fields object) object {
	fields["_producer"] = producer
	fields["_schemaURL"] = spec + "facets/" + version + "/" + name + ".json#/$defs/" + name
	return fields
}

// event returns an event of the run, with names of its datasets alone.
func (r *Run) event(state string, at time.Time) object {
	run := object{
		"processing_engine": facet("1-1-1", "ProcessingEngineRunFacet", object{"version": r.options.Version, "name": "kcut"}),
	}
	if p := r.options.Parent; p != nil {
		run["parent"] = facet("1-2-0", "ParentRunFacet", object{
			"run": object{"runId": p.run}, "job": object{"namespace": p.namespace, "name": p.job},
		})
	}
	inputs := make([]object, len(r.inputs))
	for i, name := range r.inputs {
		inputs[i] = name.object()
	}
	job := facet("2-0-4", "JobTypeJobFacet", object{"processingType": "BATCH", "integration": "KCUT", "jobType": "JOB"})
	return object{
		"eventType": state, "eventTime": at.UTC().Format("2006-01-02T15:04:05.000Z"),
		"run":    object{"runId": r.id, "facets": run},
		"job":    object{"namespace": r.options.Namespace, "name": r.options.Job, "facets": object{"jobType": job}},
		"inputs": inputs, "outputs": []object{r.output.object()},
		"producer": producer, "schemaURL": spec + "2-0-2/OpenLineage.json#/$defs/RunEvent",
	}
}

// ended is the event of a run's end. Its report may be nil.
func (r *Run) ended(at time.Time, report *kcut.Report, failure error) object {
	switch {
	case failure == nil:
		e := r.event("COMPLETE", at)
		r.describe(e["inputs"].([]object), e["outputs"].([]object)[0], report)
		return e
	case kcut.ClassOf(failure) == kcut.ErrCancelled:
		return r.event("ABORT", at)
	}
	e := r.event("FAIL", at)
	e["run"].(object)["facets"].(object)["errorMessage"] = facet("1-0-1", "ErrorMessageRunFacet",
		object{"message": text.WithoutPartitions(failure.Error()), "programmingLanguage": "Go"})
	return e
}

// describe adds what a report has of the datasets of a release that was published: a schema that all
// inputs have, and the number of rows if all of them are in one.
func (r *Run) describe(inputs []object, output object, report *kcut.Report) {
	var read, written []object
	for _, c := range report.Columns {
		read = append(read, object{"name": c.Name, "type": c.Type, "ordinal_position": len(read) + 1})
		for _, released := range c.Released {
			written = append(written, object{"name": released.Name, "type": released.Type, "ordinal_position": len(written) + 1})
		}
	}
	schema := func(fields []object) object { return facet("1-2-0", "SchemaDatasetFacet", object{"fields": fields}) }
	for _, input := range inputs {
		input["facets"] = object{"schema": schema(read)}
	}
	if len(inputs) == 1 && len(report.Inputs) > 0 {
		inputs[0]["inputFacets"] = object{"inputStatistics": facet("1-0-0", "InputStatisticsInputDatasetFacet",
			object{"rowCount": report.Rows, "fileCount": len(report.Inputs)})}
	}
	output["facets"] = object{"schema": schema(written), "columnLineage": r.columnLineage(report)}
	output["outputFacets"] = object{"outputStatistics": facet("1-0-2", "OutputStatisticsOutputDatasetFacet",
		object{"rowCount": report.Released, "size": report.Bytes, "fileCount": report.Files})}
}

// columnLineage says of every released column which column it was, and of the whole release which
// columns steer the search: every label depends on all of them.
func (r *Run) columnLineage(report *kcut.Report) object {
	fields, steering := object{}, []object{}
	for _, c := range report.Columns {
		masked := c.Mask != kcut.MaskKeep && c.Mask != kcut.MaskDrop
		subtype := "IDENTITY"
		if masked {
			subtype = "TRANSFORMATION"
			steering = append(steering, r.from(c.Name, "INDIRECT", "GROUP_BY", "quasi-identifier", true)...)
		}
		if c.Name == r.class {
			steering = append(steering, r.from(c.Name, "INDIRECT", "CONDITIONAL", "class", true)...)
		}
		for _, released := range c.Released {
			fields[released.Name] = object{"inputFields": r.from(c.Name, "DIRECT", subtype, c.Mask, masked)}
		}
	}
	lineage := object{"fields": fields}
	if len(steering) > 0 {
		lineage["dataset"] = steering
	}
	return facet("1-2-0", "ColumnLineageDatasetFacet", lineage)
}

// from names a column in all inputs, every one of which may have rows of the release, and what
// becomes of it.
func (r *Run) from(column, kind, subtype, description string, masking bool) (fields []object) {
	for _, name := range r.inputs {
		field := name.object()
		field["field"] = column
		field["transformations"] = []object{{"type": kind, "subtype": subtype, "description": description, "masking": masking}}
		fields = append(fields, field)
	}
	return fields
}

// name identifies a dataset by the naming conventions of OpenLineage: a path in the namespace "file",
// a key in that of its bucket.
type name struct{ namespace, name string }

func (n name) object() object { return object{"namespace": n.namespace, "name": n.name} }

// datasetNames names the datasets that a job's input is: of a pattern the folder that all matches
// lie in, so that patterns in one folder are one. The files themselves are not named: there may be
// thousands, and the folders of partitions have values in their names.
func datasetNames(patterns []string) (names []name) {
	for _, where := range patterns {
		if at := strings.IndexAny(where, "*?["); at >= 0 {
			where = where[:strings.LastIndexByte(where[:at], '/')+1]
		}
		if name := nameOf(where); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nameOf returns the name of a dataset at a path or a URL. It takes the key of a URL as it is, and
// leaves out a password before the bucket.
func nameOf(where string) name {
	if storage.IsRemote(where) {
		bucket, key := storage.Split(where)
		scheme, host, _ := strings.Cut(bucket, "://")
		return name{scheme + "://" + host[strings.LastIndexByte(host, '@')+1:], strings.Trim(key, "/")}
	}
	absolute, err := filepath.Abs(where)
	if err != nil { // there is no working folder: the path is all that is known
		absolute = filepath.Clean(where)
	}
	return name{"file", filepath.ToSlash(absolute)}
}

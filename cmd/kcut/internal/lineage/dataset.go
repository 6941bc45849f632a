package lineage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/storage"
)

// dataset is one that a run reads or writes.
type dataset struct {
	name
	Facets       map[string]any `json:"facets,omitempty"`
	InputFacets  map[string]any `json:"inputFacets,omitempty"`
	OutputFacets map[string]any `json:"outputFacets,omitempty"`
}

type statistics struct {
	facet
	RowCount  int64 `json:"rowCount"`
	Size      int64 `json:"size,omitempty"`
	FileCount int   `json:"fileCount"`
}

type schema struct {
	facet
	Fields []schemaField `json:"fields"`
}

type schemaField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Position int    `json:"ordinal_position"`
}

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

// nameOf names what is at a path or a URL, whose key is taken as it is. A password that
// somebody wrote before the bucket is nobody's business.
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

// inputDatasets are the run's inputs, with what its report tells of them: a schema that all
// have, and how many rows there are if they are all in one.
func (r *Run) inputDatasets(report *kcut.Report) []dataset {
	fields := schema{facet: facetOf("1-2-0", "SchemaDatasetFacet")}
	for i, c := range report.Columns {
		fields.Fields = append(fields.Fields, schemaField{c.Name, c.Type, i + 1})
	}
	var inputs []dataset
	for _, name := range r.inputs {
		in := dataset{name: name}
		if len(fields.Fields) > 0 {
			in.Facets = map[string]any{"schema": fields}
		}
		if len(r.inputs) == 1 && len(report.Inputs) > 0 {
			in.InputFacets = map[string]any{"inputStatistics": statistics{
				facetOf("1-0-0", "InputStatisticsInputDatasetFacet"), report.Rows, 0, len(report.Inputs),
			}}
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// outputDataset is the release. Only one that was published has columns and a size.
func (r *Run) outputDataset(report *kcut.Report, published bool) dataset {
	if !published {
		return dataset{name: r.output}
	}
	fields := schema{facet: facetOf("1-2-0", "SchemaDatasetFacet")}
	for _, c := range report.Columns {
		for _, released := range c.Released {
			fields.Fields = append(fields.Fields, schemaField{released.Name, released.Type, len(fields.Fields) + 1})
		}
	}
	return dataset{
		name: r.output, Facets: map[string]any{"schema": fields, "columnLineage": r.columnLineage(report)},
		OutputFacets: map[string]any{"outputStatistics": statistics{
			facetOf("1-0-2", "OutputStatisticsOutputDatasetFacet"), report.Released, report.Bytes, report.Files,
		}},
	}
}

// columnLineage tells where released columns come from.
type columnLineage struct {
	facet
	Fields  map[string]map[string][]inputField `json:"fields"` // the inner ones have inputFields alone
	Dataset []inputField                       `json:"dataset,omitempty"`
}

type inputField struct {
	name
	Field           string           `json:"field"`
	Transformations []transformation `json:"transformations"`
}

type transformation struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Description string `json:"description"`
	Masking     bool   `json:"masking"`
}

// columnLineage says of every released column which column it was, and of the whole release
// which columns steer the search: what a column is released as depends on all of them.
func (r *Run) columnLineage(report *kcut.Report) columnLineage {
	lineage := columnLineage{facet: facetOf("1-2-0", "ColumnLineageDatasetFacet"), Fields: make(map[string]map[string][]inputField)}
	for _, c := range report.Columns {
		masked := c.Mask != kcut.MaskKeep && c.Mask != kcut.MaskDrop
		own := transformation{"DIRECT", "IDENTITY", c.Mask, false}
		if masked {
			own = transformation{"DIRECT", "TRANSFORMATION", c.Mask, true}
			lineage.Dataset = append(lineage.Dataset, r.inputFields(c.Name, transformation{"INDIRECT", "GROUP_BY", "quasi-identifier", true})...)
		}
		if c.Name == r.class {
			lineage.Dataset = append(lineage.Dataset, r.inputFields(c.Name, transformation{"INDIRECT", "CONDITIONAL", "class", true})...)
		}
		for _, released := range c.Released {
			lineage.Fields[released.Name] = map[string][]inputField{"inputFields": r.inputFields(c.Name, own)}
		}
	}
	return lineage
}

// inputFields names a column in all inputs: every one may have rows of the release.
func (r *Run) inputFields(column string, t transformation) (fields []inputField) {
	for _, name := range r.inputs {
		fields = append(fields, inputField{name, column, []transformation{t}})
	}
	return fields
}

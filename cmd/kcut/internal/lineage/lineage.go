// Package lineage sends data catalogs the datasets that a run reads and writes, with their columns,
// as events of OpenLineage (https://openlineage.io), version 2-0-2 of its specification.
//
// Contract: a run has a START and one of COMPLETE, FAIL and ABORT, under one id, without any value
// of the data. Limits: an event may be lost. A run neither waits nor fails because of it.
package lineage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/text"
)

// Catalog receives events: a file, to which a line is appended for each, or an HTTP server.
type Catalog struct {
	Namespace string // of the job; empty: "default"
	Job       string // its name

	where, key string
	shown      string // the destination without user, password and query
	parent     object // the facet of the scheduler's run that started this one; nil: none
}

// Open parses the destination of events: an http or https URL, or a file. A URL without a path gets
// the endpoint's, or the default if that is empty. A key that is not empty is sent as bearer token.
func Open(where, endpoint, key string) (*Catalog, error) {
	if !storage.IsURL(where) {
		return &Catalog{where: where, shown: where}, nil
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("read lineage target: it is neither an http or https URL nor a file")
	}
	if strings.Trim(u.Path, "/") == "" {
		u = u.JoinPath(cmp.Or(endpoint, "api/v1/lineage"))
	}
	return &Catalog{
		where: u.String(),
		key:   key,
		shown: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(),
	}, nil
}

// SetParent sets the scheduler's run in the form of OPENLINEAGE_PARENT_ID: namespace/job/id.
func (c *Catalog) SetParent(text string) error {
	parts := strings.Split(text, "/")
	last := len(parts) - 1
	if last < 2 || uuid.Validate(parts[last]) != nil {
		return errors.New("read OPENLINEAGE_PARENT_ID: it is not namespace/job/run id")
	}
	job := object{"namespace": strings.Join(parts[:last-1], "/"), "name": parts[last-1]}
	c.parent = facet("1-2-0", "ParentRunFacet",
		object{"run": object{"runId": parts[last]}, "job": job})
	return nil
}

const patience = 1500 * time.Millisecond // longest time until a server has accepted an event

// send sends an event.
func (c *Catalog) send(e object) error {
	line, err := json.Marshal(e)
	if err == nil {
		err = c.take(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("send lineage event %s to %s: %w", e["eventType"], c.shown, err)
	}
	return nil
}

func (c *Catalog) take(line []byte) error {
	if !storage.IsURL(c.where) {
		out, err := os.OpenFile(c.where, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		_, err = out.Write(line)
		return errors.Join(err, out.Close())
	}
	request, err := http.NewRequest(http.MethodPost, c.where, bytes.NewReader(line))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		return errors.Unwrap(err) // without the URL, which may contain a secret
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("answered with status %d", response.StatusCode)
	}
	return nil
}

// Run is a run whose events are sent.
type Run struct {
	*Catalog
	id    string
	job   *kcut.Job
	begun chan error // the result of START
}

// Start sends the first event of a run, without waiting. The caller must call End.
func (c *Catalog) Start(job *kcut.Job) *Run {
	r := &Run{c, uuid.Must(uuid.NewV7()).String(), job, make(chan error, 1)}
	start := r.event("START", nil)
	go func() { r.begun <- c.send(start) }()
	return r
}

// End sends the last event of a run, given its report or the error that ended it; one of them is
// nil. It takes a few seconds at most. The error names the events that were not accepted.
func (r *Run) End(report *kcut.Report, failure error) error {
	if failure == nil {
		return errors.Join(<-r.begun, r.send(r.event("COMPLETE", report)))
	}
	e := r.event("FAIL", nil)
	if kcut.ClassOf(failure) == kcut.ErrCancelled {
		e["eventType"] = "ABORT"
	}
	e["run"].(object)["facets"].(object)["errorMessage"] = facet("1-0-1", "ErrorMessageRunFacet",
		object{"message": text.WithoutPartitions(failure.Error()), "programmingLanguage": "Go"})
	return errors.Join(<-r.begun, r.send(e))
}

type object map[string]any // of an event, in JSON

const producer, spec = "https://github.com/kcut/kcut", "https://openlineage.io/spec/"

// facet returns a facet that the specification defines, with its fields.
func facet(version, name string, fields object) object {
	fields["_producer"] = producer
	fields["_schemaURL"] = spec + "facets/" + version + "/" + name + ".json#/$defs/" + name
	return fields
}

// event returns an event of the run. The report has the columns of the datasets; it may be nil.
func (r *Run) event(state string, report *kcut.Report) object {
	facets, inputs, known := object{}, []object{}, []string{}
	if r.parent != nil {
		facets["parent"] = r.parent
	}
	var read, written []object
	if report != nil {
		for _, c := range report.Columns {
			read = append(read, object{"name": c.Name, "type": c.Type})
			for _, released := range c.Released {
				written = append(written, object{"name": released.Name, "type": released.Type})
			}
		}
	}
	for _, where := range r.job.Reads() {
		// A pattern's dataset is the folder of all matches: the names of partition folders contain
		// values.
		if at := strings.IndexAny(where, "*?["); at >= 0 {
			where = where[:strings.LastIndexByte(where[:at], '/')+1]
		}
		if !slices.Contains(known, where) { // several patterns may belong to one folder
			known, inputs = append(known, where), append(inputs, dataset(where, read))
		}
	}
	return object{
		"eventType": state, "eventTime": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"run":    object{"runId": r.id, "facets": facets},
		"job":    object{"namespace": cmp.Or(r.Namespace, "default"), "name": r.Job},
		"inputs": inputs, "outputs": []object{dataset(r.job.Output.Path, written)},
		"producer": producer, "schemaURL": spec + "2-0-2/OpenLineage.json#/$defs/RunEvent",
	}
}

// dataset returns the dataset of a path or a URL. By OpenLineage's conventions a path is in the
// namespace "file", and a key in that of its bucket; a password before that is removed.
func dataset(where string, fields []object) object {
	d := object{"namespace": "file", "name": filepath.Clean(where)}
	if storage.IsRemote(where) {
		bucket, key := storage.Split(where)
		scheme, host, _ := strings.Cut(bucket, "://")
		d["namespace"] = scheme + "://" + host[strings.LastIndexByte(host, '@')+1:]
		d["name"] = strings.Trim(key, "/")
	} else if absolute, err := filepath.Abs(where); err == nil {
		d["name"] = filepath.ToSlash(absolute)
	}
	if fields != nil {
		d["facets"] = object{"schema": facet("1-2-0", "SchemaDatasetFacet",
			object{"fields": fields})}
	}
	return d
}

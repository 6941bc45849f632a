package lineage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/kcut/kcut"
)

var exampleJob = &kcut.Job{
	Input:  []string{"/in/a.parquet"},
	Output: kcut.Output{Path: "/out/people/"},
	Class:  "income",
}

func exampleReport() *kcut.Report {
	text := func(names ...string) (columns []kcut.ReleasedColumn) {
		for _, name := range names {
			columns = append(columns, kcut.ReleasedColumn{Name: name, Type: "string"})
		}
		return columns
	}
	return &kcut.Report{
		Rows:    1000,
		Outcome: kcut.Outcome{Released: 990},
		Bytes:   4096,
		Files:   2,
		Inputs:  []string{"/in/a.parquet"},
		Columns: []kcut.ColumnReport{
			{Name: "name", Type: "string", Mask: "drop"},
			{
				Name:     "age",
				Type:     "int64",
				Mask:     "discretize",
				Released: text("age_lower", "age_upper"),
			},
			{Name: "zip", Type: "string", Mask: "generalize", Released: text("zip")},
			{Name: "income", Type: "string", Mask: "keep", Released: text("income")},
		},
	}
}

// at returns the element at a path of names, or nil.
func (o object) at(path ...string) any {
	var value any = map[string]any(o)
	for _, name := range path {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = fields[name]
	}
	return value
}

func (o object) text(path ...string) string {
	text, _ := o.at(path...).(string)
	return text
}

// objects returns a list of objects.
func (o object) objects(path ...string) (list []object) {
	values, _ := o.at(path...).([]any)
	for _, value := range values {
		fields, _ := value.(map[string]any)
		list = append(list, fields)
	}
	return list
}

// checkEvent checks the specification's requirements for every event.
func checkEvent(t *testing.T, e object) {
	t.Helper()
	must := func(ok bool, format string, args ...any) {
		t.Helper()
		if !ok {
			t.Errorf("%s event: "+format, append([]any{e.text("eventType")}, args...)...)
		}
	}
	isURI := func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	}
	_, err := time.Parse(time.RFC3339Nano, e.text("eventTime"))
	must(err == nil, "eventTime: %v", err)
	must(slices.Contains([]string{"START", "COMPLETE", "FAIL", "ABORT"}, e.text("eventType")),
		"its type")
	must(isURI(e.text("producer")) && isURI(e.text("schemaURL")), "producer or schemaURL is no URI")
	must(uuid.Validate(e.text("run", "runId")) == nil, "runId %q", e.text("run", "runId"))
	must(e.text("job", "namespace") != "" && e.text("job", "name") != "", "the job has no name")
	facets := func(of object, key string) {
		all, _ := of.at(key).(map[string]any)
		for name, value := range all {
			f := object(value.(map[string]any))
			must(isURI(f.text("_producer")) && isURI(f.text("_schemaURL")),
				"facet %s has no producer or schema", name)
			must(strings.Contains(f.text("_schemaURL"), "/facets/") &&
				strings.Contains(f.text("_schemaURL"), "#/$defs/"), "facet %s names no version",
				name)
		}
	}
	facets(e.at("run").(map[string]any), "facets")
	facets(e.at("job").(map[string]any), "facets")
	for _, d := range append(e.objects("inputs"), e.objects("outputs")...) {
		must(d.text("namespace") != "" && d.text("name") != "", "a dataset has no name")
		for _, key := range []string{"facets", "inputFacets", "outputFacets"} {
			facets(d, key)
		}
		for _, field := range d.objects("facets", "schema", "fields") {
			must(field.text("name") != "" && field.text("type") != "",
				"a field has no name or type")
		}
	}
	must(len(e.objects("inputs")) > 0 && len(e.objects("outputs")) == 1, "datasets")
}

// runEvents returns the events of a run with this end.
func runEvents(t *testing.T, job *kcut.Job, c Catalog, report *kcut.Report,
	failure error) []object {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lineage.jsonl")
	file, err := Open(path, "", "")
	if err != nil {
		t.Fatal(err)
	}
	file.Namespace, file.Job, file.parent = c.Namespace, c.Job, c.parent
	if err := file.Start(job).End(report, failure); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var events []object
	for line := range strings.Lines(string(text)) {
		var e object
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		checkEvent(t, e)
		events = append(events, e)
	}
	if len(events) != 2 || events[0].text("eventType") != "START" ||
		events[0].text("run", "runId") != events[1].text("run", "runId") {
		t.Fatalf("events %v", events)
	}
	return events
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		name    string
		report  *kcut.Report
		failure error
		state   string
		message any // nil: no such facet
	}{
		{"success", exampleReport(), nil, "COMPLETE", nil},
		{"failure", exampleReport(), errors.New("read row group 3 of /in/a.parquet: damaged file"),
			"FAIL", "read row group 3 of /in/a.parquet: damaged file"},
		{"early failure", nil, errors.New("open input"), "FAIL", "open input"},
		{"failure in a partition", nil, errors.New("read /in/zip=12345/sex=F/a.parquet: damaged " +
			"file"), "FAIL", "read /in/zip=…/sex=…/a.parquet: damaged file"},
		{"stopped", nil, fmt.Errorf("search: %w", context.Canceled), "ABORT",
			"search: context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := runEvents(t, exampleJob, Catalog{Job: "people"}, tt.report, tt.failure)[1]
			if got := last.text("eventType"); got != tt.state {
				t.Errorf("it is %s, want %s", got, tt.state)
			}
			if got := last.at("run", "facets", "errorMessage", "message"); got != tt.message {
				t.Errorf("message %v, want %v", got, tt.message)
			}
			if tt.message != nil && last.text("run", "facets", "errorMessage",
				"programmingLanguage") != "Go" {
				t.Error("the message has no language")
			}
			published := last.objects("outputs")[0].at("facets") != nil
			if published != (tt.failure == nil) {
				t.Errorf("the output is described: %v", published)
			}
		})
	}
}

// The last event of a successful run has all that is known. Apart from time and id it is as in
// testdata.
func TestComplete(t *testing.T) {
	catalog := Catalog{Namespace: "nightly", Job: "people"}
	if err := catalog.SetParent(
		"airflow/dags/night.anonymize/0194a1f0-0000-7000-8000-000000000001"); err != nil {
		t.Fatal(err)
	}
	e := runEvents(t, exampleJob, catalog, exampleReport(), nil)[1]
	delete(e, "eventTime")
	delete(e["run"].(map[string]any), "runId")
	got, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(filepath.Join("testdata", "complete.json")); err != nil ||
		string(got)+"\n" != string(want) {
		t.Errorf("got\n%s\nwant\n%s\n%v", got, want, err)
	}
}

// Each of several inputs has the schema. Patterns of one folder are one input.
func TestSeveralInputs(t *testing.T) {
	job := *exampleJob
	job.Input = []string{"s3://lake/people/*.parquet", "/in/*/b.parquet", "/in/a?.parquet"}
	inputs := runEvents(t, &job, Catalog{Job: "people"}, exampleReport(), nil)[1].objects("inputs")
	if len(inputs) != 2 || inputs[1].text("name") != "/in" ||
		len(inputs[1].objects("facets", "schema", "fields")) != 4 {
		t.Errorf("inputs %v", inputs)
	}
}

func TestDatasetNames(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ location, want string }{
		{"/in/a.parquet", "file /in/a.parquet"},
		{"/in/", "file /in"},
		{"in/a.csv", "file " + filepath.ToSlash(filepath.Join(here, "in/a.csv"))},
		{"/in/*.parquet", "file /in"},
		{"/in/zip=*/x?.parquet", "file /in"},
		{"*.parquet", "file " + filepath.ToSlash(here)},
		{"s3://lake/people/a.parquet", "s3://lake people/a.parquet"},
		{"s3://lake/day=2026%2F01/a b%.parquet#1", "s3://lake day=2026%2F01/a b%.parquet#1"},
		{"s3://lake/a%20b/day=?/a.parquet", "s3://lake a%20b"},
		{"azblob://lake/people//a+b.parquet", "azblob://lake people//a+b.parquet"},
		{"s3://user:secret@lake/people/", "s3://lake people"},
		{"gs://lake/people/*.parquet", "gs://lake people"},
	} {
		job := *exampleJob
		job.Input = []string{tt.location}
		got := runEvents(t, &job, Catalog{Job: "people"}, nil,
			errors.New("stop"))[0].objects("inputs")[0]
		if name := got.text("namespace") + " " + got.text("name"); name != tt.want {
			t.Errorf("%s is %s, want %s", tt.location, name, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, tt := range []struct{ text, endpoint, want string }{
		{"lineage.jsonl", "", "lineage.jsonl"},
		{"http://host:5000", "", "http://host:5000/api/v1/lineage"},
		{"https://host:5000/", "v7/events", "https://host:5000/v7/events"},
		{"https://user:secret@host/my/path?key=secret", "v7", "https://host/my/path"},
		{"ftp://host", "", ""},
		{"http://", "", ""},
	} {
		target, err := Open(tt.text, tt.endpoint, "")
		switch {
		case err != nil && tt.want != "":
			t.Errorf("%s: %v", tt.text, err)
		case err == nil && target.shown != tt.want:
			t.Errorf("%s is %s, want %s", tt.text, target.shown, tt.want)
		}
	}
}

func TestSetParent(t *testing.T) {
	for _, text := range []string{"", "job/0194a1f0-0000-7000-8000-000000000001", "a/b/c",
		"a/b/0194a1f0"} {
		if c := new(Catalog); c.SetParent(text) == nil || c.parent != nil {
			t.Errorf("%q is %v", text, c.parent)
		}
	}
}

// backend is an HTTP server that receives events.
func backend(t *testing.T, handle http.HandlerFunc) *Catalog {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	target, err := Open(s.URL, "", "a key")
	if err != nil {
		t.Fatal(err)
	}
	target.Job = "people"
	return target
}

func TestServer(t *testing.T) {
	var types []string
	target := backend(t, func(_ http.ResponseWriter, r *http.Request) {
		var e object
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &e); err != nil {
			t.Error(err)
		}
		types = append(types, e.text("eventType"))
		if r.URL.Path != "/api/v1/lineage" || r.Header.Get("Authorization") != "Bearer a key" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked for %s with %v", r.URL.Path, r.Header)
		}
	})
	if err := target.Start(exampleJob).End(exampleReport(), nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(types, []string{"START", "COMPLETE"}) {
		t.Errorf("sent %v", types)
	}
}

// An answer other than success is an error for both events.
func TestServerRefuses(t *testing.T) {
	target := backend(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	})
	err := target.Start(exampleJob).End(exampleReport(), nil)
	if err == nil || strings.Count(err.Error(), "status 401") != 2 {
		t.Errorf("got %v", err)
	}
}

// A backend that does not exist or does not answer ends the wait for it, and the message contains
// neither the key nor other secrets.
func TestDeadServer(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client leave
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, address := range map[string]string{"silent": silent.Listener.Addr().String(),
		"closed": closed.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, err := Open("http://user:secret@"+address+"?token=secret", "", "secret key")
			if err != nil {
				t.Fatal(err)
			}
			err = target.Start(exampleJob).End(exampleReport(), nil)
			if err == nil || strings.Contains(err.Error(), "secret") ||
				!strings.Contains(err.Error(), address) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A file that cannot be written is only an error at the end.
func TestUnwritableFile(t *testing.T) {
	err := (&Catalog{where: t.TempDir()}).Start(exampleJob).End(exampleReport(), nil)
	if err == nil || !strings.Contains(err.Error(), "send lineage event START") ||
		!strings.Contains(err.Error(), "COMPLETE") {
		t.Errorf("got %v", err)
	}
}

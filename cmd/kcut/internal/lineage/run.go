// Package lineage tells catalogs of data which datasets a run reads and writes, and which
// released columns come from which columns of the input: as events of OpenLineage
// (https://openlineage.io), version 2-0-2 of its specification.
//
// Contract: a run has a START and one of COMPLETE, FAIL and ABORT, under one id. Events name
// datasets, columns, types and counts. No value of the data is in them: not in the names of
// datasets, which are those of the job and not the files found there, nor in messages, from
// which the values in the names of partition folders are taken.
//
// Not promised: that an event arrives. A run neither waits nor fails for it.
package lineage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kcut/kcut"
)

// Options say what a run is called in its events.
type Options struct {
	Namespace string  // of the job; empty: "default"
	Job       string  // its name
	Version   string  // of kcut
	Parent    *Parent // nil: none
}

// Parent is the run of a scheduler that started this one.
type Parent struct{ namespace, job, run string }

// ParseParent reads a parent as schedulers hand it on, in OPENLINEAGE_PARENT_ID: namespace/job/id.
func ParseParent(text string) (*Parent, error) {
	parts := strings.Split(text, "/")
	last := len(parts) - 1
	if last < 2 || uuid.Validate(parts[last]) != nil {
		return nil, errors.New("read OPENLINEAGE_PARENT_ID: it is not namespace/job/run id")
	}
	return &Parent{strings.Join(parts[:last-1], "/"), parts[last-1], parts[last]}, nil
}

// Run is a run whose events are sent to a Target.
type Run struct {
	target  Target
	options Options
	id      string
	inputs  []name
	output  name
	class   string
	begun   chan error // what became of the first event
}

// patience is how long the end of a run waits for its events to be taken.
const patience = 3 * time.Second

// Start sends the first event of a run, without waiting. End is owed.
func Start(target Target, job *kcut.Job, o Options) *Run {
	o.Namespace = cmp.Or(o.Namespace, "default")
	now := time.Now()
	r := &Run{
		target: target, options: o, id: uuid.Must(uuid.NewV7()).String(),
		inputs: datasetNames(job.Reads()), output: nameOf(job.Output.Path), class: job.Class,
		begun: make(chan error, 1),
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r.begun <- r.send(ctx, r.event("START", now))
	}()
	return r
}

// End sends the last event of a run: report is what it did, which may be nil where failure, what
// ended it, is not. It takes a few seconds at most, also when the target does
// not answer. The error tells which events were not taken.
func (r *Run) End(report *kcut.Report, failure error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case err := <-r.begun:
		return errors.Join(err, r.send(ctx, r.ended(time.Now(), report, failure)))
	case <-ctx.Done():
		return fmt.Errorf("send lineage events to %s: no answer in %v", r.target, patience)
	}
}

func (r *Run) send(ctx context.Context, e object) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	if err == nil {
		err = r.target.send(ctx, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("send lineage event %s to %s: %w", e["eventType"], r.target, err)
	}
	return nil
}

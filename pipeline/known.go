package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kcut/kcut/pipeline/checkpoint"
)

// known is a record of the output, and where it was found.
type known struct {
	*Report
	beside  bool // in the output's object store
	pending bool
}

// is reports whether a record says that what stands was made by the same job of the same input.
func (k *known) is(d *Digests) bool { return k.Digests.Job == d.Job && k.Digests.Input == d.Input }

// knownRecords returns those of the output that can be understood: this machine's, and those beside the output.
func (r *run) knownRecords(ctx context.Context) (records []known, err error) {
	for _, beside := range []bool{false, true} {
		for _, name := range []string{recordFile, pendingFile} {
			was, err := r.readRecord(ctx, beside, name)
			if err != nil {
				return nil, fmt.Errorf("read the output's record: %w", err)
			}
			if was != nil {
				records = append(records, known{was, beside, name == pendingFile})
			}
		}
	}
	return records, nil
}

// readRecord returns a record, or nil if there is none that can be understood.
func (r *run) readRecord(ctx context.Context, beside bool, name string) (*Report, error) {
	var text []byte
	var err error
	if beside {
		text, err = r.beside.get(ctx, name)
	} else if text, err = r.work.Get(name, maxRecord); errors.Is(err, checkpoint.ErrNone) {
		err = nil
	}
	var was Report
	if err != nil || json.Unmarshal(text, &was) != nil || was.Digests == nil {
		return nil, err
	}
	return &was, nil
}

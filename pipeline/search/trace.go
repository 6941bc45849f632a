package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
)

// tracer writes one JSON object on a line for every specialization.
type tracer struct {
	attributes []engine.Attribute
	out        io.Writer // nil: nothing is written
	written    int       // number of steps; a search that starts again repeats them
	err        error     // the first error; later steps are not written
}

// TraceStep is a performed step in a trace.
type TraceStep struct {
	Step      int          `json:"step"`
	Column    string       `json:"column"`
	Value     TraceLabel   `json:"value"`
	Children  []TraceLabel `json:"children"`
	InfoGain  float64      `json:"info_gain"`
	AnonyLoss float64      `json:"anony_loss"`
	Score     float64      `json:"score"`
	Anonymity []uint64     `json:"anonymity"`
}

// TraceLabel is a label: in JSON its text, or null.
type TraceLabel engine.Label

// MarshalJSON writes a string or null.
func (l TraceLabel) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return text.JSON(l.Text)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *TraceLabel) UnmarshalJSON(data []byte) error {
	*l = TraceLabel{Null: string(data) == "null"}
	return json.Unmarshal(data, &l.Text)
}

// ReadTrace reads the steps of a trace.
func ReadTrace(r io.Reader) ([]TraceStep, error) {
	steps := []TraceStep{}
	for in := json.NewDecoder(r); ; {
		var step TraceStep
		err := in.Decode(&step)
		switch {
		case errors.Is(err, io.EOF):
			return steps, nil
		case err != nil:
			return nil, fault.Errorf(fault.Input, "name a file that kcut run --trace has written",
				"read trace: step %d is not as a trace has it", len(steps)+1)
		}
		steps = append(steps, step)
	}
}

func (t *tracer) step(s engine.Step) {
	if t.out == nil || t.err != nil || s.Number <= t.written {
		return
	}
	t.written = s.Number
	line := TraceStep{
		Step: s.Number, Column: t.attributes[s.Attribute].Name, Value: TraceLabel(s.Value),
		InfoGain: s.InfoGain, AnonyLoss: s.AnonyLoss, Score: s.Score, Anonymity: s.Anonymity,
	}
	for _, child := range s.Children {
		line.Children = append(line.Children, TraceLabel(child))
	}
	json, err := text.JSON(line)
	if err == nil {
		_, err = io.WriteString(t.out, text.Escaped(string(json))+"\n")
	}
	if err != nil {
		t.err = fmt.Errorf("write trace: %w", err)
	}
}

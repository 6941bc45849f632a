package pipeline

import (
	"fmt"
	"io"

	"github.com/kcut/kcut/engine"
)

// tracer writes one JSON object a line for every performed specialization.
type tracer struct {
	attributes []engine.Attribute
	out        io.Writer // nil: nothing is written
	written    int       // steps; a search that starts again repeats them
	err        error     // the first one; later steps are not written
}

// traceStep is the JSON form of a step.
type traceStep struct {
	Step      int          `json:"step"`
	Column    string       `json:"column"`
	Value     traceLabel   `json:"value"`
	Children  []traceLabel `json:"children"`
	InfoGain  float64      `json:"info_gain"`
	AnonyLoss float64      `json:"anony_loss"`
	Score     float64      `json:"score"`
	Anonymity []uint64     `json:"anonymity"`
}

// traceLabel is a label as JSON: its text, or null.
type traceLabel engine.Label

func (l traceLabel) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return marshalPlain(l.Text)
}

func (t *tracer) step(s engine.Step) {
	if t.out == nil || t.err != nil || s.Number <= t.written {
		return
	}
	t.written = s.Number
	line := traceStep{
		Step: s.Number, Column: t.attributes[s.Attribute].Name, Value: traceLabel(s.Value),
		InfoGain: s.InfoGain, AnonyLoss: s.AnonyLoss, Score: s.Score, Anonymity: s.Anonymity,
	}
	for _, child := range s.Children {
		line.Children = append(line.Children, traceLabel(child))
	}
	text, err := marshalPlain(line)
	if err == nil {
		_, err = t.out.Write(append(text, '\n'))
	}
	if err != nil {
		t.err = fmt.Errorf("write trace: %w", err)
	}
}

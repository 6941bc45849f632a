package release

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// labels makes labels of the PLAIN values of a flat column. One goroutine uses it at a time.
type labels struct {
	values formats.Values
	decode plain.Decoder
	width  int
}

func newLabels(l *schema.Leaf) (labels, error) {
	if l.Type.V == format.Boolean || l.Type.V == format.Int96 {
		return labels{}, fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, l.Type.V)
	}
	t, err := schema.TypeOf(l.SchemaElement)
	width := plain.SizeOf(l.SchemaElement)
	return labels{values: formats.Values{Type: t}, decode: plain.DecoderOf(t, l.Type.V, width), width: width}, err
}

// of shows the labels of n values, and returns the bytes behind them.
func (l *labels) of(from []byte, n int, show func(label string)) (rest []byte, err error) {
	v := &l.values
	v.Words, v.Ends, v.Data = v.Words[:0], v.Ends[:0], v.Data[:0]
	if rest, err = l.decode(v, from, n); err != nil {
		return nil, err
	}
	for i := range n {
		show(v.Text(i))
	}
	return rest, nil
}

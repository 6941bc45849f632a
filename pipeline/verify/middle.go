package verify

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// acceptedMiddles returns what the middle of a label's interval looks like: that of its ends, of which an open or infinite
// one is the outermost that any label of the cut has. It is null when none has any.
func acceptedMiddles(cut []cutfile.Label) func(cutfile.Label) acceptedLabel {
	least, most, dates := math.Inf(1), math.Inf(-1), false
	for _, label := range cut {
		for _, end := range []json.RawMessage{label.Lower, label.Upper} {
			if x, days, ok := endOf(end); ok {
				least, most, dates = min(least, x), max(most, x), dates || days
			}
		}
	}
	return func(label cutfile.Label) acceptedLabel {
		lower, _, below := endOf(label.Lower)
		upper, _, above := endOf(label.Upper)
		if least > most || label.Null {
			return acceptedLabel{null: true}
		}
		if !below {
			lower = least
		}
		if !above {
			upper = most
		}
		middle := lower + (upper-lower)/2
		if dates {
			return acceptedLabel{text: time.Unix(int64(math.Floor(middle))*secondsOfDay, 0).UTC().Format(time.DateOnly)}
		}
		if math.IsInf(middle, 0) {
			middle = lower/2 + upper/2
		}
		word := []uint64{formats.FloatWord(math.Float64bits(middle))}
		return acceptedLabel{text: (&formats.Values{Type: formats.Type{Kind: formats.Float, Bits: 64}, Words: word}).Text(0)}
	}
}

const secondsOfDay = 86400

// endOf returns an interval's end as a number: of dates the days since 1970. It reports whether there is one, and it is finite.
func endOf(end json.RawMessage) (x float64, days, ok bool) {
	text, ok := cutfile.EndText(end)
	if !ok {
		return 0, false, false
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return float64(day.Unix() / secondsOfDay), true, true
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, false, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

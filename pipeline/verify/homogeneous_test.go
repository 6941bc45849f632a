package verify

import (
	"math"
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
)

// A class of one value counts the less, the more of the release has the value. It counts whole
// where there are more values than are counted, in whichever order they come.
func TestGained(t *testing.T) {
	const records, mixed = 1 << 14, 1 << 12
	for _, tt := range []struct {
		others uint64 // values of one record each, in the class that is mixed
		want   float64
	}{
		{0, 0}, {1, 0.75 / records}, {mostValues - 1, 0.75 * (mostValues - 1) / records},
		{mostValues, 0.75},
	} {
		for _, mixedFirst := range []bool{false, true} {
			v := verifier{rows: records}
			v.measures = []measures{{of: new(cutfile.Sensitive)}}
			v.countValues()
			m := &v.measures[0]
			for _, mixes := range []bool{mixedFirst, !mixedFirst} {
				m.begin(records)
				if !mixes {
					m.add(0, records-mixed, 0)
				} else if tt.others < mixed {
					m.add(0, mixed-tt.others, 0)
				}
				for i := range tt.others {
					if mixes {
						m.add(1+i, 1, 0)
					}
				}
				m.end()
			}
			if got := v.homogeneous()[0].Gained; math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("%d other values, first: %t: %v, want %v", tt.others, mixedFirst, got,
					tt.want)
			}
		}
	}
}

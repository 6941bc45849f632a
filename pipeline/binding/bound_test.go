package binding

import (
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// A column whose type Parquet does not have, as Arrow's durations, is refused before anything is
// read, and may be dropped.
func TestForeignType(t *testing.T) {
	schema := &formats.Schema{Fields: []formats.Field{
		{Name: "age", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "stay", Type: formats.Type{Kind: formats.Nested, Nested: "duration[s]"}},
	}}
	for mask, sound := range map[string]bool{job.MaskKeep: false, job.MaskSuppress: false,
		job.MaskDrop: true} {
		j := &job.Job{
			Sets: []job.Set{{Columns: []string{"age"}, K: 2}},
			Columns: []job.Column{{Name: "age", Mask: job.MaskDiscretize},
				{Name: "stay", Mask: mask}},
		}
		if mask == job.MaskSuppress {
			j.Sets[0].Columns = []string{"age", "stay"}
		}
		err := unbound(j, &Taxonomies{}).bind(schema, 10)
		if (err == nil) != sound || err != nil &&
			(fault.ClassOf(err) != fault.Input || !strings.Contains(err.Error(), "duration[s]")) {
			t.Errorf("%s: got %v", mask, err)
		}
	}
}

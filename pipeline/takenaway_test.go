package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/resources"
)

// Other programs may remove the files of a run before it publishes them. Then another try may
// succeed.
func TestOutputTakenAway(t *testing.T) {
	for _, tt := range []struct {
		output, taken string
		stage         resources.Stage
	}{
		{"out.parquet", ".out.parquet.kcut-tmp", resources.StageVerify},
		{"out.parquet", ".out.parquet.kcut-tmp", resources.StagePublish},
		{"out/", ".out.kcut-tmp", resources.StageVerify},
		{"out/", ".out.kcut-tmp", resources.StagePublish},
		{"out/", ".out.kcut-tmp/*.parquet", resources.StageVerify},
		{"out/", ".out.kcut-tmp/*.parquet", resources.StagePublish},
	} {
		t.Run(tt.taken+" "+string(tt.stage), func(t *testing.T) {
			dir := peopleFolder(t, outputIs(tt.output), 300)
			takeAway := func(stage resources.Stage) {
				if stage != tt.stage {
					return
				}
				taken, err := filepath.Glob(filepath.Join(dir, tt.taken))
				if must(t, err); len(taken) == 0 {
					t.Error("there is nothing to take away")
				}
				for _, path := range taken {
					must(t, os.RemoveAll(path))
				}
			}
			opt := RunOptions{Events: resources.Events{Start: takeAway}}
			mustFail(t, tryJob(t, dir, t.Context(), opt),
				fault.Transient)
		})
	}
}

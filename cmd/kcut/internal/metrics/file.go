package metrics

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/formats/publish"
)

// Write replaces the metrics file at path by how the run went, in one step. A success that
// the file already tells of is kept, when it is of the same job file.
func Write(path string, r Run) error {
	old, err := os.ReadFile(path)
	if err == nil {
		r.Succeeded = succeeded(string(old), r.JobFile)
	}
	if err := publish.Replace(path, r.Text()); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

// succeeded returns when a run of a job last succeeded, as a metrics file tells it, or zero.
func succeeded(text, jobFile string) time.Time {
	e := encoder{common: label{"job_file", jobFile}}
	start := prefix + lastSuccess + e.labels(nil) + " "
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, start); ok {
			if at, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return time.UnixMilli(int64(at*1000 + 0.5))
			}
		}
	}
	return time.Time{}
}

package pipeline

import (
	paths "path"
	"path/filepath"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/output"
)

// The files of a work folder that have the records of runs.
const (
	recordFile  = "run.json"  // of the run that made the output
	pendingFile = "next.json" // of a run that was about to publish
)

// maxRecord is the largest size of a record that is read, in bytes.
const maxRecord = 64 << 20

// runRecord is the record of a run in the work folder of its output: the report, and the
// placements of the leaves of declared trees, which the cut does not have.
type runRecord struct {
	*Report
	Placements map[string]domain.Placement `json:"trees,omitempty"`
}

// workFolder returns the path of the work folder of an output on a disk.
func workFolder(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".kcut")
}

// remoteRecordFolder returns the folder of the record of a release in an object store, for runs
// on other machines. The folder is next to the output, has the name that the work folder has on a
// disk, and is no part of the release. A directory that is a whole bucket has no such folder: the
// result is empty.
func remoteRecordFolder(path string) string {
	if !storage.IsRemote(path) {
		return ""
	}
	bucket, key := storage.Split(output.Shown(path))
	if key == "" {
		return ""
	}
	above, name := paths.Split(key)
	return bucket + "/" + above + "." + name + ".kcut"
}

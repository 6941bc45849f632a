package pipeline

import (
	paths "path"
	"path/filepath"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/output"
)

// The files of a work folder that say what made the release.
const (
	recordFile  = "run.json"  // the report of the run that made the release that stands
	pendingFile = "next.json" // of the run that was about to publish
)

// maxRecord bounds a record that is read.
const maxRecord = 64 << 20

// record is what lies beside a release on a disk: the report of the run, and where the leaves of
// declared trees lay, which no cut says.
type runRecord struct {
	*Report
	Placements map[string]domain.Placement `json:"trees,omitempty"`
}

// workFolder returns the path of the work folder of an output on a disk.
func workFolder(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".kcut")
}

// folderBeside returns where the record of a release in an object store lies for runs of other
// machines: beside the output, under the names that it has beside one on a disk, and no part of
// the release. Beside a directory that is all of a bucket there is no such place.
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

package release

import "reflect"

// ManifestKey is the only metadata key of a manifest: the list of part files of a directory, as
// JSON.
const ManifestKey = "kcut.manifest"

// IsManifest reports whether a file without rows contains only a text under ManifestKey and the
// schema of a part. The error is that of an unreadable footer.
func (r *File) IsManifest(of *File) (bool, error) {
	findings, err := r.footerLeaks(ManifestKey)
	return len(findings) == 0 && r.RowGroups() == 0 &&
		reflect.DeepEqual(r.footer.Schema, of.footer.Schema), err
}

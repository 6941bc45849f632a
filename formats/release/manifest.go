package release

import "reflect"

// ManifestKey is the one metadata key of a manifest: what a directory of part files holds, as JSON.
const ManifestKey = "kcut.manifest"

// IsManifest reports whether a file of no rows holds nothing but a text under ManifestKey and the schema of a part. The
// error is that of a footer that cannot be read.
func (r *File) IsManifest(of *File) (bool, error) {
	findings, err := r.footerLeaks(ManifestKey)
	return len(findings) == 0 && r.RowGroups() == 0 && reflect.DeepEqual(r.footer.Schema, of.footer.Schema), err
}

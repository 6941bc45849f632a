// Package storage accesses files: in the machine's file system, or in a bucket of an object store.
// It opens them for reading at any position, lists them and uploads finished ones.
//
// A location is a path, or a URL s3://bucket/key, gs://bucket/key or azblob://container/key, whose
// key is literal: nothing in it is decoded, and ? and # are ordinary characters.
//
// Endpoint and credentials of a store come from the environment, as in each cloud's own tools.
//
// Contract: all bytes read from an opened file belong to one version of it. An object that is
// replaced meanwhile cannot be read any more: the error wraps formats.ErrDamaged. Other errors wrap
// fs.ErrNotExist, ErrDenied or, when trying again may help, ErrUnavailable.
//
// Limits: there are no locks. If two machines write one location, only Upload's Fresh keeps them
// apart, where the store supports conditional writes.
package storage

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// schemes are the URL schemes of object stores.
var schemes = []string{"s3", "gs", "azblob"}

// otherNames are schemes of other tools for the same stores.
var otherNames = map[string]string{"s3a": "s3", "s3n": "s3", "gcs": "gs", "az": "azblob",
	"abfs": "azblob", "abfss": "azblob", "wasb": "azblob", "wasbs": "azblob"}

// Resolve returns the location for a user's text: the path of a file URL, other texts unchanged. It
// refuses URLs of unsupported kinds.
func Resolve(text string) (string, error) {
	scheme, rest, ok := cutScheme(text)
	switch {
	case !ok:
		return text, nil
	case scheme == "file":
		return filePath(rest)
	case slices.Contains(schemes, scheme):
		if bucket, _, _ := strings.Cut(rest, "/"); bucket == "" {
			return "", fmt.Errorf("a URL without a bucket: it is %s://bucket/name", scheme)
		}
		return text, nil
	case otherNames[scheme] != "":
		return "", fmt.Errorf("a URL of an unknown kind, %s://: write %s://", scheme,
			otherNames[scheme])
	}
	return "", fmt.Errorf("a URL of an unknown kind, %s://: there are %s:// and file://", scheme,
		strings.Join(schemes, "://, "))
}

// filePath returns the path of a file URL, which is percent-encoded.
func filePath(rest string) (string, error) {
	rest = strings.TrimPrefix(rest, "localhost")
	if !strings.HasPrefix(rest, "/") {
		return "", fmt.Errorf("a file URL that names another machine: it is file:///path")
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.Contains(path, "\x00") {
		return "", fmt.Errorf("a file URL that is not encoded right: a %% in it is %%25")
	}
	return filepath.FromSlash(path), nil
}

// urlForm matches a URL with a scheme according to RFC 3986.
var urlForm = regexp.MustCompile(`(?s)^([A-Za-z][A-Za-z0-9+.-]*)://(.*)$`)

// cutScheme splits a URL after its scheme.
func cutScheme(text string) (scheme, rest string, ok bool) {
	parts := urlForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false
	}
	return strings.ToLower(parts[1]), parts[2], true
}

// IsURL reports whether a text is a URL of any kind.
func IsURL(text string) bool { return urlForm.MatchString(text) }

// IsRemote reports whether a location is in an object store.
func IsRemote(location string) bool {
	scheme, _, _ := cutScheme(location)
	return slices.Contains(schemes, scheme)
}

// Split splits a remote location into the URL of its bucket and the key.
func Split(location string) (bucket, key string) {
	scheme, rest, _ := cutScheme(location)
	bucket, key, _ = strings.Cut(rest, "/")
	return scheme + "://" + bucket, key
}

// Join returns the location of a name in a directory: with no name, the common prefix of all its
// files.
func Join(directory, name string) string {
	separator := string(filepath.Separator)
	if IsRemote(directory) {
		separator = "/"
	}
	return strings.TrimSuffix(directory, separator) + separator + name
}

// Package storage is where files live: the machine's file system, or a bucket of an object
// store. It opens them for reading at any position, lists them and puts finished ones there.
//
// A location is a path, or a URL s3://bucket/key, gs://bucket/key or azblob://container/key, whose
// key is taken as it is: nothing in it is decoded, and ? and # are letters like others.
//
// Endpoint and credentials of a store come from the environment, as each cloud's own tools
// take them.
//
// Contract: what is read from an opened file is of one version of it. An object that is
// replaced meanwhile cannot be read any more: the error wraps formats.ErrDamaged. Other
// errors wrap fs.ErrNotExist, ErrDenied or, when trying again may help, ErrUnavailable.
//
// Not promised: locks. Two machines that write one location are told apart only by Upload's
// Fresh, where the store knows conditional writes.
package storage

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// schemes are the URLs of object stores.
var schemes = []string{"s3", "gs", "azblob"}

// otherNames are what other tools call the same stores.
var otherNames = map[string]string{"s3a": "s3", "s3n": "s3", "gcs": "gs", "az": "azblob", "abfs": "azblob", "abfss": "azblob", "wasb": "azblob", "wasbs": "azblob"}

// Resolve returns the location that a user's text names: of a file URL the path, anything
// else as it is. It refuses URLs that nothing can be read from.
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
		return "", fmt.Errorf("a URL of an unknown kind, %s://: write %s://", scheme, otherNames[scheme])
	}
	return "", fmt.Errorf("a URL of an unknown kind, %s://: there are %s:// and file://", scheme, strings.Join(schemes, "://, "))
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

// urlForm is a URL with a scheme in the way of RFC 3986.
var urlForm = regexp.MustCompile(`(?s)^([A-Za-z][A-Za-z0-9+.-]*)://(.*)$`)

// cutScheme cuts a URL after its scheme.
func cutScheme(text string) (scheme, rest string, ok bool) {
	parts := urlForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false
	}
	return strings.ToLower(parts[1]), parts[2], true
}

// IsURL reports whether a text is a URL, of whatever kind.
func IsURL(text string) bool { return urlForm.MatchString(text) }

// IsRemote reports whether a location is in an object store.
func IsRemote(location string) bool {
	scheme, _, _ := cutScheme(location)
	return slices.Contains(schemes, scheme)
}

// Split cuts a remote location into the URL of its bucket and the key.
func Split(location string) (bucket, key string) {
	scheme, rest, _ := cutScheme(location)
	bucket, key, _ = strings.Cut(rest, "/")
	return scheme + "://" + bucket, key
}

// Join returns the location of a name in a directory: with no name, what the locations of all
// its files start with.
func Join(directory, name string) string {
	separator := string(filepath.Separator)
	if IsRemote(directory) {
		separator = "/"
	}
	return strings.TrimSuffix(directory, separator) + separator + name
}

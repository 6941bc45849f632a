package storagetest

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/johannesboyne/gofakes3"
)

// object is one version of an object.
type object struct {
	key      string
	data     []byte
	etag     string // in quotes
	changed  time.Time
	metadata map[string]string
}

// upload is an upload that needs more requests after its first.
type upload struct {
	description []byte // Google's description of the object
	data        []byte
	fresh       bool          // the object must not exist yet
	made        *googleObject // set when it has ended
}

// changedKey is the backend's key for the time of an object.
const changedKey = "Last-Modified"

// put makes an object. It does not keep the metadata of an object that it replaces.
func (s *Server) put(key string, data []byte, metadata map[string]string, fresh bool) error {
	var conditions *gofakes3.PutConditions
	if fresh {
		conditions = &gofakes3.PutConditions{IfNoneMatch: new("*")}
	} else {
		s.remove(key)
	}
	all := map[string]string{changedKey: time.Now().UTC().Format(http.TimeFormat)}
	maps.Copy(all, metadata)
	_, err := s.backend.PutObject(Bucket, key, all, bytes.NewReader(data), int64(len(data)),
		conditions)
	return err
}

// object returns an object, or nil.
func (s *Server) object(key string) *object {
	found, err := s.backend.GetObject(Bucket, key, nil)
	if err != nil {
		return nil
	}
	o := &object{
		key:      key,
		etag:     gofakes3.FormatETag(found.Hash),
		metadata: maps.Clone(found.Metadata),
	}
	o.data, _ = io.ReadAll(found.Contents) // it is in memory
	o.changed, _ = http.ParseTime(o.metadata[changedKey])
	delete(o.metadata, changedKey)
	return o
}

func (s *Server) remove(key string) { _, _ = s.backend.DeleteObject(Bucket, key) }

// list returns at most most objects whose keys begin with a prefix and come after one, and the last
// one's key when there are more.
func (s *Server) list(prefix, after, most string) (objects []*object, next string) {
	page := gofakes3.ListBucketPage{Marker: after, HasMarker: after != "", MaxKeys: 1000}
	if n, err := strconv.ParseInt(most, 10, 64); err == nil {
		page.MaxKeys = n
	}
	start := gofakes3.NewPrefix(&prefix, nil)
	list, err := s.backend.ListBucket(Bucket, &start, page)
	if err != nil {
		return nil, ""
	}
	for _, content := range list.Contents {
		objects = append(objects, s.object(content.Key))
	}
	if list.IsTruncated {
		next = list.NextMarker
	}
	return objects, next
}

// send answers a request for all bytes, those of a range, or none.
func (o *object) send(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", o.etag)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", o.changed, bytes.NewReader(o.data))
}

// md5Text returns the checksum of an object in the form of HTTP.
func md5Text(data []byte) string {
	sum := md5.Sum(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

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

// upload is one that is not done with its first request.
type upload struct {
	description []byte // Google's, of the object
	data        []byte
	fresh       bool          // there must be no such object yet
	made        *googleObject // when it has ended
}

// changedKey is where the backend keeps the time of an object.
const changedKey = "Last-Modified"

// put makes an object. The metadata of one that it replaces is not kept.
func (s *Server) put(key string, data []byte, metadata map[string]string, fresh bool) error {
	var conditions *gofakes3.PutConditions
	if fresh {
		conditions = &gofakes3.PutConditions{IfNoneMatch: new("*")}
	} else {
		s.remove(key)
	}
	all := map[string]string{changedKey: time.Now().UTC().Format(http.TimeFormat)}
	maps.Copy(all, metadata)
	_, err := s.backend.PutObject(Bucket, key, all, bytes.NewReader(data), int64(len(data)), conditions)
	return err
}

// object returns an object, or nil.
func (s *Server) object(key string) *object {
	found, err := s.backend.GetObject(Bucket, key, nil)
	if err != nil {
		return nil
	}
	o := &object{key: key, etag: gofakes3.FormatETag(found.Hash), metadata: maps.Clone(found.Metadata)}
	o.data, _ = io.ReadAll(found.Contents) // it is in memory
	o.changed, _ = http.ParseTime(o.metadata[changedKey])
	delete(o.metadata, changedKey)
	return o
}

func (s *Server) remove(key string) { _, _ = s.backend.DeleteObject(Bucket, key) }

// list returns the objects whose keys begin with a prefix and come after one, as many as are asked
// for, and the last one's key when there are more.
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

// send answers a request for the bytes, those of a range, or none.
func (o *object) send(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", o.etag)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", o.changed, bytes.NewReader(o.data))
}

// md5Text is the checksum of an object as HTTP has it.
func md5Text(data []byte) string {
	sum := md5.Sum(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

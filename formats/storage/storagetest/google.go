package storagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	api "google.golang.org/api/storage/v1"
)

// google is Google's JSON API, and its XML API for reading.
var google = dialect{
	environment: func(url string) map[string]string {
		return map[string]string{"STORAGE_EMULATOR_HOST": strings.TrimPrefix(url, "http://")}
	},
	isPart: func(r *http.Request) bool { return r.Header.Get("Content-Range") != "" },
	serve:  serveGoogle,
}

const (
	googleObjects = "/storage/v1/b/" + Bucket + "/o"
	googleUploads = "/upload" + googleObjects
)

func serveGoogle(s *Server, w http.ResponseWriter, r *http.Request) int {
	path, query := r.URL.Path, r.URL.Query()
	key, isObject := strings.CutPrefix(path, googleObjects+"/")
	data, isData := strings.CutPrefix(path, "/"+Bucket+"/")
	switch {
	case isData && r.Method == http.MethodGet:
		return s.readGoogle(w, r, s.object(data))
	case path == googleUploads && query.Has("upload_id"):
		return s.takeChunk(w, r)
	case path == googleUploads:
		return s.takeGoogle(w, r)
	case path == googleObjects:
		list := api.Objects{}
		objects, next := s.list(query.Get("prefix"), query.Get("pageToken"), query.Get("maxResults"))
		for _, o := range objects {
			list.Items = append(list.Items, o.resource())
		}
		list.NextPageToken = next
		return answer(w, &list)
	case !isObject || s.object(key) == nil:
		return http.StatusNotFound
	case r.Method == http.MethodDelete:
		s.remove(key)
		w.WriteHeader(http.StatusNoContent)
		return 0
	}
	return answer(w, s.object(key).resource())
}

// readGoogle answers a read of the XML API.
func (s *Server) readGoogle(w http.ResponseWriter, r *http.Request, o *object) int {
	if o == nil {
		return http.StatusNotFound
	}
	generation := fmt.Sprint(o.generation())
	if want := r.Header.Get("X-Goog-If-Generation-Match"); want != "" && want != generation {
		return http.StatusPreconditionFailed
	}
	w.Header().Set("X-Goog-Generation", generation)
	w.Header().Set("X-Goog-Metageneration", "1")
	o.send(w, r)
	return 0
}

// generation is Google's number of a version.
func (o *object) generation() int64 {
	number, _ := strconv.ParseInt(o.etag[1:8], 16, 64) // hexadecimal digits in quotes
	return 1 + number
}

// resource is what Google says of an object.
func (o *object) resource() *api.Object {
	when := o.changed.Format(time.RFC3339Nano)
	return &api.Object{
		Name: o.key, Bucket: Bucket, Generation: o.generation(), Size: uint64(len(o.data)),
		Md5Hash: md5Text(o.data), Etag: o.etag, TimeCreated: when, Updated: when, Metadata: o.metadata,
	}
}

// takeGoogle takes an object in one request of two parts, what it is to be and its bytes, or the
// first of these, which chunks follow.
func (s *Server) takeGoogle(w http.ResponseWriter, r *http.Request) int {
	fresh := r.URL.Query().Get("ifGenerationMatch") == "0"
	if r.URL.Query().Get("uploadType") == "resumable" {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return http.StatusBadRequest
		}
		id := fmt.Sprint(len(s.begun))
		s.begun[id] = &upload{description: text, fresh: fresh}
		w.Header().Set("Location", "http://"+r.Host+googleUploads+"?upload_id="+id)
		return 0
	}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return http.StatusBadRequest
	}
	body := multipart.NewReader(r.Body, params["boundary"])
	var parts [2][]byte
	for i := range parts {
		part, err := body.NextPart()
		if err == nil {
			parts[i], err = io.ReadAll(part)
		}
		if err != nil {
			return http.StatusBadRequest
		}
	}
	return s.finish(w, &upload{description: parts[0], data: parts[1], fresh: fresh})
}

// takeChunk takes the next bytes of an upload; those that it has already, it takes again.
func (s *Server) takeChunk(w http.ResponseWriter, r *http.Request) int {
	id := r.URL.Query().Get("upload_id")
	u := s.begun[id]
	data, err := io.ReadAll(r.Body)
	ends, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if u == nil || u.ended || err != nil {
		return http.StatusNotFound
	}
	if ends != "*" {
		from, err := strconv.Atoi(strings.Split(ends, "-")[0])
		if err != nil || from > len(u.data) {
			return http.StatusBadRequest
		}
		u.data = append(u.data[:from], data...)
	}
	if total == "*" {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(u.data)-1))
		w.Header().Set("X-Http-Status-Code-Override", "308")
		return 0
	}
	u.ended = true
	return s.finish(w, u)
}

// finish makes the object of an upload, if it is what its sender says and may be.
func (s *Server) finish(w http.ResponseWriter, u *upload) int {
	var what api.Object
	if err := json.Unmarshal(u.description, &what); err != nil || what.Md5Hash != "" && what.Md5Hash != md5Text(u.data) {
		return http.StatusBadRequest
	}
	if s.put(what.Name, bytes.Clone(u.data), what.Metadata, u.fresh) != nil {
		return http.StatusPreconditionFailed
	}
	return answer(w, s.object(what.Name).resource())
}

func answer(w http.ResponseWriter, what any) int {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
	return 0
}

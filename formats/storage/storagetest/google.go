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
)

// google is Google's JSON API.
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
	switch {
	case path == googleUploads && query.Has("upload_id"):
		return s.takeChunk(w, r)
	case path == googleUploads:
		return s.takeGoogle(w, r)
	case path == googleObjects:
		var list struct {
			Items         []*googleObject `json:"items,omitempty"`
			NextPageToken string          `json:"nextPageToken,omitempty"`
		}
		objects, next := s.list(query.Get("prefix"), query.Get("pageToken"),
			query.Get("maxResults"))
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
	case query.Get("alt") == "media":
		return s.readGoogle(w, r, s.object(key))
	}
	return answer(w, s.object(key).resource())
}

// readGoogle answers a request for bytes.
func (s *Server) readGoogle(w http.ResponseWriter, r *http.Request, o *object) int {
	generation := fmt.Sprint(o.generation())
	switch want := r.URL.Query().Get("ifGenerationMatch"); {
	case want != "" && want != generation:
		return http.StatusPreconditionFailed
	case r.Header.Get("Accept-Encoding") != "gzip": // Google would decompress some objects
		return http.StatusBadRequest
	}
	w.Header().Set("X-Goog-Generation", generation)
	o.send(w, r)
	return 0
}

// generation returns Google's number of a version.
func (o *object) generation() int64 {
	number, _ := strconv.ParseInt(o.etag[1:8], 16, 64) // hexadecimal digits in quotes
	return 1 + number
}

// googleObject is Google's description of an object.
type googleObject struct {
	Name       string            `json:"name"`
	Bucket     string            `json:"bucket"`
	Generation string            `json:"generation"` // as a string, like all numbers of 64 bits
	Size       string            `json:"size"`
	MD5        string            `json:"md5Hash"`
	Etag       string            `json:"etag"`
	Created    string            `json:"timeCreated"`
	Updated    string            `json:"updated"`
	Metadata   map[string]string `json:"metadata"`
}

func (o *object) resource() *googleObject {
	when := o.changed.Format(time.RFC3339Nano)
	return &googleObject{o.key, Bucket, fmt.Sprint(o.generation()), fmt.Sprint(len(o.data)),
		md5Text(o.data), o.etag, when, when, o.metadata}
}

// takeGoogle receives an object in one request of two parts, its description and its bytes, or the
// first of these, followed by chunks.
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

// takeChunk receives the next bytes of an upload. It accepts bytes again that it already has.
func (s *Server) takeChunk(w http.ResponseWriter, r *http.Request) int {
	u := s.begun[r.URL.Query().Get("upload_id")]
	data, err := io.ReadAll(r.Body)
	places, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "),
		"/")
	switch {
	case u == nil || err != nil:
		return http.StatusNotFound
	case u.made != nil:
		return answer(w, u.made)
	}
	if places != "*" {
		from, err := strconv.Atoi(strings.Split(places, "-")[0])
		const unit = 256 << 10
		if err != nil || from > len(u.data) || total == "*" && len(data)%unit != 0 {
			return http.StatusBadRequest
		}
		u.data = append(u.data[:from], data...)
	}
	if total == "*" {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(u.data)-1))
		w.Header().Set("X-Http-Status-Code-Override", "308")
		return 0
	}
	return s.finish(w, u)
}

// finish makes the object of an upload, if the content matches its description and the object is
// allowed.
func (s *Server) finish(w http.ResponseWriter, u *upload) int {
	var what googleObject
	if err := json.Unmarshal(u.description, &what); err != nil ||
		what.MD5 != "" && what.MD5 != md5Text(u.data) {
		return http.StatusBadRequest
	}
	if s.put(what.Name, bytes.Clone(u.data), what.Metadata, u.fresh) != nil {
		return http.StatusPreconditionFailed
	}
	u.made = s.object(what.Name).resource()
	return answer(w, u.made)
}

func answer(w http.ResponseWriter, what any) int {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(what)
	return 0
}
